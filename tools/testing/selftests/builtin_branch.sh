# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: stock
# modules: test_probe test_hidden
# timeout: 120
#
# A built-in probe hides an instruction of a function, a branch it may be: a probe
# of ours in that function is no jump until that has gone, and then only where
# nothing branches to the middle of it.  If a client has waited for text that stays as
# it is, ours is no jump even then, until somebody asks for it.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
places=/sys/module/test_hidden/parameters/places
hidden_call() { echo 1 >/sys/module/test_hidden/parameters/call; }
# What the built-in kprobes do in their own time, with a jump of theirs, and what ours do.
let_all_settle() { sleep 1; }

# builtin WHERE: a built-in probe there; builtin_off: none any more.
builtin() {
	(echo "p:lkp $1" >$tracing/kprobe_events) 2>/dev/null &&
		echo 1 >$tracing/events/kprobes/lkp/enable && return
	sed 's/^/# /' $tracing/error_log
	return 1
}
builtin_off() {
	echo 0 >$tracing/events/kprobes/lkp/enable
	echo >$tracing/kprobe_events
}
says() { grep -q "^k test_hidden:hidden_.*$1\$" $dir/status; }

foreign="trap: another tool's probe or breakpoint is in the way"
target="trap: execution may enter the middle of a jump"

# hidden NAME AT NEXT WHAT: a place; the instruction to be hidden; what ours is without that.
hidden() {
	check "$1: theirs is there" builtin "test_hidden:hidden_${1}_fn+$3"
	let_all_settle
	insmod test_probe.ko symbol="hidden_${1}_fn" offset="$2"
	let_all_settle
	check "$1: ours stays a trap beside it" says "$foreign"
	same "$1: ours is hit" "$(hits_of hidden_call)" 1
	check "$1: the functions work" hidden_call
	builtin_off
	check "$1: ours is what it should be without it" wait_for 20 says "$4"
	same "$1: it is hit again" "$(hits_of hidden_call)" 1
	check "$1: the functions work again" hidden_call
	rmmod test_probe

	# By now the function has been read: theirs hides nothing any more.
	check "$1: theirs is there again" builtin "test_hidden:hidden_${1}_fn+$3"
	insmod test_probe.ko symbol="hidden_${1}_fn" offset="$2"
	check "$1: ours is what it should be at once" wait_for 20 says "$4"
	same "$1: ours is hit beside it" "$(hits_of hidden_call)" 1
	rmmod test_probe
	builtin_off
	check "$1: the functions work without probes" hidden_call
}

# settled AT NEXT: as above, but a client waits meanwhile.
settled() {
	check "settled: theirs is there" builtin "test_hidden:hidden_else_fn+$2"
	insmod test_probe.ko symbol=hidden_else_fn offset="$1"
	check "settled: ours stays a trap beside it" says "$foreign"
	tell settle 1
	builtin_off
	sleep 3
	check "settled: ours stays a trap without it" says "trap: $rests"
	same "settled: ours is hit" "$(hits_of hidden_call)" 1
	echo 1 >/proc/sys/debug/lkprobes-optimization
	check "settled: by the sysctl it becomes a jump" says jump
	rmmod test_probe
	check "settled: the functions work" hidden_call
}
rests='not tried again until 1 is written to the sysctl'

insmod kprobes.ko
insmod test_hidden.ko
# shellcheck disable=SC2046 # two numbers
settled $(sed -n "s/^else //p" $places)
rmmod test_hidden

for name in back else; do
	# Loaded anew, so that nothing is known of its text.
	insmod test_hidden.ko
	# shellcheck disable=SC2046 # two numbers
	set -- $(sed -n "s/^$name //p" $places)
	if [ $name = back ]; then
		hidden $name "$1" "$2" "$target"
	else
		hidden $name "$1" "$2" jump
	fi
	check "$name: the probed module unloads" rmmod test_hidden
done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
