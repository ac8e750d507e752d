# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_events kprobes_events
# inject: yes
# timeout: 400
#
# Error paths of events: each step of kprobes.ko that can fail is made to fail, one after the
# other, while an event is defined, turned on and off, and removed.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events
nth=/sys/module/kprobes/parameters/fail_nth

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
turn() { echo "$1" >$tracing/events/lkprobes/it/enable; } 2>/dev/null

insmod kprobes.ko
load_events
insmod test_events.ko
# Steps of the optimiser must not fail in place of these.
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"

# attempt STEP LINE: what is left when this step has failed.
attempt() {
	echo "$1" >$nth
	if define "$2"; then
		if turn 1; then
			echo string >/sys/module/test_events/parameters/call
			turn 0 || echo "step $1: it does not turn off"
		fi
		define "-:it" || echo "step $1: it is not removed"
	elif [ "$(echo "$2" | wc -l)" = 2 ] && grep -q 'p:lkprobes/it' $events/kprobe_events; then
		# The first of two lines has been done.
		define "-:it" || echo "step $1: the first one is not removed"
	fi
	left=$(cat $nth)
	echo 0 >$nth
	[ -z "$(cat $events/kprobe_events)" ] || echo "step $1: it is listed"
	[ ! -e $tracing/events/lkprobes/it ] || echo "step $1: the kernel knows of it"
	! grep -q lkp_events_ $dir/list || echo "step $1: there is a probe"
}

# each KIND LINE: until there is no such step any more; then the event must work.  Later ones are
# mostly the memory of one instance after the other, and not all are tried.
each() {
	step=0 left=0 bad=''
	while [ "$left" = 0 ] && [ $step -lt 400 ]; do
		step=$((step + 1 + step / 8))
		attempt $step "$2" >said
		bad=$bad$(cat said)
	done
	same "$1: steps fail" "$bad" ''
	check "$1: some do, and not all ($step)" test $step -gt 1 -a $step -lt 400
	echo >$tracing/trace
	define "$2" && turn 1
	echo string >/sys/module/test_events/parameters/call
	turn 0
	same "$1: then it works" "$(grep -c ' it: ' $tracing/trace)" "$(echo "$2" | wc -l)"
	define "-:it"
}

each "a kprobe" 'p:it test_events:lkp_events_target $arg2'
each "a kretprobe" 'r2:it test_events:lkp_events_target $retval'
each "a kretprobe with arguments" 'r2:it test_events:lkp_events_target $arg2 $retval'
each "two probes" 'p:it test_events:lkp_events_target $arg2
p:it test_events:lkp_events_other $arg2'
each "an fprobe" 'f:it lkp_events_target $arg2'
each "an fprobe's return" 'f:it lkp_events_target%return $retval $arg2'

check "kprobes_events.ko unloads" rmmod kprobes_events
rmmod test_events
check "kprobes.ko unloads" wait_for 20 rmmod kprobes
ktap_end
