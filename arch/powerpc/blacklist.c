// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and ranges that must not be probed on 64-bit Power, by name.  Functions
 * that are found by following calls are not listed.
 */
#include <linux/stddef.h>

#include "../arch.h"
#include "../bpf_calls.h"

const struct arch_range arch_blacklist_ranges[] = {
	/* Head text and the text after it: entry and exit of exceptions and system calls. */
	{ "_stext", "load_fp_state", "in exception entry text, where traps are not allowed" },
	{ "_stext", "__head_end", "in exception entry text, where traps are not allowed" },
	{ "__noinstr_text_start", "__noinstr_text_end",
	  "in noinstr text, where traps are not allowed" },
	{ "__entry_text_start", "__entry_text_end", "in entry text, where traps are not allowed" },
	{ "__irqentry_text_start", "__irqentry_text_end",
	  "in interrupt entry text, where traps are not allowed", .traps_only = true },
	{ "__cpuidle_text_start", "__cpuidle_text_end",
	  "in cpuidle text, where the CPU waits for interrupts" },
	{ "__kprobes_text_start", "__kprobes_text_end", "function is marked __kprobes",
	  .traps_only = true },
	/* Labels divide it, so a name covers only a part. */
	{ "ftrace_regs_caller", "ftrace_stub", "in the function tracer's trampoline" },
	{ }
};

/*
 * Where KVM runs a guest of a guest by a hypercall, these run with that one's DAR, DSISR and vector
 * registers: a handler that faults, or copies thousands of bytes, would change them.  KVM may be a module.
 */
#define NESTED_ENTRY	\
	"kvmhv_vcpu_entry_p9_nested", "kvmhv_save_hv_regs", "kvmhv_restore_hv_return_state"

