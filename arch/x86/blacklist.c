// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must not be probed on x86-64, by name.  What can be found by following
 * calls is not listed here.
 */
#include <linux/stddef.h>

#include "../arch.h"
#include "../bpf_calls.h"

const struct arch_range arch_blacklist_ranges[] = {
	{ "__noinstr_text_start", "__noinstr_text_end",
	  "in noinstr text, where traps are not allowed" },
	{ "__entry_text_start", "__entry_text_end", "in entry text, where traps are not allowed" },
	{ "__irqentry_text_start", "__irqentry_text_end",
	  "in interrupt entry text, where traps are not allowed", .traps_only = true },
	{ "__cpuidle_text_start", "__cpuidle_text_end",
	  "in cpuidle text, where the CPU waits for interrupts" },
	{ "__kprobes_text_start", "__kprobes_text_end", "function is marked __kprobes",
	  .traps_only = true },
	{ "__indirect_thunk_start", "__indirect_thunk_end",
	  "in a thunk that indirect branches go through" },
	/* Newer kernels do not name the whole; these are its first and its last. */
	{ "__x86_indirect_thunk_array", "__x86_return_thunk",
	  "in a thunk that indirect branches go through" },
	{ "__static_call_text_start", "__static_call_text_end",
	  "in a static call trampoline, which the kernel patches" },
	/* Labels split these, so a name covers only a part.  Copies would have our traps. */
	{ "ftrace_caller", "ftrace_caller_end",
	  "in the function tracer's trampoline, which it copies" },
	{ "ftrace_regs_caller", "ftrace_regs_caller_end",
	  "in the function tracer's trampoline, which it copies" },
	{ }
};

const char * const arch_blacklist_names[] = {
	/* CPU bring-up, suspend and resume: no IDT yet, or not the kernel's address mapping. */
	"startup_64", "common_startup_64", "secondary_startup_64", "secondary_startup_64_no_verify",
	"verify_cpu",
	"sev_verify_cbit", "start_cpu0", "vc_boot_ghcb", "vc_no_ghcb", "__startup_64",
	"early_setup_idt", "start_secondary", "cpu_init_exception_handling", "load_current_idt",
	"cr4_init", "switch_to_new_gdt", "load_percpu_segment", "load_direct_gdt", "load_fixmap_gdt",
	"switch_gdt_and_percpu_base", "restore_processor_state", "__restore_processor_state",
	"save_processor_state", "restore_registers", "core_restore_code", "wakeup_long64",
	"do_suspend_lowlevel", "restore_image", "relocate_kernel", "machine_kexec",
	"identity_mapped", "virtual_mapped", "swap_pages", "hypercall_page",
	"ignore_sysret", "native_load_gs_index", "native_load_idt", "idt_invalidate",
	"native_machine_crash_shutdown", "cpu_init_fred_exceptions", "cpu_init_fred_rsps",
	"__memset", "memset_orig", "memset_erms", "kasan_unpoison_task_stack_below",

	/* A CPU that goes offline has said that it is dead: nobody waits for it any more. */
	"play_dead_common", "cpu_report_death", "cpuhp_ap_report_dead", "native_play_dead",
	"resume_play_dead", "mwait_play_dead", "hlt_play_dead", "cpuidle_play_dead",
	"acpi_idle_play_dead", "intel_idle_play_dead", "intel_idle_enter_dead", "tboot_shutdown",
	"acpi_processor_ffh_play_dead", "sev_es_play_dead", "soft_restart_cpu",
	/* These are called there, too, and elsewhere. */
	"cpuidle_get_cpu_driver", "cond_wakeup_cpu0",
	/* One that is stopped for another kernel, which takes all memory then, that of traps, too. */
	"stop_this_cpu",

	/* Firmware takes the CPU back, with page tables that have neither tables of traps nor slots. */
	"asm_acpi_mp_play_dead", "acpi_mp_play_dead", "acpi_mp_stop_this_cpu",

	/*
	 * In a guest of TDX, on the way of the exception by which it is told what the host does not
	 * emulate: until these have asked why, another one is a double fault.  A handler that prints
	 * to a serial port causes one.
	 */
	"tdx_get_ve_info", "tdx_module_call", "__tdx_module_call", "tdcall", "__tdcall_ret",

	/* On the way to firmware of 32 bits: the stack is a single page, too small for handlers. */
	"__efi64_thunk",

	/* The transition between user space and the kernel: RCU is not watching there. */
	"ct_user_enter", "ct_user_exit", "user_enter_callable", "user_exit_callable",

	/* Reached by a return: what a return probe would take for the address is a user's register. */
	"ret_from_fork", "ret_from_fork_asm",

	/* Every return passes through these. */
	"__x86_return_thunk", "__x86_return_skl", "zen_untrain_ret", "retbleed_untrain_ret",
	"retbleed_return_thunk", "srso_return_thunk", "srso_alias_return_thunk", "srso_safe_ret",
	"srso_alias_safe_ret", "srso_untrain_ret", "srso_alias_untrain_ret",
	"srso_untrain_ret_alias", "srso_safe_ret_alias", "entry_untrain_ret", "entry_ibpb",
	"clear_bhb_loop", "its_return_thunk", "call_depth_return_thunk", "warn_thunk_thunk",

	/* The tracer's trampolines: our own hits pass through them. */
	"__fentry__", "ftrace_caller", "ftrace_caller_end", "ftrace_regs_caller",
	"ftrace_regs_caller_end", "ftrace_stub", "ftrace_epilogue", "ftrace_stub_direct_tramp",
	"return_to_handler", "ftrace_graph_caller", "arch_ftrace_ops_list_func",
	"ftrace_ops_list_func", "ftrace_ops_assist_func", "ftrace_ops_get_func",

	/*
	 * BPF writes a jump over its first instruction while there is a program of XDP's.  Before 6.0
	 * that is a call site of the tracer, which ends for good where it finds a jump.
	 */
	"bpf_dispatcher_xdp_func",
	NULL
};

