# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe lkp_textcopy
# programs: trapped
# timeout: 180
#
# Breakpoints reach us ahead of the notifiers' chain, by one call that is led to us.  Those of others
# are passed on, and what was replaced is put back.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

notifier=/sys/module/test_notifier/parameters
nothing_differs() { grep -q ' 0 differ$' /proc/lkp_textcopy; }

# one_call_differs: four bytes or less, all in the C code of the exception.
one_call_differs() {
	grep -q ' [1-4] differ$' /proc/lkp_textcopy &&
		! grep 'was' /proc/lkp_textcopy | grep -qv '^\(exc\|do\)_int3[+.]' && return
	sed 's/^/# /' /proc/lkp_textcopy
	return 1
}

# called_by COMMAND...: how often the notifier before ours is called meanwhile.
called_by() {
	called_before=$(cat $notifier/called)
	"$@" >/dev/null 2>&1
	echo $(($(cat $notifier/called) - called_before))
}
run_traps() { echo "$1" >$notifier/traps; }

# trap_sync: by a trap, which is behind the tracer's site, and on newer kernels a landing pad.
trap_sync() {
	echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
	insmod test_probe.ko symbol=ksys_sync offset=$behind_site 2>/dev/null ||
		insmod test_probe.ko symbol=ksys_sync offset=$((behind_site + 4))
}

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
