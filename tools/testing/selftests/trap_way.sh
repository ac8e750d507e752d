# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe lkp_textcopy
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
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
check "nothing differs behind it" nothing_differs
same "others' breakpoints work" "$(called_by run_traps 100)" 100

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
