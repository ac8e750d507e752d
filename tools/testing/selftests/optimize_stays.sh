# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_stays test_probe
# timeout: 120
#
# Which probes stay traps, the reason in the file status, and the answer of the file
# check before.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

places=/sys/kernel/debug/test_stays
stays_call() { echo 1 >/sys/module/test_stays/parameters/call; }
neighbour() { echo "$1" >/sys/module/test_stays/parameters/neighbour; }
status() { cat $dir/status; }
status_is() { [ "$(status)" = "$1" ]; }
# verdict PLACE
verdict() {
	echo "$1" >$dir/check
	cat $dir/check
}
# turn 0, turn 1: when it returns, no probe is a jump, or all that can be are.
turn() { echo "$1" >"$switch"; }

insmod kprobes.ko
switch=/proc/sys/debug/$(basename $dir)-optimization
insmod test_stays.ko
while IFS='	' read -r place why; do
	symbol=${place% *} offset=${place#* }
	where=$symbol+$offset
	if [ "$why" ]; then
		same "$symbol: asked before" "$(verdict "$where")" "$where: trap: $why"
	else
		same "$symbol: asked before" "$(verdict "$where")" "$where: jump"
	fi
	insmod test_probe.ko symbol="$symbol" offset="$((offset))"
	turn 0
	turn 1
	if [ "$why" ]; then
		same "$symbol: it stays a trap" "$(status)" "k test_stays:$where trap: $why"
		refuse "$symbol: it is not listed as a jump" grep -q OPTIMIZED $dir/list
	else
		same "$symbol: it is a jump" "$(status)" "k test_stays:$where jump"
		check "$symbol: it is listed as one" grep -q '\[OPTIMIZED\]$' $dir/list
	fi
	same "$symbol: hit" "$(hits_of stays_call)" 1
	check "$symbol: all functions work" stays_call
	rmmod test_probe
	check "$symbol: and without a probe" stays_call
done <$places

# Reasons why a place that could be a jump stays a trap.
# choose SYMBOL: the place to be probed.
choose() {
	where=$1+$(sed -n "s/^$1 \\(0x[0-9a-f]*\\).*/\\1/p" $places)
	offset=$((${where#*+}))
}
# kept NAME REASON [PARAMETER...]
kept() {
	name=$1 why=$2
	shift 2
	insmod test_probe.ko symbol="${where%+*}" offset=$offset "$@"
	turn 0
	turn 1
	same "$name: it stays a trap" "$(status)" "k test_stays:$where trap: $why"
	same "$name: hit" "$(hits_of stays_call)" 1
	rmmod test_probe
	check "$name: all functions work" stays_call
}
its=/sys/module/test_stays/parameters/its
if [ -e $its ]; then
	choose stays_indirect_fn
	echo 1 >$its
	kept ITS "the copy of an indirect branch would escape the kernel's mitigation of ITS"
	echo 0 >$its
fi
choose stays_not_fn
# served NAME PARAMETER: what keeps a probe from being a jump elsewhere does not here.
served() {
	insmod test_probe.ko symbol="${where%+*}" offset=$offset "$2"
	turn 0
	turn 1
	same "$1: it is a jump" "$(status)" "k test_stays:$where jump"
	same "$1: hit" "$(hits_of stays_call)" 1
	rmmod test_probe
	check "$1: all functions work" stays_call
}
served post_handler post=1
served fault_handler fault=1

insmod test_probe.ko symbol=stays_not_fn offset=$offset
check "alone it becomes a jump" wait_for 20 status_is "k test_stays:$where jump"
neighbour 1
if [ "$(uname -m)" = x86_64 ]; then
	check "with a neighbour it is a trap" sh -c \
		"grep -q '^k test_stays:$where trap: another probe lies within the bytes of the jump' $dir/status"
else
	check "a neighbour has nothing to do with it" grep -q "^k test_stays:$where jump\$" $dir/status
fi
same "it is hit" "$(hits_of stays_call)" 1
same "and so is the neighbour" "$(cat /sys/module/test_stays/parameters/neighbour_hits)" 1
neighbour 0
check "without it that is a jump" wait_for 20 status_is "k test_stays:$where jump"
same "it is hit again" "$(hits_of stays_call)" 1
turn 0
same "turned off: it says so" "$(status)" \
	"k test_stays:$where trap: optimisation is turned off"
turn 1
same "turned on: it is a jump" "$(status)" "k test_stays:$where jump"
rmmod test_probe

check "the probed module unloads" rmmod test_stays
check "kprobes.ko unloads" rmmod kprobes
ktap_end
