# SPDX-License-Identifier: GPL-2.0-only
#
# How the selftests see the way that breakpoints take on x86-64: with modules/test_notifier.ko, a
# notifier before ours, and sweep/lkp_textcopy.ko.
# shellcheck shell=sh

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
