# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# timeout: 180
# modules: test_rets test_asleep
#
# A return probe is unregistered while tasks sleep in its function, and the graph tracer keeps
# their return addresses, ours among them.  The client goes at once; only kprobes.ko waits.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
tracing=/sys/kernel/tracing

at_least() { [ "$(cat "$2")" -ge "$1" ]; }
gone() { ! grep -q "^$1 " /proc/modules; }
threads() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm 2>/dev/null | wc -l; }
none_left() { [ "$(threads)" = 0 ]; }

graph() {
	echo lkp_asleep >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
}
no_graph() {
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}
probe() { insmod test_rets.ko func=lkp_asleep nr=2 maxactive=50; }

[ -d $tracing/events ] || mount -t tracefs nodev $tracing
for module in kprobes test_asleep; do insmod $module.ko; done
if ! grep -qw function_graph $tracing/available_tracers; then
	echo "ok 1 - beside the graph tracer # SKIP this kernel has none"
	echo "1..1"
	exit
fi

for order in "graph probe" "probe graph"; do
	for step in $order; do $step; done
	inside=$(cat $asleep/inside) back=$(cat $asleep/back)
	echo 10 >$asleep/start
	check "$order: threads are asleep inside" wait_for 30 at_least $((inside + 10)) $asleep/inside
	check "$order: all were seen" test "$(cat $rets/entries)" = 40
	rmmod test_rets &
	check "$order: the client goes while they sleep" wait_for 30 gone test_rets
	same "$order: all still sleep" "$(cat $asleep/back)" "$back"
	echo 1 >$asleep/release
	check "$order: they return" wait_for 30 at_least $((back + 10)) $asleep/back
	check "$order: and end" wait_for 30 none_left
	same "$order: each rightly" "$(cat $asleep/wrong)" 0
	wait
	no_graph
done
rmmod test_asleep
check "then kprobes.ko unloads" wait_for 30 rmmod kprobes
ktap_end
