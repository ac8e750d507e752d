# SPDX-License-Identifier: GPL-2.0-only
#
# host: rt
# arch: x86_64
# timeout: 120
# modules: test_probe kprobes/kprobe_example
#
# While the tracer of noise by the operating system measures a CPU, each trap there is an NMI to it,
# which it records.  What does that is refused; what the ring buffer's guard covers is hit.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing

# by_trap MODULE FUNCTION: at the first instruction behind the tracer's site.
by_trap() {
	for offset in $(seq "$behind_site" 16); do
		insmod "$1.ko" symbol="$2" offset="$offset" 2>/dev/null && return
	done
	return 1
}

insmod kprobes.ko optimization=0
for function in trace_osnoise_callback trace_hwlat_callback trace_event_raw_event_nmi_noise \
	perf_trace_nmi_noise __bpf_trace_nmi_noise trace_event_buffer_reserve \
	trace_event_buffer_commit ring_buffer_lock_reserve stacktrace_trigger; do
	check "$function is refused" judged $function "refused: "
done
echo osnoise >$tracing/current_tracer
echo 1 >$tracing/events/osnoise/nmi_noise/enable
sleep 2
check "what the guard covers is probed" by_trap test_probe rb_move_tail
check "a function is probed" by_trap kprobe_example ksys_sync
sync
check "and hit" grep -qx '[1-9].*' /sys/module/kprobe_example/parameters/hits
check "the trap was recorded" grep -q nmi_noise $tracing/trace
rmmod test_probe
# The end of the machine, where it is not refused.
by_trap test_probe trace_event_raw_event_nmi_noise
sync
sleep 1
rmmod test_probe 2>/dev/null
rmmod kprobe_example
check "kprobes.ko unloads" rmmod kprobes
echo 0 >$tracing/events/osnoise/nmi_noise/enable
echo nop >$tracing/current_tracer
ktap_end
