// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many names looked up at once: one walk over all symbols there are, instead
 * of a search for each name and another one for the others that bear it.
 *
 * What the walk answers is what host_resolve() would: it answers for a name
 * that one symbol bears, and passes over all others.
 */
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "host.h"
#include "imports_c.h"
#include "inject.h"

/*
 * From how many names on it pays: where the kernel has its symbols in the order
 * of their names, too, and where it hasn't and walks for each.
 */
#define MANY_IF_SORTED		768
#define MANY_IF_NOT		4

/**
 * struct name_entry - one name
 * @name: as asked for
 * @function: the part of it behind a colon, or all
 * @next: the next of the same hash: its index, plus one
 * @found: how many symbols bear it, in the part of the kernel that was asked about
 * @unsure: one of them is in a module that comes or goes, or is one that does
 *	not count
 * @addr: where the last of them is
 * @candidates: is that text
 */
struct name_entry {
	const char *name;
	const char *function;
	unsigned int next;
	unsigned int found;
	bool unsure;
	bool candidates;
	unsigned long addr;
};

/**
 * struct host_names - names to be looked up together
 * @bits: of a hash
 * @nr: how many there are
 * @heads: for each hash the first of its entries: its index, plus one
 * @entries: the names, each once
 */
struct host_names {
	unsigned int bits;
	unsigned int nr;
	unsigned int *heads;
	struct name_entry entries[];
};

static unsigned int *head_of(struct host_names *names, const char *function)
{
	unsigned int hash = full_name_hash(NULL, function, strlen(function));

	return &names->heads[hash & ((1u << names->bits) - 1)];
}

static struct name_entry *find(struct host_names *names, const char *name, unsigned int *head)
{
	unsigned int i;

	for (i = *head; i; i = names->entries[i - 1].next)
		if (!strcmp(names->entries[i - 1].name, name))
			return &names->entries[i - 1];
	return NULL;
}

