# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: dropin stock
# modules: test_redirect
#
# A handler at a site of the tracer returns for the function, and the graph tracer, which is there,
# too, replaces the return address afterwards.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

tracing=/sys/kernel/tracing
sync_often() { for _ in 1 2 3 4 5; do sync; done; }
at_site() { grep -q "$synced.*FTRACE" $dir/list; }

insmod kprobes.ko
for offset in 4 8 12; do
	redirect symbol=$synced offset=$offset
	at_site && break
	rmmod test_redirect 2>/dev/null
done
if ! at_site || ! grep -qw function_graph $tracing/available_tracers; then
	rmmod kprobes
	echo "ok 1 - beside the graph tracer # SKIP the tracer serves no probes here, or is not there"
	echo "1..1"
	exit
fi
rmmod test_redirect

for order in "graph probe" "probe graph"; do
	# The caller is traced, too: it returns by what the tracer has kept last.
	echo $synced __arm64_sys_sync >$tracing/set_ftrace_filter
	for step in $order; do
		case $step in
		graph) echo function_graph >$tracing/current_tracer ;;
		probe) redirect symbol=$synced offset=$offset ;;
		esac
	done
	sync_often
	same "$order: the handler returned for the function" "$(redirected)" "5 0"
	same "$order: each task returns where it came from" "$(sh -c 'sync; echo returned')" returned
	same "$order: the graph tracer is at work" "$(cat $tracing/current_tracer)" function_graph
	rmmod test_redirect
	sync_often
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
