# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock
# modules: test_landing
#
# The beginning of a function whose first byte belongs to a jump before it, too.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_landing
check "it unloads" rmmod kprobes
ktap_end
