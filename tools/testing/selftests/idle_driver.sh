# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_idle_driver
# timeout: 120
#
# What idle CPUs run where no RCU watches is refused: the functions of the driver, whenever it
# comes, and what drivers call.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_idle_driver
check "it unloads" rmmod kprobes
ktap_end
