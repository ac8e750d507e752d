# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# timeout: 300
# in-turn: yes
# modules: test_events kprobes_events
# programs: events_perf
# once: yes
#
# Who else may have to do with an event when it is to go, or its module: instances of tracing, triggers,
# histograms, perf, programs of BPF, open files, other writers; and tracefs that is mounted anew.
# CPUs take turns: each change turns the kernel's recording of names on or off, which patches
# __schedule(), and an emulated CPU that runs it meanwhile may keep the kernel's breakpoint.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
parameters=/sys/module/test_events/parameters
events=$dir/events
it=$tracing/events/lkprobes/it
target=test_events:lkp_events_target
other=test_events:lkp_events_other

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
clear_events() { true >$events/kprobe_events; } 2>/dev/null
call() { echo string >$parameters/call; }
write() { echo "$2" >"$1"; } 2>/dev/null
is_on() { grep "$1" $dir/list | grep -qv DISABLED; }
define_it() { define "p:it $target n=\$arg2 s=+0(+24(\$arg1)):string"; }

# stays WHO: while somebody uses it.
stays() {
	refuse "$1: the event is not removed" define "-:it"
	refuse "$1: nor with its group" define "-:lkprobes/"
	refuse "$1: nor with all" clear_events
	refuse "$1: nor is the module" rmmod kprobes_events 2>/dev/null
	check "$1: the event remains" test -e $it/format
}
# goes WHO: when nobody does.
goes() {
	check "$1: then it is removed" define "-:it"
	refuse "$1: and has no probe" grep -q lkp_events_ $dir/list
	define_it
}

insmod kprobes.ko
load_events
insmod test_events.ko
define_it

# Users.
write $it/enable 1
stays "tracing"
write $it/enable 0
goes "tracing"

if mkdir $tracing/instances/lkp 2>/dev/null; then
	write $tracing/instances/lkp/events/lkprobes/it/enable 1
	stays "an instance"
	call
	check "an instance: it records" grep -q ' it: .*n=0x29 s="a name"' $tracing/instances/lkp/trace
	# Which turns it off.
	check "an instance: it goes while it records" rmdir $tracing/instances/lkp
	goes "an instance"
	mkdir $tracing/instances/lkp
	write $tracing/instances/lkp/events/lkprobes/it/trigger 'traceoff if n == 41'
	stays "an instance's trigger"
	rmdir $tracing/instances/lkp
	goes "an instance's trigger"
fi

define "p:second $other n=\$arg2"
write $tracing/events/lkprobes/second/trigger 'enable_event:lkprobes:it:1'
stays "another event's trigger"
write $it/enable 0
call
check "another event's trigger: it turns the event on" grep -q 1 $it/enable
write $it/enable 0
write $tracing/events/lkprobes/second/trigger '!enable_event:lkprobes:it'
define "-:second"
goes "another event's trigger"

if [ -e $it/hist ]; then
	write $it/trigger 'hist:keys=n,s:vals=hitcount'
	call
	call
	check "a histogram: it counts" grep -q 'n: *41, s: a name.*hitcount: *2' $it/hist
	stays "a histogram"
	write $it/trigger '!hist:keys=n,s:vals=hitcount'
	goes "a histogram"
	define 'f:names lkp_events_targe? f=+48($arg1):symstr'
	write $tracing/events/lkprobes/names/trigger 'hist:keys=f'
	call
	check "a histogram of symbols' names" \
		grep -q 'f: lkp_events_target.*hitcount: *1' $tracing/events/lkprobes/names/hist
	write $tracing/events/lkprobes/names/trigger '!hist:keys=f'
	check "a histogram of symbols' names is removed with its event" define "-:names"
fi

# The kernel gives the number of an event that has gone to the next one, of whomever.  So what it has recorded
# goes before the mutex is let go of under which numbers are given: when trace_set_clr_event() returns.
if has_symbol tracing_reset_all_online_cpus_unlocked && mkdir $tracing/instances/lkp 2>/dev/null; then
	define "p:order/removed trace_remove_event_call
p:order/emptied tracing_reset_all_online_cpus
r:order/unlocked trace_set_clr_event"
	define "p:also $other"
	for name in it also; do
		write $tracing/events/lkprobes/$name/enable 1
		call
		write $tracing/events/lkprobes/$name/enable 0
	done
	write $tracing/instances/lkp/events/order/enable 1
	check "two events that have records are removed" define "-:lkprobes/"
	write $tracing/instances/lkp/events/order/enable 0
	same "buffers are emptied before others can get their numbers" \
		"$(grep -o '\(removed\|emptied\|unlocked\): ' $tracing/instances/lkp/trace | uniq | xargs)" \
		'removed: emptied: unlocked:'
	same "of all of it" "$(grep -v '^#' $tracing/trace)" ''
	rmdir $tracing/instances/lkp
	define "-:order/"
	define_it
fi

# perf ends when somebody reads the file; with a number there is a program of BPF.
mkfifo hold
for value in '' 41; do
	who=perf${value:+ with a program of BPF}
	# shellcheck disable=SC2086 # none is no word
	./events_perf "$(cat $it/id)" hold x $value >/dev/null &
	perf=$!
	check "$who: it turns the event on" wait_for 20 is_on lkp_events_target
	stays "$who"
	call
	timeout 60 cat hold >/dev/null
	wait $perf
	goes "$who"
