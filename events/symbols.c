// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address of a symbol, data too.
 *
 * kallsyms_lookup_name() is not exported, but a kprobe finds functions by name, also while all are
 * off.  On x86-64 it may be that only direct calls may lead to it (IBT), and none can be linked: see
 * enter_x86.S.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "event.h"

static DEFINE_MUTEX(lookup_mutex);
static unsigned long lookup_name;	/* guarded by lookup_mutex */

/* Where a function begins.  The kprobe may be behind its first instructions. */
static unsigned long function_start(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset;
	char *plus;

	sprint_symbol(text, address);
	plus = strrchr(text, '+');
	return plus && sscanf(plus, "+0x%lx/", &offset) == 1 ? address - offset : 0;
}

static unsigned long find_lookup_name(void)
{
	struct kprobe kp = {
		.symbol_name = "kallsyms_lookup_name", .flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = function_start((unsigned long)kp.addr);
	unregister_kprobe(&kp);
	return address;
}

#ifdef CONFIG_X86_64

/* Of enter_x86.S. */
unsigned long lookup_enter(const char *name, unsigned long function);

static unsigned long call(const char *name)
{
	return lookup_enter(name, lookup_name);
}

#else

static unsigned long call(const char *name)
{
	unsigned long (*lookup)(const char *name) = (void *)lookup_name;

	return lookup(name);
}

#endif

/**
 * symbol_address() - look up a symbol
 * @name: its name
 *
 * Context: process context, may sleep.
 * Return: its address; 0 if there is none, or it can't be looked up.
 */
unsigned long symbol_address(const char *name)
{
	unsigned long address = 0;

	mutex_lock(&lookup_mutex);
	if (!lookup_name)
		lookup_name = find_lookup_name();
	if (lookup_name)
		address = call(name);
	mutex_unlock(&lookup_mutex);
	return address;
}
