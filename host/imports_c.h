/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The imports as C sees them.  Each import_NAME() is a veneer in our own text,
 * a direct jump to the kernel's function: a direct call needs neither an
 * ENDBR at its target nor a retpoline.
 */
#ifndef LKP_IMPORTS_C_H
#define LKP_IMPORTS_C_H

#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/vmalloc.h>

enum host_import {
#define IMPORT(name, need) HOST_##name,
#include "imports.h"
#undef IMPORT
	HOST_NR_IMPORTS
};

extern unsigned long host_import_addr[HOST_NR_IMPORTS];

#define import_has(name)	(host_import_addr[HOST_##name] != 0)

unsigned long import_kallsyms_lookup_name(const char *name);
const char *import_kallsyms_lookup(unsigned long addr, unsigned long *size, unsigned long *offset,
				 char **module, char *name);
int import_kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size,
				     unsigned long *offset);
int import_core_kernel_text(unsigned long addr);
struct module *import___module_text_address(unsigned long addr);
struct module *import___module_address(unsigned long addr);
const struct exception_table_entry *import_search_exception_tables(unsigned long addr);
#ifdef LKP_SYMBOL_WALK_WITH_MODULE
int import_kallsyms_on_each_symbol(int (*fn)(void *data, const char *name, struct module *mod,
					   unsigned long addr), void *data);
#else
int import_kallsyms_on_each_symbol(int (*fn)(void *data, const char *name, unsigned long addr),
				 void *data);
#endif
int import_kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long addr),
				       const char *name, void *data);
unsigned long import_module_kallsyms_lookup_name(const char *name);
bool import_kallsyms_show_value(const struct cred *cred);
int import_jump_label_text_reserved(void *start, void *last);
void import_jump_label_lock(void);
void import_jump_label_unlock(void);
int import_static_call_text_reserved(void *start, void *last);
int import_alternatives_text_reserved(void *start, void *last);
struct bug_entry *import_find_bug(unsigned long addr);
unsigned long import_ftrace_location(unsigned long addr);
unsigned long import_ftrace_location_range(unsigned long start, unsigned long last);
struct ftrace_hash;
struct ftrace_func_entry *import_ftrace_lookup_ip(struct ftrace_hash *hash, unsigned long ip);
void import_synchronize_rcu_tasks(void);
int import_stop_machine_cpuslocked(int (*fn)(void *data), void *data, const struct cpumask *cpus);
void *import___vmalloc_node_range(unsigned long size, unsigned long align, unsigned long start,
				unsigned long end, gfp_t gfp, pgprot_t prot,
				unsigned long vm_flags, int node, const void *caller);
void *import___vmalloc_node_range_noprof(unsigned long size, unsigned long align,
				       unsigned long start, unsigned long end, gfp_t gfp,
				       pgprot_t prot, unsigned long vm_flags, int node,
				       const void *caller);
int import_set_memory_ro(unsigned long addr, int pages);
void import_perf_event_ksymbol(u16 type, u64 addr, u32 len, bool unregister, const char *name);
void import_perf_event_text_poke(const void *addr, const void *old, size_t old_len,
				 const void *new, size_t new_len);
void import_text_poke_bp(void *addr, const void *opcode, size_t len, const void *emulate);
void import_smp_text_poke_single(void *addr, const void *opcode, size_t len, const void *emulate);
struct llist_node;
unsigned long import_ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
					   unsigned long *retp);
struct ftrace_ret_stack *import_ftrace_graph_get_ret_stack(struct task_struct *task, int idx);
#ifdef CONFIG_ARCH_STACKWALK
void import_arch_stack_walk(stack_trace_consume_fn consume_entry, void *cookie,
			    struct task_struct *task, struct pt_regs *regs);
int import_arch_stack_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
				    struct task_struct *task);
#endif
struct perf_callchain_entry_ctx;
void import_perf_callchain_kernel(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
unsigned long import___get_wchan(struct task_struct *task);
/* Newer kernels have no third argument. */
int import_validate_sp(unsigned long sp, struct task_struct *task, unsigned long size);
int import___kernel_text_address(unsigned long addr);
struct rethook_node;
void import_rethook_recycle(struct rethook_node *node);
unsigned long import_rethook_find_ret_addr(struct task_struct *task, unsigned long frame,
					   struct llist_node **cur);
struct pt_regs;
void import_show_ip(struct pt_regs *regs, const char *level);
unsigned long import_kretprobe_find_ret_addr(struct task_struct *task, void *fp,
					     struct llist_node **cur);
void *import_get_kprobe(void *addr);
bool import_within_kprobe_blacklist(unsigned long addr);
int import_kgdb_has_hit_break(unsigned long addr);
struct break_hook;
void import_register_kernel_break_hook(struct break_hook *hook);
void import_unregister_kernel_break_hook(struct break_hook *hook);
int import_kprobe_handler(struct pt_regs *regs);
int import_kprobe_int3_handler(struct pt_regs *regs);
int import_notify_die(enum die_val event, const char *what, struct pt_regs *regs, long err,
		      int trap, int sig);
void import_do_el1_brk64(unsigned long esr, struct pt_regs *regs);
void import_do_debug_exception(unsigned long far, unsigned long esr, struct pt_regs *regs);
void import_put_task_stack(struct task_struct *task);

#endif /* LKP_IMPORTS_C_H */
