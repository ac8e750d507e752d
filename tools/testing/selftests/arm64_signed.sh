# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: dropin stock backports
# modules: test_arm64_signed
# timeout: 240
#
# Signed return addresses that look as if they were not, taken back from a sleeper.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_signed
check "it unloads" rmmod kprobes
ktap_end
