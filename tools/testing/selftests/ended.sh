# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_ended
# timeout: 240
#
# Tasks that end while they hold a CPU's guard.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_ended
check "it unloads" rmmod kprobes
ktap_end
