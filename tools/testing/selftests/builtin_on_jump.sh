# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# modules: test_probe test_target kprobes/kprobe_example
# timeout: 240
#
# A built-in probe on a jump of ours takes that for an instruction of the kernel's, executes it
# in its own way, and writes it back when it is disabled.  So the jump stays until theirs is
# unregistered, and all that can be done behind a jump can still be done.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
example=/sys/module/kprobe_example/parameters

# can_be_jump PLACE: "check" says so.  at: where in this function both are.
can_be_jump() { echo "$1" >$dir/check && grep -q ' jump$' $dir/check; }
# first_jump FUNCTION: the first offset behind its entry at which a jump can be.
first_jump() {
	for first in $(seq 5 40); do
		if can_be_jump "$1+$first"; then
			echo "$first"
			return
		fi
	done
}
function=ksys_sync

# theirs_disabled: a built-in probe there; theirs_enable, theirs_disable; theirs: it is
# enabled; theirs_go: there is none any more.  theirs_hit: it is when the function is called.
theirs_disabled() {
	(echo "p:lkp $function+$at" >$tracing/kprobe_events) 2>/dev/null && return
	sed 's/^/# /' $tracing/error_log
	return 1
}
theirs_enable() { echo 1 >$tracing/events/kprobes/lkp/enable; }
theirs_disable() { echo 0 >$tracing/events/kprobes/lkp/enable; }
theirs() { theirs_disabled && theirs_enable; }
theirs_go() { theirs_disable && echo >$tracing/kprobe_events; }
theirs_count() { awk '$1 == "lkp" { print $2 + $3 }' $tracing/kprobe_profile; }
theirs_hit() {
	theirs_before=$(theirs_count)
	sync
	[ $(($(theirs_count) - theirs_before)) = 1 ]
}

# ours: test_probe is there, as a jump; ours_too: kprobe_example.  others_hits: how often the latter
# is hit when the function is called.
is_jump() { grep -q "${function#*:}+.*\[OPTIMIZED\]" $dir/list; }
ours() { insmod test_probe.ko symbol=$function offset="$at" && wait_for 20 is_jump; }
ours_too() {
	insmod kprobe_example.ko symbol=$function offset="$at" post=0 && wait_for 20 is_jump
}
others_hits() {
	others_before=$(cat $example/hits)
	sync
	echo $(($(cat $example/hits) - others_before))
}

# their_jumps 0|1: theirs may become jumps, where this kernel has those; it does so when it likes.
their_jumps() {
	[ ! -e /proc/sys/debug/kprobes-optimization ] || echo "$1" >/proc/sys/debug/kprobes-optimization
}

# Zombies are tried again every second, and what is in no use is reclaimed.
let_all_be_retried() { sleep 3; }
unload() { rmmod kprobes 2>/dev/null; }
turn() { (echo "$2" >"$dir/$1") 2>/dev/null; }

# Ours goes while theirs is disabled: the text is ours, and they have a copy of it.
their_jumps 0
insmod kprobes.ko
at=$(first_jump $function)
check "there is a place for a jump" test "$at"
check "ours is a jump" ours
check "theirs is accepted on it, disabled" theirs_disabled
check "ours is unregistered" tell planted 0
tell settle 1
check "theirs is enabled" theirs_enable
check "the function works, and theirs is hit" theirs_hit
check "theirs is disabled" theirs_disable
check "the function works" sync
rmmod test_probe
let_all_be_retried
refuse "kprobes.ko unloads meanwhile" unload
check "theirs is enabled again" theirs_enable
check "and hit again" theirs_hit
theirs_go
check "when theirs has gone ours is removed, and kprobes.ko unloads" wait_for 10 unload
check "the function works without both" sync

# Ours goes while theirs is enabled.
insmod kprobes.ko
check "ours is a jump again" ours
check "theirs is on it, enabled" theirs
same "ours is hit" "$(hits_of sync)" 1
check "theirs is, too" theirs_hit
check "the client unloads" rmmod test_probe
check "theirs is hit without ours" theirs_hit
theirs_disable
let_all_be_retried
check "disabled and enabled again" theirs_enable
check "it is hit still" theirs_hit
theirs_go
check "ours is removed then" wait_for 10 unload
check "the function works as before" sync

# Two of ours, and what is turned on and off.
their_jumps 1
insmod kprobes.ko
check "the first is a jump" ours_too
check "both are" ours
check "theirs is on them" theirs
check "one of two is disabled" tell disabled 1
same "it is not hit" "$(hits_of sync)" 0
same "the other is" "$(others_hits)" 1
check "so is the other" sh -c "echo 1 >$example/disabled"
same "it is not hit then" "$(others_hits)" 0
check "theirs is" theirs_hit
check "one is enabled" tell disabled 0
same "and hit" "$(hits_of sync)" 1
check "both are enabled" sh -c "echo 0 >$example/disabled"
same "and both are hit" "$(others_hits)" 1
check "hits are counted" turn profile 1
sync
same "of both" "$(grep -c "$function+.* 1 0\$" $dir/profile)" 2
check "and no longer counted" turn profile 0
same "that changes nothing for them" "$(hits_of sync) $(others_hits)" '1 1'
rmmod test_probe

# All off and on: what can't be disarmed calls nobody, and keeps none of the others on or off.
insmod test_probe.ko symbol=wakeup_flusher_threads
check "all are turned off" turn enabled 0
same "and are off" "$(cat $dir/enabled)" 0
same "an ordinary one is not hit" "$(hits_of sync)" 0
same "nor is the one below theirs" "$(others_hits)" 0
check "theirs is not ours to turn off" theirs_hit
check "all are turned on" turn enabled 1
same "the ordinary one is hit" "$(hits_of sync)" 1
same "so is the one below theirs" "$(others_hits)" 1
theirs_go
same "it is without theirs" "$(others_hits)" 1
check "its client unloads" rmmod kprobe_example

# Theirs comes while all are off.
check "it is a jump" ours_too
check "all are turned off again" turn enabled 0
check "theirs comes" theirs
dmesg -c >/dev/null
refuse "all are turned on without an error" turn enabled 1
same "but they are on" "$(cat $dir/enabled)" 1
same "an ordinary one is hit" "$(hits_of sync)" 1
same "the one in the way of theirs is not" "$(others_hits)" 0
check "its status says so" grep -q "$function+.* off\$" $dir/status
check "the log says which" sh -c "dmesg | grep -q 'kprobes: the text at $function+'"
theirs_go
check "1 is written again" turn enabled 1
same "then it is hit" "$(others_hits)" 1
rmmod kprobe_example
rmmod test_probe

# The probed module goes, and its text still runs.
insmod test_target.ko late=1
function=test_target:lkp_target_in_c
at=$(first_jump $function)
check "there is a place in a module" test "$at"
check "ours is a jump in it" ours
check "theirs is on it" theirs_disabled
check "the module unloads" rmmod test_target
echo >$tracing/kprobe_events
rmmod test_probe
check "kprobes.ko unloads at last" wait_for 10 unload
ktap_end
