# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# timeout: 180
# modules: test_events test_events_data kprobes_events
# programs: events_perf events_user
# once: yes
#
# Events that are written as lines of text: what they record, and what is refused.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
parameters=/sys/module/test_events/parameters
events=$dir/events
target=test_events:lkp_events_target
other=test_events:lkp_events_other

case $(uname -m) in
x86_64)	second=%si ;;
aarch64) second=%x1 ;;
ppc64le) second=%gpr4 ;;
esac

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
clear_events() { true >$events/kprobe_events; } 2>/dev/null
turn() { echo "$2" >"$tracing/events/lkprobes/$1/enable"; }
# is_on FUNCTION: is our probe there on?
is_on() { grep "$1" $dir/list | grep -qv DISABLED; }
lines() { grep -v '^#' $tracing/trace; }

# recorded WORDS [CALL]: what an event with these arguments says of a call.
recorded() {
	define "p:it $target $1" || { echo "refused: $(tail -n 3 $events/error_log | head -n 1)"; return; }
	turn it 1
	echo "${2-string}" >$parameters/call
	turn it 0
	lines | sed -n 's/^.*: it: ([^)]*) //p'
	echo >$tracing/trace
	define "-:it"
}

# refused ERROR COLUMN LINE: is it refused with this error, and with a mark there?
refused() {
	message=$( (echo "$3" >>$events/kprobe_events) 2>&1) && return 1
	case $message in *"$1"*) ;; *) echo "# $message"; return 1 ;; esac
	mark=$(tail -n 1 $events/error_log | sed 's/^           //')
	wanted=$(printf "%$2s^" '')
	[ "$mark" = "$wanted" ] || { tail -n 3 $events/error_log | sed 's/^/# /'; return 1; }
}

check "kprobes.ko loads" insmod kprobes.ko
check "kprobes_events.ko loads" load_events
insmod test_events.ko
same "the files are root's" "$(stat -c %a $events/kprobe_events $events/error_log | xargs)" "600 600"
# The way there is open, to learn what the files themselves say.
chmod 755 /sys/kernel/debug
same "nobody else opens them" \
	"$(./events_user $events $events/kprobe_events $events/kprobe_profile $events/error_log)" $events
chmod 700 /sys/kernel/debug
same "there is no event" "$(cat $events/kprobe_events)" ''

# overlaps LINE: fields of the event's record that are over others.
overlaps() {
	define "$1"
	sed -n 's/.*[ *]\([^ ]*\);.*offset:\([0-9]*\);.*size:\([0-9]*\);.*/\2 \3 \1/p' \
		$tracing/events/lkprobes/it/format | sort -n >/tmp/fields
	define "-:it"
	[ "$(wc -l </tmp/fields)" -gt 5 ] || echo "not all are there"
	awk '$1 < end { print $3 " is over the one before" } { end = $1 + $2 }' /tmp/fields
}
same "each field has a place of its own in the record" "$(overlaps "p:it $target x=$second")" ''
same "also at a return" "$(overlaps "r:it $target \$retval")" ''

# What is recorded.
same "a register" "$(recorded "x=$second")" 'x=0x29'
same "arguments" "$(recorded "\$arg2 \$arg2:u8 c=\$arg3:char")" "arg1=0x29 arg2=41 c='x'"
same "numbers" "$(recorded '+0($arg1):u8 +1($arg1):s8 +2($arg1):u16 +2($arg1):x16 +8($arg1):s64')" \
	'arg1=200 arg2=-2 arg3=48879 arg4=0xbeef arg5=-3'
same "32 bits" "$(recorded 'a=+4($arg1):x32 b=+4($arg1):u32 c=+4($arg1):s32 d=+8($arg1):s32')" \
	'a=0x12345678 b=305419896 c=305419896 d=-3'
same "a bitfield" "$(recorded 'b=+4($arg1):b4@4/32 c=+4($arg1):b8@24/32')" 'b=7 c=18'
same "an array of bitfields" "$(recorded 'b=+16($arg1):b4@0/16[4]')" 'b={1,4,12,0}'
same "an array" "$(recorded 'n=+16($arg1):u16[4]')" 'n={1,20,300,4000}'
same "a string" "$(recorded 's=+0(+24($arg1)):string')" 's="a name"'
same "pointers to strings" "$(recorded 's=+32($arg1):string[2]')" 's={"one","two"}'
same "what is no character can't reach the terminal" "$(recorded 's=+56($arg1):string')" \
	's="t\001xt"'