const char * const arch_blacklist_names[] = {
	/* Entered before the kernel has set up its state for an exception. */
	"program_check_exception", "do_program_check", "emulation_assist_interrupt",
	"do_page_fault", "do_hash_fault", "hash__do_page_fault", "do_slb_fault",
	"do_bad_page_fault_segv", "do_bad_segment_interrupt", "do_IRQ", "do_break",
	"timer_interrupt", "doorbell_exception", "performance_monitor_exception",
	"performance_monitor_exception_nmi", "performance_monitor_exception_async",
	"alignment_exception", "altivec_assist_exception", "altivec_unavailable_exception",
	"vsx_unavailable_exception", "facility_unavailable_exception",
	"kernel_fp_unavailable_exception", "single_step_exception", "single_step_dabr_instruction",
	"instruction_breakpoint_exception", "hw_breakpoint_handler", "handle_hmi_exception",
	"hmi_exception_realmode", "machine_check_early", "machine_check_early_boot",
	"machine_check_exception", "machine_check_exception_async", "system_reset_exception",
	"pnv_system_reset_exception", "stack_overflow_exception", "kernel_bad_stack",
	"SMIException", "RunModeException", "unknown_exception", "unknown_async_exception",
	"unknown_nmi_exception", "unrecoverable_exception", "unrecoverable_mce", "soft_nmi_interrupt",
	"h_virt_irq_common", "nmi_cpu_backtrace", "smp_handle_nmi_ipi", "die", "__die", "oops_begin",
	"oops_end",

	/* Exits of exceptions, and what unmasks interrupts after our own hits. */
	"interrupt_exit_kernel_prepare", "interrupt_exit_kernel_restart",
	"interrupt_exit_user_prepare", "interrupt_exit_user_prepare_main",
	"interrupt_exit_user_restart", "syscall_exit_prepare", "syscall_exit_restart", "prep_irq_for_enabled_exit", "prep_irq_for_idle",
	"prep_irq_for_idle_irqsoff", "irq_set_pending_from_srr1", "arch_local_irq_restore",
	"check_return_regs_valid", "replay_soft_interrupts", "__replay_soft_interrupts", "replay_soft_interrupts_irqrestore",
	"search_kernel_restart_table", "search_kernel_soft_mask_table", "bsearch",

	/*
	 * These enter hashed pages if there is no hypervisor, and take locks.  The last ones hold that of an
	 * entry, too: a trap there that enters a page of ours in the same group may wait for it.
	 */
	"native_hpte_insert", "native_hpte_remove", "native_hpte_updatepp", "native_hpte_invalidate",
	"native_hugepage_invalidate", "native_flush_hash_range",
	/* The hypervisor has another table already, and the kernel does not count by its size yet. */
	"pseries_lpar_resize_hpt_commit",

	/* The stack and the registers are being set up or switched. */
	"_switch", "start_secondary", "early_setup_secondary", "setup_paca", "initialise_paca",
	"load_fp_state", "load_up_fpu", "load_vr_state", "load_up_altivec", "load_up_vsx",
	"ret_from_fork", "ret_from_kernel_thread", "call_do_irq", "call_do_softirq",
	/* All memory is being replaced by that of before hibernation. */
	"swsusp_arch_resume",

	/*
	 * In these the stack may not be mapped for some instructions.  Newer kernels have what _switch()
	 * does about it in a function of its own, which is on the old stack, with the new task's data.
	 */
	"pin_stack_slb", "switch_slb", "slb_flush_and_restore_bolted", "reload_slb", "flush_and_reload_slb",

	/* The kernel makes returns of nops in it, and nops of these, when mitigations change. */
	"flush_branch_caches",

	/* Vector registers are in use: a handler that copies thousands of bytes uses them, too. */
	"enable_kernel_fp", "enable_kernel_altivec", "enable_kernel_vsx", "enter_vmx_usercopy",
	"exit_vmx_usercopy", "enter_vmx_ops", "exit_vmx_ops", "memcpy_power7", "copypage_power7",
	"__copy_tofrom_user_power7", "__xor_altivec_2", "__xor_altivec_3", "__xor_altivec_4",
	"__xor_altivec_5", "xor_altivec_2", "xor_altivec_3", "xor_altivec_4", "xor_altivec_5",
	/* In them are a program's, whose access is being emulated. */
	"get_vr", "put_vr", "get_vsr", "put_vsr", "load_vsrn", "store_vsrn", "emulate_loadstore",
	/*
	 * A task's are being saved, as it was found that they are its own; or loaded, and that they are has
	 * not been noted yet.  A handler that uses them does the first itself, and leaves its own there.
	 */
	"giveup_all", "giveup_altivec", "__giveup_altivec", "__giveup_vsx", "__giveup_fpu", "save_fpu",
	"save_altivec", "save_all", "flush_all_to_thread", "flush_altivec_to_thread",
	"flush_vsx_to_thread", "restore_math", "do_restore_altivec", "msr_check_and_set",
	"__msr_check_and_clear", "kvmppc_save_user_regs",
	/* A guest's, until it is entered; what else is called meanwhile is found by what it does. */
	"load_vcpu_state",

	/* Interrupts are off, and the kernel is not told. */
	"preload_add",

	/* Called in real mode, in idle and behind it, where no trap is recoverable. */
	"__ppc64_runlatch_on", "__ppc64_runlatch_off", "opal_resync_timebase",
	"opal_config_cpu_idle_state", "opal_call",

	/* A CPU that comes up runs these before its MMU is set up; other CPUs run them, too. */
	"radix__early_init_mmu_secondary", "hash__early_init_mmu_secondary", "slb_initialize",
	"radix__switch_mmu_context", "radix__tlbiel_all", "hash__tlbiel_all", "setup_kup",
	"setup_kuap", "setup_kuep", "cpu_ready_for_interrupts",

	/* Real mode: neither this module nor its data can be reached. */
	"enter_rtas", "__enter_rtas", "rtas_return_loc", "rtas_restore_regs", "reloc_offset",
	"add_reloc_offset", "kexec_sequence", "kexec_copy_flush", "kexec_wait", "copy_and_flush",
	"mmu_cleanup_all", "radix__mmu_cleanup_all", "radix__flush_tlb_all",
	"powernv_set_nmmu_ptcr", "native_hpte_clear", "pseries_hpte_clear_all",
	"hcall_hpte_clear_all", "manual_hpte_clear_all", "pseries_big_endian_exceptions",
	"kexec_smp_wait", "real_mode", "default_machine_kexec", "crash_kexec_wait_realmode",
	/*
	 * On the way to the next kernel, one for a crash dump too, these run with the data of a CPU without
	 * that of its own, which hits read, and where all other memory may have been overwritten.
	 */
	"memcpy", "copy_page", "flush_icache_range", "opal_nmmu_set_ptcr", "plpar_pte_read_4_raw",
	"___tlbie", "udelay",
	"__machine_check_early_realmode_p7", "__machine_check_early_realmode_p8",
	"__machine_check_early_realmode_p9", "__machine_check_early_realmode_p10",
	"mce_handle_error", "save_mce_event", "mce_common_process_ue", "addr_to_pfn", "flush_erat",
	/* Early machine checks, in real mode and with MSR[RI] clear. */
	"pnv_machine_check_early", "machine_check_queue_event", "get_mce_event",
	"mce_find_instr_ea_and_phys", "arch_irq_work_raise", "rtas_call_unlocked", "analyse_instr",
	"slb_flush_all_realmode", "slb_restore_bolted_realmode", "__slb_restore_bolted_realmode",
	"slb_save_contents", "pseries_machine_check_realmode",
	"get_pseries_errorlog", "isa300_idle_stop_noloss", "isa300_idle_stop_mayloss",
	"isa206_idle_insn_mayloss", "idle_return_gpr_loss", "power9_idle_stop", "power7_idle_insn",
	"plpar_hcall", "plpar_hcall_raw", "plpar_hcall9", "plpar_hcall9_raw", "plpar_hcall_norets",
	"plpar_hcall_norets_notrace", "plpar_hcall_trace", "plpar_hcall9_trace",
	"plpar_hcall_norets_trace", "cede_processor",

	/* Interrupts are off in MSR[EE] but soft-enabled: no trap returns to that state. */
	"pseries_lpar_idle", "check_and_cede_processor", "dedicated_cede_loop", "shared_cede_loop",
	"power4_idle", "power7_idle_type", "__power7_idle_type", "arch300_idle_type",
	"kvmppc_prepare_to_enter",

	NESTED_ENTRY,

	/* On bare metal a CPU that is offline wakes up now and then, and nobody waits for it. */
	"pnv_cpu_offline_self", "pnv_cpu_offline", "generic_check_cpu_restart", "power7_offline",
	"cpu_core_split_required", "cpu_do_split", "pnv_program_cpu_hotplug_lpcr",
	"pnv_flush_interrupts", "xive_flush_interrupt", "xive_flush_cpu_queue",
	"xive_scan_interrupts", "xive_read_eq", "icp_opal_flush_interrupt",
	"icp_native_flush_interrupt",

	/* Transitions between user space and the kernel: RCU is not watching. */
	"ct_user_enter", "ct_user_exit", "user_enter_callable", "user_exit_callable",
	"system_call_exception",

	/* The function tracer's trampolines and dispatch: some of our hits come through them. */
	"_mcount", "ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_regs_call",
	"ftrace_stub", "ftrace_no_trace", "ftrace_tramp_text", "ftrace_tramp_init",
	/* One for each function, with an address as data: where its call is out of line. */
	"ftrace_ool_stub_text", "ftrace_ool_stub_text_end", "ftrace_ool_stub_inittext",
	"livepatch_handler", "return_to_handler",
	"ftrace_graph_caller", "ftrace_graph_call", "ftrace_graph_stub", "arch_ftrace_ops_list_func",
	"ftrace_ops_list_func", "ftrace_ops_assist_func", "ftrace_ops_get_func",
	"ftrace_graph_func",
	NULL
};

