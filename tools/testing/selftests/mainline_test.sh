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

# They are there if the kernel's own traces know of its own return probes, as from 5.15 on.
cases=6
case $dir in
*/lkprobes) has_symbol rethook_find_ret_addr || has_symbol kretprobe_find_ret_addr || cases=4 ;;
esac
# On arm64 the kernel says so by its configuration in 6.12 still, and in 7.2 no more.
case $(uname -m)-$(uname -r) in
aarch64-[7-9].*) cases=4 ;;
esac

insmod kprobes.ko
run_cases mainline_test give_address
same "all cases ran" "$(grep -c '^ok' /tmp/mainline_test)" $cases
check "kprobes.ko unloads" rmmod kprobes
ktap_end
