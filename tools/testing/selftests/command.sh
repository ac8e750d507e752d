# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# timeout: 180
# modules: test_events kprobes_events
# tool: yes
# files: /usr/bin/jq /usr/bin/trace-cmd
# once: yes
#
# The command: kprobes trace, stat, record, list and status.  What they print, and that nothing stays
# behind, however they end.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
calls=/sys/module/test_events/parameters/call
target=test_events:lkp_events_target
kprobes=$PWD/kprobes
work=/tmp/command
mkdir -p $work

# What others trace.
echo 1 >$tracing/events/sched/sched_process_fork/enable
others_were=$(cat $tracing/tracing_on $tracing/events/sched/sched_process_fork/enable | xargs)

# call [NUMBER]: the target is called.
call() { for _ in $(seq "${1-1}"); do echo string >$calls; done; }
# nothing_left: no event, no instance, no probe.
nothing_left() {
	left=$(ls -d $tracing/instances/kprobes_* $tracing/events/kprobes_* 2>/dev/null)
	left=$left$(cat $dir/events/kprobe_events $dir/list 2>/dev/null)
	[ -z "$left" ] || { echo "# left: $left"; return 1; }
}
something_left() { ! nothing_left >/dev/null; }
# is_on: is the run that began last recording?
is_on() { grep -q 1 $tracing/instances/kprobes_"$pid"/events/kprobes_"$pid"/enable; } 2>/dev/null
# begin ARGUMENT...: in the background, until it records.
begin() {
	$kprobes "$@" >$work/out 2>$work/err &
	pid=$!
	wait_for 60 is_on || {
		not_ok "kprobes $* records"
		sed 's/^/# /' $work/err
	}
}
# end SIGNAL: how it ended, and that nothing is left.
end() {
	kill -"$1" $pid
	wait $pid
	code=$?
}
has() { grep -q "$1" $work/out || { sed 's/^/# /' $work/out $work/err; return 1; }; }
# says CODE WORDS ARGUMENT...: an error, and nothing left.
says() {
	wanted=$1 words=$2
	shift 2
	$kprobes "$@" >$work/out 2>$work/err </dev/null
	code=$?
	grep -qF -- "$words" $work/err && [ $code = "$wanted" ] && nothing_left && return
	echo "# $code"
	sed 's/^/# /' $work/err
	return 1
}
# marked COLUMN: the mark in the last error.
marked() { grep -n '^ *^$' $work/err | grep -q "$(printf ':  %*s^$' "$1" '')"; }

insmod kprobes.ko
check "without events status says so" sh -c "$kprobes status | grep -q 'kprobes_events.ko is not loaded'"
check "and trace" says 2 'kprobes_events.ko is not loaded' trace vfs_read
load_events
insmod test_events.ko

# kprobes trace.
$kprobes trace "$target n=\$arg2:u8 s=+0(+24(\$arg1)):string" "$target%return \$retval" -- \
	sh -c "echo string >$calls; echo string >$calls" >$work/out 2>$work/err
same "a program is traced" "$(sed -n 's/.*: \(lkp_events_target: \).*) /\1/p' $work/out | xargs)" \
	"lkp_events_target: n=41 s=a name lkp_events_target: n=41 s=a name"
same "with what is returned" "$(grep -c 'lkp_events_target_return: .* <- lkp_events_target.*) ret=42$' \
	$work/out)" 2
check "nothing is left" nothing_left

begin trace "$target n=\$arg2:u8"
call 3
check "it is seen by list" sh -c "$kprobes list | grep -q 'kprobes_$pid/lkp_events_target .*$target n='"
check "and by status" sh -c "$kprobes status | grep -q 'run $pid of kprobes is at work'"
end INT
same "Ctrl-C ends it" "$code $(grep -c 'lkp_events_target: .* n=41' $work/out)" '0 3'
check "and leaves nothing" nothing_left

for signal in TERM HUP QUIT; do
	begin trace "$target" "f=vfs_rea?"
	end $signal
	check "SIG$signal leaves nothing" nothing_left
done

