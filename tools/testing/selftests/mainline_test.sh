# SPDX-License-Identifier: GPL-2.0-only
#
# modules: mainline_test/mainline_test
# arch: x86_64 arm64
#
# Mainline's own lib/test_kprobes.c, built unmodified.  Two of its cases take stack traces in
# handlers.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./kernel.sh

give_address() {
	symbol stack_trace_save_regs >/sys/module/mainline_test/parameters/stack_trace_save_regs
}

insmod kprobes.ko
run_cases mainline_test give_address
same "all cases ran" "$(grep -c '^ok' /tmp/mainline_test)" 6
check "kprobes.ko unloads" rmmod kprobes
ktap_end
