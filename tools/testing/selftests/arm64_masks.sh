# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_masks
# timeout: 120
#
# Interrupts are masked on each way into a handler, and as they were behind it.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_masks
check "it unloads" rmmod kprobes
ktap_end
