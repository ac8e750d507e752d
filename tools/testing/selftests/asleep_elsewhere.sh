# SPDX-License-Identifier: GPL-2.0-only
#
# timeout: 180
# modules: test_rets test_asleep
# once: yes
#
# A return probe is unregistered while tasks sleep in its function, on stacks that are not their
# own, as those of firmware.  What they have saved says nothing of their own stacks then.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
THREADS=10
DISTANCE=$((1 << 30))

at_least() { [ "$(cat "$2")" -ge "$1" ]; }
threads() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm 2>/dev/null | wc -l; }
none_left() { [ "$(threads)" = 0 ]; }
moved() { echo "$1" 2>/dev/null >$asleep/move; }

for module in kprobes test_asleep; do insmod $module.ko; done
for distance in $DISTANCE -$DISTANCE; do
	insmod test_rets.ko func=lkp_asleep nr=2 maxactive=50
	inside=$(cat $asleep/inside) back=$(cat $asleep/back)
	echo $THREADS >$asleep/start
	check "$distance: threads are asleep inside" \
		wait_for 30 at_least $((inside + THREADS)) $asleep/inside
	same "$distance: all were seen" "$(cat $rets/entries)" $((4 * THREADS))
	check "$distance: elsewhere" wait_for 30 moved "$distance"
	check "$distance: the client goes" rmmod test_rets
	check "$distance: and back" wait_for 30 moved $((-distance))
	echo 1 >$asleep/release
	check "$distance: they return" wait_for 30 at_least $((back + THREADS)) $asleep/back
	check "$distance: and end" wait_for 30 none_left
	same "$distance: each rightly" "$(cat $asleep/wrong)" 0
done
rmmod test_asleep
check "kprobes.ko unloads" wait_for 30 rmmod kprobes
ktap_end
