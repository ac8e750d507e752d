# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 240
# modules: test_misuse test_at_once test_careless test_target
# smp: 2
#
# Clients that go on after an error, take one kind of probe for another, or forget what they have
# registered in memory that they use for something else.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# shellcheck disable=SC2317 # check calls it
said() { our_log | tail -n 8 | grep -q "$1"; }

# shellcheck disable=SC2317 # check calls it
overwrites() { dmesg | grep -q 'overwritten its [prj] probe at .*, which is registered'; }

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_misuse
check "the log says what a client has done" overwrites
run_cases test_at_once

insmod test_target.ko
check "a client that will forget its probes" insmod test_careless.ko
check "it unloads" rmmod test_careless
check "its kretprobe is taken back" said 'test_careless goes and leaves its probe at lkp_target_fn'
check "the one that it has cleared in part, too" said 'leaves its probe at lkp_target_in_c'
check "its fprobe, too" said 'test_careless goes and leaves an fprobe'
same "nothing is left" "$(cat $dir/list)" ''
check "the functions work" target_call
rmmod test_target
check "it unloads" rmmod kprobes
ktap_end
