// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and ranges that must not be probed on arm64, by name.  Functions
 * that are found by following calls are not listed.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/platform_device.h>
#include <linux/stddef.h>

#include "../arch.h"

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
	{ "__idmap_text_start", "__idmap_text_end",
	  "in idmap text, which runs without the kernel's mapping" },
	{ "__hyp_idmap_text_start", "__hyp_idmap_text_end", "in hypervisor text" },
	{ "__hyp_text_start", "__hyp_text_end", "in hypervisor text" },
	{ "__hibernate_exit_text_start", "__hibernate_exit_text_end",
	  "in text that is copied elsewhere before it runs" },
	{ "__relocate_new_kernel_start", "__relocate_new_kernel_end",
	  "in text that is copied elsewhere before it runs" },
	{ "trans_pgd_stub_vectors", "__trans_pgd_stub_vectors_end",
	  "in text that is copied elsewhere before it runs" },
	{ "__entry_tramp_text_start", "__entry_tramp_text_end",
	  "in the entry trampoline, which runs without the kernel's mapping" },
	{ }
};

const char * const arch_blacklist_names[] = {
	/* CPU bring-up and resume: no vectors yet, or not the kernel's mapping. */
	"primary_entry", "_text", "_stext", "secondary_holding_pen", "secondary_entry", "secondary_startup",
	"__secondary_switched", "__primary_switched", "secondary_start_kernel", "cpu_resume",
	"_cpu_resume", "__cpu_suspend_enter", "__cpu_suspend_exit", "cpu_do_suspend",
	"cpu_do_resume", "cpu_suspend",
	"swsusp_arch_suspend_exit", "swsusp_arch_suspend", "swsusp_arch_resume", "cpu_soft_restart",
	"__cpu_soft_restart", "machine_kexec", "cpu_replace_ttbr1", "idmap_cpu_replace_ttbr1",
	"__cpu_setup", "init_el2", "init_kernel_el", "__hyp_stub_vectors", "hyp_stub_el2_setup",
	"finalise_el2", "hibernate_el2_vectors", "__hyp_set_vectors", "__hyp_reset_vectors",

	/*
	 * A CPU that goes offline has said that it is dead.  Nobody waits for it any more where firmware can't
	 * be asked about it, or after a tenth of a second, which a virtual one may not run for.
	 */
	"cpu_die", "cpu_report_death", "cpuhp_ap_report_dead", "cpu_psci_cpu_die",
	"psci_0_1_cpu_off", "psci_0_2_cpu_off", "__psci_cpu_off", "psci_cpu_off",

	/* Switch between tasks: the registers and the pointer authentication keys change. */
	"cpu_switch_to", "__switch_to", "ret_from_fork", "call_on_irq_stack",
	"ptrauth_keys_install_kernel", "__ptrauth_keys_init_cpu",

	/* Vectors and their replacements. */
	"vectors", "tramp_vectors", "__bp_harden_el1_vectors", "__bp_harden_hyp_vecs",
	"__sdei_asm_handler", "__sdei_asm_entry_trampoline", "__sdei_asm_exit_trampoline",
	"do_sdei_event", "__sdei_handler",

	/* Events of firmware may come between what a trap saves and its return. */
	"sdei_event_handler", "sdei_api_event_context", "invoke_sdei_fn", "sdei_smccc_smc",
	"sdei_smccc_hvc",

	/* Transitions between user space and the kernel: RCU is not watching. */
	"ct_user_enter", "ct_user_exit", "user_enter_callable", "user_exit_callable",

	/* The function tracer's trampolines: some of our hits come through them. */
	"_mcount", "ftrace_caller", "ftrace_regs_caller", "ftrace_common", "ftrace_call",
	"ftrace_common_return",
	"ftrace_graph_call", "ftrace_stub", "ftrace_stub_graph", "ftrace_graph_caller", "return_to_handler",
	"ftrace_stub_direct_tramp", "arch_ftrace_ops_list_func", "ftrace_ops_list_func",
	"ftrace_ops_assist_func", "ftrace_ops_get_func",

	/* Called for changed text, before other CPUs may run it. */
	"caches_clean_inval_pou", "__flush_icache_range",

	/* Copied, and run with the MMU off; newer kernels have it in a section of its own. */
	"arm64_relocate_new_kernel",
	NULL
};

const char * const arch_blacklist_trap_names[] = {
	/* The clock that the graph tracer reads at each return, before any guard. */
	"arch_counter_get_cntvct", "arch_counter_get_cntvct_stable", "arch_counter_get_cntpct",
	"arch_counter_get_cntpct_stable", "fsl_a008585_read_cntvct_el0", "fsl_a008585_read_cntpct_el0",
	"hisi_161010101_read_cntvct_el0", "hisi_161010101_read_cntpct_el0",
	"arm64_858921_read_cntvct_el0", "arm64_858921_read_cntpct_el0",
	"sun50i_a64_read_cntvct_el0", "sun50i_a64_read_cntpct_el0",

	/* Handlers of debug exceptions. */
	"el1_dbg", "el0_dbg", "do_debug_exception", "brk_handler", "call_break_hook",
	"single_step_handler", "reinstall_suspended_bps", "watchpoint_handler",
	"breakpoint_handler", "do_el1_brk64", "el1_brk64",
	/* Their names since each has a way of its own from the exception. */
	"do_watchpoint", "do_breakpoint", "try_step_suspended_breakpoints", "do_el1_softstep",
	"do_el0_softstep", "call_el1_break_hook",
	NULL
};

