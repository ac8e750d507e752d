# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: arm64 powerpc
# modules: test_probe test_builtin lkp_textcopy
# inject: yes
# timeout: 400
#
# Breakpoints reach us by one call that is led to us, see trap_way.sh for x86-64.  Those of others
# are passed on, and what was replaced is put back.  Where the call is not found, they come another
# way, if the kernel has one.
# shellcheck shell=sh

. ./ktap.sh
. ./traps.sh

call_is_ours() { case $(exception_differs) in [1-4]) ;; *) return 1 ;; esac }
call_is_theirs() { [ "$(exception_differs)" = 0 ]; }
# Such a kernel has no list of hooks, and no chain of notifiers for breakpoints.
only_way() { has_symbol do_el1_brk64; }
# On ppc64 the call is that of the kernel's own kprobes.
has_call() { [ "$(uname -m)" != ppc64le ] || has_symbol kprobe_handler; }

# Another's breakpoint: that of a kprobe of the kernel's own.
builtin=/sys/module/test_builtin/parameters
builtin_at() {
	at=$(symbol "$1")
	(echo "$at" >$builtin/at) 2>/dev/null
}
builtin_off() { echo 0 >$builtin/at; }
cat_often() {
	for _ in $(seq 20); do
		cat /proc/version
	done
}
theirs_work() {
	[ "${dir##*/}" = lkprobes ] || return 0
	builtin_at version_proc_show || return
	cat_often >/dev/null
	[ "$(cat $builtin/hits)" = 20 ] || return
	builtin_off
}

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
[ "${dir##*/}" != lkprobes ] || insmod test_builtin.ko
[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 0 >/proc/sys/debug/kprobes-optimization
check "the kernel's own breakpoints work before" theirs_work
check "kprobes.ko loads" insmod kprobes.ko
if has_call; then
	check "one call is led to us" one_call_differs
else
	skip "one call is led to us" "this kernel has none"
fi
check "a trap is armed" trap_sync
same "it is hit" "$(hits_of sync)" 1
check "others' breakpoints are passed on" theirs_work

# What built-in kprobes' own traps run on their way through us can't have one; what handlers run
# may.
works_under_it() {
	builtin_at "$1" || return
	[ "$(hits_of sync)" = 1 ] && [ "$(cat $builtin/hits)" -gt 0 ] || return
	builtin_off
}
refused_there() {
	[ "$(symbol "$1")" ] || return 0
	refuse "no built-in kprobe in $1" builtin_at "$1"
}
if [ "${dir##*/}" = lkprobes ]; then
	for name in arm64_breakpoint arm64_serve_brk import_do_debug_exception \
		import_do_el1_brk64 powerpc_trap_entry powerpc_serve_trap serve_unusual \
		import_kprobe_handler trap_elsewhere trap_without_point trap_slowly; do
		refused_there $name
	done
	check "one in the handler is hit" works_under_it handler_pre
else
	skip "built-in kprobes on our way" "there are none"
fi
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
check "the call is theirs behind it" call_is_theirs
check "the kernel's own breakpoints work" theirs_work

# With the last failing step behind which the call is not ours: it is among the last ones.
loads_without_it() {
	insmod kprobes.ko fail_nth=100000 || return
	step=$((100000 - $(cat /sys/module/kprobes/parameters/fail_nth)))
	rmmod kprobes
	while [ $step -gt 0 ]; do
		if insmod kprobes.ko fail_nth=$step 2>/dev/null; then
			call_is_theirs && return
			rmmod kprobes
		fi
		step=$((step - 1))
	done
	return 1
}
if only_way || ! has_call; then
	skip "kprobes.ko loads without the call" "there is only one way"
else
	check "kprobes.ko loads without the call" loads_without_it
	check "a trap is armed" trap_sync
	same "a hit comes the other way" "$(hits_of sync)" 1
	check "others' breakpoints work" theirs_work
	rmmod test_probe
	check "kprobes.ko unloads" rmmod kprobes
fi

while [ "${dir##*/}" = lkprobes ]; do cat_often >/dev/null; done &
others=$!
[ "${dir##*/}" != lkprobes ] || builtin_at version_proc_show
rounds=0 bad=''
while [ $rounds -lt 5 ]; do
	insmod kprobes.ko || bad="$bad in-$rounds"
	! has_call || call_is_ours || bad="$bad call-$rounds"
	trap_sync && [ "$(hits_of sync)" = 1 ] && rmmod test_probe || bad="$bad hit-$rounds"
	rmmod kprobes && call_is_theirs || bad="$bad out-$rounds"
	rounds=$((rounds + 1))
done
kill $others 2>/dev/null
wait $others 2>/dev/null
same "it comes and goes while others' breakpoints are hit" "$bad" ''
[ "${dir##*/}" != lkprobes ] || rmmod test_builtin
rmmod lkp_textcopy
ktap_end
