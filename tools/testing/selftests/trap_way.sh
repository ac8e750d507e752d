# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe test_builtin lkp_textcopy
# programs: trapped
# timeout: 180
#
# Breakpoints reach us ahead of the notifiers' chain, by one call that is led to us.  Those of
# others are passed on, and what was replaced is put back.
# shellcheck shell=sh

. ./ktap.sh
. ./traps.sh

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod test_notifier.ko
check "nothing differs before" nothing_differs
check "kprobes.ko loads" insmod kprobes.ko
check "one call is led to us" one_call_differs
check "a trap is armed" trap_sync
same "a hit reaches no notifier before ours" "$(called_by sync)" 0
same "but its handler" "$(hits_of sync)" 1
same "others' breakpoints are passed on" "$(called_by run_traps 100)" 100
chmod +x trapped
check "a program gets its own breakpoints" ./trapped
check "also at the end of a segment" ./trapped segment

# The call that leads to us is the same for a program's breakpoint in some kernels.  Its instruction
# pointer is anything, which is not read.
# ours NAME: the address of a function of kprobes.ko, or of another module.  All are read once.
grep -F '[' /proc/kallsyms >/tmp/ours
ours() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /tmp/ours; }
way="$(ours x86_int3_kprobes) 1"
[ "$way" != " 1" ] || way="$(ours x86_int3_notify) 0"
for at in 0 1 0x1001; do
	check "a program's breakpoint before $at is not ours" sh -c "echo $way $at >$notifier/program"
done

# What built-in kprobes' own traps run on their way through us can't have one.  What notifiers and
# handlers run may, and others' breakpoints and ours reach their handlers.
builtin=/sys/module/test_builtin/parameters
builtin_at() { (echo "$(ours "$1")" >$builtin/at) 2>/dev/null; }
builtin_off() { echo 0 >$builtin/at; }
works_under_it() {
	builtin_at "$1" || return
	[ "$(hits_of sync)" = 1 ] && [ "$(called_by run_traps 10)" -ge 10 ] && ./trapped || return
	[ "$(cat $builtin/hits)" -gt 0 ] || return
	builtin_off
}
if [ "${dir##*/}" = lkprobes ]; then
	insmod test_builtin.ko
	for name in x86_int3_kprobes trap_elsewhere trap_without_point trap_slowly table_find \
		host_foreign_probe host_cpu_is_emulated import_kprobe_int3_handler \
		import_get_kprobe; do
		check "$name is there" test "$(ours $name)"
		refuse "and no built-in kprobe there" builtin_at $name
	done
	echo 0 >/proc/sys/debug/kprobes-optimization
	check "one in the notifier is hit" works_under_it on_die
	check "one in the handler, too" works_under_it handler_pre
	rmmod test_builtin
else
	skip "built-in kprobes on our way" "there are none"
fi
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
check "nothing differs behind it" nothing_differs
same "others' breakpoints work" "$(called_by run_traps 100)" 100

# Beside an emulator no breakpoint is written there meanwhile, as a CPU could keep it. What changes
# is where the call leads: the bytes before that stay.
insmod kprobes.ko
first=$(sed -n 's/^\(.*\): .*, was .*/\1/p;q' /proc/lkp_textcopy)
rmmod kprobes
before=$(($(symbol "${first%%+*}") + $(echo "$first" | sed 's/^[^+]*+//;s/\/.*//') - 4))
watch_call() { printf '0x%x\n' $before >$notifier/watched; }
if grep -qw hypervisor /proc/cpuinfo && [ "$(nproc)" -gt 1 ]; then
	watch_call
	for _ in 1 2 3 4; do
		insmod kprobes.ko
		rmmod kprobes
	done
	echo 0 >$notifier/watched
	echo "# looked at $(cat $notifier/looks) thousand times"
	check "the call is watched" test "$(cat $notifier/looks)" -gt 0
	same "no breakpoint is written there" "$(cat $notifier/changes)" 0
else
	skip "no breakpoint is written there" "this is no emulator with several CPUs"
fi

while :; do run_traps 200; done &
others=$!
rounds=0 bad=''
while [ $rounds -lt 6 ]; do
	insmod kprobes.ko && one_call_differs || bad="$bad in-$rounds"
	rmmod kprobes && nothing_differs || bad="$bad out-$rounds"
	rounds=$((rounds + 1))
done
kill $others
same "the same while others' breakpoints are hit" "$bad" ''
wait $others 2>/dev/null
rmmod test_notifier lkp_textcopy
ktap_end
