# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# modules: test_target test_probe test_busy
#
# Turning optimisation on waits until all probes that can be jumps are. If the writer
# is killed, it returns early, and the optimiser continues. (On other architectures a
# jump is one word, and there is nothing to wait for.)
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

if ! has_symbol synchronize_rcu_tasks; then
	echo "ok 1 - jumps wait for tasks # SKIP this kernel has no RCU-tasks, and none is waited for"
	echo "1..1"
	exit
fi

insmod kprobes.ko
switch=/proc/sys/debug/$(basename $dir)-optimization
echo 0 >"$switch"
insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)"
is_jump() { grep -q 'OPTIMIZED' $dir/list; }
refuse "it is a trap while they are off" is_jump
insmod test_busy.ko
echo 1 >"$switch" &
writer=$!
sleep 1
check "who turns them on waits" kill -0 $writer
refuse "it is no jump before all tasks have slept" is_jump
kill -9 $writer
wait $writer
same "its writer comes back when it is killed" $? 137
refuse "it is no jump yet" is_jump
same "they are on" "$(cat "$switch")" 1
rmmod test_busy
echo 1 >"$switch"
check "then it becomes a jump" is_jump
rmmod test_probe

# The same for a client that wants text to stay as it is.  The busy one comes first, as a slow
# machine may make the jump in between.
insmod test_busy.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)"
tell settle 1 &
client=$!
sleep 1
check "a client that waits for text that stays still waits" kill -0 $client
refuse "it is no jump yet" is_jump
rmmod test_busy
wait $client
check "when the client goes on it is a jump" is_jump
rmmod test_probe
rmmod test_target
rmmod kprobes
ktap_end
