# SPDX-License-Identifier: GPL-2.0-only
#
# How the selftests use kprobes.ko, modules/test_probe.ko and modules/test_redirect.ko.
# shellcheck shell=sh disable=SC2034 # its readers use dir

. ./kernel.sh

if has_symbol register_kprobe; then
	# shellcheck disable=SC2034 # for those who read this file
	dir=/sys/kernel/debug/lkprobes
else
	dir=/sys/kernel/debug/kprobes
fi
parameters=/sys/module/test_probe/parameters

# Does this kernel have a function tracer, which serves function entries?
has_tracer() { [ -e /sys/kernel/tracing/set_ftrace_filter ]; }

# Per architecture: functions on the blacklist, the size of the addition in test_target,
# whether the tracer's call site is the entry of a function, but for a landing pad, whether
# modules free their init text, and how far behind such an entry an instruction begins that is
# surely behind the tracer's call site.
case $(uname -m) in
x86_64)
	entry_is_site=y add_size=3 init_text_goes=y behind_site=5
	blacklisted='notify_die exc_int3 __noinstr_text_start irqentry_enter entry_SYSCALL_64
		asm_exc_page_fault fixup_exception' ;;
aarch64)
	entry_is_site='' add_size=4 init_text_goes=y behind_site=12
	blacklisted='__noinstr_text_start vectors cpu_switch_to do_mem_abort fixup_exception'
	if has_symbol do_el1_brk64; then
		blacklisted="do_el1_brk64 $blacklisted"
	else
		blacklisted="do_debug_exception brk_handler $blacklisted"
	fi ;;
ppc64le)
	# The init text of modules is not freed.
	entry_is_site=y add_size=4 init_text_goes='' behind_site=20
	blacklisted='notify_die program_check_exception __noinstr_text_start do_IRQ _switch
		do_page_fault search_exception_tables' ;;
esac

# entry_is_the_tracers: the tracer serves a probe on a function's entry.
entry_is_the_tracers() { has_tracer && [ "$entry_is_site" ]; }

# entry_mark: how the list marks the probe of a function's entry.
entry_mark() {
	if entry_is_the_tracers; then
		echo '\[FTRACE\]'
	else
		echo '(\[OPTIMIZED\])?'
	fi
}

# pad_size: the size of the landing pad before the tracer's site at a function's entry.  Only
# with kprobes.ko, which knows where that is.
pad_size() {
	[ "$(uname -m)" = x86_64 ] || { echo 0; return; }
	echo ksys_sync+0x4 >$dir/check 2>/dev/null
	grep -q 'ksys_sync+0x4.*ftrace' $dir/check && echo 4 || echo 0
}

# value NAME, tell NAME VALUE: reads, writes a parameter of test_probe.
value() { read -r value <"$parameters/$1" && echo "$value"; }
tell() { echo "$2" 2>/dev/null >"$parameters/$1"; }

# told_error ERROR NAME VALUE: writing the parameter fails with ERROR.
told_error() {
	(echo "$3" >"$parameters/$2") 2>&1 | grep -q "$1"
}

# hits_of COMMAND...: how often the probe is hit while the command runs.
hits_of() {
	read -r hits_before <$parameters/hits
	"$@" >/dev/null 2>&1
	read -r hits_after <$parameters/hits
	echo $((hits_after - hits_before))
}

# redirect PARAMETER...: loads a probe that redirects. redirected: how often it was called and how
# often it missed, since then.
redirect() { insmod test_redirect.ko "$@" 2>/dev/null; }
redirected() { (cd /sys/module/test_redirect/parameters && paste -d ' ' hits missed); }

# one_cpu: there is no other, not even one that is offline.
one_cpu() { [ ! -e /sys/devices/system/cpu/cpu1 ]; }

# judged PLACE VERDICT: the file "check" says so.
judged() {
	echo "$1" >$dir/check
	grep -q "$2" $dir/check || { sed 's/^/# /' $dir/check; return 1; }
}

# spared PLACE REASON: "check" knows the place, and does not refuse it for that.
spared() {
	echo "$1" >$dir/check
	grep -q . $dir/check && ! grep -q "no such symbol\|$2" $dir/check && return
	sed 's/^/# /' $dir/check
	return 1
}

# target_call: runs the functions of test_target, and checks their results.
target_call() { echo 1 >/sys/module/test_target/parameters/call; }

# load_events: loads kprobes_events.ko.  Where the kernel's tracing takes no events, and they are kept in a
# buffer of our own, the test ends here.
load_events() {
	insmod kprobes_events.ko || return
	[ -e $dir/events/trace_pipe ] || return 0
	# From 5.12 on it does, if there is any.
	case $([ -d /sys/kernel/tracing/events ] && uname -r) in
	[6-9].*) not_ok "events are in the kernel's tracing" ;;
	*)	skip "events by lines of text" "this kernel's tracing takes none" ;;
	esac
	rmmod kprobes_events kprobes
	ktap_end
}
