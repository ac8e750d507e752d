# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_state
#
# Disabling and enabling, missed hits, arrays of kprobes.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_state
check "it unloads" rmmod kprobes
ktap_end
