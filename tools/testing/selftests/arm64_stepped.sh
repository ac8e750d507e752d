# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_stepped
# timeout: 200
#
# Stack traces at each instruction of slots, detours, stubs and the trampoline of returns.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

give_addresses() {
	for name in register_kernel_step_hook unregister_kernel_step_hook \
		kernel_enable_single_step kernel_disable_single_step stack_trace_save_regs; do
		at=/sys/module/test_arm64_stepped/parameters/${name}_at
		[ ! -e "$at" ] || symbol $name >"$at"
	done
}

insmod kprobes.ko
run_cases test_arm64_stepped give_addresses
check "kprobes.ko unloads" rmmod kprobes
ktap_end
