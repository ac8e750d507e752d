# SPDX-License-Identifier: GPL-2.0-only
#
# modules: test_probe test_target test_rets
# append: idle=poll
# smp: 2
# arch: x86_64
# timeout: 200
#
# Idle tasks that poll are called without an interrupt, and have the flag set that asks them to
# schedule, by whoever calls.  Waiting for them ends nevertheless.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "idle tasks poll" grep -q idle=poll /proc/cmdline
insmod kprobes.ko
insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
for round in 1 2 3 4 5; do
	insmod test_probe.ko symbol=lkp_target_fn offset="$at"
	echo 1 >$parameters/settle
	check "$round: it is a jump" grep -q OPTIMIZED $dir/list
	check "$round: a kprobe goes" unloads 20 test_probe
	insmod test_rets.ko func=vfs_read
	check "$round: a return probe goes" unloads 20 test_rets
	sleep 0.3
done
rmmod test_target
check "kprobes.ko unloads" unloads 20 kprobes
ktap_end
