# SPDX-License-Identifier: GPL-2.0-only
#
# modules: test_redirect
#
# A jprobe's function that never returns is traced by the graph tracer, which counts on
# returns.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

tracing=/sys/kernel/tracing
sync_often() { for _ in 1 2 3 4 5; do sync; done; }

insmod kprobes.ko
if ! grep -qw function_graph $tracing/available_tracers 2>/dev/null; then
	rmmod kprobes
	echo "ok 1 - beside the graph tracer # SKIP this kernel has none"
	echo "1..1"
	exit
fi

redirect symbol=$synced jprobe=1
check "a jprobe is registered" test -e /sys/module/test_redirect/parameters/hits
echo '*:mod:test_redirect' >$tracing/set_ftrace_filter
echo $synced >>$tracing/set_ftrace_filter
echo function_graph >$tracing/current_tracer
sync_often
same "its function is called" "$(redirected)" "5 0"
same "the graph tracer is at work" "$(cat $tracing/current_tracer)" function_graph
echo nop >$tracing/current_tracer
sync_often
same "and without the tracer" "$(redirected)" "10 0"

# The tracer comes first.
rmmod test_redirect
echo function_graph >$tracing/current_tracer
redirect symbol=$synced jprobe=1
sync_often
same "registered while the tracer is at work: called" "$(redirected)" "5 0"
same "each task returns where it came from" "$(sh -c 'sync; echo returned')" returned
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
rmmod test_redirect
check "kprobes.ko unloads" rmmod kprobes
ktap_end
