# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_pointers
# timeout: 120
#
# Probes on functions that are called by a pointer, and around such calls: kernels may demand
# landings and types there (IBT, kCFI, FineIBT).
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
# What the kernel has chosen, where it checks types.
dmesg | grep -E 'CFI|IBT' | sed 's/^/# /'
run_cases test_pointers
check "it unloads" rmmod kprobes
ktap_end
