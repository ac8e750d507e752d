# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace notasks
# modules: test_slot_sleeper test_probe
# timeout: 180
# once: yes
#
# A task that sleeps in a slot, in a page fault of the probed instruction, goes back to where the
# instruction came from: neither rmmod nor a new probe there waits for it. Nor does rmmod wait
# for a task that sleeps elsewhere and has such a fault's frame in unused words of its stack.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sleeper=/sys/module/test_slot_sleeper/parameters
doze=/sys/kernel/debug/test_slot_sleeper
lie=/sys/kernel/debug/test_slot_leftover
round=0

asleep() { [ "$(cat $sleeper/inside)" -eq $round ]; }
loads() { (cd $sleeper && paste -d ' ' right failed wrong); }
probe() { insmod test_probe.ko symbol=lkp_slot_load_fn offset="$at" post=$post; }

# lies_down WHAT FILE: a task reads the file, hits the probe and goes to sleep.
lies_down() {
	round=$((round + 1))
	cat "$2" >/dev/null &
	task=$!
	check "post=$post: a task sleeps $1" wait_for 10 asleep
	check "post=$post: which was probed" [ "$(value hits)" -gt 0 ]
}

insmod test_slot_sleeper.ko
at=$(cat $sleeper/at)
for post in 0 1; do
	echo 0 >$sleeper/wake
	insmod kprobes.ko
	probe
	lies_down "in a fault of the instruction" $doze
	check "post=$post: the client goes" rmmod test_probe
	check "post=$post: kprobes.ko goes while it sleeps" unloads 10 kprobes
	echo 1 >$sleeper/wake
	wait
	same "post=$post: it loads what it should" "$(loads)" "$((post + 1)) $post 0"

	echo 0 >$sleeper/wake
	insmod kprobes.ko
	probe
	lies_down "in another" $doze
	rmmod test_probe
	check "post=$post: kprobes.ko goes again" unloads 10 kprobes
	kill -9 $task
	wait
	same "post=$post: the kernel fixes up its fault" "$(loads)" "$((post + 1)) $((post + 1)) 0"
done

echo 0 >$sleeper/wake
insmod kprobes.ko
probe
lies_down "in a fault while its probe is replaced" $doze
rmmod test_probe
probe
{ tell settle 1 && echo >/tmp/settled; } &
check "the slot is free while it sleeps" wait_for 10 [ -e /tmp/settled ]
echo 1 >$sleeper/wake
wait
rm /tmp/settled
same "the task loads what it should" "$(loads)" "3 2 0"
same "and hits the new probe, as the instruction begins anew" "$(value hits) $(value posts)" "1 1"
rmmod test_probe
check "kprobes.ko goes" unloads 10 kprobes

# Without a post handler, whose trap may overwrite the frame.
post=0
insmod kprobes.ko
probe
lies_down "behind a fault" $lie
check "and has its frame" [ "$(cat $sleeper/leftovers)" -gt 0 ]
rmmod test_probe
check "kprobes.ko goes while it sleeps there" unloads 10 kprobes
echo 1 >$sleeper/rise
wait
same "it has loaded what it should" "$(loads)" "4 2 0"

# A task that can run all the time, with the return address of a post handler's stub. A kernel
# that can't wait for preempted tasks has to wait for it.
case $(uname -r) in
*-notasks*) skip "a task that runs has leftovers" "this kernel has no RCU-tasks" ;;
*)
	post=1
	echo 0 >$sleeper/rise
	echo 1 >$sleeper/spin
	insmod kprobes.ko
	probe
	lies_down "not, but runs, behind a fault" $lie
	check "and has leftovers" [ "$(cat $sleeper/leftovers)" -gt 0 ]
	rmmod test_probe
	check "kprobes.ko goes while it runs there" unloads 20 kprobes
	echo 1 >$sleeper/rise
	wait
	same "it has loaded what it should" "$(loads)" "5 2 0"
	post=0
	;;
esac

# Tasks that wake up in a slot while it is emptied.
busy() { while [ -e /tmp/busy ]; do cat $doze >/dev/null; done; }
touch /tmp/busy
insmod kprobes.ko
probe
for _ in 1 2 3 4; do busy & done
for _ in 1 2 3 4 5 6 7 8 9 10; do
	echo 0 >$sleeper/wake
	tell planted 0
	tell planted 1
	sleep 0.5
	tell planted 0
	echo 1 >$sleeper/wake
	tell settle 1
	tell planted 1
done
rm /tmp/busy
wait
same "tasks load what they should while the probe comes and goes" \
	"$(cat $sleeper/failed) $(cat $sleeper/wrong)" "2 0"
check "which they hit" [ "$(value hits)" -ge 2 ]
rmmod test_probe
check "kprobes.ko goes" unloads 10 kprobes

check "the target goes" rmmod test_slot_sleeper
ktap_end
