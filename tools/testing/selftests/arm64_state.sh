# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_state test_arm64_access
# timeout: 120
#
# The state of the processor after probes of all kinds.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_state
run_cases test_arm64_access
check "it unloads" rmmod kprobes
ktap_end
