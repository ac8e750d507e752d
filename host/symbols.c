// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's symbol table, reached without kprobes and without exports.
 *
 * kallsyms_lookup_name() is not exported, but sprint_symbol(), from the same
 * object file, is: it prints the name, the offset and the size of the function
 * that contains an address.  Calling it for its own neighbours, one after the
 * other, finds kallsyms_lookup_name() within a few dozen steps.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "arch_host.h"
#include "host.h"
#include "inject.h"
#include "imports_c.h"
#include "symbol_index.h"
#include "text_symbols.h"

/* How many symbols to try on either side of sprint_symbol(). */
#define WALK_LIMIT	4096

#define IMPORT_REQUIRED	true
#define IMPORT_OPTIONAL	false

/* In the order of enum host_import, which is generated from the same list. */
static const struct {
	const char *name;
	void *veneer;
	bool required;
} imports[] = {
#define IMPORT(function, need) { .name = #function, .veneer = import_##function, .required = need },
#include "imports.h"
#undef IMPORT
};
static_assert(ARRAY_SIZE(imports) == HOST_NR_IMPORTS);

unsigned long host_import_addr[HOST_NR_IMPORTS];

static bool lookup_ready;

/* Splits "name+0xoff/0xsize"; false if the kernel found no symbol. */
static bool parse_printed(char *text, unsigned long *offset, unsigned long *size)
{
	char *plus = strchr(text, '+');

	if (!plus || sscanf(plus, "+0x%lx/0x%lx", offset, size) != 2)
		return false;
	*plus = '\0';
	return *size != 0;
}

/* Walks in one direction, symbol by symbol. */
static unsigned long walk(unsigned long from, bool forward)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long addr = from, offset, size;
	unsigned int i;

	for (i = 0; i < WALK_LIMIT; i++) {
		sprint_symbol(text, addr);
		if (!parse_printed(text, &offset, &size))
			return 0;
		if (!strcmp(text, "kallsyms_lookup_name"))
			return addr - offset;
		addr = forward ? addr - offset + size : addr - offset - 4;
	}
	return 0;
}

static unsigned long find_lookup_name(void)
{
	unsigned long start = (unsigned long)sprint_symbol;

	return walk(start, false) ?: walk(start, true);
}

static int first_in_kernel(void *data, unsigned long addr)
{
	*(unsigned long *)data = addr;
	return 1;
}

/*
 * Where names are not sorted this takes milliseconds, and we ask for hundreds: a kernel without
 * preemption would do nothing else for seconds.
 */
static unsigned long ask_kernel(const char *name)
{
	cond_resched();
	return import_kallsyms_lookup_name(name);
}

/* As the kernel does: first its own symbols, then those of modules. */
static unsigned long lookup_anywhere(const char *name)
{
	unsigned long addr = 0;

	might_sleep();
	if (text_symbols_each(name, first_in_kernel, &addr))
		return addr;
	if (!host_index_exists())
		return lookup_ready ? ask_kernel(name) : 0;
	host_index_each(name, first_in_kernel, &addr);
	if (addr)
		return addr;
	return host_index_is_whole() ? import_module_kallsyms_lookup_name(name) : ask_kernel(name);
}

/* Printed with the module's name behind it; to print needs nothing that is not exported. */
static bool is_in_module(unsigned long addr)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol(text, addr);
	return strchr(text, '[') && !inject_stands_in(text);
}

/**
 * host_lookup() - the address of one of the kernel's own symbols
 * @name: its name
 *
 * What the kernel lacks, a module may have by that name: any module, and we, some of whose exports
 * are named as the kernel's.  That is something else, and goes with its module.
 *
 * Context: may sleep.
 * Return: the address, or 0.
 */
unsigned long host_lookup(const char *name)
{
	unsigned long addr = lookup_anywhere(name);

	return addr && !is_in_module(addr) ? addr : 0;
}

static int bind_import(unsigned int i)
{
	unsigned long addr = host_lookup(imports[i].name);
	int err;

	if (!addr && imports[i].required) {
		pr_err("this kernel has no %s(), which is required\n", imports[i].name);
		return -ENOENT;
	}
	if (!addr)
		return 0;
	err = arch_bind_veneer(imports[i].veneer, addr);
	if (!err)
		host_import_addr[i] = addr;
	return err;
}

/* Where each look-up takes its time, few are made before there is an index. */
static int make_index(void)
{
	static const enum host_import first[] = {
		HOST_kallsyms_on_each_symbol, HOST_module_kallsyms_lookup_name,
		HOST_kallsyms_lookup_size_offset,
	};
	unsigned int i;
	int err = bind_import(HOST_kallsyms_on_each_match_symbol);

	if (err || import_has(kallsyms_on_each_match_symbol))
		return err;
	for (i = 0; i < ARRAY_SIZE(first); i++) {
		err = bind_import(first[i]);
		if (err)
			return err;
	}
	host_text_sync();
	if (import_has(kallsyms_on_each_symbol) && import_has(module_kallsyms_lookup_name))
		host_index_build(host_each_kernel_symbol, true);
	if (!host_index_exists())
		host_index_build(host_each_kernel_text, false);
	return 0;
}

