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

# refused SYMBOL REASON: the file check says that it can't be probed.
refused() {
	has_symbol "${1%+*}" || return 0
	echo "$1" >$dir/check
	grep -q "refused: .*$2" $dir/check || { cat $dir/check; return 1; }
}

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_places
check "early entry text" refused system_call_common 'exception entry text'
check "a way back without a recoverable state" refused interrupt_return_srr_kernel .
check "what enters firmware in real mode" refused enter_rtas .
check "what moves the kernel before it has memory" refused copy_and_flush .
check "what shows a trap to handlers" refused notify_die .
check "what ends its RCU section after a preemption" refused rcu_read_unlock_special .
if has_symbol kprobe_handler; then
	check "what built-in kprobes do with a trap" refused copy_from_kernel_nofault .
	check "in its middle, too" refused copy_from_kernel_nofault+0x40 .
fi
# These kernels let a program of BPF be attached to what a trap passes.
if has_symbol register_ftrace_direct; then
	check "what the trampoline of such a program calls" refused __bpf_prog_enter_recur .
	check "and what that calls" refused migrate_disable .
fi
check "what handlers of exceptions call first" refused interrupt_nmi_enter_prepare .
check "the same with the entry that architectures share" refused arch_interrupt_enter_prepare .
twins=0
for at in $(awk '$3 ~ /^(arch_)?interrupt_(nmi_)?enter_prepare/ { print "0x" $1 }' /proc/kallsyms); do
	echo "$at" >$dir/check
	grep -q refused: $dir/check || twins="$twins $at"
done
same "and those of the same name in other files" "$twins" 0
check "what idle calls in real mode" refused __ppc64_runlatch_off .
check "where the stack has no segment" refused switch_slb .
check "what makes the next task's stack mapped" refused pin_stack_slb .
check "what is patched when mitigations change" refused flush_branch_caches+0x124 .
check "what sites far from the tracer call" refused ftrace_tramp_text 'where traps are not allowed'
check "what a CPU that is offline runs" refused pnv_cpu_offline_self .
check "and calls" refused xive_scan_interrupts .
check "it unloads" rmmod kprobes
ktap_end
