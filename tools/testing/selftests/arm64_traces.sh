# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_traces
# timeout: 200
# vm: own
#
# Stack traces by frame records, also where the built-in kprobes and the graph tracer follow the
# same calls.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
built_in() { [ -e $tracing/kprobe_events ]; }
graph() { grep -qw function_graph $tracing/available_tracers 2>/dev/null; }
begin() {
	insmod test_arm64_traces.ko
	if has_symbol arch_stack_walk_reliable; then
		symbol stack_trace_save_tsk_reliable \
			>/sys/module/test_arm64_traces/parameters/save_reliable
	fi
}
# cases NAME: the cases of the module that is loaded
cases() {
	cat /sys/kernel/debug/test_arm64_traces >/tmp/traces
	sed 's/^/# /' /tmp/traces
	check "$1" all_passed /tmp/traces
}

insmod kprobes.ko
begin
cases "alone"
if built_in; then
	echo 'r:lkp/same test_arm64_traces:lkp_follows' >$tracing/kprobe_events
	echo 'r:lkp/twice test_arm64_traces:lkp_follows' >>$tracing/kprobe_events
	echo 'r:lkp/other test_arm64_traces:take' >>$tracing/kprobe_events
	echo 1 >$tracing/events/lkp/enable
	echo 1 >/sys/module/test_arm64_traces/parameters/beside
	cases "among the built-in return probes"
	same "which are hit" "$(grep -Ec '^ *(same|twice|other) +[1-9]' $tracing/kprobe_profile)" 3
fi
if graph; then
	echo 'lkp_*:mod:test_arm64_traces' >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
	cases "with the graph tracer"
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
fi
if built_in; then
	echo 0 >$tracing/events/lkp/enable
	echo >$tracing/kprobe_events
fi
rmmod test_arm64_traces
check "kprobes.ko unloads" rmmod kprobes
ktap_end
