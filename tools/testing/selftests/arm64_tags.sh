# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock
# modules: test_arm64_tags
# qemu: -M virt,gic-version=3,mte=on
#
# A machine whose memory has tags.
# shellcheck shell=sh

. ./ktap.sh

check "memory has tags" grep -qw mte /proc/cpuinfo
check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_tags
check "it unloads" rmmod kprobes
ktap_end
