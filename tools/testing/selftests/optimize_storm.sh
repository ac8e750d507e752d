# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_opt_storm lkp_textcopy
# smp: 4
# in-turn: yes
# timeout: 180
#
# Probes become jumps and traps again while tasks execute them. CPUs take turns: with
# a thread for each CPU the emulator keeps executing traps that have been removed
# (on stock, with traps and jumps alike), and this is not a test of the emulator.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

: "${seed:=1}" "${seconds:=20}"

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
check "kprobes.ko loads" insmod kprobes.ko
check "the storm loads" insmod test_opt_storm.ko seed="$seed" seconds="$seconds"
cat /sys/kernel/debug/test_opt_storm >/tmp/storm
sed 's/^/    /' /tmp/storm
check "nothing was lost, late or wrong" grep -q '^ok 1' /tmp/storm
same "nothing is registered" "$(cat $dir/list)" ''
same "and nothing has a status" "$(cat $dir/status)" ''
check "the storm unloads" rmmod test_opt_storm
check "kprobes.ko unloads" rmmod kprobes
unchanged
ktap_end
