# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# timeout: 200
# modules: test_events kprobes_events
# once: yes
#
# A million events, into a buffer that is too small, and for a reader that is too slow: each is a
# hit, and either read or counted as lost.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
parameters=/sys/module/test_events/parameters
events=$dir/events
target=test_events:lkp_events_target
many=1000000
read=/tmp/events_flood

# counted WHAT: of all CPUs, as the kernel counts it.
counted() { cat $tracing/per_cpu/cpu*/stats | awk -v what="$1: " 'index($0, what) == 1 { n += $NF } END { print n + 0 }'; }
hits() { awk '$1 == "it" { print $2 "+" $3 }' $events/kprobe_profile; }
# flood TIMES: a tenth of them each time; the reader stands still every other time.
flood() {
	for _ in 1 2 3 4 5; do
		kill -STOP $reader
		echo $((many / 10)) >$parameters/flood || return
		kill -CONT $reader
		echo $((many / 10)) >$parameters/flood || return
	done
}
all_are_read() { [ "$(counted entries)" = 0 ]; }
# of each line with the event, and of each that says how many are missing before the next one.
told() { awk '/ it: / { n++ } /LOST .* EVENTS/ { lost += $(NF - 1) } END { print n + lost }' "$read"; }
all_are_told() { [ "$(told)" = $many ]; }

insmod kprobes.ko
load_events
insmod test_events.ko
echo 64 >$tracing/buffer_size_kb
echo >$tracing/trace
echo "p:it $target n=\$arg2 s=+0(+24(\$arg1)):string" >$events/kprobe_events
echo 1 >$tracing/events/lkprobes/it/enable
cat $tracing/trace_pipe >$read &
reader=$!
check "a million events, and nothing hangs" flood
echo 0 >$tracing/events/lkprobes/it/enable
same "each was a hit, and none was missed" "$(hits)" "$many+0"
check "what is left is read" wait_for 60 all_are_read
same "each is read, or counted as lost" \
	$(($(counted 'read events') + $(counted overrun) + $(counted 'dropped events'))) $many
check "some are lost" test "$(counted overrun)" -gt 0
check "and some are not" test "$(counted 'read events')" -gt 0
check "the reader is told of all" wait_for 60 all_are_told || echo "# $(told)"
kill $reader

# Without overwriting the new ones are lost.
echo 0 >$tracing/options/overwrite
echo >$tracing/trace
echo 1 >$tracing/events/lkprobes/it/enable
check "many more, and nobody reads" sh -c "echo $((many / 10)) >$parameters/flood"
echo 0 >$tracing/events/lkprobes/it/enable
same "those that have no room are counted" $(($(counted entries) + $(counted 'dropped events'))) \
	$((many / 10))
check "as most have none" test "$(counted 'dropped events')" -gt $((many / 20))
same "as hits, too" "$(hits)" "$((many + many / 10))+0"
echo 1 >$tracing/options/overwrite
echo 1408 >$tracing/buffer_size_kb
echo >$tracing/trace

check "the event is removed" sh -c "echo '-:it' >>$events/kprobe_events"
check "kprobes_events.ko unloads" rmmod kprobes_events
rmmod test_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
