# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_probe test_target test_builtin
#
# The debugfs files.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

list=$dir/list
mode() { stat -c %a "$dir/$1"; }
lists() { grep -Eq "$1" "$list"; }

# by_theirs: checks that the built-in list has the same line for a probe where ours is, but for its state.
# Ours is gone when this returns.
by_theirs() {
	[ -d /sys/kernel/debug/kprobes ] && [ $dir != /sys/kernel/debug/kprobes ] || return 0
	by_ours=$(sed 's/\[[A-Z]*\]//' $list)
	rmmod test_probe
	insmod test_builtin.ko at="0x${by_ours%% *}"
	# ppc64's has a probe of its own in it, where functions return to.
	same "the built-in list has the same line" "$(sed '/ k  [a-z_]*_trampoline+0x0 /d; s/\[[A-Z]*\]//' \
		/sys/kernel/debug/kprobes/list)" "$by_ours"
	rmmod test_builtin
}

insmod kprobes.ko
check "the folder is there" test -d $dir
same "list is for root to read" "$(mode list)" 400
same "enabled is for root to read and write" "$(mode enabled)" 600
same "blacklist is for root to read" "$(mode blacklist)" 400
same "the list is empty" "$(cat $list)" ''
same "the status is empty" "$(cat $dir/status)" ''
same "all are enabled" "$(cat $dir/enabled)" 1

# A probe in a module.
insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
hex=$(printf 0x%x "$at")
addr=$(grep -Fw lkp_target_fn /proc/kallsyms | awk '$3 == "lkp_target_fn" { print $1 }')
addr=$(printf %x $((0x$addr + at)))
check "a module's is listed with its module" \
	lists "^$addr  k  lkp_target_fn\\+$hex  test_target (\\[OPTIMIZED\\])?\$"
same "once" "$(wc -l <$list)" 1
tell disabled 1
check "disabled" lists "^$addr  k  lkp_target_fn\\+$hex  test_target \\[DISABLED\\]\$"
tell disabled 0
refuse "and no more" lists DISABLED

# All off and on.
same "it is hit" "$(hits_of target_call)" 1
echo 0 >$dir/enabled
same "all are disabled" "$(cat $dir/enabled)" 0
same "it is not hit" "$(hits_of target_call)" 0
refuse "that is not its own state" lists DISABLED
check "it can be disabled then" tell disabled 1
check "it can be enabled then" tell disabled 0
same "and is still not hit" "$(hits_of target_call)" 0
check "it can be disabled then, again" tell disabled 1
echo 1 >$dir/enabled
same "all are enabled again" "$(cat $dir/enabled)" 1
same "one that is disabled stays so" "$(hits_of target_call)" 0
check "it is listed so" lists '\[DISABLED\]'
tell disabled 0
same "until it is enabled" "$(hits_of target_call)" 1

# Other values that may be written.
for word in n N off; do
	echo $word >$dir/enabled
	same "'$word' means off" "$(cat $dir/enabled)" 0
	echo 1 >$dir/enabled
done
for word in y Y on; do
	echo 0 >$dir/enabled
	echo $word >$dir/enabled
	same "'$word' means on" "$(cat $dir/enabled)" 1
done
echo 1 >$dir/enabled
same "on twice is on" "$(hits_of target_call)" 1
for word in rubbish '' yellow nothing 2 00 onn; do
	(echo $word >$dir/enabled) 2>/dev/null
	same "'$word' is refused" "$?" 1
	same "'$word' changes nothing" "$(cat $dir/enabled)" 1
done

# A probe registered and unregistered while all are off.
tell planted 0
echo 0 >$dir/enabled
check "one can be registered while all are off" tell planted 1
same "it is not hit then" "$(hits_of target_call)" 0
echo 1 >$dir/enabled
same "it is hit when all are on" "$(hits_of target_call)" 1
echo 0 >$dir/enabled
check "it can be unregistered while all are off" tell planted 0
same "the list is empty then" "$(cat $list)" ''
echo 1 >$dir/enabled
same "nothing is hit when all are on" "$(hits_of target_call)" 0
tell planted 1
by_theirs
rmmod test_probe 2>/dev/null

# A probe on the entry of one of the kernel's functions.
insmod test_probe.ko symbol=wakeup_flusher_threads
check "the kernel's own is listed without a module" \
	lists "^[0-9a-f]{16}  k  wakeup_flusher_threads\\+0x[048c]  *$(entry_mark) *\$"
