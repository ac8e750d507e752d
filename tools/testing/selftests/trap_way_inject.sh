# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe lkp_textcopy
# programs: trapped
# inject: yes
# timeout: 400
#
# Where the call that leads to us is not found, or can't be changed, breakpoints come by the chain
# of notifiers.  Where it can't be changed back, kprobes.ko stays until it can.
# shellcheck shell=sh

. ./ktap.sh
. ./traps.sh

fail=/sys/module/kprobes/parameters/fail_nth
chmod +x trapped
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod test_notifier.ko

# loads_without_it: with the first failing step behind which the call is not ours.
loads_without_it() {
	step=1
	while [ $step -lt 200 ]; do
		if insmod kprobes.ko fail_nth=$step 2>/dev/null; then
			nothing_differs && return
			rmmod kprobes
		fi
		step=$((step + 1))
	done
	return 1
}
check "kprobes.ko loads without the call" loads_without_it
check "a trap is armed" trap_sync
same "a hit comes by the notifiers" "$(called_by sync)" 1
same "and calls our handler" "$(hits_of sync)" 1
same "others' breakpoints come by them, too" "$(called_by run_traps 100)" 100
check "a program gets its own" ./trapped
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
check "nothing differs behind it" nothing_differs

# Each step of the end fails in turn.
dmesg -c >/dev/null
step=1 bad=''
while [ $step -lt 6 ]; do
	insmod kprobes.ko || bad="$bad load-$step"
	one_call_differs || bad="$bad in-$step"
	echo $step >$fail
	rmmod kprobes || bad="$bad unload-$step"
	nothing_differs || bad="$bad out-$step"
	step=$((step + 1))
done
same "nothing is left whatever fails at the end" "$bad" ''
check "and it was the call, too" \
	sh -c "dmesg | grep -q \"can't restore the kernel's breakpoint call\""
same "others' breakpoints work" "$(called_by run_traps 100)" 100
rmmod test_notifier lkp_textcopy
ktap_end