static int bind_imports(void)
{
	unsigned int i;
	int err = make_index();

	for (i = 0; i < HOST_NR_IMPORTS && !err; i++)
		if (!host_import_addr[i])
			err = bind_import(i);
	host_text_sync();
	return err;
}

/**
 * host_symbols_init() - find the kernel's symbol table and bind what we import
 *
 * host_text_init() comes later, as it needs host_lookup().
 *
 * Context: process context, may sleep.
 * Return: 0; -ENOENT if the kernel lacks a required function; an error of
 * host_text_write().
 */
int host_symbols_init(void)
{
	unsigned long addr = find_lookup_name();
	int err;

	might_sleep();
	if (!addr) {
		pr_err("kallsyms_lookup_name() not found: is CONFIG_KALLSYMS off?\n");
		return -ENOENT;
	}
	err = arch_bind_veneer(import_kallsyms_lookup_name, addr);
	if (err)
		return err;
	host_text_sync();
	lookup_ready = true;
	err = bind_imports();
	if (err)
		host_symbols_exit();
	return err;
}

/**
 * host_symbols_exit() - look no name up any more
 *
 * Context: process context, may sleep.
 */
void host_symbols_exit(void)
{
	text_symbols_free();
	host_index_free();
}

/**
 * host_symbol_bounds() - the start and size of the symbol that contains an address
 * @addr: any address
 * @start: its first byte
 * @size: bytes up to the next symbol
 *
 * Context: any, NMI too, where the kernel prints symbols by the same look-up.
 * Return: false if no symbol contains @addr.
 */
bool host_symbol_bounds(unsigned long addr, unsigned long *start, unsigned long *size)
{
	unsigned long offset;

	if (text_symbols_bounds(addr, start, size))
		return true;
	if (!import_kallsyms_lookup_size_offset(addr, size, &offset))
		return false;
	*start = addr - offset;
	return true;
}

/**
 * host_symbol_at() - look up the symbol that contains an address
 * @addr: any address
 * @sym: filled in
 *
 * Context: any but NMI.
 * Return: false if no symbol contains @addr.
 */
bool host_symbol_at(unsigned long addr, struct host_symbol *sym)
{
	unsigned long offset;
	char *module = NULL;
	const char *name;

	preempt_disable();
	name = import_kallsyms_lookup(addr, &sym->size, &offset, &module, sym->name);
	if (name) {
		if (name != sym->name)
			strscpy(sym->name, name, sizeof(sym->name));
		strscpy(sym->module, module ?: "", sizeof(sym->module));
		sym->start = addr - offset;
	}
	preempt_enable();
	return name;
}

/**
 * host_may_show_addresses() - may a file show addresses to the one who opened it
 * @cred: credentials of the opener
 */
bool host_may_show_addresses(const struct cred *cred)
{
	return !import_has(kallsyms_show_value) || import_kallsyms_show_value(cred);
}

/* ---- what compilers make of functions ---- */

/* What they append to the name of a function for the first copy or part of it. */
static const char * const made[HOST_NR_MADE] = { ".part.0", ".constprop.0", ".isra.0", ".cold" };

/**
 * host_lookup_made() - look up the first copy or part of its kind of one of the kernel's functions
 * @name: of the function
 * @kind: below HOST_NR_MADE: which kind
 *
 * Context: may sleep.
 * Return: the address, or 0.
 */
unsigned long host_lookup_made(const char *name, unsigned int kind)
{
	char full[KSYM_NAME_LEN];
	unsigned long addr = 0;

	snprintf(full, sizeof(full), "%s%s", name, made[kind]);
	if (!host_index_exists())
		return host_lookup(full);
	/* They are text, and are no second names of places: even an index that is not whole has all. */
	host_index_each(full, first_in_kernel, &addr);
	return addr;
}

/**
 * host_is_made_by_compiler() - is it a copy or a part of a function, the first or another one
 * @suffix: its name, from the dot on
 *
 * Context: any.
 */
bool host_is_made_by_compiler(const char *suffix)
{
	unsigned int i;

	for (i = 0; i < HOST_NR_MADE; i++)
		if (!strncmp(suffix, made[i], strcspn(made[i], "0")))
			return true;
	/* The function itself, which calls from other files have made known: ThinLTO. */
	return !strncmp(suffix, ".llvm.", strlen(".llvm."));
}

/* ---- names that several symbols have ---- */

struct candidate_count {
	unsigned int nr;
};

static int count_text(void *data, unsigned long addr)
{
	struct candidate_count *count = data;

	count->nr += host_core_text(addr);
	return 0;
}