# shortened: strings of many such bytes.
shortened() { sed 's/\(\\001\)\{200\}\(\\001\)*/BYTES/g'; }
big=$(recorded 's=+0(+24($arg1)):string n=$arg2:u8 t=+0(+24($arg1)):string' bytes)
same "strings with too many of them are cut off" "$(printf %s "$big" | shortened)" \
	's="BYTES"... n=41 t="BYTES"...'
check "where there is no more room (${#big})" test ${#big} -gt 3600 -a ${#big} -lt 4000
same "what is short has room beside them" \
	"$(recorded 's=+0(+24($arg1)):string t=+56($arg1):string c=$comm' bytes | shortened)" \
	"s=\"BYTES\"... t=\"t\\001xt\" c=\"$(cat /proc/$$/comm)\""
define "p:it $target s=+0(+24(\$arg1)):string n=\$arg2:u8"
cat $tracing/trace_pipe >piped &
reader=$!
turn it 1
for _ in 1 2 3; do echo bytes >$parameters/call; done
turn it 0
all_piped() { [ "$(shortened <piped | grep -c 'it: (.*) s="BYTES"... n=41$')" = 3 ]; }
check "who reads the pipe sees each" wait_for 20 all_piped
kill $reader
wait $reader 2>/dev/null
echo >$tracing/trace
define "-:it"
same "pointers to pointers" "$(recorded '+0(+64(+64(+64($arg1)))):u8')" 'arg1=200'
same "a symbol" "$(recorded 'f=+48($arg1):symbol' | sed 's/+0x.*//')" 'f=lkp_events_target'
same "a symbol's name" "$(recorded 'f=+48($arg1):symstr' | sed 's/+0x.*//')" \
	'f="lkp_events_target'
same "several names" "$(recorded '+48($arg1):symstr +48($arg1):symstr +48($arg1):symstr +48($arg1):symstr +48($arg1):symstr' |
	grep -o '="lkp_events_target+0x0/0x[0-9a-f]* \[test_events\]"' | wc -l)" 5
same "constants" "$(recorded '\5 \-5:s8 \0x10:u8 \"text" \+7')" 'arg1=0x5 arg2=-5 arg3=16 arg4="text" arg5=0x7'
same "the task's name" "$(recorded 'c=$comm')" "c=\"$(cat /proc/$$/comm)\""
if [ "$(symbol linux_banner)" ]; then
	same "an address" "$(recorded "@$(symbol linux_banner):string" | cut -c1-20)" \
		"$(printf 'arg1="%s' "$(cut -c1-14 /proc/version)")"
fi
same "the stack" "$(recorded '$stack0 $stack' | grep -c 'arg1=0x[0-9a-f]* arg2=0x[cdf][0-9a-f]*$')" 1
if [ "$(symbol lkp_events_number)" ]; then
	same "data by its name" "$(recorded '@lkp_events_number:x32 @lkp_events_number+1:x8')" \
		'arg1=0xabcdef01 arg2=0xef'
	echo 0 >$dir/enabled
	check "also while all probes are off" define "p:off $target n=@lkp_events_number:x32"
	echo 1 >$dir/enabled
	turn off 1
	echo string >$parameters/call
	turn off 0
	same "and it is the right one" "$(lines | sed -n 's/^.*: off: ([^)]*) //p')" 'n=0xabcdef01'
	echo >$tracing/trace
	define "-:off"
fi

# The task's memory, and none.
same "a string of the task's" "$(recorded 's=+0($arg4):ustring t=+u0($arg4):string')" \
	's="in us" t="in us"'
same "one that is not there" "$(recorded 's=+0($arg4):ustring n=+u0($arg4):u8' unmapped)" \
	's=(fault) n=0'
same "one that has no page yet" "$(recorded 's=+0($arg4):ustring' absent)" 's=(fault)'
same "one that does not end" "$(recorded 's=+0($arg4):ustring' unended)" 's=(fault)'
same "one of the kernel's is none" "$(recorded 's=+0($arg4):ustring' kernel)" 's=(fault)'
same "a kernel thread has none" "$(recorded 's=+0($arg4):ustring n=+u0($arg4):u8' kthread)" \
	's=(fault) n=0'
