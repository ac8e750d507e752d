# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 120
# modules: test_ftrace test_probe
#
# Probes on function entries, beside the function tracer.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_ftrace

tracing=/sys/kernel/tracing
# traced: lines of the function tracer about $synced since it began
traced() { grep -c $synced $tracing/trace; }

if ! has_tracer; then
	skip "beside the function tracer" "there is none"
	check "it unloads" rmmod kprobes
	ktap_end
fi

begin_tracing() {
	echo $synced >$tracing/set_ftrace_filter
	echo function >$tracing/current_tracer
}

end_tracing() {
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}

# trace_all TRACER: it is at work on each function; trace_none: it is no more.  Nothing is recorded while
# the kernel comes to and leaves its 50 000 sites: each call would be.
trace_all() {
	echo 0 >$tracing/tracing_on
	echo "$1" >$tracing/current_tracer
	echo 1 >$tracing/tracing_on
}
trace_none() {
	echo 0 >$tracing/tracing_on
	echo nop >$tracing/current_tracer
	echo 1 >$tracing/tracing_on
}

# refused FUNCTION: as it runs on the way of a trap, or of a tracer; not for some other reason.
refused() { judged "$1" 'refused: .*\(trap\|trace\|kprobes\)'; }

# behind_guard: functions that the tracer calls before its recursion guard can't be probed, see below;
# those behind it can, by a trap.  Each call that is recorded is a hit then: what starts no program is
# enough of them.  Where a trap passes a tracepoint on its way to us, what records events would begin
# itself anew.
behind_guard() {
	if [ "$(uname -m)" != aarch64 ] &&
	   { has_symbol __traceiter_notifier_run || has_symbol __traceiter_nmi_noise; }; then
		check "$1: what records events is refused" refused ring_buffer_unlock_commit
		return
	fi
	sysctl=/proc/sys/debug/$(basename $dir)-optimization
	echo 0 >$tracing/tracing_on
	echo 0 >"$sysctl"
	check "$1: a trap behind its guard" insmod test_probe.ko symbol=ring_buffer_unlock_commit
	echo 1 >$tracing/tracing_on
	read -r _ </proc/version
	echo 0 >$tracing/tracing_on
	check "$1: is hit, and the machine lives" [ "$(value hits)" -gt 0 ]
	echo 1 >"$sysctl"
	rmmod test_probe
}

insmod test_probe.ko symbol=$synced post=1
begin_tracing
same "probed, then traced: hit" "$(hits_of sync)" 1
same "probed, then traced: traced" "$(traced)" 1
tell planted 0
same "no longer probed: not hit" "$(hits_of sync)" 0
same "no longer probed: traced" "$(traced)" 2
check "traced, then probed" tell planted 1
same "traced, then probed: hit" "$(hits_of sync)" 1
same "traced, then probed: traced" "$(traced)" 3
end_tracing
same "no longer traced: hit" "$(hits_of sync)" 1
same "each with its post_handler" "$(value posts)" "$(value hits)"

# It can be where the probe is not at the tracer's site: on arm64, which saves no registers there.
if grep -q ' ftrace' $dir/status; then
	switch=/proc/sys/kernel/ftrace_enabled
	refuse "all of the tracer can't be switched off beside a probe" sh -c "echo 0 >$switch"
	same "which is hit as before" "$(hits_of sync)" 1
	tell planted 0
	check "without probes it can" sh -c "echo 0 >$switch"
	refuse "then no probe can be registered at its sites" tell planted 1
	check "it is switched on" sh -c "echo 1 >$switch"
	check "then one can" tell planted 1
fi

trace_all function_graph
same "beside the graph tracer: hit" "$(hits_of sync)" 1
echo 0 >$tracing/tracing_on
rmmod test_probe
behind_guard "the graph tracer"
trace_none

# The graph tracer is called after us where it was first, and replaces return addresses then: also
# of a function for which a handler returns.
trace_graph() {
	echo '*:mod:test_ftrace' >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
}
run_cases test_ftrace trace_graph
same "the graph tracer is at work" "$(cat $tracing/current_tracer)" function_graph
# Their names are gone with the module.
check "it has seen the cases" grep -qv "^#" $tracing/trace
end_tracing

# Every function is traced, including those that serve the probe.
insmod test_probe.ko symbol=$synced post=1
trace_all function
same "all functions traced: hit" "$(hits_of sync)" 1
tell disabled 1
tell disabled 0
same "all functions traced: hit again" "$(hits_of sync)" 1
tell planted 0
tell planted 1
same "all functions traced: hit after registering again" "$(hits_of sync)" 1
same "none missed" "$(value missed)" 0
echo 0 >$tracing/tracing_on
rmmod test_probe
behind_guard "all functions traced"
trace_none

# With a tracer on, a trap in one of these would begin itself anew on its way to us.
for name in function_trace_call trace_graph_return ftrace_return_to_handler trace_clock_local \
	sched_clock stack_trace_call perf_ftrace_function_call; do
	if [ "$(symbol $name)" ]; then
		check "$name, which tracers call, is refused" refused $name
	fi
done

check "it unloads" rmmod kprobes
ktap_end
