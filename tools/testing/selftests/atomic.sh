# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_atomic
# timeout: 180
#
# Handlers can't sleep, however they are reached.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_atomic
check "it unloads" rmmod kprobes
ktap_end
