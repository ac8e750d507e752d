# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# modules: test_rets test_asleep beside/lkp_livepatch
#
# A live patch of a function in which tasks sleep, behind a stub of ours on their stacks: it
# waits for them.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
patch=/sys/kernel/livepatch/lkp_livepatch

all_inside() { [ "$(cat $asleep/inside)" -eq "$1" ]; }
done_with() { [ ! -e $patch ] || [ "$(cat $patch/transition)" = 0 ]; }

for module in kprobes test_asleep; do insmod $module.ko; done
check "a return probe on what the function calls" insmod test_rets.ko func=lkp_doze nr=1 maxactive=200
echo 10 >$asleep/start
check "threads sleep in there" wait_for 30 all_inside 10
check "their returns are followed" test "$(cat $rets/entries)" -ge 10
check "the live patch is loaded" insmod lkp_livepatch.ko object=test_asleep function=lkp_asleep
# The kernel tries again every second.
sleep 5
check "it waits for the threads" test "$(cat $patch/transition)" = 1
echo 1 >$asleep/release
check "they have returned: it is in force" wait_for 30 done_with
echo 0 >$patch/enabled
check "it is taken back" wait_for 30 test ! -e $patch
for module in lkp_livepatch test_rets test_asleep; do rmmod $module; done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
