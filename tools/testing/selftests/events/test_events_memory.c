// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has kprobes_events.ko get no memory: the kernel's allocators are probed, and one of its calls returns
 * NULL.  What that call did allocate is lost, some hundred bytes each time.
 *
 * "nth" is written with which call from now on; it counts down, and is 0 when that has been.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

static int nth;
module_param(nth, int, 0600);
MODULE_PARM_DESC(nth, "which of kprobes_events.ko's allocations fails, from now on");

static unsigned int probed;
module_param(probed, uint, 0400);
MODULE_PARM_DESC(probed, "how many allocators are probed");

/* As different kernels have them. */
static const char * const names[] = {
	"__alloc_percpu", "__kmalloc", "kmalloc_trace", "kmem_cache_alloc_trace", "kmemdup_nul",
	"kstrdup", "kvmalloc_node", "pcpu_alloc_noprof", "__kmalloc_noprof",
	"__kmalloc_cache_noprof", "kstrdup_noprof", "__kvmalloc_node_noprof",
};

static struct kretprobe probes[ARRAY_SIZE(names)];

static bool is_ours(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol(text, address);
	return strstr(text, "[kprobes_events]");
}

/* The calls come from one task, so there is one at a time. */
static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (READ_ONCE(nth) <= 0 || !is_ours(get_kretprobe_retaddr(ri)))
		return 0;
	WRITE_ONCE(nth, nth - 1);
	if (!nth)
		regs_set_return_value(regs, 0);
	return 0;
}

static int __init test_events_memory_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct kretprobe *rp = &probes[probed];

		memset(rp, 0, sizeof(*rp));
		rp->kp.symbol_name = names[i];
		rp->handler = on_return;
		/* Some sleep meanwhile, and none of ours is to be missed. */
		rp->maxactive = 256;
		probed += !register_kretprobe(rp);
	}
	return probed ? 0 : -ENOENT;
}
module_init(test_events_memory_init);

static void __exit test_events_memory_exit(void)
{
	while (probed)
		unregister_kretprobe(&probes[--probed]);
}
module_exit(test_events_memory_exit);

MODULE_DESCRIPTION("Memory that kprobes_events.ko does not get");
MODULE_LICENSE("GPL");
