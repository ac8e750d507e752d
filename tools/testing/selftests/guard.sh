# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin
# modules: test_guard
# qemu: -singlestep
# timeout: 500
# vm: own
# allow: ^INFO: NMI handler
#
# The guard of a CPU and NMIs. The emulator may interrupt each instruction: otherwise it does so only
# between blocks of them.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_guard
check "it unloads" rmmod kprobes
ktap_end