/* As in those of the kernel above: vector registers are in use, or about to be. */
const char * const arch_blacklist_in_modules[] = {
	"__xor_altivec_", "xor_altivec_", "raid6_altivec", "raid6_vpermxor",
	"_aesp8_", "aes_p8_", "p8_aes_", "gcm_init_p8", "gcm_gmult_p8", "gcm_ghash_p8", "p8_ghash_",
	"aes_p10_", "chacha_p10_", "chacha_p10le_", "poly1305_p10",
	"__crc32c_vpmsum", "crc32c_vpmsum", "__crct10dif_vpmsum", "crct10dif_vpmsum",
	NESTED_ENTRY,
	NULL
};

const char * const arch_blacklist_trap_names[] = {
	/* End of a trap's own RCU section, if the probed code was preempted in one. */
	"raise_softirq_irqoff", "__raise_softirq_irqoff",
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	/* Such a program can be attached to do_program_check(), from 6.13 on. */
	BPF_TRAMPOLINE_CALLS,
#endif
	NULL
};

/* No section marks them.  Functions of drivers are found, too, if the driver is in use. */
const char * const arch_idle_names[] = {
	"snooze_loop", "nap_loop", "fastsleep_loop", "stop_loop",
	NULL
};

const char * const arch_trap_roots[] = {
	/* The debugger, once it is on, is asked about each trap before all others, by a pointer. */
	"xmon_bpt",
	"notify_die", "atomic_notifier_call_chain", "notifier_call_chain", "__rcu_read_lock",
	"__rcu_read_unlock", "ct_nmi_enter", "ct_nmi_exit",
	/* With the entry that architectures share, at each trap. */
	"trace_hardirqs_off_finish", "trace_hardirqs_on_prepare", "lockdep_hardirqs_on_prepare",
#ifdef CONFIG_KPROBES
	/* A trap is shown to the built-in kprobes first; those read a trap that they don't know. */
	"copy_from_kernel_nofault",
#endif
	NULL
};

/* With hashed page tables, our own text may take a hash fault first. */
const char * const arch_mapping_roots[] = {
	"hash_page_mm", "__hash_page_64K", "__hash_page_4K", "__hash_page_huge", "__hash_page_thp",
	"slb_allocate_kernel", "slb_allocate_user", "slb_insert_entry",
	"pSeries_lpar_hpte_insert", "pSeries_lpar_hpte_remove", "pSeries_lpar_hpte_updatepp",
	"pseries_lpar_hpte_insert", "pseries_lpar_hpte_remove", "pseries_lpar_hpte_updatepp",
	NULL
};

/* Called for tracing, warnings, replay of interrupts, or memory shared with devices. */
/* The vectors are where the CPU looks for them from the start. */
const char * const arch_bring_up_roots[] = { NULL };
const char * const arch_bring_up_ends[] = { NULL };

const char * const arch_walk_ends[] = {
	"arch_local_irq_restore", "__printk_ratelimit", "hash_failure_debug", "__traceiter_", "cxl_",
	"copro_", "_mcount", "demote_segment_4k", "memcpy", "memset", "plpar_hcall", "unrecoverable_",
	/* For breakpoints that the debugger itself has set. */
	"xmon_core",
	NULL
};

const char * const arch_fault_path[] = {
	"bad_page_fault", "___do_page_fault", "__do_page_fault", "__bad_page_fault",
	"search_exception_tables", "search_kernel_exception_table", "search_module_extables",
	"search_extable",
	NULL
};
