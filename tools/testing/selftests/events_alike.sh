# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# timeout: 120
# modules: kprobes_events
# programs: events_alike
# files: events/alike.txt
#
# Lines that the built-in kprobe_events of 5.10, 6.1, 6.12 and 7.2 all treat alike: whether they are taken,
# with which error they are refused, where the mark is, and how they are listed.  Ours does the same.  Of
# lines that are changed at random the kernels do not treat all alike: these have to do no harm.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events

# alike: those lines of the standard input that ours treats otherwise.
alike() { ./events_alike $events/kprobe_events $events/error_log $tracing/kprobe_events $tracing/error_log; }

check "kprobes.ko loads" insmod kprobes.ko
check "kprobes_events.ko loads" load_events
if [ ! -e $tracing/kprobe_events ]; then
	skip "lines are treated alike" "this kernel has no kprobe_events"
else
	alike <alike.txt >differ
	same "$(wc -l <alike.txt) lines are tried" $? 0
	same "and treated alike" "$(cat differ)" ''
	seed=$(date +%s)
	check "lines that are changed at random, with seed $seed, do no harm" \
		sh -c "awk 'NR % 12 == 0' alike.txt | ./events_alike $events/kprobe_events \
			$events/error_log $tracing/kprobe_events $tracing/error_log $seed 4 >/dev/null"
fi
same "nothing is left" "$(cat $events/kprobe_events)" ''
check "kprobes_events.ko unloads" rmmod kprobes_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
