# SPDX-License-Identifier: GPL-2.0-only
#
# host: rt
# arch: x86_64
# vm: own
# timeout: 300
# modules: lkp_sweep
#
# Each instruction is probed, by a trap, of all functions that the kernel's tracing is made of, and that
# are not refused, while the tracer of noise by the operating system records each trap, with and
# without a stack trace.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

tracing=/sys/kernel/tracing

# functions PATTERN: the addresses of the functions whose names match, in the kernel's text.
functions() {
	awk -v pattern="^($1)" -v end="$(symbol _etext)" '
		$2 ~ /[tT]/ && $3 ~ pattern && $4 == "" && "0x" $1 < end { printf "0x%s ", $1 }' \
		/proc/kallsyms
}

# under PATTERN: events are recorded while these functions are probed.
under() {
	# shellcheck disable=SC2046 # words
	check "$1: probes" sh -c "echo function $(functions "$1") >$control"
	sleep 2
	echo "# $1: so far $(swept armed) armed, $(swept hit) hit"
	echo drop >$control
}

insmod kprobes.ko optimization=0
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)"
dmesg -n 1
echo osnoise >$tracing/current_tracer
for trigger in '' stacktrace; do
	echo 1 >$tracing/events/osnoise/enable
	[ ! "$trigger" ] || echo $trigger >$tracing/events/osnoise/nmi_noise/trigger
	sleep 1
	under 'ring_buffer|rb_|__rb_'
	under '(__)?trace_event|trace_trigger|trace_array|__trace_tr|trace_b|trace_raw'
	under 'osnoise|trace_os|trace_nmi|perf_trace_nmi|__traceiter_nmi|thread_noise|trace_cl'
	under '[a-z]*sched_clock|local_clock|event_trig|filter_|stack_trace|stacktrace|trace_dump'
	under '__ftrace_trace|ftrace_exports|tracing_(re|ge|is|st)|trace_(fu|st|sa|pr|fi|ig)'
	check "traps were recorded" grep -q nmi_noise $tracing/trace
	echo >$tracing/trace
done
echo '!stacktrace' >$tracing/events/osnoise/nmi_noise/trigger
echo 0 >$tracing/events/osnoise/enable
echo nop >$tracing/current_tracer
same "no handler ran after its probe had gone" "$(swept late)" 0
rmmod lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
ktap_end