same "no memory" "$(recorded '+0(\16):u8 +0(+8(\16)):string +0(\0xdead000000000000):x64')" \
	'arg1=0 arg2=(fault) arg3=0x0'

# Returns.
define "r:back $target \$retval r=\$retval:u8"
turn back 1
echo string >$parameters/call
turn back 0
check "a return" sh -c "grep -q 'back: (.*+0x.* <- lkp_events_target.*) arg1=0x2a r=42' $tracing/trace"
define "-:back"
echo >$tracing/trace
# A function by another symbol and an offset, as perf probe writes it.
distance=$(($(symbol lkp_events_target) - $(symbol lkp_events_other)))
if [ $distance -gt 0 ]; then
	by_other=$other+$distance shown='lkp_events_target.*) arg1=42'
else
	by_other=$target+$((-distance)) shown='lkp_events_other.*) arg1=8'
fi
check "a return of a function behind a symbol" define "r:back $by_other \$retval:u8"
turn back 1
echo string >$parameters/call
turn back 0
check "it is followed" grep -q "back: (.* <- $shown" $tracing/trace
define "-:back"
echo >$tracing/trace
check "a function behind a symbol has arguments" define "p:there $by_other n=\$arg2:u8"
turn there 1
echo string >$parameters/call
turn there 0
check "which are recorded" grep -Eq 'there: \(lkp_events_(target.*\) n=41|other.*\) n=7)$' $tracing/trace
define "-:there"
echo >$tracing/trace
# shellcheck disable=SC2016 # a name of the kernel's
distance=$(($(symbol '$x.lkp_events_inside') - $(symbol lkp_events_other)))
check "but not of what is no function" refused 'Invalid argument' 7 "r:back $other+$distance"
define 'f:entry lkp_events_targe? n=$arg2:u8'
define 'f:exit lkp_events_target%return n=$retval:u8'
turn entry 1
turn exit 1
echo string >$parameters/call
check "an fprobe" grep -q 'entry: (lkp_events_target+0x.*) n=41' $tracing/trace
check "an fprobe's return" grep -q 'exit: (.* <- lkp_events_target.*) n=42' $tracing/trace

# At a return, arguments that its registers have no longer.
turn entry 0
turn exit 0
check "they are removed" clear_events
echo >$tracing/trace
define "r:back $other a=\$retval:u8 n=\$arg2 b=+0(\$arg1):u8 s=+0(+24(\$arg1)):string"
define 'f:exit lkp_events_other%return n=$arg2:u8 a=$retval:u8'
turn back 1
turn exit 1
echo string >$parameters/call
turn back 0
turn exit 0
check "a return with arguments" grep -q 'back: (.* <- lkp_events_other.*) a=8 n=0x7 b=200 s="a name"$' $tracing/trace
check "an fprobe's return with arguments" grep -q 'exit: (.* <- lkp_events_other.*) n=7 a=8$' $tracing/trace
check "they are removed" clear_events
echo >$tracing/trace

# Several probes of one event.
hits_of() { awk '$1 == "it" { print $2 }' $events/kprobe_profile | xargs; }
recorded_at() { lines | sed -n 's/^.*: it: (\([a-z_]*\)[+ ].*) /\1 /p' | xargs; echo >$tracing/trace; }
define "p:it $target n=\$arg2"
check "an event gets another probe" define "p:it $other n=\$arg2"
turn it 1
echo string >$parameters/call
same "each records" "$(recorded_at)" 'lkp_events_other n=0x7 lkp_events_target n=0x29'
check "another one while it is on" define "p:it $other n=\$arg2:x64"
echo string >$parameters/call
same "which records, too" "$(recorded_at)" \
	'lkp_events_other n=0x7 lkp_events_other n=0x7 lkp_events_target n=0x29'