same "it is hit" "$(hits_of sync)" 1
echo 0 >$dir/enabled
same "it is not hit when all are off" "$(hits_of sync)" 0
echo 1 >$dir/enabled
same "it is hit when all are on again" "$(hits_of sync)" 1

# Addresses are hidden from unprivileged readers.
kernel_begins=$(grep -Fw wakeup_flusher_threads /proc/kallsyms |
	sed -n 's/^\(.......\).* T wakeup_flusher_threads$/\1/p')
echo 2 >/proc/sys/kernel/kptr_restrict
check "list hides addresses" lists '^0000000000000000  k  wakeup_flusher_threads'
refuse "blacklist hides addresses" grep -q "$kernel_begins" $dir/blacklist
echo 0 >/proc/sys/kernel/kptr_restrict
check "list shows them again" lists "^$kernel_begins"
by_theirs
rmmod test_probe 2>/dev/null
rmmod test_target

# The blacklist.
refuse "a line of the blacklist has another format" \
	grep -Evq '^0x[0-9a-f]{16}-0x[0-9a-f]{16}	[^ ]+( \[[^ ]+\])?$' $dir/blacklist
check "it is long" test "$(wc -l <$dir/blacklist)" -gt 30
# Called by what is on it by name, where CPUs come up; or by programs of BPF on what is on it; or
# reached by a return, so that a return probe would take a user's register for the address; or a
# copy or a part that the compiler has made of what is on it; or run in an early machine check,
# while the kernel's vector registers are in use, by CPUs that are offline, or where RCU does not
# watch; or what checkers do in each trap.
case $(uname -m) in
x86_64) called='cc_platform_has cpu_init_secondary native_write_cr4 setup_ghcb migrate_disable
	ret_from_fork ret_from_fork_asm ct_user_enter.part.0
	ct_user_exit.part.0 kernelmode_fixup_or_oops.constprop.0 __bad_area_nosemaphore.cold
	do_user_addr_fault.cold stack_trace_call.cold
	lock_acquire lock_release __lock_acquire register_lock_class check_noncircular save_trace
	check_preemption_disabled __asan_load8 __asan_store8 kasan_check_range __tsan_read8' ;;
ppc64le) called='mce_find_instr_ea_and_phys.isra.0 preload_add.isra.0
	xive_flush_cpu_queue.constprop.0 pnv_machine_check_early machine_check_queue_event
	get_mce_event rtas_call_unlocked analyse_instr enter_vmx_ops memcpy_power7 __xor_altivec_2
	enable_kernel_altivec cpu_core_split_required cpu_do_split pnv_program_cpu_hotplug_lpcr
	timer_rearm_host_dec' ;;
aarch64) called='arm64_exit_el1_dbg.isra.0 __psci_enter_domain_idle_state.constprop.0
	psci_set_domain_state cpu_pm_enter cpu_pm_exit cpu_pm_notify_robust mte_suspend_enter' ;;
esac
# Both files are long to read: once each, and of the symbols only those that are asked for.
# Of the free ones most are called when something is reported, in a kernel that checks itself.
free='vfs_read wakeup_flusher_threads try_to_free_pages mod_delayed_work_on wake_up_process'
cat $dir/blacklist >/tmp/blacklist
echo $called $blacklisted $free | awk '
	NR == FNR { for (i = 1; i <= NF; i++) wanted[$i] = 1; next }
	NF == 3 && $3 in wanted { print $1, $3 }' - /proc/kallsyms >/tmp/wanted
# within NAME: the function is in one of its ranges.
within() {
	within_addr=$(awk -v name="$1" '$2 == name { print $1; exit }' /tmp/wanted)
	[ "$within_addr" ] || return 1
	awk -v addr="0x$within_addr" '{ split($1, range, "-")
		if ((range[1] "") <= (addr "") && (addr "") < (range[2] "")) found = 1 }
		END { exit !found }' /tmp/blacklist
}
for name in $called; do
	grep -q " $name\$" /tmp/wanted && blacklisted="$blacklisted $name"
done
for name in $blacklisted; do
	check "the blacklist has $name" within $name
done
for name in $free; do
	check "$name is there" grep -q " $name\$" /tmp/wanted
	refuse "the blacklist has not $name" within "$name"
done

rmmod kprobes
refuse "the folder goes with the module" test -e $dir
ktap_end
