# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 180
# modules: test_fprobe
#
# Fprobes: registration, what handlers see and may do, order, misses, contexts.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_fprobe
check "it unloads" rmmod kprobes
ktap_end
