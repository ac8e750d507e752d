# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_paca
#
# r13, the pointer to the CPU's data, always belongs to the current CPU. The tracer's
# trampoline is restored when the module is unloaded.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_paca
check "it unloads" rmmod kprobes
ktap_end
