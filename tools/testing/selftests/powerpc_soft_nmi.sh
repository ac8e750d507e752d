# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock backports
# modules: test_soft_nmi
#
# Traps that are hit in the watchdog's NMI, or in a reset of a CPU that goes on, leave behind where the
# exception that was interrupted goes on.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

say_where() {
	awk '$3 == "smp_send_nmi_ipi" { print "0x" $1 }' /proc/kallsyms \
		>/sys/module/test_soft_nmi/parameters/smp_send_nmi_ipi_at
}

check "kprobes.ko loads" insmod kprobes.ko
echo 0 >"/proc/sys/debug/$(basename "$dir")-optimization"
run_cases test_soft_nmi say_where
check "it unloads" rmmod kprobes
ktap_end
