# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_overridden
#
# Handlers that redirect, where somebody else decides where a function goes on.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_overridden
check "it unloads" rmmod kprobes
ktap_end
