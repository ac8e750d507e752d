// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sections of modules, and which module an address of text belongs to.
 *
 * Once a module is loaded, the kernel knows their names and addresses only for the files in
 * /sys/module/NAME/sections/.  Their attributes are in a private structure: its first member
 * is an attribute group, and each attribute has the address of its section in itself or
 * right behind.  Which of the two is found out by our own module, as the address of its
 * section of struct module is known.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"

#define NOINSTR_SECTION	".noinstr.text"

static enum {
	ADDRESS_UNKNOWN,
	ADDRESS_INSIDE,
	ADDRESS_BEHIND,
} address_place;

/* NULL while the module has no such files, that is, until just before its init function runs. */
static const struct bin_attribute *const *sections_of(const struct module *mod)
{
#if defined(CONFIG_KALLSYMS) && defined(CONFIG_SYSFS)
	const struct attribute_group *group = (const void *)READ_ONCE(mod->sect_attrs);

	if (group && group->name && !strcmp(group->name, "sections"))
		return (const struct bin_attribute *const *)group->bin_attrs;
#endif
	return NULL;
}

static unsigned long address_behind(const struct bin_attribute *section)
{
	return *(const unsigned long *)(section + 1);
}

static unsigned long address_of(const struct bin_attribute *section)
{
	return address_place == ADDRESS_INSIDE ? (unsigned long)section->private :
						 address_behind(section);
}

/* Before the kernel has made those files it knows this one section. */
static const char *noinstr_at(const struct module *mod, unsigned long addr)
{
#ifdef LKP_HAVE_MODULE_NOINSTR
	if (addr - (unsigned long)mod->noinstr_text_start < mod->noinstr_text_size)
		return NOINSTR_SECTION;
#endif
	return NULL;
}

/* The sections' sizes are not kept: each reaches up to the next one. */
static const char *name_at(const struct module *mod, unsigned long addr)
{
	const struct bin_attribute *const *at = sections_of(mod), *found = NULL;

	if (address_place == ADDRESS_UNKNOWN)
		return noinstr_at(mod, addr);
	for (; at && *at; at++)
		if (address_of(*at) <= addr && (!found || address_of(*at) >= address_of(found)))
			found = *at;
	return found ? found->attr.name : noinstr_at(mod, addr);
}

/*
 * One that is being freed has lost them already.  A live patch may lose them while it is
 * still coming, if memory is short.
 */
static bool has_sections(struct module *mod)
{
	return mod->state == MODULE_STATE_LIVE ||
	       (mod->state == MODULE_STATE_COMING && !is_livepatch_module(mod));
}

/**
 * host_section_at() - the section of a module that an address is in
 * @addr: any address
 *
 * While a module is being loaded only ".noinstr.text" is known, until just before its init
 * function runs.
 *
 * Context: process context. The caller blocks its module notifier while it uses the name.
 * Return: the section's name; NULL if @addr is in no module, or that is not known.
 */
const char *host_section_at(unsigned long addr)
{
	const char *name = NULL;
	struct module *mod;

	preempt_disable();
	mod = import___module_address(addr);
	if (mod && has_sections(mod))
		name = name_at(mod, addr);
	preempt_enable();
	return name;
}

static void each_section_of(const struct module *mod, host_section_fn fn, void *data)
{
	const struct bin_attribute *const *all = sections_of(mod), *const *at, *const *other;
	struct host_area text, area;

	host_text_area(mod, &text);
	for (at = all; at && *at; at++) {
		area = (struct host_area){ address_of(*at), text.end };
		if (area.start < text.start || area.start >= text.end)
			continue;
		for (other = all; *other; other++)
			if (address_of(*other) > area.start)
				area.end = min(area.end, address_of(*other));
		fn(data, (*at)->attr.name, &area);
	}
}

/**
 * host_each_text_section() - go through the sections with text of all modules
 * @fn: called for each, init text left out; may not sleep
 * @data: passed to @fn
 *
 * Context: process context. The caller blocks its module notifier.
 */
void host_each_text_section(host_section_fn fn, void *data)
{
	struct module *mod = THIS_MODULE;

	if (address_place == ADDRESS_UNKNOWN)
		return;
	preempt_disable();
	do {
		if (host_is_module(mod) && has_sections(mod))
			each_section_of(mod, fn, data);
		mod = list_entry(rcu_dereference_raw(list_next_rcu(&mod->list)),
				 struct module, list);
	} while (mod != THIS_MODULE);
	preempt_enable();
}

/**
 * host_sections_init() - find out where the kernel keeps the addresses of sections
 *
 * Return: 0.  If the place is not found, modules' sections other than ".noinstr.text" are
 * unknown.
 */
int host_sections_init(void)
{
	const struct bin_attribute *const *at = sections_of(THIS_MODULE);

	while (at && *at && strcmp((*at)->attr.name, ".gnu.linkonce.this_module"))
		at++;
	if (!at || !*at)
		address_place = ADDRESS_UNKNOWN;
	else if ((*at)->private == THIS_MODULE)
		address_place = ADDRESS_INSIDE;
	else if (address_behind(*at) == (unsigned long)THIS_MODULE)
		address_place = ADDRESS_BEHIND;
	if (address_place == ADDRESS_UNKNOWN)
		pr_warn("the sections of modules can't be found: __kprobes and idle functions of modules are not refused\n");
	return 0;
}

/* ---- whose text it is ---- */

/**
 * host_text_module_get() - get the module in whose text an address is
 * @addr: any address
 * @err: 0; -ENOENT if the module is being unloaded, or has already freed its init
 *	text
 *
 * Return: the module, with a reference that the caller must put; NULL if none.
 */
struct module *host_text_module_get(unsigned long addr, int *err)
{
	struct module *mod;

	*err = 0;
	preempt_disable();
	mod = import___module_text_address(addr);
	if (mod && !try_module_get(mod)) {
		*err = -ENOENT;
		mod = NULL;
	}
	preempt_enable();
	if (mod && within_module_init(addr, mod) && mod->state != MODULE_STATE_COMING) {
		*err = -ENOENT;
		module_put(mod);
		mod = NULL;
	}
	return mod;
}

/**
 * host_text_module() - the module in whose text an address is
 * @addr: any address
 *
 * Context: any; the caller keeps that module from being unloaded.
 * Return: NULL if none.
 */
struct module *host_text_module(unsigned long addr)
{
	struct module *mod;

	preempt_disable();
	mod = import___module_text_address(addr);
	preempt_enable();
	return mod;
}
