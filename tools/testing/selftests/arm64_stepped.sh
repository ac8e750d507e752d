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
		symbol $name >/sys/module/test_arm64_stepped/parameters/${name}_at
	done
}

if ! [ -e test_arm64_stepped.ko ]; then
	skip "stack traces at each instruction" "modules can't step on this kernel"
	ktap_end
	exit
fi
insmod kprobes.ko
run_cases test_arm64_stepped give_addresses
check "kprobes.ko unloads" rmmod kprobes
ktap_end
