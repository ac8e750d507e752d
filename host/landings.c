// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places in text that execution can reach without a direct branch to them: targets
 * of exception fixups and of jump labels, and every address that is stored in data,
 * as in jump tables.
 */
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"

static bool symbol_area(const char *from, const char *to, struct host_area *area)
{
	area->start = host_lookup(from);
	area->end = host_lookup(to);
	return area->start && area->start <= area->end;
}

/**
 * host_text_area() - the area of a module's or the kernel's text
 * @mod: a module; NULL: the kernel image
 * @area: filled in; without init text
 *
 * Context: process context, may sleep.
 * Return: false if it is not known.
 */
bool host_text_area(const struct module *mod, struct host_area *area)
{
	if (!mod)
		return symbol_area("_stext", "_etext", area);
#ifdef LKP_HAVE_MODULE_MEMORY
	area->start = (unsigned long)mod->mem[MOD_TEXT].base;
	area->end = area->start + mod->mem[MOD_TEXT].size;
#else
	area->start = (unsigned long)mod->core_layout.base;
	area->end = area->start + mod->core_layout.text_size;
#endif
	return true;
}

/* ---- tables ---- */

static unsigned long fixup_target(const struct exception_table_entry *e)
{
	return (unsigned long)&e->fixup + e->fixup;
}

static unsigned long fixed_up(const struct exception_table_entry *e)
{
	return (unsigned long)&e->insn + e->insn;
}

/* The kernel image's own table, sorted by the kernel as it started at the latest, and its text. */
static struct host_area image_fixups, image_text;

static bool image_has_fixup(unsigned long addr)
{
	const struct exception_table_entry *table = (void *)image_fixups.start;
	unsigned int low = 0, high = (image_fixups.end - image_fixups.start) / sizeof(*table);

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (fixed_up(&table[middle]) < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return (void *)&table[low] < (void *)image_fixups.end && fixed_up(&table[low]) == addr;
}

/**
 * host_has_fixup() - is there an exception table entry for an instruction
 * @addr: its address
 *
 * As host_exception_entry(), and quicker: of the kernel's text that asks modules and BPF, too.
 *
 * Context: any; the caller keeps the module that @addr belongs to from being unloaded.
 */
bool host_has_fixup(unsigned long addr)
{
	if (addr - image_text.start < image_text.end - image_text.start)
		return image_has_fixup(addr);
	return host_exception_entry(addr);
}

/**
 * host_landings_init() - find the kernel image's exception table
 *
 * Context: process context, sleeps.
 * Return: 0; without it the kernel is asked.
 */
int host_landings_init(void)
{
	if (!symbol_area("__start___ex_table", "__stop___ex_table", &image_fixups) ||
	    !host_text_area(NULL, &image_text))
		image_text = (struct host_area){ 0, 0 };
	return 0;
}

static void each_fixup(const struct exception_table_entry *e,
		       const struct exception_table_entry *end, host_landing_fn fn, void *data)
{
	for (; e < end; e++)
		fn(data, fixup_target(e));
}

/* Without CONFIG_JUMP_LABEL no header has it. */
struct jump_entry;

static void each_label(struct jump_entry *e, struct jump_entry *end, host_landing_fn fn,
		       void *data)
{
#ifdef CONFIG_JUMP_LABEL
	for (; e < end; e++)
		fn(data, jump_entry_target(e));
#endif
}

/**
 * host_each_fixup() - visit every place at which the exception table goes on
 * @mod: in a module's table; NULL: the kernel image's
 * @fn: called for each, for some several times
 * @data: passed to @fn
 *
 * Context: as host_each_landing().
 * Return: as host_each_landing().
 */
bool host_each_fixup(const struct module *mod, host_landing_fn fn, void *data)
{
	struct host_area fixups;

	if (mod) {
		each_fixup(mod->extable, mod->extable + mod->num_exentries, fn, data);
		return true;
	}
	if (!symbol_area("__start___ex_table", "__stop___ex_table", &fixups))
		return false;
	each_fixup((void *)fixups.start, (void *)fixups.end, fn, data);
	return true;
}

static bool image_tables(host_landing_fn fn, void *data)
{
	struct host_area labels;

	if (!host_each_fixup(NULL, fn, data))
		return false;
	if (!IS_ENABLED(CONFIG_JUMP_LABEL))
		return true;
	if (!symbol_area("__start___jump_table", "__stop___jump_table", &labels))
		return false;
	each_label((void *)labels.start, (void *)labels.end, fn, data);
	return true;
}

static void module_tables(const struct module *mod, host_landing_fn fn, void *data)
{
	host_each_fixup(mod, fn, data);
#ifdef CONFIG_JUMP_LABEL
	/* If it is coming, the kernel may be about to sort them. */
	host_jump_labels_lock();
	each_label(mod->jump_entries, mod->jump_entries + mod->num_jump_entries, fn, data);
	host_jump_labels_unlock();
#endif
}

/* ---- data ---- */

static void each_word(const struct host_area *area, const struct host_area *text,
		      host_landing_fn fn, void *data)
{
	const unsigned long *word = (void *)ALIGN(area->start, sizeof(*word));

	for (; (unsigned long)(word + 1) <= area->end; word++) {
		unsigned long addr = READ_ONCE(*word);

		if (addr >= text->start && addr < text->end)
			fn(data, addr);
		if (IS_ALIGNED((unsigned long)word, PAGE_SIZE))
			cond_resched_tasks_rcu_qs();
	}
}

static bool image_data(const struct host_area *text, host_landing_fn fn, void *data)
{
	struct host_area area;

	if (!symbol_area("__start_rodata", "__end_rodata", &area))
		return false;
	each_word(&area, text, fn, data);
	if (!symbol_area("_sdata", "_edata", &area))
		return false;
	each_word(&area, text, fn, data);
	return true;
}

static void module_data(const struct module *mod, const struct host_area *text,
			host_landing_fn fn, void *data)
{
	struct host_area area;
#ifdef LKP_HAVE_MODULE_MEMORY
	enum mod_mem_type type;

	for (type = MOD_DATA; type <= MOD_RO_AFTER_INIT; type++) {
		area.start = (unsigned long)mod->mem[type].base;
		area.end = area.start + mod->mem[type].size;
		each_word(&area, text, fn, data);
	}
#else
	area.start = text->end;
	area.end = (unsigned long)mod->core_layout.base + mod->core_layout.size;
	each_word(&area, text, fn, data);
#endif
}

/**
 * host_each_landing() - visit every such place
 * @mod: in a module's text; NULL: the kernel image's
 * @fn: called for each, for some several times
 * @data: passed to @fn
 *
 * Context: process context, sleeps; the caller keeps the module from being unloaded.
 * Return: false if they cannot be found (the kernel hides its data symbols).
 */
bool host_each_landing(const struct module *mod, host_landing_fn fn, void *data)
{
	struct host_area text;

	might_sleep();
	if (!host_text_area(mod, &text))
		return false;
	if (!mod)
		return image_tables(fn, data) && image_data(&text, fn, data);
	module_tables(mod, fn, data);
	module_data(mod, &text, fn, data);
	return true;
}

/**
 * host_outside_all_text() - is there code at an address that belongs to no module
 * @addr: the target of a branch
 *
 * The detour buffers of the built-in kprobes are such code.
 *
 * Context: process context.
 */
bool host_outside_all_text(unsigned long addr)
{
	unsigned long start, end;
	bool outside;

	arch_near_text_range(addr, &start, &end);
	if (addr < start || addr >= end)
		return false;
	preempt_disable();
	outside = !import___module_address(addr);
	preempt_enable();
	return outside;
}
