# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 150
# modules: kprobes/first_example cookbook/time_histogram cookbook/count_callers
# modules: cookbook/find_null cookbook/inject_error cookbook/trace_init cookbook/file_life
# modules: cookbook/one_process cookbook/log_calls cookbook/stack_traces cookbook/live_rate
# once: yes
#
# The clients of the cookbook, and the manual's first example: each is loaded, something
# happens that it must see, and its report is compared with that.
# shellcheck shell=sh

. ./ktap.sh
. ./synced.sh

debug=/sys/kernel/debug
work=/tmp/cookbook
mkdir -p $work

# load NAME PARAMETER...: the client, with an empty log. unload: it again.
load() {
	client=$1
	shift
	dmesg -c >/dev/null
	check "$client: loads" insmod "$client.ko" "$@"
}

unload() {
	check "$client: unloads" rmmod "$client"
}

# reports NAME PATTERN: the client's file in debugfs has such a line. logs: the log has.
reports() {
	cat "$debug/$client" >$work/report
	if grep -qE "$2" $work/report; then
		ok "$client: $1"
	else
		not_ok "$client: $1" "no line is like $2"
		sed 's/^/# /' $work/report
	fi
}

logs() {
	dmesg >$work/report
	check "$client: $1" grep -qE "$client: $2" $work/report
}

# at_last NAME COMMAND...: within a minute.
at_last() {
	name=$1
	shift
	for _ in $(seq 60); do
		"$@" && break
		sleep 1
	done
	check "$client: $name" "$@"
}

first_example() {
	load first_example
	head -c 3000 /dev/zero >/dev/null
	unload
	logs "counts calls and bytes" '[1-9][0-9]* calls ask for [1-9][0-9]{3,} bytes'
}

# A sleep of 20 ms takes no less.
time_histogram() {
	load time_histogram func=hrtimer_nanosleep
	sleep 0.02
	cat $debug/time_histogram
	least=$(sed -n 's/less than *\([0-9]*\) ns: .*/\1/p' $debug/time_histogram | head -n 1)
	check "time_histogram: a sleep takes its time" test "${least:-0}" -ge 33554432
	reports "no call is missed" '^missed: 0$'
	unload
}

count_callers() {
	load count_callers func=vfs_read
	for _ in 1 2 3; do head -c 1 /dev/zero >/dev/null; done
	reports "system calls read" '^ *([3-9]|[0-9]{2,}) .*sys_read\+'
	reports "there are no more callers than rows" '^ *0 from elsewhere'
	unload
}

# Mounting and programs that end free what they do not have.
find_null() {
	load find_null func=kfree arg=0
	mkdir -p $work/mnt
	for _ in 1 2 3; do
		mount -t proc none $work/mnt && umount $work/mnt
	done
	sh -c true
	unload
	logs "names a caller" 'kfree\(NULL\) from [a-z_].*, in .+-[0-9]+$'
	logs "counts" '[1-9][0-9]* calls of kfree with NULL'
}

# written COMMAND...: a file is written and brought to the disk, by that busybox.
written() {
	"$@" dd if=/dev/zero of=$work/file bs=1 count=1 conv=fsync 2>/dev/null
}

# A program of this name alone fails, each second time.
inject_error() {
	cp "$(readlink -f /proc/$$/exe)" $work/busyboxed
	refuse "inject_error: needs a name" insmod inject_error.ko 2>/dev/null
	load inject_error func=$fsynced comm=busyboxed every=2
	check "inject_error: others do not fail" written busybox
	check "inject_error: the first call does not fail" written $work/busyboxed
	refuse "inject_error: the second fails" written $work/busyboxed
	check "inject_error: others still do not" written busybox
	unload
	logs "counts" "$fsynced failed in 1 of 2 calls by busyboxed"
	check "inject_error: nothing fails any more" written $work/busyboxed
}

trace_init() {
	load trace_init
	insmod live_rate.ko && rmmod live_rate
	logs "a module that loads" 'live_rate: init returned 0 after [1-9][0-9]* ns'
	refuse "trace_init: the other one fails" insmod inject_error.ko 2>/dev/null
	logs "a module that fails" 'inject_error: init returned -22 after [1-9][0-9]* ns'
	check "trace_init: none was refused" sh -c '! dmesg | grep -q "trace_init: .*(error -"'
	unload
}

# The functions and numbers of the events, in one line.
story() {
	sed -nE 's/^[0-9.]+ .*-[0-9]+ ([a-z_]+ [0-9]+)$/\1/p' $debug/file_life | tr '\n' ','
}

file_life() {
	echo before >$work/file
	refuse "file_life: needs a file" insmod file_life.ko path=$work/nothing 2>/dev/null
	load file_life path=$work/file
	echo once >$work/file
	echo other >$work/other
	dd if=$work/file of=/dev/null bs=100 2>/dev/null
	same "file_life: all of it, in order" "$(story)" "vfs_open 0,vfs_write 5,__fput 0,$(
		)vfs_open 0,vfs_read 100,vfs_read 100,__fput 0,"
	reports "who it was" ' (dd|busybox|exe)-[0-9]+ vfs_read 100$'
	unload
}

# The shell writes 6 bytes and reads them, and writes 2 to the parameter; cat is another process.
one_process() {
	load one_process
	parameters=/sys/module/one_process/parameters
	# shellcheck disable=SC2016 # for that shell
	sh -c 'echo $$ >$0/pid; echo 12345 >$1; read -r line <$1; cat $1 >/dev/null; echo 0 >$0/pid' \
		$parameters $work/file
	same "one_process: bytes" "$(cat $parameters/moved)" "6 bytes read, 8 written, 0 calls missed"
	unload
}

log_calls() {
	load log_calls 'funcs=vfs_*'
	head -c 7 /dev/zero >$work/file
	reports "arguments and return value" \
		'^[0-9]+\.[0-9]{6} .*-[0-9]+ vfs_write\(0x[0-9a-f]+, 0x[0-9a-f]+, 0x7, (0x[0-9a-f]+|0)\) = 7 after [1-9][0-9]* ns$'
	unload
}

stack_traces() {
	load stack_traces func=vfs_write
	for _ in 1 2 3; do echo >$work/file; done
	reports "the way is counted" '^([3-9]|[0-9]{2,}) calls:$'
	reports "the caller is named" '^  .*sys_write\+'
	unload
}

# Only sync calls this function.
live_rate() {
	load live_rate symbol=$synced limit=2
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do sync; done
	rate=/sys/module/live_rate/parameters/rate
	at_last "all are counted" grep -q '^0 in the last second, 12 in all, 0 missed' $rate
	sed "s/^/# /" $rate
	at_last "the log says that the rate is high" logged
	check "live_rate: not for each hit" test "$(dmesg | grep -c 'live_rate:')" -le 8
	unload
}

logged() {
	dmesg | grep -qE "live_rate: $synced.*: [1-9][0-9]* hits in a second"
}

check "kprobes.ko loads" insmod kprobes.ko
for recipe in first_example time_histogram count_callers find_null inject_error trace_init \
	file_life one_process log_calls stack_traces live_rate; do
	$recipe
done
rm -rf $work
check "kprobes.ko unloads" rmmod kprobes
ktap_end
