/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own kprobes, which our <linux/kprobes.h> hides.
 */
#ifndef BUILTIN_KPROBE_H
#define BUILTIN_KPROBE_H

#include <linux/types.h>

struct pt_regs;

/* How their struct kprobe begins. */
struct builtin_kprobe {
	struct hlist_node hlist;
	struct list_head list;
	unsigned long nmissed;
	void *addr;
	const char *symbol_name;
	unsigned int offset;
	int (*pre_handler)(struct builtin_kprobe *p, struct pt_regs *regs);
	unsigned long rest[32];
};

int register_kprobe(struct builtin_kprobe *p);
void unregister_kprobe(struct builtin_kprobe *p);

#endif
