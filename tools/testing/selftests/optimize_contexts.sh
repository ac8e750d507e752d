# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_opt_contexts
# timeout: 180
#
# Jumps in special contexts and at special instructions.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_opt_contexts
check "it unloads" rmmod kprobes
ktap_end
