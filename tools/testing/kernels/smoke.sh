# SPDX-License-Identifier: GPL-2.0-only
#
# Some seconds on a kernel: each kind of probe is hit, one becomes a jump, an event is recorded,
# and all can be unloaded.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

parameters=/sys/module/kprobe_example/parameters
symbol=do_sys_openat2
tracing=/sys/kernel/tracing

opens() { cat /proc/uptime /proc/uptime /proc/uptime >/dev/null; }

# What handlers say is printed behind them, on some kernels by a thread.
said() { waits grep_log "$1"; }
grep_log() { dmesg | grep -q "$1"; }
waits() {
	for _ in $(seq 60); do
		! "$@" || return 0
		sleep 1
	done
	return 1
}

# is_hit MODULE: its parameter "hits" has counted three files that are opened.
hits() { tr -dc '0-9\n' <"/sys/module/$1/parameters/hits" | head -n 1; }
is_hit() {
	before=$(hits "$1")
	opens
	[ "$(hits "$1")" -ge $((before + 3)) ]
}

becomes_a_jump() { waits grep -q OPTIMIZED $dir/list; }

check "kprobes.ko loads" insmod kprobes.ko
refuse "no breakpoint of the kernel's is taken for another tool's" grep_log 'hides what runs in a trap'
refuse "the walk along calls has not gone astray" grep_log 'functions are called by what'
check "a probe with both handlers" insmod kprobe_example.ko symbol=$symbol
check "is hit" is_hit kprobe_example
check "and can be disabled" sh -c "echo 1 >$parameters/disabled"
before=$(hits kprobe_example)
opens
same "then nothing is counted" "$(hits kprobe_example)" "$before"
check "it unloads" rmmod kprobe_example
insmod kprobe_example.ko symbol=$symbol offset=$behind_site post=0
check "one without a post_handler becomes a jump" becomes_a_jump
check "the jump is hit" is_hit kprobe_example
rmmod kprobe_example

insmod kretprobe_example.ko func=vfs_read
opens
check "a return is seen" said 'vfs_read returned'
check "the return probe unloads" rmmod kretprobe_example

insmod jprobe_example.ko
sh -c true
check "a jprobe sees arguments" said 'flags ='
check "the jprobe unloads" rmmod jprobe_example

insmod batch_example.ko symbols=vfs_open,vfs_read,vfs_write
check "a batch is hit" is_hit batch_example
rmmod batch_example

# In the kernel's tracing, or where that takes none in a buffer of our own.
check "kprobes_events.ko loads" insmod kprobes_events.ko
if [ -e $dir/events/trace_pipe ]; then
	tracing=$dir
	records() { timeout 60 grep -q "$1" $dir/events/trace_pipe; }
else
	records() { grep -q "$1" $tracing/trace; }
fi
check "an event is made" sh -c "echo 'p:opens $symbol file=+0(\$arg2):ustring' >$dir/events/kprobe_events"
# apart FORMAT: no field is over another, whatever the kernel puts in front of ours.
apart() {
	sed -n 's/.*offset:\([0-9]*\);.*size:\([0-9]*\);.*/\1 \2/p' "$1" | sort -n |
		awk '$1 < end { exit 1 } { end = $1 + $2; nr++ } END { exit nr < 6 }'
}
format=$tracing/events/lkprobes/opens/format
if [ -e $format ]; then
	check "each of its fields has a place of its own" apart $format
fi
echo 1 >$tracing/events/lkprobes/opens/enable
opens
echo 0 >$tracing/events/lkprobes/opens/enable
check "it records" records 'opens: .*file="/proc/uptime"'
check "it is taken away" sh -c "true >$dir/events/kprobe_events"
check "kprobes_events.ko unloads" rmmod kprobes_events

check "kprobes.ko unloads" rmmod kprobes
ktap_end