const char * const arch_blacklist_trap_names[] = {
	BPF_TRAMPOLINE_CALLS,
	NULL
};

/*
 * Sections mark them, and the functions of the driver in use are found; but older kernels do not
 * mark what these call, nor what a CPU without a driver does on some of AMD's.  In 5.10 RCU is told
 * by functions of which one begins, and the other returns, where it does not watch.
 */
const char * const arch_idle_names[] = {
	"acpi_processor_ffh_lpi_enter", "mwait_idle_with_hints", "amd_e400_idle", "rcu_idle_enter",
	"rcu_idle_exit", NULL
};

const char * const arch_trap_roots[] = {
	"irqentry_nmi_enter", "irqentry_nmi_exit", "do_int3", "notify_die",
	"atomic_notifier_call_chain", "notifier_call_chain", "kgdb_ll_trap",
	"poke_int3_handler", "rcu_nmi_enter", "rcu_nmi_exit", "ct_nmi_enter", "ct_nmi_exit",
	"__rcu_read_lock", "__rcu_read_unlock", "trace_hardirqs_off_finish",
	"trace_hardirqs_on_prepare", "lockdep_hardirqs_on_prepare",
	NULL
};

/* All that is mapped, is mapped for every task from the start. */
const char * const arch_mapping_roots[] = { NULL };

/*
 * What has no descriptor table of its own to load comes first.  Behind idt_invalidate(), on the
 * way into another kernel, cc_platform_has() is called, which setup_ghcb() calls too.
 */
const char * const arch_bring_up_roots[] = {
	"early_setup_idt", "setup_ghcb", "cr4_init", "cpu_init_secondary",
	"cpu_init_exception_handling", "restore_processor_state", "__restore_processor_state",
	"cc_platform_has", "cr4_set_bits", "cr4_set_bits_irqsoff", "cr4_update_irqsoff", NULL
};

/* Much is called by restore_processor_state() behind that, and in this order in its text, too. */
const char * const arch_bring_up_ends[] = { "native_load_idt", NULL };

const char * const arch_walk_ends[] = { "asm_", "mce_", NULL };

const char * const arch_fault_path[] = {
	"exc_page_fault", "exc_general_protection", "exc_divide_error", "handle_page_fault",
	"do_user_addr_fault", "do_kern_addr_fault", "bad_area_nosemaphore",
	"__bad_area_nosemaphore", "no_context", "kernelmode_fixup_or_oops",
	"gp_try_fixup_and_notify",
	"fixup_exception", "search_exception_tables", "search_kernel_exception_table",
	"search_module_extables", "search_extable", "ex_get_fixup_type", "ex_handler_default",
	"ex_handler_fault", "ex_handler_uaccess", "ex_handler_copy", "ex_handler_fprestore",
	"ex_handler_clear_fs", "ex_handler_imm_reg", "ex_handler_ucopy_len",
	"ex_handler_zeropad", "ex_handler_msr", "ex_handler_rdmsr_unsafe",
	"ex_handler_wrmsr_unsafe",
	NULL
};