static const char *function_of(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/**
 * host_names_new() - begin a list of names
 * @max: how many will be added
 *
 * Context: process context, may sleep.
 * Return: the list; NULL if one by one they are looked up faster, or if there
 * is no memory: then host_resolve() does.
 */
struct host_names *host_names_new(unsigned int max)
{
	bool sorted = import_has(kallsyms_on_each_match_symbol);
	struct host_names *names;

	/* What is left of a name that such a compiler has made is the kernel's business. */
	if (IS_ENABLED(CONFIG_LTO_CLANG) || !import_has(kallsyms_on_each_symbol) ||
	    max < (sorted ? MANY_IF_SORTED : MANY_IF_NOT) || inject_failure())
		return NULL;
	names = kvzalloc(struct_size(names, entries, max), GFP_KERNEL);
	if (!names)
		return NULL;
	names->bits = order_base_2(max);
	names->heads = inject_failure() ? NULL :
		       kvcalloc(1ul << names->bits, sizeof(*names->heads), GFP_KERNEL);
	if (names->heads)
		return names;
	kvfree(names);
	return NULL;
}

/**
 * host_names_free() - forget the answers
 * @names: from host_names_new(), or NULL
 */
void host_names_free(struct host_names *names)
{
	if (names)
		kvfree(names->heads);
	kvfree(names);
}

/**
 * host_names_add() - add a name
 * @names: the list
 * @name: a name as host_resolve() takes it; it is there until the list is freed
 *
 * Not more often than host_names_new() was told; some may be the same.
 */
void host_names_add(struct host_names *names, const char *name)
{
	const char *function = function_of(name);
	unsigned int *head = head_of(names, function);

	if (find(names, name, head))
		return;
	names->entries[names->nr++] = (struct name_entry){
		.name = name,
		.function = function,
		.next = *head,
	};
	*head = names->nr;
}

/* ---- the walk ---- */

/* Does it ask about the symbols of this module, or of the kernel's image if there is none? */
static bool asks_about(const struct name_entry *entry, const struct module *mod)
{
	const char *where = mod ? mod->name : "vmlinux";
	size_t len = entry->function - entry->name;

	if (!len)
		return true;
	return strlen(where) == len - 1 && !strncmp(entry->name, where, len - 1);
}

static bool is_text(const struct module *mod, unsigned long addr)
{
	if (!mod)
		return host_core_text(addr);
	return within_module(addr, mod) && import___module_text_address(addr);
}

/* That "vmlinux:" means text only host_resolve() sees to. */
static void note_symbol(void *data, const struct module *mod, const char *function,
			unsigned long addr)
{
	struct host_names *names = data;
	struct name_entry *entry;
	unsigned int i;

	for (i = *head_of(names, function); i; i = entry->next) {
		entry = &names->entries[i - 1];
		if (strcmp(entry->function, function) || !asks_about(entry, mod))
			continue;
		entry->found++;
		entry->addr = addr;
		entry->candidates = is_text(mod, addr);
		entry->unsure |= mod ? mod->state != MODULE_STATE_LIVE :
				 !entry->candidates && entry->function != entry->name;
	}
}

/**
 * struct symbol_walk - a walk that is under way
 * @fn: called for each symbol
 * @data: passed to @fn
 */
struct symbol_walk {
	host_symbol_fn fn;
	void *data;
};

#ifdef LKP_SYMBOL_WALK_WITH_MODULE
static int walk_kernel_symbol(void *data, const char *function, struct module *unused,
			      unsigned long addr)
#else
static int walk_kernel_symbol(void *data, const char *function, unsigned long addr)
#endif
{
	const struct symbol_walk *walk = data;

	walk->fn(walk->data, NULL, function, addr);
	return 0;
}

/* With preemption off. */
static void walk_module(const struct symbol_walk *walk, struct module *mod)
{
#ifdef CONFIG_KALLSYMS
	struct mod_kallsyms *table = rcu_dereference_sched(mod->kallsyms);
	unsigned int i;

	for (i = 1; table && i < table->num_symtab; i++) {
		const Elf_Sym *sym = &table->symtab[i];

		if (sym->st_shndx != SHN_UNDEF)
			walk->fn(walk->data, mod, table->strtab + sym->st_name, sym->st_value);
	}
#endif
}

/* Between two modules the first of which stays in the list meanwhile. */
static void let_others_run(struct module *mod)
{
	if (mod->state != MODULE_STATE_LIVE || !try_module_get(mod))
		return;
	preempt_enable();
	cond_resched_tasks_rcu_qs();
	preempt_disable();
	module_put(mod);
}

static void walk_modules(const struct symbol_walk *walk)
{
	struct module *mod = THIS_MODULE;

	preempt_disable();
	do {
		if (host_is_module(mod)) {
			walk_module(walk, mod);
			let_others_run(mod);
		}
		mod = list_entry(rcu_dereference_raw(list_next_rcu(&mod->list)),
				 struct module, list);
	} while (mod != THIS_MODULE);
	preempt_enable();
}

/**
 * host_each_symbol() - go through all symbols of the kernel and its modules
 * @fn: called for each, those that are no text too; may not sleep
 * @data: passed to @fn
 *
 * Context: process context, sleeps. For what is found to stay, no module may
 * go meanwhile: the caller keeps its notifier waiting.
 * Return: 0; -EOPNOTSUPP if this kernel offers no way to.
 */
int host_each_symbol(host_symbol_fn fn, void *data)
{
	struct symbol_walk walk = { .fn = fn, .data = data };

	if (!import_has(kallsyms_on_each_symbol))
		return -EOPNOTSUPP;
	import_kallsyms_on_each_symbol(walk_kernel_symbol, &walk);
	walk_modules(&walk);
	return 0;
}

/**
 * host_symbol_is_text() - is what host_each_symbol() has found text that stays
 * @mod: its module; NULL: the kernel's
 * @addr: where it is
 *
 * Context: any but NMI.
 */
bool host_symbol_is_text(const struct module *mod, unsigned long addr)
{
	return is_text(mod, addr) && !(mod && within_module_init(addr, mod));
}

/**
 * host_names_resolve() - look all of them up
 * @names: the list, complete; or NULL
 *
 * Context: process context, sleeps. For the answers to hold, no module may go
 * from before until they are used: the caller keeps its notifier waiting.
 */
void host_names_resolve(struct host_names *names)
{
	if (names)
		host_each_symbol(note_symbol, names);
}

/**
 * host_names_find() - the answer for a name
 * @names: the list, after host_names_resolve()
 * @query: as for host_resolve()
 *
 * Return: false if host_resolve() has to be asked: none bears that name,
 * several do, or it is not as simple as that.
 */
bool host_names_find(struct host_names *names, struct host_name *query)
{
	const struct name_entry *entry = find(names, query->name,
					      head_of(names, function_of(query->name)));

	if (!entry || entry->found != 1 || entry->unsure)
		return false;
	query->addr = entry->addr;
	query->candidates = entry->candidates;
	return true;
}
