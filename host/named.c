// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the name of a place's symbol tells, and what the built-in kprobes would say of the place, who
 * go by names, too.
 */
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "named.h"
#include "text_symbols.h"

/*
 * Of each place that is about to be probed several things are asked that its symbol's name tells, and
 * to unpack a name is dear.  The kernel's own symbols never change, those of modules do.  Of most of
 * the kernel's it is known that they tell nothing.
 */
static DEFINE_MUTEX(last_mutex);
static struct host_symbol last_symbol;	/* of the kernel, or empty; guarded by last_mutex */

typedef const char *(*name_fn)(const char *name, void *data);

/* What @fn says of the name of an address, see host_name_tells(); NULL if no symbol contains that. */
static const char *ask_name(unsigned long addr, name_fn fn, void *data)
{
	const char *said = NULL;

	might_sleep();
	if (text_symbols_are_silent(addr))
		return NULL;
	mutex_lock(&last_mutex);
	if (addr - last_symbol.start >= last_symbol.size) {
		if (!host_symbol_at(addr, &last_symbol))
			last_symbol.size = 0;
	}
	if (last_symbol.size)
		said = fn(last_symbol.name, data);
	if (!host_core_text(addr))
		last_symbol.size = 0;
	mutex_unlock(&last_mutex);
	return said;
}

static const char *owner_by_name(const char *name, void *unused)
{
	if (str_has_prefix(name, "__SCT__"))
		return "in a static call trampoline, which the kernel patches";
	if (str_has_prefix(name, "__cfi_"))
		return "CFI preamble, which callers read as data";
	if (str_has_prefix(name, "__pfx_"))
		return "padding before a function, which the kernel may patch";
	return NULL;
}

static const char *suffix_of(const char *name)
{
	return strchr(name, '.');
}

/**
 * host_name_tells() - do any of the questions that are asked of names here have an answer
 * @name: of a symbol of the kernel
 *
 * Context: any.
 */
bool host_name_tells(const char *name)
{
	return owner_by_name(name, NULL) || suffix_of(name);
}

/**
 * host_name_owner() - is an address in a symbol that is no function, as its name tells
 * @addr: an address in text
 *
 * The bytes of such symbols are patched, or compared as a hash.
 *
 * Context: process context, sleeps.
 * Return: a complete phrase; NULL if it is in none.
 */
const char *host_name_owner(unsigned long addr)
{
	return ask_name(addr, owner_by_name, NULL);
}

/* ---- the built-in kprobes' blacklist ---- */

/*
 * All that the list has of the kernel itself was given to host_builtin_blacklist_each()'s caller; but
 * something of init text may be left in it, and of what was there before nobody knows the names.
 */
static struct list_head *builtin_list;
static bool builtin_list_is_known, builtin_list_has_init;

/* As declared by the kernel's <linux/kprobes.h>, which ours hides. */
struct builtin_blacklist_entry {
	struct list_head list;
	unsigned long start;
	unsigned long end;
};

/*
 * Does the caller of host_builtin_blacklist_each() know what the built-in kprobes would say?  They go
 * through a list of all their ranges for each address, and then unpack its name: if it is a copy or a
 * part of a function, with a suffix, that function is asked about as well.  Their list gets entries
 * when the kernel boots and when modules come.  Beside it each architecture may have ranges that
 * are not in it: ARCH_BUILTIN_RANGES_LISTED is defined where all of these are in
 * arch_blacklist_ranges[].
 */
#ifdef ARCH_BUILTIN_RANGES_LISTED
static int take_first(void *data, unsigned long addr)
{
	*(unsigned long *)data = addr;
	return 1;
}

static const char no_function[] = "";

/*
 * NULL: they have nothing against what has that name.  no_function: without its suffix it is the name
 * of nothing in the kernel's text.  Otherwise @data is the address to be asked about: that of the
 * function without the suffix, if that spares the kernel a search by its name.
 */
static const char *asks_of_name(const char *name, void *data)
{
	const char *suffix = suffix_of(name);
	char function[KSYM_NAME_LEN];
	unsigned long first;

	if (!suffix)
		return NULL;
	strscpy(function, name, min_t(size_t, suffix - name + 1, sizeof(function)));
	if (!text_symbols_each(function, take_first, &first))
		return no_function;
	if (text_symbols_are_silent(first))
		*(unsigned long *)data = first;
	return suffix;
}

/* What modules have in it comes behind what the kernel has. */
static bool builtin_list_is_kernels(void)
{
	const struct builtin_blacklist_entry *last;
	bool is;

	host_builtin_lock();
	last = list_last_entry(builtin_list, struct builtin_blacklist_entry, list);
	is = host_core_text(last->start);
	host_builtin_unlock();
	return is && !builtin_list_has_init;
}

/* Data is never in it, so what has a name that is no function's of the kernel may be a module's. */
static bool is_known_of_builtin(unsigned long *addr)
{
	const char *said;

	if (!builtin_list_is_known || !host_core_text(*addr))
		return false;
	said = ask_name(*addr, asks_of_name, addr);
	return !said || (said == no_function && text_symbols_have_names() && builtin_list_is_kernels());
}
#else
static bool is_known_of_builtin(unsigned long *addr)
{
	return false;
}
#endif

/**
 * host_builtin_blacklist() - would the built-in kprobes refuse an address
 * @addr: any address, which is in no range that host_builtin_blacklist_each() has told the caller of,
 *	nor in one of arch_blacklist_ranges[]
 *
 * Kernels before 2026 walk through the list without a lock, and free what a module that goes has in
 * it at once.
 *
 * Context: process context, sleeps.
 */
bool host_builtin_blacklist(unsigned long addr)
{
	bool found;

	if (!import_has(within_kprobe_blacklist) || is_known_of_builtin(&addr))
		return false;
	host_builtin_lock();
	found = import_within_kprobe_blacklist(addr);
	host_builtin_unlock();
	return found;
}

/**
 * host_builtin_blacklist_each() - go through the built-in kprobes' blacklist
 * @fn: called for each range in the kernel image; an error ends the walk
 *
 * Ranges in modules come and go, behind those of the kernel, which stay: use
 * host_builtin_blacklist() for those. Without CONFIG_KALLSYMS_ALL the list can't be found, nor its
 * lock, and only that function works.
 *
 * Context: process context, sleeps.
 * Return: 0 or the error of @fn.
 */
int host_builtin_blacklist_each(int (*fn)(unsigned long start, unsigned long end))
{
	struct list_head *head = (struct list_head *)host_lookup("kprobe_blacklist");
	const struct builtin_blacklist_entry *entry;
	int err = 0;

	if (!head)
		return 0;
	host_builtin_lock();
	list_for_each_entry(entry, head, list) {
		/* Of a module, or of init text that was freed: others may follow. */
		if (!host_core_text(entry->start)) {
			builtin_list_has_init |= !host_text_module(entry->start);
			continue;
		}
		err = fn(entry->start, entry->end);
		if (err)
			break;
	}
	builtin_list = head;
	builtin_list_is_known = !err && !list_empty(head);
	host_builtin_unlock();
	return err;
}
