# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64 arm64
# modules: test_short_memory
# timeout: 200
# once: yes
#
# No memory near the text for more detours.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_short_memory
check "it unloads" rmmod kprobes
ktap_end
