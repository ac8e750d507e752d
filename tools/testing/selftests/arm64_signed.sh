# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: dropin stock backports
# modules: test_arm64_signed
# timeout: 240
#
# Signed return addresses that look unsigned, restored on the stack of a sleeping task.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_signed
check "it unloads" rmmod kprobes
ktap_end
