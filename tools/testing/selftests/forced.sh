# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# timeout: 200
# modules: test_events kprobes_events
# once: yes
#
# "rmmod -f", which Debian's kernels have: our modules go when nobody needs them any more, and not before.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events
it=$tracing/events/lkprobes/it
target=test_events:lkp_events_target

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
call() { echo string >/sys/module/test_events/parameters/call; }
is_gone() { ! grep -q "^$1 " /proc/modules; }
waits() { sleep 1; kill -0 $forced 2>/dev/null && ! is_gone "$1"; }

insmod kprobes.ko
load_events
insmod test_events.ko
define "p:it $target n=\$arg2:u8"
define "p:idle $target"
check "two events are there" test -e $it -a -e $tracing/events/lkprobes/idle
write_enable() { echo "$1" >$it/enable; }
write_enable 1
refuse "without force it stays" rmmod kprobes_events 2>/dev/null
rmmod -f kprobes_events &
forced=$!
check "by force it waits for an event that is in use" waits kprobes_events
: >$tracing/trace
call
check "which still records" grep -q ' it: .* n=41' $tracing/trace
refuse "one that is not in use has gone" test -e $tracing/events/lkprobes/idle
write_enable 0
check "then it goes" wait $forced
check "as a whole" is_gone kprobes_events
refuse "with its events" test -e $tracing/events/lkprobes
call
cat $tracing/trace >/dev/null

exec 3<$dir/list
rmmod -f kprobes 3<&- &
forced=$!
check "kprobes.ko waits for an open file" waits kprobes
read -r _ <&3
exec 3<&-
check "then it goes, too" wait $forced
check "as a whole, too" is_gone kprobes
check "and comes back" insmod kprobes.ko
check "kprobes.ko unloads" rmmod kprobes
rmmod test_events
ktap_end
