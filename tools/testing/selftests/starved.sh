# SPDX-License-Identifier: GPL-2.0-only
#
# host: notasks
# arch: x86_64
# modules: test_starved test_leaver test_leftover test_target test_probe
# timeout: 180
# vm: own
#
# A preemptible kernel without RCU-tasks, where nobody can wait for preempted tasks. There are no
# jumps; what a task that is kept from running may still need stays; and the module unloads,
# unless it must stay.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

reason='this kernel is preemptible and has no RCU-tasks (CONFIG_TASKS_RCU)'

leftover=/sys/module/test_leftover/parameters
pins() { cat /sys/module/kprobes/refcnt; }
pinned_once() { [ "$(pins)" = 1 ]; }

insmod kprobes.ko
insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
check "a probe" insmod test_probe.ko symbol=lkp_target_fn offset="$at"
check "the sysctl is on" grep -qx 1 /proc/sys/debug/kprobes-optimization
echo 1 >/proc/sys/debug/kprobes-optimization
refuse "it does not become a jump" grep -q OPTIMIZED $dir/list
check "status says why" grep -qF "trap: $reason" $dir/status
check "so does check" judged "lkp_target_fn+$at" "trap: $reason"
same "it is hit" "$(hits_of target_call)" 1
check "its client unloads" rmmod test_probe
rmmod test_target
check "kprobes.ko unloads" rmmod kprobes

# The frame of a trap stays on the stack of a task that sleeps.
insmod kprobes.ko
insmod test_leftover.ko
insmod test_probe.ko symbol=lkp_leftover_fn offset="$(cat $leftover/at)"
echo 1 >$leftover/start
check "a task sleeps behind a slot" wait_for 10 grep -qx 1 $leftover/asleep
same "in which it was" "$(value hits)" 1
rmmod test_probe
check "kprobes.ko unloads meanwhile" unloads 10 kprobes
rmmod test_leftover
wait

# Real-time tasks may use all of a CPU.
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
insmod kprobes.ko
dmesg -c >/dev/null
run_cases test_starved
check "the instance goes when it is no longer needed" wait_for 10 pinned_once
check "the slot of the trap stays, as nobody knows, and that is said" \
	sh -c "dmesg | grep -q \"a task that exits may be in a slot: the module can't be unloaded\""
run_cases test_leaver
check "so do those of other traps" [ "$(pins)" -gt 1 ]
refuse "so kprobes.ko stays" rmmod kprobes
echo kprobes >/tmp/stays
ktap_end
