# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: fprobe/fprobe_example test_target lkp_textcopy
#
# What an operator sees of fprobes and turns off is the same whoever serves them: the files list,
# status and enabled.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# probe PATTERN: an fprobe on these functions. counted: how many calls it has seen; it goes.
probe() { insmod fprobe_example.ko symbol="$1"; }
counted() {
	rmmod fprobe_example
	dmesg | sed -n 's/.*fprobe_example: .*: \([0-9]*\) calls, .*/\1/p' | tail -n 1
}
lists() { grep -Eq "$1" $dir/list; }
states() { grep -Eq "$1" $dir/status; }
same_text() { grep -q ' 0 differ$' /proc/lkp_textcopy; }

if has_tracer; then
	mark='\[FTRACE\]' served=ftrace
else
	mark='(\[OPTIMIZED\])?' served='(jump|trap: .*)'
fi

insmod kprobes.ko
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"

probe ksys_sync
check "it is listed" lists "^[0-9a-f]{16}  f  ksys_sync\\+0x[048c]  *$mark\$"
same "once" "$(grep -c '  f  ' $dir/list)" 1
check "its status is known" states "^f ksys_sync\\+0x[048c] $served\$"
echo 0 >$dir/enabled
check "when all are off it is listed" lists '  f  ksys_sync\+'
check "its status is off" states '^f ksys_sync\+0x[048c] off$'
sync
same "and no call is seen" "$(counted)" 0

check "one can be registered while all are off" probe ksys_sync
check "its status is off, too" states '^f ksys_sync\+0x[048c] off$'
sync
echo 1 >$dir/enabled
check "when all are on its status is known" states "^f ksys_sync\\+0x[048c] $served\$"
sync
same "and calls are seen" "$(counted)" 1

probe ksys_sync
sync
echo 0 >$dir/enabled
sync
echo 1 >$dir/enabled
sync
echo 0 >$dir/enabled
same "calls are seen as long as all are on" "$(counted)" 2
same "and nothing is listed" "$(cat $dir/list $dir/status)" ''
check "nor left in the text" same_text

# A name that is mistyped, among others.
echo 1 >$dir/enabled
dmesg -c >/dev/null
probe ksys_sync,ksys_snyc,ksys_syn?,nosuch_*
check "a name that no function has is named" sh -c "dmesg | grep -q 'can be probed matches ksys_snyc,'"
check "and a pattern" sh -c "dmesg | grep -q 'can be probed matches nosuch_\*,'"
same "and none that one has" "$(dmesg | grep -c 'can be probed matches')" 2
sync
same "whose calls are seen" "$(counted)" 1
echo 0 >$dir/enabled

# Functions of a module that goes while all are off.
insmod test_target.ko
probe "lkp_target_fn*,ksys_sync"
check "a module's functions are listed" lists '  f  lkp_target_fn\+.*\[test_target\]'
rmmod test_target
refuse "not when it has gone" lists 'test_target'
echo 1 >$dir/enabled
sync
same "the others are still seen" "$(counted)" 1

# The other switch of the tracer.
if has_tracer; then
	echo 0 >$dir/enabled
	probe ksys_sync
	echo 0 >/proc/sys/kernel/ftrace_enabled
	refuse "all can't be on without the tracer" sh -c "echo 1 >$dir/enabled" 2>/dev/null
	same "and then they are off" "$(cat $dir/enabled)" 0
	echo 1 >/proc/sys/kernel/ftrace_enabled
	echo 1 >$dir/enabled
	sync
	same "with it they can" "$(counted)" 1
fi

check "the text is what it was" same_text
check "kprobes.ko unloads" rmmod kprobes
rmmod lkp_textcopy
ktap_end
