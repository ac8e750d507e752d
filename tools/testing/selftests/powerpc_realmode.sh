# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_realmode
#
# A hit in real mode runs no handler and counts as missed, whatever way it takes.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_realmode
check "it unloads" rmmod kprobes
ktap_end
