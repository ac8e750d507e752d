# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64 arm64
# modules: test_rets test_asleep test_interrupted
# icount: yes
# mem: 1G
# timeout: 300
#
# Thousands of tasks sleep in functions with return probes, among as many others, while the
# probes are unregistered: no CPU is stopped for long at a time.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tasks=2500 others=2500
# In nanoseconds, which are guest instructions here.
limit=5000000
rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
longest=/sys/module/test_interrupted/parameters/longest

exactly() { [ "$(cat "$2")" -eq "$1" ]; }
threads() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm 2>/dev/null | wc -l; }
none_left() { [ "$(threads)" = 0 ]; }
sleepers() {
	before=$(cat $asleep/inside)
	echo "$1" >$asleep/"$2"
	wait_for 60 exactly $((before + $1)) $asleep/inside
}
# quick WHAT: interrupts were never off for longer than the limit since the last reset.
quick() {
	was=$(cat $longest)
	echo "# $1: interrupts were off for at most $was ns"
	check "$1: no CPU is stopped for long" test "$was" -gt 0 -a "$was" -le $limit
}

# A small kernel allows 4096 processes.
echo 32768 >/proc/sys/kernel/pid_max
echo 30000 >/proc/sys/kernel/threads-max

for module in kprobes test_asleep test_interrupted; do insmod $module.ko; done
check "tasks sleep before there is a probe" sleepers $others start
insmod test_rets.ko func=lkp_asleep nr=2 maxactive=$((2 * tasks))
check "as many sleep inside followed calls" sleepers $tasks start
same "two calls of each are followed, by both probes" "$(cat $rets/entries)" $((tasks * 4))
same "none was missed" "$(cat $rets/missed)" 0
echo 0 >$longest
echo 0 >$rets/drop
quick "one probe unregistered"
echo 0 >$longest
check "the client unloads" rmmod test_rets
quick "the other"
back=$(cat $asleep/back)
echo 1 >$asleep/release
check "all come back" wait_for 60 exactly $((back + others + tasks)) $asleep/back
same "as they should" "$(cat $asleep/wrong)" 0
wait_for 60 none_left

# Those that exit inside are found to be dead, which takes time, but not with CPUs stopped.
insmod test_rets.ko func=lkp_doze maxactive=$((3 * tasks))
check "tasks sleep inside that will exit there" sleepers $tasks start_mortal
echo 1 >$asleep/release
check "they exit" wait_for 60 none_left
echo 0 >$longest
check "the client unloads" rmmod test_rets
quick "instances of dead tasks"
for module in test_interrupted test_asleep; do rmmod $module; done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
