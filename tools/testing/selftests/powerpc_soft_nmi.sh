# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock backports
# modules: test_soft_nmi
#
# Traps that are hit in the watchdog's NMI leave behind where the exception that it interrupted goes on.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
echo 0 >"/proc/sys/debug/$(basename "$dir")-optimization"
run_cases test_soft_nmi
check "it unloads" rmmod kprobes
ktap_end