# Who reads goes away: with the next line, or before.
(while true; do call 1; done) &
caller=$!
$kprobes trace "$target" | head -n 1 >$work/out
kill $caller
wait $caller
check "a reader that goes away ends it" has lkp_events_target
wait_for 20 nothing_left
check "and leaves nothing" nothing_left
($kprobes trace "$target"; echo $? >$work/code) | true
check "one that has never been there ends it" wait_for 20 test -s $work/code
check "and leaves nothing" nothing_left

# It is killed.
begin trace "$target"
kill -KILL $pid
wait $pid
check "what is killed leaves something" something_left
check "status names it" sh -c "$kprobes status | grep -q 'run $pid of kprobes was killed'"
begin trace "$target"
check "the next one takes it back" grep -q "took back what run [0-9]* left behind" $work/err
end INT
check "and itself" nothing_left

# Two at once.
begin trace "$target"
first=$pid
cp $work/out $work/first
begin trace "$target n=\$arg2:u8"
call
end INT
check "two are at work at once" has 'n=41'
pid=$first
end INT
check "and both leave nothing" nothing_left

# Filters, processes, stack traces, JSON.
$kprobes trace "$target n=\$arg2:u8" --filter 'n == 42' -- sh -c "echo string >$calls" >$work/out
same "a filter" "$? $(grep -c 'n=' $work/out)" '0 0'
$kprobes trace "$target n=\$arg2:u8" --filter 'n == 41' -- sh -c "echo string >$calls" >$work/out
same "a filter that is true" "$(grep -c 'n=41' $work/out)" 1
$kprobes trace "$target n=\$arg2:u8" --filter 'ret == 42' --stack -- sh -c "echo string >$calls" >$work/out
same "a filter of what is returned" "$(grep -c 'sh-.* lkp_events_target: (lkp_events_target+.*) n=41 ret=42$' \
	$work/out)" 1
check "with the way to its entry" has '=> .*param'
$kprobes trace "$target n=\$arg2:u8" --filter 'ret < 42' -- sh -c "echo string >$calls" >$work/out
same "or of something else" "$? $(cat $work/out)" '0 '
check "a filter that does not fit" says 2 'the filter does not fit' trace "$target" --filter 'nothing == 1'
mkfifo $work/fifo
sh -c "read -r _ <$work/fifo; echo string >$calls; (echo string >$calls); read -r _ <$work/fifo" &
other=$!
begin trace -p $other "$target"
call 5
echo >$work/fifo
wait_for 60 sh -c "[ \$(grep -c lkp_events_target: $work/out) = 2 ]"
end INT
same "one process, and what it starts" "$(grep -c lkp_events_target: $work/out)" 2
echo >$work/fifo
wait $other
check "no such process" says 2 'there is no process 999999' trace -p 999999 "$target"
$kprobes trace "$target" --stack -- sh -c "echo string >$calls" >$work/out
check "a stack trace" has '=> .*param'

$kprobes trace --json --stack "$target n=\$arg2:s8 s=+0(+24(\$arg1)):string c=\$arg3:char \
f=+48(\$arg1):symbol a=+16(\$arg1):u16[4] p=+32(\$arg1):string[2] e=+0(\\16):string" \
	"$target%return \$retval" -- sh -c "echo string >$calls" >$work/out 2>$work/err
same "JSON has its fields" "$(./jq -r 'select(.event == "lkp_events_target") |
	[(.at | test("^lkp_events_target\\+0x[04]$")), .comm, .args.n, .args.s, .args.c, (.args.a | tostring), (.args.p | tostring),
	.args.e == null, (.args.f | startswith("lkp_events_target+")), (.stack | length > 2),
	(.time > 1), (.pid > 1)] | join(" ")' <$work/out)" \
	'true sh 41 a name x [1,20,300,4000] ["one","two"] true true true true true'
same "and of a return" "$(./jq -r 'select(.event == "lkp_events_target_return") |
	"\(.at | test("^lkp_events_target\\+0x[04]$")) \(.args.ret) \(.to | test("^[a-z_.]+\\+0x[0-9a-f]+$"))"' <$work/out)" \
	'true 42 true'
same "without a complaint" "$(cat $work/err)" ''
check "JSON leaves nothing" nothing_left
# More than there is room for in a few pages of a buffer.
begin trace --json "$target"
call 200
end INT
same "all of many" "$(./jq -s 'length' <$work/out)" 200
same "in their order" "$(./jq -s '[.[].time] | . == sort' <$work/out)" true
for what in list status; do
	check "$what --json" sh -c "$kprobes $what --json | ./jq -e 'type == \"object\"' >/dev/null"