done
./events_perf "$(cat $it/id)" hold x 41 >/dev/null &
perf=$!
wait_for 20 is_on lkp_events_target
kill -9 $perf
wait $perf 2>/dev/null
check "perf that is killed: it is removed in time" wait_for 20 define "-:it"
define_it

# Our own files keep the module, tracing's do not keep an event.  Of these 6.1 itself guards only some
# against the end of the event.
exec 3<$events/kprobe_events
clear_events
refuse "the module stays for who reads its file" rmmod kprobes_events 2>/dev/null
same "and that is empty" "$(cat <&3)" ''
exec 3<&-
define_it
write $it/enable 1
call
exec 3<$it/id 4<>$it/enable 5<>$it/filter 6<$tracing/trace
write $it/enable 0
look() { for fd in 3 4 5 6; do eval "cat <&$fd"; done; } >/dev/null 2>&1
check "an event whose files are open is removed" define "-:it"
look
refuse "the file of one that is gone does not turn it on" sh -c 'echo 1 >&4' 2>/dev/null
refuse "nor give it a filter" sh -c 'echo n==1 >&5' 2>/dev/null
define_it
refuse "also when another one has its name" sh -c 'echo 1 >&4' 2>/dev/null
same "which is off" "$(cat $it/enable)" 0
clear_events
check "the module goes while the files are open" rmmod kprobes_events
look
refuse "which turn nothing on" sh -c 'echo 1 >&4' 2>/dev/null
exec 3<&- 4<&- 5<&- 6<&-
check "and comes again" insmod kprobes_events.ko
check "with events" define_it
write $it/enable 1
call
check "that record" grep -q ' it: .*n=0x29 s="a name"' $tracing/trace
write $it/enable 0

# If this led to an event that is gone, the kernel would read memory that is somebody else's by now.
open_format() {
	exec 3<"$1/format" 4<"$1/format"
	dd bs=1 count=1 <&3 >/dev/null 2>&1
}
leads_nowhere() {
	refuse "$1: who has read a part of the format of one that is gone gets no end" look_at 3
	refuse "$1: who has read nothing of it gets nothing" look_at 4
	exec 3<&- 4<&-
}
look_at() { cat <&"$1"; } >/dev/null 2>&1
open_format $it
define "-:it"
define_it
leads_nowhere "all events"
if mkdir $tracing/instances/lkp 2>/dev/null; then
	mkdir $tracing/instances/lkp2
	for instance in lkp lkp2; do
		open_format $tracing/instances/$instance/events/lkprobes/it
		define "-:it"
		define_it
		leads_nowhere "the instance $instance"
	done
	# The instance may go before the event.
	open_format $tracing/instances/lkp/events/lkprobes/it
	rmdir $tracing/instances/lkp $tracing/instances/lkp2
	define "-:it"
	define_it
	leads_nowhere "an instance that has gone"
fi
check "and of one that has not gone all is read" grep -q 'name: it' $it/format

# The module has an event of its own.
define "-:it"
open_format $tracing/events/lkprobes/definitions_change
check "the module goes while somebody has the format of its own event open" rmmod kprobes_events
leads_nowhere "the module's own event"
insmod kprobes_events.ko
define_it

# tracefs is mounted anew.
check "tracefs is remounted" mount -o remount,mode=700 $tracing
if umount $tracing; then
	check "without tracefs an event is removed" define "-:it"
	check "and defined" define_it
	mount -t tracefs trace $tracing
	write $it/enable 1
	call
	check "and is there when tracefs is" grep -q ' it: .*n=0x29 s="a name"' $tracing/trace
	write $it/enable 0
else
	skip "without tracefs" "somebody uses it"
fi
check "it is removed" define "-:it"

# Two writers, who have a name in common, one who turns all on and off, and readers; while they fire.
# Each is done when it has had its turns; what is in use at the moment may be refused.
echo 2 >$parameters/storm
writer() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		define "p:own$1 $target n=\$arg2" || echo "own$1 is refused"
		define "p:both $2 n=\$arg2"
		cat $events/kprobe_events $events/kprobe_profile >/dev/null
		write $tracing/events/lkprobes/own$1/enable 1
		define "-:both $2"
		define "p:own$1 $other n=\$arg2" || echo "another own$1 is refused"
		write $tracing/events/lkprobes/own$1/enable 0
		until define "-:own$1"; do write $tracing/events/lkprobes/own$1/enable 0; done
		define "p:own$1 no_such_function_at_all"
	done
}
reader() {
	while [ -e reading ]; do
		cat $tracing/trace $events/error_log $tracing/events/lkprobes/*/format >/dev/null 2>&1
		write $tracing/events/lkprobes/enable 1
		write $tracing/events/lkprobes/enable 0
	done
}
true >reading
reader &
reader=$!
writer 1 $target >writer1 &
writers=$!
writer 2 $other >writer2 &
wait $writers $!
rm reading
wait $reader
same "two writers are not in each other's way" "$(cat writer1 writer2)" ''
check "what they share can be removed" wait_for 20 clear_events
echo 0 >$parameters/storm
same "nothing is left" "$(cat $events/kprobe_events; cd $tracing/events/lkprobes && ls -d -- own* both it 2>/dev/null)" ''
refuse "and no probe" grep -q lkp_events_ $dir/list

echo >$tracing/trace
check "kprobes_events.ko unloads" rmmod kprobes_events
rmmod test_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