same "each has its count" "$(hits_of)" '2 2 1'
same "all are listed" "$(cat $events/kprobe_events)" "p:lkprobes/it $target n=\$arg2
p:lkprobes/it $other n=\$arg2
p:lkprobes/it $other n=\$arg2:x64"
check "another kind" refused 'File exists' 0 "r:it $target n=\$arg2"
check "another name" refused 'File exists' 35 "p:it $target m=\$arg2"
check "another type" refused 'File exists' 35 "p:it $target n=\$arg2:u8"
check "an argument more" refused 'File exists' 43 "p:it $target n=\$arg2 \$arg3"
check "an argument less" refused 'File exists' 34 "p:it $target"
check "the same" refused 'File exists' 0 "p:it $target n=\$arg2"
check "what can't be probed" refused 'No such file' 5 "p:it no_such_function_at_all n=\$arg2"
check "no such probe" refused 'No such file' 5 "-:it test_events:nothing"
check "one is removed by its place, while the event is on" define "-:it $target"
echo string >$parameters/call
same "it records no more" "$(recorded_at)" 'lkp_events_other n=0x7 lkp_events_other n=0x7'
check "one is removed by its arguments" define "-:it $other n=\$arg2:x64"
same "the other remains" "$(cat $events/kprobe_events)" "p:lkprobes/it $other n=\$arg2"
refuse "the last one is in use" define "-:it $other"
check "the format remains" grep -q 'field:u64 n;' $tracing/events/lkprobes/it/format
turn it 0
define "p:it $target n=\$arg2"
turn it 1
echo string >$parameters/call
same "all are turned on" "$(recorded_at)" 'lkp_events_other n=0x7 lkp_events_target n=0x29'
turn it 0
refuse "and off" is_on lkp_events_
check "the last are removed with the event" define "-:it test_events:lkp_events_other"
check "by its place" define "-:it $target"
same "the event is gone" "$(ls -d $tracing/events/lkprobes/it 2>/dev/null)" ''
define "p:it $target n=\$arg2
p:it $other n=\$arg2"
check "all are removed by its name" define "-:it"
same "none is left" "$(cat $events/kprobe_events)" ''

# A symbol within a function can be probed, but no argument is known there; nor is one recorded before
# that is seen, where the event that it joins is on.
# shellcheck disable=SC2016 # a name of the kernel's
inside='test_events:$x.lkp_events_inside'
define "p:it $target n=\$arg2"
turn it 1
check "a symbol within a function joins" define "p:it $inside n=$second"
echo string >$parameters/call
same "and is recorded" "$(recorded_at | cut -d' ' -f1,3)" 'lkp_events_other lkp_events_target'
check "and goes" define "-:it $inside"
echo 2 >$parameters/storm
refused_so_often=0
until [ $refused_so_often = 20 ] || define "p:it $inside n=\$arg2"; do
	refused_so_often=$((refused_so_often + 1))
