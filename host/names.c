// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many names looked up at once: one walk over all symbols, instead of two
 * searches for each name, one for its address and one for duplicates.
 *
 * The results are those of host_resolve(): the walk resolves the names that
 * exactly one symbol has, and leaves all others to host_resolve().  Where all that have a name in the
 * kernel are known in its order (text_symbols.c), there may be several.
 */
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "host.h"
#include "imports_c.h"
#include "inject.h"
#include "symbol_index.h"
#include "text_symbols.h"

/*
 * The number of names from which on one walk for all is faster: where the symbols are also sorted
 * by name, by the kernel or in part in our index; and where each name takes a walk, if only over
 * the modules' symbols, which is all that is left to be gone through where we know the others.
 */
#define MANY_IF_SORTED		768
#define MANY_IF_NOT		4

/**
 * struct name_entry - one name
 * @name: as in the query
 * @function: the part of @name behind the colon, or all of it
 * @next: index plus one of the next entry with the same hash
 * @found: how many symbols have that name, in the module or kernel that @name says
 * @unsure: one of them is in a module that is being loaded or unloaded, or may not
 *	count
 * @ordered: those in the kernel were found in its order
 * @candidates: how many are text
 * @addr: address of the first of them that was found
 */
struct name_entry {
	const char *name;
	const char *function;
	unsigned int next;
	unsigned int found;
	bool unsure;
	bool ordered;
	unsigned int candidates;
	unsigned long addr;
};

/**
 * struct host_names - names to be looked up together
 * @bits: width of a hash
 * @nr: how many entries there are
 * @next: the entry that is asked for next, if that is done in the order in which they were added
 * @one: the name whose module all say; NULL: they differ, or some name says none
 * @heads: for each hash, index plus one of its first entry
 * @entries: the names, each once
 */
struct host_names {
	unsigned int bits;
	unsigned int nr;
	unsigned int next;
	const char *one;
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
		if (names->entries[i - 1].name == name || !strcmp(names->entries[i - 1].name, name))
			return &names->entries[i - 1];
	return NULL;
}

