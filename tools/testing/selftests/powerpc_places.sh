# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_places
#
# Refusals and their reasons; local and global entries of functions; the return from
# copied instructions.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# refused NAME SYMBOL REASON: the file check says that it can't be probed.
refused() {
	if has_symbol "${2%+*}"; then
		check "$1" judged "$2" "refused: .*$3"
	else
		skip "$1" "this kernel has no such symbol"
	fi
}

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_places
refused "early entry text" system_call_common 'exception entry text'
refused "a way back without a recoverable state" interrupt_return_srr_kernel .
refused "what enters firmware in real mode" enter_rtas .
refused "what moves the kernel before it has memory" copy_and_flush .
refused "what shows a trap to handlers" notify_die .
refused "what ends its RCU section after a preemption" rcu_read_unlock_special .
if has_symbol kprobe_handler; then
	refused "what built-in kprobes do with a trap" copy_from_kernel_nofault .
	refused "in its middle, too" copy_from_kernel_nofault+0x40 .
fi
# These kernels let a program of BPF be attached to what a trap passes.
if has_symbol register_ftrace_direct; then
	refused "what the trampoline of such a program calls" __bpf_prog_enter_recur .
	refused "and what that calls" migrate_disable .
fi
refused "what handlers of exceptions call first" interrupt_nmi_enter_prepare .
refused "the same with the entry that architectures share" arch_interrupt_enter_prepare .
twins=0
for at in $(awk '$3 ~ /^(arch_)?interrupt_(nmi_)?enter_prepare/ { print "0x" $1 }' /proc/kallsyms); do
	echo "$at" >$dir/check
	grep -q refused: $dir/check || twins="$twins $at"
done
same "and those of the same name in other files" "$twins" 0
refused "what idle calls in real mode" __ppc64_runlatch_off .
refused "where the stack has no segment" switch_slb .
refused "what makes the next task's stack mapped" pin_stack_slb .
refused "what is patched when mitigations change" flush_branch_caches+0x124 .
refused "what sites far from the tracer call" ftrace_tramp_text 'where traps are not allowed'
refused "what a CPU that is offline runs" pnv_cpu_offline_self .
refused "and calls" xive_scan_interrupts .
check "it unloads" rmmod kprobes
ktap_end
