// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that has, by chance, functions and data with the names of what some kernels have and
 * others lack.
 */
#include <linux/module.h>

static unsigned int calls;
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "how often one of the functions was called");

/* Not in C's name space, where a header may declare the kernel's. */
#define IMPOSTOR(name)						\
	static noinline __used long fake_##name(void) asm(#name);	\
	static long fake_##name(void)				\
	{							\
		calls++;					\
		return 0;					\
	}

/* What a kernel without kprobes lacks. */
IMPOSTOR(get_kprobe)
IMPOSTOR(within_kprobe_blacklist)
IMPOSTOR(rethook_find_ret_addr)
IMPOSTOR(rethook_recycle)
IMPOSTOR(kretprobe_find_ret_addr)
/* What older or newer ones lack. */
IMPOSTOR(kallsyms_on_each_match_symbol)
IMPOSTOR(__vmalloc_node_range_noprof)
IMPOSTOR(smp_text_poke_single)
IMPOSTOR(ftrace_graph_get_ret_stack)
IMPOSTOR(alternatives_text_reserved)
/* Without kgdb, and without static calls. */
IMPOSTOR(kgdb_has_hit_break)
IMPOSTOR(static_call_text_reserved)
/* One that is refused by name. */
IMPOSTOR(swap_pages)

/* Data: a list and a pointer that lead nowhere. */
static void *fake_list[2] asm("kprobe_blacklist") __used = { (void *)0x10, (void *)0x10 };
static void *fake_ops asm("dbg_io_ops") __used = (void *)0x10;

static int __init impostor_init(void)
{
	return 0;
}

static void __exit impostor_exit(void)
{
}

module_init(impostor_init);
module_exit(impostor_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions and data with the names of the kernel's");
