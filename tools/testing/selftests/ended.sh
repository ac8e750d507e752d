# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_ended test_many_ended
# timeout: 240
#
# Tasks that end while they hold a CPU's guard, or within calls that are followed.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_ended
run_cases test_many_ended
check "it unloads" rmmod kprobes
ktap_end
