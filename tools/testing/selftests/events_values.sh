# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# timeout: 240
# modules: test_events kprobes_events
# files: events/values.txt
#
# What is recorded of a call, in which fields, and how it is shown: the same by our events as by those of the built-in
# kprobe_events on the same function, in the same calls.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events
target=test_events:lkp_events_target

# define_theirs KIND NAME WORDS: an event of the kernel's; define_ours: the same as one of ours.
define_theirs() { echo "$1:theirs/$2 $target $3" >>$tracing/kprobe_events; } 2>/dev/null
define_ours() { echo "$1:ours/$2 $target $3" >>$events/kprobe_events; } 2>/dev/null

# numbered COMMAND KIND: calls it for each line of that kind; prints the numbers of those that it refuses.
numbered() {
	number=0
	while read -r words; do
		number=$((number + 1))
		"$1" "$2" "v$number" "$words" || echo $number
	done <lines
}

# Before Linux 7 the kernel's symstr clears a byte 511 behind where it writes the name, beyond the record: at the
# end of its page that is memory of somebody else's.
symstr_is_safe() { [ "$(uname -r | cut -d . -f 1)" -ge 7 ]; }

# define_all KIND: the kernel's come behind ours: where theirs are first ours are refused.  Says which lines only
# one of them takes.
define_all() {
	sed -n "s/^$1 //p" values.txt | { symstr_is_safe && cat || grep -v symstr; } >lines
	numbered define_ours "$1" >ours.refused
	numbered define_theirs "$1" >theirs.refused
	diff ours.refused theirs.refused
}

remove_all() {
	true >$tracing/kprobe_events
	true >$events/kprobe_events
}

# recorded_by GROUP: what its events say, in the order of their numbers and of time.
recorded_by() {
	sed -n "s|^.* \\(v[0-9]*\\): ([^)]*) |\\1 |p" "$1.trace" | sort -s -k 1,1
}

# fields GROUP: those of its events, as programs read their records; but where they are in there, as ours are
# aligned.
fields() {
	for format in $tracing/events/"$1"/v*/format; do
		event=${format%/format}
		grep field: "$format" | sed "s/^/${event##*/} /; s/offset:[0-9]*;//"
	done
}

# record: both see the same calls.  With an instance for each, events of both have the same names.  The first
# instance of a kernel that has not traced before would have two pages, and lose the first calls.
record() {
	for group in theirs ours; do
		mkdir $tracing/instances/$group
		echo 1024 >$tracing/instances/$group/buffer_size_kb
		echo 1 >$tracing/instances/$group/events/$group/enable
	done
	for call in string unmapped absent unended kernel kthread; do
		echo $call >/sys/module/test_events/parameters/call
	done
	for group in theirs ours; do
		echo 0 >$tracing/instances/$group/events/$group/enable
		grep -v '^#' $tracing/instances/$group/trace >$group.trace
		cat $tracing/instances/$group/per_cpu/cpu*/stats | grep -E '^(commit )?overrun|^dropped' >$group.lost
		rmdir $tracing/instances/$group
	done
}

# compare KIND: those at entries, or at returns.  Not both at once: a return probe changes what is on the stack.
compare() {
	same "$1: both take the same lines" "$(define_all "$1")" ''
	fields theirs >theirs.fields
	fields ours >ours.fields
	same "$1: $(wc -l <theirs.fields) fields are those of theirs" "$(diff theirs.fields ours.fields)" ''
	record
	same "$1: no record is lost" "$(grep -v ': 0$' theirs.lost ours.lost)" ''
	recorded_by theirs >theirs.values
	recorded_by ours >ours.values
	nr_events=$(($(wc -l <lines) - $(wc -l <theirs.refused)))
	check "$1: those are many" test "$nr_events" -gt 10
	same "$1: all $nr_events events have recorded their part of $(wc -l <theirs.values) hits" \
		"$(cut -d' ' -f 1 <theirs.values | uniq | wc -l)" "$nr_events"
	diff theirs.values ours.values >differ
	sed -n 's/^[<>] v\([0-9]*\) .*/\1/p' differ | sort -u | while read -r nth; do
		echo "# v$nth: $(sed -n "${nth}p" lines)"
	done
	same "$1: they say the same" "$(cat differ)" ''
}

check "kprobes.ko loads" insmod kprobes.ko
check "kprobes_events.ko loads" load_events
insmod test_events.ko
if [ ! -e $tracing/kprobe_events ]; then
	skip "values are alike" "this kernel has no kprobe_events"
else
	for kind in p r; do
		compare $kind
		remove_all
	done
fi
rmmod test_events
check "kprobes_events.ko unloads" rmmod kprobes_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