done
same "with an argument it is refused" $refused_so_often 20
check "for that" refused 'Invalid argument' $((8 + ${#inside})) "p:it $inside n=\$arg2"
check "so is an offset that leads to no entry" refused 'Invalid argument' $((8 + ${#other} + 3)) "p:it $other+20 n=\$arg2"
echo 0 >$parameters/storm
check "those of the event itself are recorded meanwhile" grep -q 'it: (lkp_events_target' $tracing/trace
same "and of it none was" "$(grep -c 'it: (lkp_events_other' $tracing/trace)" 0
echo >$tracing/trace
turn it 0
define "-:it"

# What is listed, and what is in the way.
define 'f:entry lkp_events_targe? n=$arg2:u8'
define 'f:exit lkp_events_target%return n=$retval:u8'
turn entry 1
turn exit 1
echo string >$parameters/call
same "they are listed" "$(cat $events/kprobe_events)" 'f:lkprobes/entry lkp_events_targe? n=$arg2:u8
f:lkprobes/exit lkp_events_target%return n=$retval:u8'
check "their hits are counted" grep -Eq '^  entry  *1  *0$' $events/kprobe_profile
refuse "those in use are not removed" define "-:entry"
refuse "nor all" clear_events
same "and none was" "$(wc -l <$events/kprobe_events)" 2
refuse "nor is the module" rmmod kprobes_events 2>/dev/null
turn entry 0
turn exit 0
check "all are removed" clear_events
same "and not listed" "$(cat $events/kprobe_events)" ''
same "nor known to the kernel" "$(ls -d $tracing/events/lkprobes/entry $tracing/events/lkprobes/exit 2>/dev/null)" ''

# Several lines; comments; names.
check "several lines" define "p:a $target
# a comment
r3:grp/b $target # another

p $target"
same "have been read" "$(cat $events/kprobe_events)" "p:lkprobes/a $target
r3:grp/b $target
p:lkprobes/p_test_events_lkp_events_target_0 $target"
check "a group's events are removed" define "-:grp/"
refuse "once" define "-:grp/"
define "r3:grp/b $target"
check "its group is a directory" test -e $tracing/events/grp/b/format
check "one is removed" define "-:grp/b"
refuse "once" define "-:grp/b"
check "a dot is taken for the slash" define "p:grp.b $target a=$second"
define "p:other/b $target
p:other/c $target"
check "with the place one is removed of all groups' that have it" define "-:b $target a=$second"
refuse "once" define "-:b $target a=$second"
define "p:grp/b $target"
check "without a group those of all are removed" define "-:b"
same "and no others" "$(grep 'other/' $events/kprobe_events)" "p:other/c $target"
refuse "of that name there are none" grep -q '/b ' $events/kprobe_events
check "they are removed" clear_events

# Of names that are made of the place: of modules that never come, so that places can be called anything.
long=very_long_function_name_of_forty_letters
check "they are told apart by what comes late" define "p none:${long}_1
p none:${long}_2"
same "and are two events" "$(ls -d $tracing/events/lkprobes/p_none_${long}_?_0 | wc -l)" 2
define "p none:a.b"
check "one is refused that is that of another place" refused 'File exists' 2 "p none:a_b"
check "with the reason" grep -q 'is of another one: name this one' $events/error_log
define "p none:${long}_and_so_on_and_on_1"
check "so is one that can't be told apart" refused 'File exists' 2 "p none:${long}_and_so_on_and_on_2"
check "with a name it is taken" define "p:named none:a_b"
check "the same place is no other one" refused 'File exists' 0 "p none:a.b"
check "they are removed" clear_events

# What the kernel does with an event.  It does not print all arrays' sizes, its own probes' neither.
define "p:it $target number=\$arg2:u64 name=+0(+24(\$arg1)):string n=+16(\$arg1):u16[4]"
same "its format" "$(sed -n 's/^\tfield:\(.*\);\toffset.*size:\([0-9]*\);.*/\1 \2/p' \
	$tracing/events/lkprobes/it/format | sed '/common/d; s/\[4*\] 8/[] 8/')" 'unsigned long __probe_ip 8
u64 number 8
__data_loc char[] name 4
u16 n[] 8'
id=$(cat $tracing/events/lkprobes/it/id)
same "perf counts its hits" "$(./events_perf "$id" $parameters/call string)" 1
number_at=$(sed -n 's/.* number;.*offset:\([0-9]*\);.*/\1/p' $tracing/events/lkprobes/it/format)
same "a program of BPF's lets them pass" "$(./events_perf "$id" $parameters/call string 41 "$number_at")" 1
same "or not" "$(./events_perf "$id" $parameters/call string 42 "$number_at")" 0
turn it 1
echo 'number == 41 && name == "a name"' >$tracing/events/lkprobes/it/filter
echo string >$parameters/call
same "a filter lets it pass" "$(lines | grep -c 'it: .* number=41')" 1
echo 'number == 42 || name ~ "b*"' >$tracing/events/lkprobes/it/filter
echo string >$parameters/call
same "or not" "$(lines | grep -c 'it: .* number=41')" 1
echo 0 >$tracing/events/lkprobes/it/filter
echo 'traceoff:1 if number == 41' >$tracing/events/lkprobes/it/trigger
refuse "an event with a trigger is in use" define "-:it"
echo string >$parameters/call
same "a trigger" "$(cat $tracing/tracing_on)" 0
echo '!traceoff' >$tracing/events/lkprobes/it/trigger
echo 1 >$tracing/tracing_on
turn it 0
echo >$tracing/trace
if mkdir $tracing/instances/lkp 2>/dev/null; then
	echo 1 >$tracing/instances/lkp/events/lkprobes/it/enable
	echo string >$parameters/call
	same "another instance records it" "$(grep -c 'it: ' $tracing/instances/lkp/trace)" 1
	same "and only that one" "$(lines | grep -c 'it: ')" 0
	rmdir $tracing/instances/lkp
fi
check "and then it can be removed" define "-:it"

# What is refused.
check "a type that is none" refused 'Invalid argument' 40 "p $target x=\$arg1:u7"
check "an event that exists" refused 'File exists' 0 "p:sched/sched_switch $target"
check "no such function" refused 'No such file' 2 "p no_such_function_at_all"
check "no such function in a module" refused 'No such file' 2 "p test_events:nothing"
check "no such symbol" refused 'No such file' 34 "p $target x=@no_such_symbol_at_all"
check "what may not be probed" refused 'Invalid argument' 2 "p $(echo "$blacklisted" | cut -d' ' -f1)"
check "no function has so many arguments" refused 'Invalid argument' 32 "r $target \$arg17"
check "no such event" refused 'No such file' 0 "-:nothing"
same "nothing of it is left" "$(cat $events/kprobe_events)" ''
check "the log is cleared" sh -c ": >$events/error_log && [ -z \"\$(cat $events/error_log)\" ]"

# A line that is too long, and bytes that are no text.
{ printf 'p:x %s ' $target; head -c 5000 /dev/zero | tr '\0' a; } >long
refuse "too long a line" dd if=long of=$events/kprobe_events bs=8192 conv=notrunc 2>/dev/null
check "for that" sh -c "tail -n 3 $events/error_log | grep -q 'error: a line is too long'"
refuse "no text" sh -c "printf 'p:x %s\\np:y\\0 f\\np:z %s\\n' $target $target >>$events/kprobe_events" 2>/dev/null
same "and what comes behind it" "$(cat $events/kprobe_events)" "p:lkprobes/x $target"
check "for that" sh -c "tail -n 3 $events/error_log | grep -q 'error: a line has no NUL byte'"
check "is told with what is before it" sh -c "tail -n 3 $events/error_log | grep -q 'Command: p:y$'"
clear_events

# The module that is probed comes and goes.
rmmod test_events
check "an event can wait for its module" define "p:it $target n=\$arg2:u8"
turn it 1
insmod test_events.ko
echo string >$parameters/call
same "it is seen when it comes" "$(lines | grep -c 'it: .* n=41')" 1
rmmod test_events
insmod test_events.ko
echo string >$parameters/call
same "and when it comes again" "$(lines | grep -c 'it: .* n=41')" 2
rmmod test_events
turn it 0
check "it is removed" define "-:it"
# The kernel may give its number to the next event, which would show these records as its own.
if has_symbol tracing_reset_all_online_cpus_unlocked; then
	same "and what it has recorded" "$(lines)" ''
fi
check "so can one with an argument where none is known" define "p:it $inside n=\$arg2"
turn it 1
insmod test_events.ko
echo string >$parameters/call
same "which is seen when it comes, and not recorded" "$(grep -c 'it: (lkp_events_other' $tracing/trace)" 0
refuse "nor is there a probe" grep -q lkp_events_other $dir/list
turn it 0
define "-:it"

# So does what is read, be it of the same module or of another one: nothing is read then that is somebody
# else's now.
said() { echo string >$parameters/call; lines | sed -n 's/^.*: it: ([^)]*) //p'; echo >$tracing/trace; }
move_module() {
	before=$(symbol lkp_events_number)
	rmmod test_events
	insmod test_events_data.ko
	insmod test_events.ko
	rmmod test_events_data
	[ "$(symbol lkp_events_number)" != "$before" ]
}
if [ "$(symbol lkp_events_number)" ]; then
	define "p:it $target n=@lkp_events_number:x32"
	turn it 1
	same "data of the module itself" "$(said)" 'n=0xabcdef01'
	check "the module comes elsewhere" wait_for 20 move_module
	same "its data is found there" "$(said)" 'n=0xabcdef01'
	turn it 0
	define "-:it"
	data='n=@lkp_events_data:x32 s=@lkp_events_data+4:string'
	refuse "data of a module that is not there" define "p:it $target $data"
	insmod test_events_data.ko
	define "p:it $target $data"
	define "p:it param_attr_store $data"
	turn it 1
	both='n=0x600df00d s="of data"'
	same "data of another module" "$(said)" "$both
$both"
	rmmod test_events_data
	none='n=0x0 s=(fault)'
	same "is not read when that has gone" "$(said)" "$none
$none"
	insmod test_events_data.ko
	same "it is when it is back" "$(said)" "$both
$both"
	rmmod test_events_data
	rmmod test_events
	insmod test_events.ko
	same "the probe's module comes without it: that one stays off" "$(said)" "$none"
	check "the log says why" sh -c "dmesg | grep -q '$target.*@lkp_events_data:x32: there is no symbol of that name'"
	same "and so does the events' own" "$(tail -n 3 $events/error_log | sed 's/^.*error: //')" \
		"there is no symbol of that name
  Command: p:it $target $data
$(printf '%*s^' $((11 + 8 + ${#target})) '')"
	insmod test_events_data.ko
	same "until it is there" "$(said)" "$both
$both"
	rmmod test_events_data
	turn it 0
	define "-:it"
fi

# perf holds on to an event.
define "p:it $target"
mkfifo hold
./events_perf "$(cat $tracing/events/lkprobes/it/id)" hold x >/dev/null &
perf=$!
check "perf turns it on" wait_for 20 is_on lkp_events_target
refuse "then it is not removed" define "-:it"
refuse "nor is the module" rmmod kprobes_events 2>/dev/null
timeout 60 cat hold >/dev/null
wait $perf
check "and then it is" define "-:it"

# Events on what events themselves go through, in the kernel and in the module, while the scheduler's
# go there, too.  Where each trap passes trace events, the kernel's part is refused.
inner=''
for function in trace_event_buffer_reserve trace_event_buffer_lock_reserve \
	ring_buffer_lock_reserve trace_event_buffer_commit ring_buffer_unlock_commit \
	copy_from_kernel_nofault copy_from_user_nofault perf_trace_buf_alloc \
	kprobes_events:probe_hit kprobes_events:fetch_record kprobes_events:event_register; do
	name=i_${function#*:}
	define "p:$name $function s=+0(\$stack):string c=\$comm" && turn "$name" 1 && inner="$inner $name"
done
define "p:it $target s=+0(+24(\$arg1)):string"
same "events on their own path are taken" "$(echo "$inner" | grep -c 'i_probe_hit i_fetch_record')" 1
echo 1 >$tracing/events/sched/sched_switch/enable
turn it 1
for call in string unmapped kthread; do echo $call >$parameters/call; done
./events_perf "$(cat $tracing/events/lkprobes/it/id)" $parameters/call string >/dev/null
turn it 0
echo 0 >$tracing/events/sched/sched_switch/enable
same "and one hit is one record" "$(grep -c ' it: ' $tracing/trace)" 4
check "those on the path miss hits" sh -c "awk '\$1 ~ /^i_/ && \$3 { n++ } END { exit !n }' $events/kprobe_profile"
check "and have some" grep -q ' i_.*c=' $tracing/trace
for name in $inner; do turn "$name" 0; done
echo >$tracing/trace
check "they are removed" clear_events

# Events that come and go while they fire, each with a reader.
echo 2 >$parameters/storm
cat $tracing/trace_pipe >/dev/null &
reader=$!
rounds=0
until [ $rounds = 4 ]; do
	define "p:s1 $target a=\$arg1 s=+0(+24(\$arg1)):string" && turn s1 1
	define "p:s1 $other a=\$arg1 s=+0(+24(\$arg1)):string"
	define "r:s2 $target \$retval \$arg2" && turn s2 1
	define "-:s1 $target" || break
	define "f:s3 lkp_events_target \$arg2" && turn s3 1
	[ $rounds != 3 ] || rmmod test_events 2>/dev/null
	turn s2 0; turn s1 0; turn s3 0
	clear_events || break
	[ $rounds != 3 ] || { insmod test_events.ko 2>/dev/null; echo 2 >$parameters/storm; }
	rounds=$((rounds + 1))
done
same "events come and go while they fire" $rounds 4
kill $reader
echo 0 >$parameters/storm

define "p:it $target"
refuse "kprobes_events.ko stays while there is an event" rmmod kprobes_events 2>/dev/null
check "without one" clear_events
check "it unloads" rmmod kprobes_events
same "and leaves nothing" "$(ls -d $tracing/events/lkprobes $events 2>/dev/null)" ''
rmmod test_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
