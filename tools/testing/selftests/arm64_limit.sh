# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_limit
# timeout: 120
#
# How far user pointers reach in handlers, on kernels with an addr_limit.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_limit
check "it unloads" rmmod kprobes
ktap_end