static unsigned int count_in_kernel(const char *name)
{
	struct candidate_count count = { 0 };

	host_each_named(name, count_text, &count);
	return count.nr;
}

static unsigned int count_in_module(struct module *mod, const char *name)
{
	unsigned int nr = 0;
#ifdef CONFIG_KALLSYMS
	struct mod_kallsyms *table = rcu_dereference_sched(mod->kallsyms);
	unsigned int i;

	for (i = 1; table && i < table->num_symtab; i++) {
		const Elf_Sym *sym = &table->symtab[i];

		if (sym->st_shndx != SHN_UNDEF && within_module(sym->st_value, mod) &&
		    !strcmp(table->strtab + sym->st_name, name) &&
		    import___module_text_address(sym->st_value))
			nr++;
	}
#endif
	return nr;
}

/**
 * host_is_module() - is a node of the list of modules a module with valid symbols
 * @mod: the module that would contain the node
 *
 * The list's head is the only node that is not in a module's memory.
 *
 * Context: preemption off.
 */
bool host_is_module(const struct module *mod)
{
	return import___module_address((unsigned long)mod) && mod->state != MODULE_STATE_UNFORMED;
}

/* Goes through all modules: from our own node once around the list. */
static unsigned int count_in_modules(const char *name, const char *only, size_t len)
{
	struct list_head *at = &THIS_MODULE->list;
	unsigned int nr = 0;

	preempt_disable();
	do {
		struct module *mod = list_entry(at, struct module, list);

		if (host_is_module(mod) &&
		    (!only || (strlen(mod->name) == len && !strncmp(mod->name, only, len))))
			nr += count_in_module(mod, name);
		at = rcu_dereference_raw(list_next_rcu(at));
	} while (at != &THIS_MODULE->list);
	preempt_enable();
	return nr;
}

/* A walk over all symbols, for kernels that have not sorted them by name. */
struct name_match {
	const char *name;
	int (*fn)(void *data, unsigned long addr);
	void *data;
	bool ended;
};

static void match_symbol(void *data, const struct module *mod, const char *name,
			 unsigned long addr)
{
	struct name_match *match = data;

	if (!match->ended && !strcmp(name, match->name))
		match->ended = match->fn(match->data, addr);
}

struct name_found {
	int (*fn)(void *data, unsigned long addr);
	void *data;
	bool any;
};

static int found_named(void *data, unsigned long addr)
{
	struct name_found *found = data;

	found->any = true;
	return found->fn(found->data, addr);
}

/* Returns false if the index has none, and is not whole. */
static bool each_in_index(const char *name, int (*fn)(void *data, unsigned long addr), void *data)
{
	struct name_found found = { .fn = fn, .data = data };

	if (!host_index_exists())
		return false;
	host_index_each(name, found_named, &found);
	return found.any || host_index_is_whole();
}

/**
 * host_each_named() - go through the kernel image's symbols that have a name
 * @name: the name
 * @fn: called for each, perhaps not for those that are not text and come behind text; an error ends
 *	the walk
 * @data: passed to @fn
 *
 * Context: process context, may sleep.
 */
void host_each_named(const char *name, int (*fn)(void *data, unsigned long addr), void *data)
{
	struct name_match match = { .name = name, .fn = fn, .data = data };
	unsigned long addr;

	if (text_symbols_each(name, fn, data))
		return;
	if (import_has(kallsyms_on_each_match_symbol)) {
		import_kallsyms_on_each_match_symbol(fn, name, data);
		return;
	}
	if (each_in_index(name, fn, data))
		return;
	if (!host_each_kernel_symbol(match_symbol, &match))
		return;
	addr = host_lookup(name);
	if (addr)
		fn(data, addr);
}

static unsigned long lookup_in_kernel(const char *name)
{
	unsigned long addr = 0;

	host_each_named(name, first_in_kernel, &addr);
	return addr && host_core_text(addr) ? addr : 0;
}

/**
 * host_resolve() - look up a symbol name
 * @query: @query->name is the query, the other members are the result
 *
 * The result is the symbol that the kernel's own look-up returns. All text symbols
 * of that name are counted, so that the caller can tell if the name is ambiguous.
 *
 * Context: process context, may sleep.
 */
void host_resolve(struct host_name *query)
{
	const char *colon = strchr(query->name, ':');
	const char *name = colon ? colon + 1 : query->name;
	size_t len = colon ? colon - query->name : 0;
	bool kernel = !colon || (len == 7 && !strncmp(query->name, "vmlinux", len));

	if (colon && kernel)
		query->addr = lookup_in_kernel(name);
	else
		query->addr = lookup_anywhere(query->name);

	query->candidates = kernel ? count_in_kernel(name) : 0;
	if (!colon || !kernel)
		query->candidates += count_in_modules(name, colon ? query->name : NULL, len);
}
