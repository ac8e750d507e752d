# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_handlers
#
# What handlers see and may do.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_handlers
# The same with jumps, where there can be any.
run_cases test_handlers sh -c "echo 1 >/sys/module/test_handlers/parameters/jumps"
check "it unloads" rmmod kprobes
ktap_end
