# SPDX-License-Identifier: GPL-2.0-only
#
# modules: mainline_test/mainline_test
# arch: x86_64 arm64
#
# Mainline's own lib/test_kprobes.c, built unmodified.  Two of its cases take stack traces in
# handlers.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

# While it is loaded.  Two of the cases are there if the kernel is configured to follow stacks
# through return probes, as x86-64 from 5.15 on, and arm64 for some versions.
look_at_it() {
	symbol stack_trace_save_regs >/sys/module/mainline_test/parameters/stack_trace_save_regs
	cases=$((4 + $(grep -c ' test_stacktrace_on_.*\[mainline_test\]' /proc/kallsyms || :)))
}

insmod kprobes.ko
run_cases mainline_test look_at_it
same "all cases ran" "$(grep -c '^ok' /tmp/mainline_test)" "$cases"
check "kprobes.ko unloads" rmmod kprobes
ktap_end
