# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: stock
# modules: test_probe test_hidden
# timeout: 120
#
# The mirror image of builtin_branch: a probe of ours hides an instruction from the built-in
# kprobes, a branch it may be.  So they make no jumps in a function that has one of ours.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
hidden_call() { echo 1 >/sys/module/test_hidden/parameters/call; }
# offsets NAME: of the two places in a function of test_hidden.
offsets() { sed -n "s/^$1 //p" /sys/module/test_hidden/parameters/places; }
let_all_settle() { sleep 1; }
foreign="trap: another tool's probe or breakpoint is in the way"

# builtin_disabled NAME: a built-in probe at the first place; builtin NAME: it is enabled;
# builtin_off: none any more.
builtin_disabled() {
	(echo "p:lkp test_hidden:hidden_${1}_fn+$(offsets "$1" | cut -d ' ' -f 1)" \
		>$tracing/kprobe_events) 2>/dev/null && return
	sed 's/^/# /' $tracing/error_log
	return 1
}
builtin_enable() { echo 1 >$tracing/events/kprobes/lkp/enable; }
builtin() { builtin_disabled "$1" && builtin_enable; }
builtin_off() {
	echo 0 >$tracing/events/kprobes/lkp/enable
	echo >$tracing/kprobe_events
}
builtin_hits() { awk '$1 == "lkp" { print $2 }' $tracing/kprobe_profile; }
builtin_is_jump() { grep -q 'hidden_.*\[OPTIMIZED\]' /sys/kernel/debug/kprobes/list; }

# ours NAME [PARAMETER...]: a probe of ours at the second place.
ours() {
	ours_in=$1
	shift
	insmod test_probe.ko symbol="hidden_${ours_in}_fn" \
		offset="$(offsets "$ours_in" | cut -d ' ' -f 2)" "$@"
}
ours_is() { grep -q "^k test_hidden:hidden_[^ ]* $1" $dir/status; }

# both WHAT NAME HITS: ours is there first; theirs stays a trap, and both are hit.
both() {
	check "$1: theirs is there" builtin "$2"
	let_all_settle
	refuse "$1: theirs becomes a jump" builtin_is_jump
	same "$1: ours is hit" "$(hits_of hidden_call)" "$3"
	same "$1: theirs is hit" "$(builtin_hits)" 1
	check "$1: the functions work" hidden_call
	builtin_off
}

insmod kprobes.ko
insmod test_hidden.ko

# The back edge, which theirs would have to see.  It is hit twice in a call.
ours back post=1
check "ours is a trap" ours_is trap
both "trap on a branch" back 2
rmmod test_probe
ours back
check "ours is a jump" wait_for 20 ours_is jump
both "jump over a branch" back 2

# In another function theirs is free.
check "elsewhere: theirs is there" builtin else
check "elsewhere: theirs becomes a jump" wait_for 20 builtin_is_jump
check "elsewhere: the functions work" hidden_call
same "elsewhere: theirs is hit" "$(builtin_hits)" 1
builtin_off
rmmod test_probe

# Ours hides no branch there; its function is left alone all the same.
ours else
both "in a function without branches" else 1
rmmod test_probe
check "without ours: theirs is there" builtin else
check "without ours: theirs becomes a jump" wait_for 20 builtin_is_jump
builtin_off

# Theirs first: it has seen all branches, so it stays a trap by itself, and ours is refused.
check "theirs first: it is there" builtin back
refuse "theirs first: ours is registered behind it" ours back
our_log | tail -n 3 >/tmp/log
check "theirs first: for that reason" grep -q "a kprobe of the kernel's own is before it" /tmp/log
let_all_settle
refuse "theirs first: it becomes a jump" builtin_is_jump
check "theirs first: the functions work" hidden_call
builtin_off

# Disabled: the text is original, but its jump would overwrite ours.  The "add" is behind a
# "mov" of 3 bytes.
check "theirs disabled: it is there" builtin_disabled else
behind=$(($(offsets else | cut -d ' ' -f 1) + 3))
refuse "theirs disabled: ours is registered where its jump will be" \
	insmod test_probe.ko symbol=hidden_else_fn offset=$behind
our_log | tail -n 3 >/tmp/log
check "theirs disabled: for that reason" grep -q 'whose jump would cover it' /tmp/log
check "theirs disabled: it can be enabled" builtin_enable
check "theirs disabled: it becomes a jump" wait_for 20 builtin_is_jump
check "theirs disabled: the functions work" hidden_call
builtin_off

# The same, but ours was there first and was disabled when theirs came.
insmod test_probe.ko symbol=hidden_else_fn offset=$behind
tell disabled 1
check "ours disabled: theirs comes before it" builtin_disabled else
check "ours disabled: it can't be enabled" told_error 'resource busy' disabled 0
check "ours disabled: theirs is enabled" builtin_enable
check "ours disabled: theirs becomes a jump" wait_for 20 builtin_is_jump
check "ours disabled: nor beside the jump" told_error 'resource busy' disabled 0
check "ours disabled: the functions work" hidden_call
builtin_off
check "theirs has gone: ours can be enabled" tell disabled 0
same "theirs has gone: ours is hit" "$(hits_of hidden_call)" 1
rmmod test_probe

# Theirs has been a jump, into the padding that the relay of ours would be in, and becomes one again.
check "padding: theirs is there" builtin padded
check "padding: theirs becomes a jump" wait_for 20 builtin_is_jump
echo 0 >$tracing/events/kprobes/lkp/enable
ours padded
let_all_settle
check "padding: ours has no relay beside it" wait_for 20 ours_is "$foreign"
check "padding: theirs is enabled again" builtin_enable
check "padding: it becomes a jump again" wait_for 20 builtin_is_jump
check "padding: the functions work" hidden_call
same "padding: both are hit" "$(hits_of hidden_call) $(builtin_hits)" "1 2"
builtin_off
# Nobody tells that theirs has gone.
echo 1 >"/proc/sys/debug/$(basename $dir)-optimization"
check "padding: without theirs ours becomes a jump" wait_for 20 ours_is jump
rmmod test_probe

# Ours first, and it is a jump: theirs stays a trap beside the relay.
ours padded
check "relay: ours becomes a jump" wait_for 20 ours_is jump
check "relay: theirs is there" builtin padded
let_all_settle
refuse "relay: theirs becomes a jump" builtin_is_jump
check "relay: the functions work" hidden_call
same "relay: both are hit" "$(hits_of hidden_call) $(builtin_hits)" "1 2"
rmmod test_probe
check "relay: the functions work without ours" hidden_call
builtin_off

check "the probed module unloads" rmmod test_hidden
check "kprobes.ko unloads" rmmod kprobes
ktap_end