/*
 * What drivers call, and in 5.10 the functions by which RCU is told; their own functions are found.
 * Newer kernels have all this in noinstr text.
 */
const char * const arch_idle_names[] = {
	"rcu_idle_enter", "rcu_idle_exit",
	"psci_cpu_suspend_enter", "psci_suspend_finisher", "__psci_cpu_suspend", "psci_cpu_suspend",
	"psci_0_1_cpu_suspend", "psci_0_2_cpu_suspend", "cpu_psci_cpu_suspend",
	"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc", "__arm_smccc_smc",
	"__psci_enter_domain_idle_state", "psci_enter_domain_idle_state",
	"psci_enter_s2idle_domain_idle_state", "psci_enter_idle_state",
	"arm_enter_idle_state", "arm_cpuidle_suspend", "acpi_idle_lpi_enter",
	"acpi_processor_ffh_lpi_enter",
	/* These make RCU watch for what they call, but only behind their own first words. */
	"cpu_pm_enter", "cpu_pm_exit", "cpu_pm_notify", "cpu_pm_notify_robust",
	"psci_set_domain_state", "mte_suspend_enter",
	NULL
};

const char * const arch_trap_roots[] = {
	"do_el1_brk64", "arm64_enter_el1_dbg", "arm64_exit_el1_dbg",
	"do_debug_exception", "debug_exception_enter", "debug_exception_exit", "brk_handler",
	"call_break_hook", "call_el1_break_hook", "rcu_nmi_enter", "rcu_nmi_exit", "ct_nmi_enter",
	"ct_nmi_exit", "__rcu_read_lock", "__rcu_read_unlock", "trace_hardirqs_off_finish",
	"trace_hardirqs_on_prepare", "lockdep_hardirqs_on_prepare", "cortex_a76_erratum_1463225_debug_handler",
	"cortex_a76_erratum_1463225_svc_handler",
	NULL
};

/* What events of SDEI are for: errors of the hardware, which ACPI describes. */
const char * const arch_event_roots[] = {
	"ghes_sdei_normal_callback", "ghes_sdei_critical_callback", NULL
};
const char * const arch_event_own[] = { "ghes_", "__ghes_", NULL };

/* What is mapped there has been mapped before. */
const char * const arch_event_ends[] = {
	"__ghes_print", "ghes_print", "__ghes_panic", "cper_print", "cper_estatus_print",
	"acpi_os_ioremap", "iounmap", "___ratelimit", "__dynamic_", "snprintf", "__traceiter_", NULL
};

/* The driver is there once firmware has answered it. */
bool arch_has_events(void)
{
	struct device_driver *driver = driver_find("sdei", &platform_bus_type);
	struct device *dev;

	might_sleep();
	dev = driver ? driver_find_device(driver, NULL, NULL, device_match_any) : NULL;
	put_device(dev);
	return dev;
}

/* All that is mapped, is mapped for every task from the start. */
const char * const arch_mapping_roots[] = { NULL };

/* The assembly that comes first sets the vectors, and calls others before. */
const char * const arch_bring_up_roots[] = { "__secondary_switched", "_cpu_resume", NULL };
const char * const arch_bring_up_ends[] = { NULL };

const char * const arch_walk_ends[] = {
	"arm64_notify_die", "arm64_force_sig", "send_user_sigtrap",

	/* Handlers of breakpoints that are not ours, for kernels that call them directly. */
	"bug_brk_handler", "reserved_fault_brk_handler", "kprobe_brk_handler",
	"kprobe_ss_brk_handler", "kretprobe_brk_handler", "kgdb_", "ubsan_brk_handler",
	"ubsan_handler", "cfi_brk_handler", "cfi_handler", "kasan_brk_handler", "kasan_handler",
	NULL
};

const char * const arch_fault_path[] = {
	"do_mem_abort", "do_translation_fault", "do_page_fault", "do_bad_area", "do_alignment_fault",
	"do_tag_check_fault", "__do_kernel_fault", "fixup_exception", "search_exception_tables",
	"search_kernel_exception_table", "search_module_extables", "search_extable",
	"ex_handler_bpf", "arm64_bpf_fixup_exception",
	"ex_handler_load_unaligned_zeropad", "ex_handler_uaccess_err_zero",
	"el1_abort", "is_spurious_el1_translation_fault",
	NULL
};