static const char *function_of(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/* Is all that can be had a walk through the names of all symbols? */
static bool is_dear(void)
{
	if (host_index_exists())
		return !host_index_is_whole();
	return import_has(kallsyms_on_each_match_symbol) && !text_symbols_have_names();
}

/**
 * host_names_new() - begin a list of names
 * @max: how many will be added at most
 *
 * Context: process context, may sleep.
 * Return: the list; NULL if single look-ups are faster, or if there is no memory:
 * then use host_resolve().
 */
struct host_names *host_names_new(unsigned int max)
{
	unsigned int many = is_dear() ? MANY_IF_SORTED : MANY_IF_NOT;
	struct host_names *names;

	might_sleep();
	/* LTO adds suffixes to names; only the kernel's own look-up knows how to strip them. */
	if (IS_ENABLED(CONFIG_LTO_CLANG) || max < many || inject_failure())
		return NULL;
	names = kvzalloc(struct_size(names, entries, max), GFP_KERNEL | __GFP_NOWARN);
	if (!names)
		return NULL;
	names->bits = order_base_2(max);
	names->heads = inject_failure() ? NULL :
		       kvcalloc(1ul << names->bits, sizeof(*names->heads),
				GFP_KERNEL | __GFP_NOWARN);
	if (names->heads)
		return names;
	kvfree(names);
	return NULL;
}

/**
 * host_names_free() - free a list
 * @names: from host_names_new(), or NULL
 */
void host_names_free(struct host_names *names)
{
	if (names)
		kvfree(names->heads);
	kvfree(names);
}

/* Do two names say the same module? */
static bool is_of_same(const char *one, const char *name, const char *function)
{
	return function != name && !strncmp(one, name, function - name);
}

/**
 * host_names_add() - add a name
 * @names: the list
 * @name: a name as host_resolve() takes it; must stay until the list is freed
 *
 * To be called at most @max times, see host_names_new(); duplicates are allowed.
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
	if (names->nr == 1)
		names->one = function == name ? NULL : name;
	else if (names->one && !is_of_same(names->one, name, function))
		names->one = NULL;
}

/* ---- the walk ---- */

/* Does the query include symbols of this module?  @mod is NULL for the kernel image. */
static bool asks_about(const struct name_entry *entry, const struct module *mod)
{
	const char *where = mod ? mod->name : "vmlinux";
	size_t len = entry->function - entry->name;

	if (!len)
		return true;
	return strlen(where) == len - 1 && !strncmp(entry->name, where, len - 1);
}

/* Where all say the same one: to ask all about each module may take longer than to go through them. */
static bool asks_about_any(void *data, const struct module *mod)
{
	const struct host_names *names = data;

	return !names->one || asks_about(&names->entries[0], mod);
}

static bool is_text(const struct module *mod, unsigned long addr)
{
	if (!mod)
		return host_core_text(addr);
	return within_module(addr, mod) && import___module_text_address(addr);
}

/* "vmlinux:" matches text only: host_resolve() decides if what was found is not text. */
static void note(struct name_entry *entry, const struct module *mod, unsigned long addr)
{
	bool text;

	if (!asks_about(entry, mod))
		return;
	text = is_text(mod, addr);
	if (!entry->found++)
		entry->addr = addr;
	entry->candidates += text;
	entry->unsure |= mod ? mod->state != MODULE_STATE_LIVE :
			 !text && entry->function != entry->name;
}

static void note_symbol(void *data, const struct module *mod, const char *function,
			unsigned long addr)
{
	struct host_names *names = data;
	struct name_entry *entry;
	unsigned int i;

	for (i = *head_of(names, function); i; i = entry->next) {
		entry = &names->entries[i - 1];
		if (!strcmp(entry->function, function))
			note(entry, mod, addr);
	}
}

static int note_in_kernel(void *data, unsigned long addr)
{
	note(data, NULL, addr);
	return 0;
}

/**
 * struct symbol_walk - a walk over all symbols
 * @fn: called for each symbol
 * @wants: are a module's asked for; NULL: all are
 * @data: passed to both
 */
struct symbol_walk {
	host_symbol_fn fn;
	bool (*wants)(void *data, const struct module *mod);
	void *data;
};

#ifdef LKP_SYMBOL_WALK_WITH_MODULE
static int walk_kernel_symbol(void *data, const char *function, struct module *mod,
			      unsigned long addr)
#else
static int walk_kernel_symbol(void *data, const char *function, unsigned long addr)
#endif
{
	const struct symbol_walk *walk = data;

#ifdef LKP_SYMBOL_WALK_HAS_MODULES
	if (mod)
		return 1;
#endif
	text_symbols_note(function, addr);
	walk->fn(walk->data, NULL, function, addr);
	return 0;
}

/*
 * In older kernels the walk goes on to the modules, where it is ended at once, and it is up to the
 * caller that none of them vanishes.  Only some kernels export the mutex for that, and without
 * CONFIG_KALLSYMS_ALL it is no symbol: then there is no walk.
 */
static int walk_kernel(struct symbol_walk *walk)
{
#ifdef LKP_SYMBOL_WALK_HAS_MODULES
	struct mutex *modules = (struct mutex *)host_lookup("module_mutex");

	/* The kernel's own text has no count of references. */
	if (!modules)
		modules = __symbol_get("module_mutex");
	if (!modules)
		return -EOPNOTSUPP;
	mutex_lock(modules);
	import_kallsyms_on_each_symbol(walk_kernel_symbol, walk);
	mutex_unlock(modules);
#else
	import_kallsyms_on_each_symbol(walk_kernel_symbol, walk);
#endif
	return 0;
}

static int walk_kernel_text(const struct symbol_walk *walk, bool named)
{
	unsigned long addr = host_lookup("_stext"), end = host_lookup("_etext"), start, size;
	char name[KSYM_SYMBOL_LEN];

	if (!addr || !end)
		return -EOPNOTSUPP;
	for (; addr < end; addr = start + size) {
		if (!host_symbol_bounds(addr, &start, &size) || !size)
			return -EOPNOTSUPP;
		if (named)
			sprint_symbol_no_offset(name, start);
		walk->fn(walk->data, NULL, named ? name : NULL, start);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/**
 * host_each_kernel_text() - go through the text of the kernel without its modules
 * @fn: called for each function, with one of its names; may sleep
 * @data: passed to @fn
 *
 * For kernels that have no walk, as nothing of theirs needs it: by address.
 *
 * Context: process context, sleeps.
 * Return: 0; -EOPNOTSUPP if this kernel does not tell where its text is.
 */
int host_each_kernel_text(host_symbol_fn fn, void *data)
{
	const struct symbol_walk walk = { .fn = fn, .data = data };

	might_sleep();
	return walk_kernel_text(&walk, true);
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

/*
 * Between two modules.  A module that is live now may begin to go meanwhile, but is in the list
 * until the caller's notifier has let it.  A reference would make rmmod fail.
 */
static void resched_between_modules(const struct module *mod)
{
	if (READ_ONCE(mod->state) != MODULE_STATE_LIVE)
		return;
	preempt_enable();
	cond_resched_tasks_rcu_qs();
	preempt_disable();
}

static void walk_modules(const struct symbol_walk *walk)
{
	struct module *mod = THIS_MODULE;

	preempt_disable();
	do {
		if (host_is_module(mod)) {
			if (!walk->wants || walk->wants(walk->data, mod))
				walk_module(walk, mod);
			resched_between_modules(mod);
		}
		mod = list_entry(rcu_dereference_raw(list_next_rcu(&mod->list)),
				 struct module, list);
	} while (mod != THIS_MODULE);
	preempt_enable();
}

/**
 * host_each_kernel_symbol() - go through all symbols of the kernel without its modules
 * @fn: called for each, also for those that are not text; may sleep
 * @data: passed to @fn
 *
 * Context: process context, sleeps.
 * Return: 0; -EOPNOTSUPP if this kernel offers no such walk.
 */
int host_each_kernel_symbol(host_symbol_fn fn, void *data)
{
	struct symbol_walk walk = { .fn = fn, .data = data };
	int err;

	might_sleep();
	if (!import_has(kallsyms_on_each_symbol))
		return -EOPNOTSUPP;
	text_symbols_begin(import_has(kallsyms_on_each_match_symbol));
	err = walk_kernel(&walk);
	text_symbols_end(!err);
	return err;
}

/**
 * host_each_symbol() - go through all symbols of the kernel and its modules
 * @fn: called for each, also for those that are not text, where the kernel has a list of those; may
 *	not sleep
 * @data: passed to @fn
 *
 * Context: process context, sleeps. The caller blocks its module notifier, so that no module
 * is unloaded until the results have been used.
 * Return: 0; -EOPNOTSUPP if this kernel does not tell where its text is.
 */
int host_each_symbol(host_symbol_fn fn, void *data)
{
	struct symbol_walk walk = { .fn = fn, .data = data };
	int err = host_each_kernel_symbol(fn, data);

	if (err)
		err = host_each_kernel_text(fn, data);
	if (!err)
		walk_modules(&walk);
	return err;
}

/**
 * host_each_text() - go through the text of the kernel and its modules, for who asks for no names
 * @fn: called for each place that has a symbol, once for those of the kernel, with NULL for its name;
 *	and for each symbol of modules, as by host_each_symbol(); may not sleep
 * @data: passed to @fn
 *
 * The kernel keeps names in a compressed form: what takes longest in a walk is to expand them.
 *
 * Context: as host_each_symbol().
 * Return: as host_each_symbol().
 */
int host_each_text(host_symbol_fn fn, void *data)
{
	const struct symbol_walk walk = { .fn = fn, .data = data };
	int err;

	might_sleep();
	err = walk_kernel_text(&walk, false);
	if (!err)
		walk_modules(&walk);
	return err;
}

/**
 * host_symbol_is_text() - is a symbol from host_each_symbol() text that is not init text
 * @mod: its module; NULL: the kernel
 * @addr: its address
 *
 * Context: any but NMI.
 */
bool host_symbol_is_text(const struct module *mod, unsigned long addr)
{
	return is_text(mod, addr) && !(mod && within_module_init(addr, mod));
}

static void note_in_index(struct host_names *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++)
		host_index_each(names->entries[i].function, note_in_kernel, &names->entries[i]);
}

/* What is not known here the kernel may have nevertheless. */
static unsigned int note_known(struct host_names *names)
{
	unsigned int i, unknown = 0;

	for (i = 0; i < names->nr; i++) {
		struct name_entry *entry = &names->entries[i];

		if (!asks_about(entry, NULL))
			continue;
		entry->ordered = text_symbols_each(entry->function, note_in_kernel, entry);
		entry->unsure |= !entry->ordered;
		unknown += !entry->ordered;
	}
	return unknown;
}

static void forget_known(struct host_names *names)
{
	unsigned int i;

	for (i = 0; i < names->nr; i++) {
		names->entries[i].found = 0;
		names->entries[i].candidates = 0;
		names->entries[i].unsure = false;
		names->entries[i].ordered = false;
	}
}

/**
 * host_names_resolve() - look all of them up
 * @names: the list, complete; or NULL
 *
 * Context: process context, sleeps. The results stay valid only while no module is
 * unloaded: the caller blocks its module notifier until they have been used.
 */
void host_names_resolve(struct host_names *names)
{
	const struct symbol_walk modules = {
		.fn = note_symbol, .wants = asks_about_any, .data = names,
	};

	if (!names)
		return;
	if (host_index_is_whole()) {
		note_in_index(names);
	} else if (!text_symbols_have_names() || note_known(names) >= MANY_IF_SORTED) {
		forget_known(names);
		host_each_symbol(note_symbol, names);
		return;
	}
	walk_modules(&modules);
}

static const struct name_entry *find_in_turn(struct host_names *names, const char *name)
{
	const struct name_entry *entry = &names->entries[names->next];

	if (names->next == names->nr || entry->name != name)
		return find(names, name, head_of(names, function_of(name)));
	names->next++;
	return entry;
}

/**
 * host_names_find() - get the result for a name
 * @names: the list, after host_names_resolve()
 * @query: as for host_resolve()
 *
 * Return: false if host_resolve() must be used: no symbol has that name, or several whose order is not
 * known, or the entry is unsure.
 */
bool host_names_find(struct host_names *names, struct host_name *query)
{
	const struct name_entry *entry = find_in_turn(names, query->name);

	if (!entry || entry->unsure || (entry->found != 1 && !entry->ordered))
		return false;
	query->addr = entry->addr;
	query->candidates = entry->candidates;
	return true;
}
