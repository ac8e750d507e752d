/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that we call but that it does not export: one line
 * each, used by C (the enum, the table) and by the assembler (the veneers).
 *
 * IMPORT(function, IMPORT_REQUIRED or IMPORT_OPTIONAL)
 *
 * Functions only: without CONFIG_KALLSYMS_ALL the kernel's symbol table holds
 * no data.
 */
IMPORT(kallsyms_lookup, IMPORT_REQUIRED)
IMPORT(kallsyms_lookup_size_offset, IMPORT_REQUIRED)
IMPORT(core_kernel_text, IMPORT_REQUIRED)
IMPORT(__module_text_address, IMPORT_REQUIRED)
IMPORT(search_exception_tables, IMPORT_REQUIRED)
IMPORT(__module_address, IMPORT_REQUIRED)
IMPORT(kallsyms_on_each_symbol, IMPORT_OPTIONAL)
IMPORT(kallsyms_on_each_match_symbol, IMPORT_OPTIONAL)
IMPORT(module_kallsyms_lookup_name, IMPORT_OPTIONAL)
IMPORT(kallsyms_show_value, IMPORT_OPTIONAL)
IMPORT(jump_label_text_reserved, IMPORT_OPTIONAL)
IMPORT(jump_label_lock, IMPORT_OPTIONAL)
IMPORT(jump_label_unlock, IMPORT_OPTIONAL)
IMPORT(static_call_text_reserved, IMPORT_OPTIONAL)
IMPORT(alternatives_text_reserved, IMPORT_OPTIONAL)
IMPORT(find_bug, IMPORT_OPTIONAL)
IMPORT(ftrace_location, IMPORT_OPTIONAL)
IMPORT(ftrace_location_range, IMPORT_OPTIONAL)
IMPORT(ftrace_lookup_ip, IMPORT_OPTIONAL)
#ifdef CONFIG_TASKS_RCU
IMPORT(synchronize_rcu_tasks, IMPORT_REQUIRED)
#endif
IMPORT(stop_machine_cpuslocked, IMPORT_OPTIONAL)
IMPORT(__vmalloc_node_range, IMPORT_OPTIONAL)
IMPORT(__vmalloc_node_range_noprof, IMPORT_OPTIONAL)
IMPORT(set_memory_ro, IMPORT_OPTIONAL)
IMPORT(perf_event_ksymbol, IMPORT_OPTIONAL)
IMPORT(perf_event_text_poke, IMPORT_OPTIONAL)
IMPORT(text_poke_bp, IMPORT_OPTIONAL)
IMPORT(smp_text_poke_single, IMPORT_OPTIONAL)
IMPORT(ftrace_graph_ret_addr, IMPORT_OPTIONAL)
IMPORT(ftrace_graph_get_ret_stack, IMPORT_OPTIONAL)
IMPORT(arch_stack_walk, IMPORT_OPTIONAL)
IMPORT(__kernel_text_address, IMPORT_OPTIONAL)
IMPORT(rethook_find_ret_addr, IMPORT_OPTIONAL)
IMPORT(rethook_recycle, IMPORT_OPTIONAL)
#ifdef CONFIG_X86_64
IMPORT(show_ip, IMPORT_OPTIONAL)
IMPORT(kprobe_int3_handler, IMPORT_OPTIONAL)
IMPORT(notify_die, IMPORT_OPTIONAL)
#endif
IMPORT(kretprobe_find_ret_addr, IMPORT_OPTIONAL)
IMPORT(get_kprobe, IMPORT_OPTIONAL)
IMPORT(within_kprobe_blacklist, IMPORT_OPTIONAL)
IMPORT(kgdb_has_hit_break, IMPORT_OPTIONAL)
#ifdef CONFIG_PPC64
IMPORT(arch_stack_walk_reliable, IMPORT_OPTIONAL)
IMPORT(perf_callchain_kernel, IMPORT_OPTIONAL)
IMPORT(__get_wchan, IMPORT_OPTIONAL)
IMPORT(validate_sp, IMPORT_OPTIONAL)
IMPORT(kprobe_handler, IMPORT_OPTIONAL)
#endif
#ifdef CONFIG_ARM64
IMPORT(arch_stack_walk_reliable, IMPORT_OPTIONAL)
IMPORT(register_kernel_break_hook, IMPORT_OPTIONAL)
IMPORT(unregister_kernel_break_hook, IMPORT_OPTIONAL)
IMPORT(do_el1_brk64, IMPORT_OPTIONAL)
IMPORT(do_debug_exception, IMPORT_OPTIONAL)
IMPORT(put_task_stack, IMPORT_OPTIONAL)
#endif