done

# The kernel's own BTF.
if [ -e /sys/kernel/btf/vmlinux ]; then
	$kprobes trace 'vfs_read file->f_path.dentry->d_name.name:string count' -- head -c 77 /dev/zero \
		>$work/out 2>$work/err
	check "arguments by their names" has '.*-[0-9]* .* vfs_read: (vfs_read+.*) name="zero" count=[1-9][0-9]*$'
	check "no such argument" says 2 'vfs_read has no argument of that name' trace 'vfs_read nothing'
fi

# kprobes stat.
many="i=0; while [ \$i -lt 80 ]; do echo string >$calls; i=\$((i + 1)); done"
for place in "$target" lkp_events_target 'lkp_events_targe?'; do
	$kprobes stat --json "$place" -- sh -c "$many" >$work/out 2>$work/err
	same "stat $place: each call is counted, and timed" "$(./jq -r '.functions[] | [.function, .calls,
		.returned, .average > 0, .p99 > 0, ([.histogram[]] | add)] | join(" ")' \
		<$work/out) $(./jq -r '"\(.lost) \(.places[0].missed)"' <$work/out)" \
		'lkp_events_target 80 80 true true 80 0 0'
done
$kprobes stat lkp_events_target 'lkp_events_t*' -- sh -c "$many" >$work/out 2>$work/err
same "its table" "$(grep -cE '^lkp_events_target +80 +(0 )? +[0-9.]+[mun]?s +[0-9.]+[mun]?s +\|.*[#*].*\|$' \
	$work/out)" 2
check "stat leaves nothing" nothing_left
begin stat --json 'vfs_*' lkp_events_target
call 100
end INT
same "many functions until Ctrl-C" \
	"$(./jq -r '.functions[] | select(.function == "lkp_events_target") | .calls' <$work/out)" 100
same "and have their calls" "$(./jq '[.functions[] | select(.calls > 0)] | length > 3' <$work/out)" true
check "and leave nothing" nothing_left

# kprobes record, for trace-cmd.
$kprobes record -o $work/trace.dat --stack "$target n=\$arg2:u8 s=+0(+24(\$arg1)):string" \
	"$target%return \$retval" -- sh -c "$many" 2>$work/err
check "record leaves nothing" nothing_left
same "record says how much there was" "$(sed 's/: [1-9][0-9]* bytes/: N bytes/' $work/err)" \
	"kprobes: N bytes of records in $work/trace.dat"
./trace-cmd report -i $work/trace.dat >$work/out 2>$work/err || echo "# trace-cmd: $?"
same "trace-cmd reads what it has recorded" \
	"$(grep -c 'sh-.*lkp_events_target: .* n=41 s="*a name"*' $work/out)" 80
check "stacks, too" has 'kernel_stack'
check "record needs a file" says 2 'a file is missing' record vfs_read
check "that can be written" says 2 'No such file' record -o /nothing/there vfs_read

# What is refused, and where.
check "no such register" says 2 'no register of that name' trace "$target a=\$arg1  x=%zz"
check "its column" marked $((${#target} + 12))
check "no such function" says 2 'no such symbol' trace vfs_reed
check "nor such a type" says 2 'no type of that name' trace vfs_read "x=vfs_write \$arg1:u7"
check "its column" marked 18
check "one that has nearly the name" says 2 'there is a function vfs_read' trace vfs_reed
mid=''
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	echo "vfs_read+$i" >$dir/check
	grep -q refused $dir/check && mid=$i && break
done
check "the nearest place" says 2 'the nearest place that can be probed is vfs_read+0x' trace "vfs_read+$mid"

same "what others trace is as before" "$others_were" \
	"$(cat $tracing/tracing_on $tracing/events/sched/sched_process_fork/enable | xargs)"
check "and has what they trace" grep -q sched_process_fork: $tracing/trace
same "and none of it" "$(grep -c lkp_events $tracing/trace)" 0
echo 0 >$tracing/events/sched/sched_process_fork/enable
echo >$tracing/trace
check "test_events.ko unloads" rmmod test_events
check "kprobes_events.ko unloads" rmmod kprobes_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
