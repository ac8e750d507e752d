# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_slot_sleeper test_probe
# timeout: 120
#
# A task that sleeps in a slot, in a page fault of the probed instruction, is seen: its slot is
# neither reused nor unloaded before it has left.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sleeper=/sys/module/test_slot_sleeper/parameters
doze=/sys/kernel/debug/test_slot_sleeper

asleep() { [ "$(cat $sleeper/inside)" -eq "$1" ]; }
loaded() { grep -q '^kprobes ' /proc/modules; }

insmod test_slot_sleeper.ko
at=$(cat $sleeper/at)
round=0
for post in 0 1; do
	round=$((round + 1))
	echo 0 >$sleeper/wake
	insmod kprobes.ko
	insmod test_probe.ko symbol=lkp_slot_load_fn offset="$at" post=$post
	cat $doze >/dev/null &
	check "post=$post: a task sleeps in a fault of the instruction" wait_for 10 asleep $round
	same "post=$post: which is probed" "$(value hits)" 1
	check "post=$post: the client goes" rmmod test_probe
	rmmod kprobes &
	sleep 4
	check "post=$post: kprobes.ko waits for the task" loaded
	echo 1 >$sleeper/wake
	check "post=$post: and goes when the task has left" wait_for 20 unloaded kprobes
	wait
	same "post=$post: which has loaded what it should" "$(cat $sleeper/right) $(cat $sleeper/wrong)" \
		"$round 0"
done
check "the target goes" rmmod test_slot_sleeper
ktap_end
