# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# modules: test_probe
#
# The kernel's debugger, when it is on, is asked about each trap before we are. A trap in that function
# would trap again on its own way.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

xmon=/sys/kernel/debug/powerpc/xmon

check "kprobes.ko loads" insmod kprobes.ko
check "what it is asked by is refused" judged xmon_bpt 'refused: .*runs in the trap path'
check "a probe is registered" insmod test_probe.ko symbol=ksys_sync offset="$behind_site" post=1
check "the debugger is on" sh -c "echo 1 >$xmon"
same "the probe is hit" "$(hits_of sync)" 1
check "the debugger is off again" sh -c "echo 0 >$xmon"
rmmod test_probe
check "it unloads" rmmod kprobes
ktap_end
