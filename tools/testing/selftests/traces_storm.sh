# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# arch: x86_64
# timeout: 400
# modules: test_trace_storm lkp_textcopy
# smp: 2
# in-turn: yes
# allow: ^INFO: NMI handler
# allow: stack going in the wrong direction. at return_to_handler
#
# All CPUs follow the stacks of all tasks, in NMIs, too, while probes of all kinds come and go, and
# the graph tracer on the same functions. (Not the kernel's own return probes: of stacks with these
# the kernel complains if the task could run.) For longer:
# run-tests --only selftests/traces_storm --set duration=600 --seconds 2100
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

: "${duration:=30}"
tracing=/sys/kernel/tracing
storm=/sys/module/test_trace_storm/parameters

# The graph tracer comes and goes on the same functions.
others() {
	echo 'lkp_ts_*' >$tracing/set_ftrace_filter
	while [ -e /tmp/storm ]; do
		echo function_graph >$tracing/current_tracer
		sleep 0.7
		echo nop >$tracing/current_tracer
		sleep 0.5
	done
	echo >$tracing/set_ftrace_filter
}

parameters() {
	echo "$duration" >$storm/duration
	symbol __kernel_text_address >$storm/is_text
	if has_symbol stack_trace_save_tsk_reliable; then
		symbol stack_trace_save_tsk_reliable >$storm/save_tsk
	fi
	# Only now: it is by these functions that they are chosen.
	touch /tmp/storm
	if grep -qw function_graph $tracing/available_tracers 2>/dev/null; then
		others 2>/dev/null &
	fi
}

# One that comes late, as the emulator stops a CPU for seconds.
if [ -e /proc/sys/kernel/unknown_nmi_panic ]; then
	echo 0 >/proc/sys/kernel/unknown_nmi_panic
fi
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
check "kprobes.ko loads" insmod kprobes.ko
# The tracers refer to the module: they end before it goes.
ended() { rm -f /tmp/storm; wait; }
insmod test_trace_storm.ko
parameters
cat /sys/kernel/debug/test_trace_storm >/tmp/cases
ended
sed 's/^/# /' /tmp/cases
check "each reliable trace has only names" grep -q '^ok' /tmp/cases
refuse "and no case fails" grep -q '^not ok' /tmp/cases
check "the storm unloads" wait_for 30 rmmod test_trace_storm
check "kprobes.ko unloads" rmmod kprobes
unchanged
ktap_end
