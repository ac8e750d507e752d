# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: asks asks_returns
#
# Clients that ask for CONFIG_KPROBES and CONFIG_KRETPROBES, built unmodified on a kernel that
# has neither. If struct module were not the kernel's, they would not unload.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

parameters=/sys/module

insmod kprobes.ko
check "the one for kprobes loads" insmod asks.ko
check "its function can be called" sh -c "echo 1 >$parameters/asks/parameters/call"
check "its probe is hit" grep -qx 1 $parameters/asks/parameters/hits
check "the one for return probes loads" insmod asks_returns.ko
check "its function can be called" sh -c "echo 1 >$parameters/asks_returns/parameters/call"
check "its probe is hit" grep -qx 1 $parameters/asks_returns/parameters/returns
check "both are users of kprobes.ko" test "$(ls /sys/module/kprobes/holders | wc -l)" = 2
check "the one unloads" rmmod asks_returns
check "and the other" rmmod asks
check "kprobes.ko unloads" rmmod kprobes
ktap_end
