# SPDX-License-Identifier: GPL-2.0-only
#
# How the selftests see the way that breakpoints take: with sweep/lkp_textcopy.ko, and on x86-64
# with modules/test_notifier.ko, a notifier before ours.
# shellcheck shell=sh

. ./probe.sh
. ./synced.sh

notifier=/sys/module/test_notifier/parameters
nothing_differs() { grep -q ' 0 differ$' /proc/lkp_textcopy; }

# one_call_differs: four bytes or less, all in the C code of the exception.  On ppc64 there is also
# what the tracer runs.
case $(uname -m) in
x86_64)		exception='\(exc\|do\)_int3' ;;
aarch64)	exception='el1\(_dbg\|_brk64\|h_64_sync_handler\|_sync_handler\)' ;;
ppc64le)	exception='\(do_program_check\|program_check_exception\)' ;;
esac
exception_differs() { grep -c "^${exception}[+.]" /proc/lkp_textcopy; }
one_call_differs() {
	case $(exception_differs) in
	[1-4])	[ "$(uname -m)" = ppc64le ] ||
			! grep was /proc/lkp_textcopy | grep -qv "^${exception}[+.]" && return ;;
	esac
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
	insmod test_probe.ko symbol=$synced offset=$behind_site 2>/dev/null ||
		insmod test_probe.ko symbol=$synced offset=$((behind_site + 4))
}
