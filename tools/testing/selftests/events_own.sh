# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_events kprobes_events
# timeout: 200
# once: yes
#
# Events in a buffer of our own: for kernels whose tracing takes none, and where it is asked for.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
parameters=/sys/module/test_events/parameters
events=$dir/events
it=$events/lkprobes/it
target=test_events:lkp_events_target
other=test_events:lkp_events_other
work=/tmp/events_own
mkdir -p $work

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
clear_events() { true >$events/kprobe_events; } 2>/dev/null
write() { echo "$2" >"$1"; } 2>/dev/null
call() { echo "${1-string}" >$parameters/call; }
# all_read: what there is in the buffer.  A record that is the last one says when that is.  It may find no
# room, so there may be several, and those that are not read now are unknown later.
last_is_read() {
	call
	grep -q ' last: ' $work/out
}
all_read() {
	# Here, as the reader's shell may come late: what an earlier one read has a last one, too.
	: >$work/out
	cat $events/trace_pipe >>$work/out &
	reader=$!
	define "p:last $other"
	write $events/lkprobes/last/enable 1
	wait_for 60 last_is_read
	kill $reader
	wait $reader 2>/dev/null
	write $events/lkprobes/last/enable 0
	define "-:last"
	grep -v ' last: ' $work/out
}
# recorded WORDS [CALL]: what an event with these arguments says of a call.
recorded() {
	define "p:it $target $1" || { echo "refused: $(tail -n 3 $events/error_log | head -n 1)"; return; }
	write $it/enable 1
	call "${2-string}"
	write $it/enable 0
	all_read | sed -n 's/^.*: it: ([^)]*) //p'
	define "-:it"
}
# told: lines with the event, and those that are said to be lost.
told() { awk '/ it: / { n++ } /LOST .* EVENTS/ { lost += $(NF - 1) } END { print n + lost }' $work/told; }
hits() { awk '$1 == "it" { print $2 "+" $3 }' $events/kprobe_profile; }

insmod kprobes.ko
check "kprobes_events.ko loads" insmod kprobes_events.ko own_buffer=1 buffer_kb=64
insmod test_events.ko
same "the files are root's" "$(cd $events && stat -c %a trace_pipe lost overwrite | xargs)" "400 400 600"

# What is recorded, and how it is shown.
define "p:it $target n=\$arg2:u8 s=+0(+24(\$arg1)):string"
refuse "the kernel's tracing does not know of it" test -e $tracing/events/lkprobes/it
same "it is off" "$(cat $it/enable)" 0
call
write $it/enable 1
same "or on" "$(cat $it/enable)" 1
call
write $it/enable 0
all_read >$work/lines
same "a line, as the kernel's tracing has it" "$(grep -cE "^ *$(cat /proc/$$/comm)-$$ +\[00[0-9]\] \.\.\.\.\. +[0-9]+\.[0-9]{6}: \
it: \(lkp_events_target\+0x[0-9a-f]+/0x[0-9a-f]+ \[test_events\]\) n=41 s=\"a name\"\$" $work/lines)" 1
same "and no other" "$(wc -l <$work/lines)" 1
define "-:it"
same "numbers" "$(recorded '+0($arg1):u8 +1($arg1):s8 +2($arg1):x16 +4($arg1):b4@4/32 c=$arg3:char')" \
	"arg1=200 arg2=-2 arg3=0xbeef arg4=7 c='x'"
same "arrays" "$(recorded 'n=+16($arg1):u16[4] s=+32($arg1):string[2]')" 'n={1,20,300,4000} s={"one","two"}'
same "what is no character can't reach the terminal" "$(recorded 's=+56($arg1):string')" \
	's="t\001xt"'
define "p:it $target"
write $it/enable 1
(printf 'a\033b\nc' >/proc/self/comm; call)
write $it/enable 0
same "nor in the name of a task" "$(all_read | grep -c '^ *a?b?c-')" 1
define "-:it"
same "however many there are" "$(recorded 's=+0(+24($arg1)):string t=+0(+24($arg1)):string n=$arg2:u8' bytes |
	sed 's/\(\\001\)\{1199\}/BYTES/g')" 's="BYTES" t="BYTES" n=41'
same "values of registers" "$(recorded 'a=$arg2 b=$arg2:u64')" 'a=0x29 b=41'
same "memory of the task" "$(recorded 's=+0($arg4):ustring')" 's="in us"'
same "or none" "$(recorded 's=+0($arg4):ustring n=+u0($arg4):u8' unmapped)" 's=(fault) n=0'

# Returns, fprobes, groups, several probes of one event.
define "r:it $target \$retval n=\$arg2:u8"
define "f:grp/entry lkp_events_targe? n=\$arg2:u8"
define "p:both $target n=\$arg2:u8"
define "p:both $other n=\$arg2:u8"
for enable in $it $events/grp/entry $events/lkprobes/both; do write $enable/enable 1; done
call
for enable in $it $events/grp/entry $events/lkprobes/both; do write $enable/enable 0; done
all_read >$work/lines
check "a return" grep -q ' it: (.* <- lkp_events_target.*) arg1=0x2a n=41$' $work/lines
check "an fprobe, in a group of its own" grep -q ' entry: (lkp_events_target.*) n=41$' $work/lines
same "several probes of one event" "$(sed -n 's/.* both: (\([a-z_]*\).*) /\1 /p' $work/lines | xargs)" \
	'lkp_events_other n=7 lkp_events_target n=41'
