# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# arch: x86_64
# timeout: 300
# modules: lkp_storm lkp_storm_target lkp_textcopy beside/lkp_livepatch
# programs: storm perf_noise
# types: lkp_storm
# smp: 2
# in-turn: yes
#
# All calls of the API at random, while a model predicts each return code, each line of the
# files in debugfs and each count; the tracers come and go on the same functions meanwhile, and
# perf takes backtraces. Programs of BPF's, live patches and built-in kprobes are in the model.
# Unless a seed is given it is the same each time.  To run it for longer, or with another seed, see
# the manual's page on internals.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

: "${seed:=1}" "${duration:=60}" "${operations:=0xffffffff}" "${noise:=1}"
: "${trace:=0}"
tracing=/sys/kernel/tracing

# The function tracer, or that for graphs, on the functions of the storm.
trace_for() {
	echo "$2" >$tracing/current_tracer
	sleep "$1"
	echo nop >$tracing/current_tracer
}
tracers() {
	echo '*:mod:lkp_storm' >$tracing/set_ftrace_filter
	while [ -e /tmp/noise ]; do
		for seconds in 0.1 0.7 0.2 0.9 0.4; do
			trace_for $seconds function
			trace_for $seconds function_graph
			sleep 0.3
		done
	done
}

echo 4 >/proc/sys/kernel/printk
chmod +x storm perf_noise
# The kernel changes its text when a CPU goes or comes for the first time.
cpu=/sys/devices/system/cpu/cpu1/online
[ ! -e $cpu ] || { echo 0 >$cpu && echo 1 >$cpu; }
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
check "kprobes.ko loads" insmod kprobes.ko
check "the client loads" insmod lkp_storm.ko
if [ -e /sys/kernel/btf/vmlinux ] && has_symbol register_ftrace_direct; then
	check "BPF's programs can be attached to it" test -e /sys/kernel/btf/lkp_storm
fi
touch /tmp/noise
if [ "$noise" = 1 ] && has_tracer; then
	tracers 2>/dev/null &
fi
if [ "$noise" = 1 ]; then
	./perf_noise /tmp/noise >/tmp/perf &
fi
check "all is as predicted" ./storm seed="$seed" duration="$duration" operations="$operations" \
	trace="$trace"
rm /tmp/noise
wait
[ ! -e $cpu ] || echo 1 >$cpu
if [ "$noise" = 1 ]; then
	check "perf was at work" test "$(cat /tmp/perf)" -gt 0
fi
echo >$tracing/set_ftrace_filter 2>/dev/null
for module in lkp_storm_target lkp_livepatch lkp_storm; do
	! grep -q "^$module " /proc/modules || rmmod $module
done
same "nothing is registered" "$(cat $dir/list)" ''
check "kprobes.ko unloads" wait_for 30 rmmod kprobes
unchanged
ktap_end
