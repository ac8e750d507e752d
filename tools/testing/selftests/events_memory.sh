# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_events test_events_memory kprobes_events
# timeout: 200
# once: yes
#
# kprobes_events.ko gets no memory: each of its own allocations fails, one after the other, while it is
# loaded, an event is defined, another probe joins it, it is turned on, and a line is refused.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events
nth=/sys/module/test_events_memory/parameters/nth
target=test_events:lkp_events_target
other=test_events:lkp_events_other

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
turn() { echo "$1" >$tracing/events/lkprobes/it/enable; } 2>/dev/null
# A removal needs memory, too; once it is there it is done.
remove() { define "$1" || define "$1"; }
call() { echo string >/sys/module/test_events/parameters/call; }

insmod kprobes.ko
load_events
insmod test_events.ko
rmmod kprobes_events
check "allocators are probed" insmod test_events_memory.ko
echo "# $(cat /sys/module/test_events_memory/parameters/probed) of them"

# Each of these attempts leaves nothing, and says what went wrong.
load() {
	insmod kprobes_events.ko 2>/dev/null && rmmod kprobes_events
	[ ! -e $events ] || echo "the files are there"
}
whole() {
	if define "$1"; then
		if turn 1; then
			call
			turn 0 || echo "it does not turn off"
		fi
		remove "-:it" || echo "it is not removed"
	fi
	[ -z "$(cat $events/kprobe_events)" ] || echo "it is listed"
	[ ! -e $tracing/events/lkprobes/it ] || echo "the kernel knows of it"
	! grep -q lkp_events_ $dir/list || echo "there is a probe"
}
# The event is on: what joins it is on, too, or it is as before.
join() {
	define "p:it $other n=\$arg2" && added=1 || added=0
	[ "$(grep -c lkprobes/it $events/kprobe_events)" = $((1 + added)) ] || echo "it is listed, or is not"
	echo >$tracing/trace
	call
	[ "$(grep -c ' it: ' $tracing/trace)" = $((1 + added)) ] || echo "they do not record"
	[ $added = 0 ] || remove "-:it $other" || echo "it is not removed"
}
wrong() {
	define "$1" && echo "it is taken"
	[ -z "$(cat $events/kprobe_events)" ] || echo "it is listed"
	cat $events/error_log >/dev/null || echo "the log can't be read"
}

# each KIND ATTEMPT [LINE]: until there is no such allocation any more.
each() {
	step=0 bad='' left=0
	while [ "$left" = 0 ] && [ $step -lt 60 ]; do
		step=$((step + 1))
		echo $step >$nth
		"$2" "$3" >said
		left=$(cat $nth)
		echo 0 >$nth
		sed "s/^/# $1, $step: /" said
		bad=$bad$(cat said)
	done
	same "$1: its allocations fail" "$bad" ''
	check "$1: some do, and not all ($step)" test $step -gt 1 -a $step -lt 60
}

each "the module" load
check "the module loads" insmod kprobes_events.ko
each "a kprobe" whole "p:it $target n=\$arg2 s=+0(+24(\$arg1)):string a=+16(\$arg1):u16[4]"
each "a return" whole "r:it $target n=\$arg2 \$retval"
each "an fprobe" whole 'f:it lkp_events_targe? n=$arg2'
[ -z "$(symbol lkp_events_number)" ] || each "a symbol" whole "p:it $target n=@lkp_events_number:x32"
define "p:it $target n=\$arg2"
turn 1
each "one more probe" join
turn 0
define "-:it"
each "a line that is wrong" wrong 'p:it nothing:at_all $arg2:u7'

define "p:it $target n=\$arg2"
turn 1
echo >$tracing/trace
call
same "then it works" "$(grep -c ' it: .*n=0x29' $tracing/trace)" 1
turn 0
define "-:it"
rmmod test_events_memory
check "kprobes_events.ko unloads" rmmod kprobes_events
rmmod test_events
check "kprobes.ko unloads" wait_for 20 rmmod kprobes
ktap_end
