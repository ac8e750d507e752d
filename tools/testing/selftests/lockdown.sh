# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_probe kprobes_events
# append: lsm=lockdown
#
# Kernel lockdown: files through which text can be changed are closed, like the
# kernel's own debugfs files.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

lockdown=/sys/kernel/security/lockdown
denied() { "$@" 2>&1 | grep -q 'Operation not permitted'; }
turn_off() { echo 0 >"$dir"/enabled; }
define() { echo "p ksys_sync" >>"$dir"/events/kprobe_events; }

insmod kprobes.ko
insmod kprobes_events.ko own_buffer=1
insmod test_probe.ko symbol=wakeup_flusher_threads
check "lockdown is there" grep -q '\[none\]' $lockdown
check "enabled can be read" cat $dir/enabled
check "list can be read" grep -q wakeup_flusher_threads $dir/list
echo integrity >$lockdown
check "it is on" grep -q '\[integrity\]' $lockdown
check "enabled can't be read" denied cat $dir/enabled
check "enabled can't be written" denied turn_off
check "no event can be defined" denied define
check "nor seen" denied cat $dir/events/kprobe_events
echo confidentiality >$lockdown
check "nor, where that is secret, what events have recorded" \
	denied timeout 20 head -n 1 $dir/events/trace_pipe
same "nothing has changed" "$(hits_of sync)" 1
rmmod test_probe kprobes_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
