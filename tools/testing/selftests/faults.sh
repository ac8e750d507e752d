# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_faults
#
# Probed instructions that fault, handlers that fault, fault handlers.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_faults
check "it unloads" rmmod kprobes
ktap_end
