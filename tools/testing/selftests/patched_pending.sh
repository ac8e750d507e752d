# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# timeout: 400
# modules: test_rets test_asleep test_probe test_slot_sleeper beside/lkp_livepatch
#
# A live patch, while tasks sleep in functions whose returns are followed, and in slots.  If what it
# replaces is on none of their stacks, it is in force before they return; if it is, it waits
# for them.  Also beside the graph tracer, in both orders.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
sleeper=/sys/module/test_slot_sleeper/parameters
tracing=/sys/kernel/tracing
patch=/sys/kernel/livepatch/lkp_livepatch

at_least() { [ "$(cat "$2")" -ge "$1" ]; }
in_force() { [ "$(cat $patch/transition)" = 0 ]; }
is_gone() { [ ! -e $patch ]; }
unpatch() { echo 0 >$patch/enabled; }
graph() {
	echo lkp_doze >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
}
no_graph() {
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}
probe() { insmod test_rets.ko func=lkp_doze nr=2 maxactive=200; }

# patches_elsewhere WHO: a live patch of what is on no stack comes and goes while they sleep.
patches_elsewhere() {
	insmod lkp_livepatch.ko
	check "$1: a live patch of another function is in force" wait_for 30 in_force
	check "$1: it works" grep -q patched /proc/version
	unpatch
	check "$1: it is taken back" wait_for 30 is_gone
	rmmod lkp_livepatch
}
# waits_for WHO FUNCTION MODULE FILE: one of a function in which they are waits, until 1 is written.
waits_for() {
	insmod lkp_livepatch.ko object="$3" function="$2"
	# The kernel tries at once, and again every second.
	sleep 2
	same "$1: one of $2 waits for them" "$(cat $patch/transition)" 1
	echo 1 >"$4"
	check "$1: they have returned: it is in force" wait_for 30 in_force
	unpatch
	check "$1: and taken back" wait_for 30 is_gone
	rmmod lkp_livepatch
}

insmod kprobes.ko
insmod test_asleep.ko
for order in "probe" "graph probe" "probe graph"; do
	if [ "$order" != probe ] && ! grep -qw function_graph $tracing/available_tracers; then
		skip "$order" "this kernel has no graph tracer"
		continue
	fi
	for step in $order; do $step; done
	inside=$(cat $asleep/inside) back=$(cat $asleep/back)
	echo 10 >$asleep/start
	check "$order: threads sleep in there" wait_for 30 at_least $((inside + 10)) $asleep/inside
	check "$order: their returns are followed" at_least 60 $rets/entries
	patches_elsewhere "$order"
	same "$order: all still sleep" "$(cat $asleep/back)" "$back"
	waits_for "$order" lkp_asleep test_asleep $asleep/release
	check "$order: they are back" wait_for 30 at_least $((back + 10)) $asleep/back
	same "$order: each rightly" "$(cat $asleep/wrong)" 0
	no_graph
	rmmod test_rets
done
rmmod test_asleep

# In a page fault of a probed instruction.
insmod test_slot_sleeper.ko
for post in 0 1; do
	slot="in a slot, post=$post"
	echo 0 >$sleeper/wake
	insmod test_probe.ko symbol=lkp_slot_load_fn offset="$(cat $sleeper/at)" post=$post
	inside=$(cat $sleeper/inside)
	cat /sys/kernel/debug/test_slot_sleeper >/dev/null &
	check "$slot: a task sleeps" wait_for 30 at_least $((inside + 1)) $sleeper/inside
	patches_elsewhere "$slot"
	waits_for "$slot" doze_read test_slot_sleeper $sleeper/wake
	wait
	rmmod test_probe
done
same "each load was right" "$(cat $sleeper/right) $(cat $sleeper/wrong)" "2 0"
rmmod test_slot_sleeper
check "kprobes.ko unloads" rmmod kprobes
ktap_end