check "a group is removed" define "-:grp/"
refuse "with its directory" test -e $events/grp
refuse "a group can't have the name of a file" define "p:trace_pipe/it $target"
same "and leaves nothing" "$(grep -c trace_pipe $events/kprobe_events)" 0
check "all are removed" clear_events
refuse "with theirs" test -e $events/lkprobes

# A module goes when RCU has waited for who looks for its names, and RCU does not watch the idle loop.
at=$(symbol lkp_events_target)
if define "p:idle arch_cpu_idle f=\\$at:symstr"; then
	define "p:it $target f=\\$at:symstr"
	for enable in $events/lkprobes/idle $it; do write $enable/enable 1; done
	sleep 0.5
	write $events/lkprobes/idle/enable 0
	# Last: where a CPU wakes for nothing ten thousand times a second, an earlier one is overwritten.
	call
	write $it/enable 0
	all_read >$work/lines
	check "a module's symbol has its name" grep -q ' it: .* f="lkp_events_target+0x0/0x.*"$' $work/lines
	# Debian's kernels may have a driver for that.
	if grep -q ' idle: ' $work/lines || [ "${dir##*/}" = kprobes ]; then
		check "idle CPUs are seen" grep -q ' idle: .* f=' $work/lines
	else
		skip "idle CPUs are seen" "this one idles otherwise"
	fi
	same "which no idle CPU looks for" "$(sed -n 's/^.* idle: .* f=//p' $work/lines | sort -u | grep -vFx "\"$at\"")" ''
	check "they are removed" clear_events
else
	# Which newer kernels do.
	check "it idles in noinstr text" judged arch_cpu_idle 'in noinstr text'
fi

# In use, and gone.
define "p:it $target n=\$arg2:u8"
write $it/enable 1
refuse "one that is on is not removed" define "-:it"
refuse "nor all" clear_events
refuse "nor is the module" rmmod kprobes_events 2>/dev/null
call
exec 3<>$it/enable
write $it/enable 0
check "one that is off is" define "-:it"
refuse "nobody turns it on by its open file" sh -c 'echo 1 >&3' 2>/dev/null
exec 3<&-
all_read >$work/lines
check "what it has recorded is unknown then" grep -q ': Unknown event' $work/lines
refuse "and has no probe" grep -q lkp_events_ $dir/list

# More than there is room for: each hit is read, or told to be lost.
define "p:it $target n=\$arg2:u8 s=+0(+24(\$arg1)):string"
cat $events/trace_pipe >$work/told &
reader=$!
# What the last reader has left is not to be lost among them.
sleep 0.5
write $it/enable 1
lost=$(cat $events/lost)
for _ in 1 2 3 4 5; do
	kill -STOP $reader
	echo 20000 >$parameters/flood
	kill -CONT $reader
	echo 20000 >$parameters/flood
done
all_are_told() { [ "$(told)" = 200000 ]; }
check "of many each is read, or lost" wait_for 60 all_are_told || echo "# $(told)"
same "each was a hit" "$(hits)" 200000+0
check "some are read" grep -q ' it: .* n=41 s="a name"$' $work/told
check "some are lost" grep -q 'LOST' $work/told
same "as a file says" "$(($(cat $events/lost) - lost))" \
	"$(awk '/LOST .* EVENTS/ { n += $(NF - 1) } END { print n + 0 }' $work/told)"

# Without overwriting the new ones are lost: what is read then begins with the first of them.
kill $reader
wait $reader 2>/dev/null
write $it/enable 0
all_read >/dev/null
echo 0 >$events/overwrite
define "p:first $target"
write $events/lkprobes/first/enable 1
call
write $events/lkprobes/first/enable 0
write $it/enable 1
echo 20000 >$parameters/flood
write $it/enable 0
all_read >$work/told
echo 1 >$events/overwrite
same "the old ones can be kept instead" "$(grep -oE ' (first|it): ' $work/told | head -n 1)" ' first: '
check "then new ones are lost" test "$(grep -c ' it: ' $work/told)" -lt 20000
same "while they are hits" "$(hits)" 220000+0
clear_events
define "p:it $target n=\$arg2:u8"

# In the order of time, from all CPUs; and events that come and go while they fire.
write $it/enable 1
echo 2 >$parameters/storm
sleep 1
echo 0 >$parameters/storm
write $it/enable 0
all_read | sed -n 's/^.*\.\.\.\.\. *\([0-9.]*\): it: .*/\1/p' >$work/times
check "many from all CPUs" test "$(wc -l <$work/times)" -gt 100
check "are in the order of time" awk '$1 < last { exit 1 } { last = $1 }' $work/times
clear_events
echo 2 >$parameters/storm
cat $events/trace_pipe >/dev/null &
reader=$!
rounds=0
until [ $rounds = 6 ]; do
	define "p:s1 $target a=\$arg1 s=+0(+24(\$arg1)):string" && write $events/lkprobes/s1/enable 1
	define "p:s1 $other a=\$arg1 s=+0(+24(\$arg1)):string"
	define "r:s2 $target \$retval \$arg2" && write $events/lkprobes/s2/enable 1
	define "f:s3 lkp_events_target \$arg2" && write $events/lkprobes/s3/enable 1
	define "-:s1 $target" || break
	for name in s1 s2 s3; do write $events/lkprobes/$name/enable 0; done
	clear_events || break
	rounds=$((rounds + 1))
done
same "events come and go while they fire" $rounds 6
refuse "the module stays for its reader" rmmod kprobes_events 2>/dev/null
kill $reader
wait $reader 2>/dev/null
echo 0 >$parameters/storm
check "kprobes_events.ko unloads" rmmod kprobes_events
refuse "and leaves nothing" test -e $events
rmmod test_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
