// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that the kernel itself patches at run time, or reads when it traps.
 */
#include <linux/bug.h>
#include <linux/elf.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"
#include "named.h"

/*
 * The kernel image's jump labels, static calls and BUGs, sorted by address.  The
 * kernel's own functions walk over all of them for each query.  Those of the
 * image never change; those of modules do, and are searched at each query.
 */
struct site_index {
	unsigned long *sites;
	unsigned int nr;
};

static struct site_index jump_labels, static_calls, bugs;

/* The kernel's lock for its table of static calls; or NULL. */
static struct mutex *static_calls_mutex;

/**
 * host_by_value() - for sort(): unsigned longs, or pointers, the smallest first
 * @a: address of one
 * @b: address of another
 *
 * Context: any.
 * Return: less than, equal to or greater than 0, as the first is than the second
 */
int host_by_value(const void *a, const void *b)
{
	unsigned long va = *(const unsigned long *)a, vb = *(const unsigned long *)b;

	return va < vb ? -1 : va > vb;
}

static __maybe_unused int alloc_index(struct site_index *index, unsigned int max)
{
	if (!max)
		return 0;
	index->sites = inject_failure() ? NULL :
		       kvmalloc_array(max, sizeof(*index->sites), GFP_KERNEL);
	return index->sites ? 0 : -ENOMEM;
}

static __maybe_unused void sort_index(struct site_index *index)
{
	sort(index->sites, index->nr, sizeof(*index->sites), host_by_value, NULL);
}

static void free_index(struct site_index *index)
{
	kvfree(index->sites);
	*index = (struct site_index){ };
}

/* Is there a site from first to last, both inclusive? */
static bool index_has(const struct site_index *index, unsigned long first, unsigned long last)
{
	unsigned int i = host_first_from(index->sites, index->nr, first);

	return i < index->nr && index->sites[i] <= last;
}

/* The table between two symbols; 0 entries if the kernel's symbol table lacks them. */
static __maybe_unused void *find_table(const char *start, const char *stop, size_t entry, unsigned int *nr)
{
	unsigned long from = host_lookup(start), to = host_lookup(stop);

	*nr = from && from < to ? (to - from) / entry : 0;
	return (void *)from;
}

typedef bool (*module_has_fn)(const struct module *mod, unsigned long start, unsigned long last);

static bool owning_module_has(module_has_fn has, unsigned long start, unsigned long last)
{
	const struct module *mod;
	bool found;

	preempt_disable();
	mod = import___module_text_address(start);
	found = mod && has(mod, start, last);
	preempt_enable();
	return found;
}

/* ---- jump labels ---- */

/**
 * host_jump_labels_lock() - exclude that the kernel sorts the jump labels of a module that comes
 *
 * Context: process context, sleeps.
 */
void host_jump_labels_lock(void)
{
	might_sleep();
	if (import_has(jump_label_lock))
		import_jump_label_lock();
}

/**
 * host_jump_labels_unlock() - undo host_jump_labels_lock()
 */
void host_jump_labels_unlock(void)
{
	if (import_has(jump_label_unlock))
		import_jump_label_unlock();
}

#ifdef CONFIG_JUMP_LABEL

static int index_jump_labels(void)
{
	const struct jump_entry *entry;
	unsigned int nr;

	entry = find_table("__start___jump_table", "__stop___jump_table", sizeof(*entry), &nr);
	if (alloc_index(&jump_labels, nr))
		return -ENOMEM;
	for (; nr--; entry++)
		jump_labels.sites[jump_labels.nr++] = jump_entry_code(entry);
	sort_index(&jump_labels);
	return 0;
}

static bool module_has_jump_label(const struct module *mod, unsigned long start,
				  unsigned long last)
{
	unsigned int i;

	for (i = 0; i < mod->num_jump_entries; i++) {
		unsigned long site = jump_entry_code(&mod->jump_entries[i]);

		if (site >= start && site <= last)
			return true;
	}
	return false;
}

#else

static int index_jump_labels(void)
{
	return 0;
}

static bool module_has_jump_label(const struct module *mod, unsigned long start,
				  unsigned long last)
{
	return false;
}

#endif

/*
 * As in the kernel's functions, the last byte is inclusive, in these helpers only.
 * Queried ranges and owned ranges are both whole instructions.
 */
static bool jump_label_owns(unsigned long start, unsigned long last)
{
	bool owns;

	if (jump_labels.nr && host_core_text(start))
		return index_has(&jump_labels, start, last);
	if (!jump_labels.nr && !import_has(jump_label_text_reserved))
		return false;
	host_jump_labels_lock();
	owns = jump_labels.nr ? owning_module_has(module_has_jump_label, start, last) :
				import_jump_label_text_reserved((void *)start, (void *)last);
	host_jump_labels_unlock();
	return owns;
}

/* ---- static calls ---- */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE

static unsigned long site_address(const struct static_call_site *site)
{
	return (unsigned long)&site->addr + site->addr;
}

/* Sites in init text are left out: that memory may have been reused. */
static int index_static_calls(void)
{
	const struct static_call_site *site;
	unsigned int nr;

	site = find_table("__start_static_call_sites", "__stop_static_call_sites",
			    sizeof(*site), &nr);
	if (alloc_index(&static_calls, nr))
		return -ENOMEM;
	for (; nr--; site++)
		if (!(((unsigned long)&site->key + site->key) & STATIC_CALL_SITE_INIT))
			static_calls.sites[static_calls.nr++] = site_address(site);
	sort_index(&static_calls);
	return 0;
}

static bool module_has_static_call(const struct module *mod, unsigned long start,
				   unsigned long last)
{
	int i;

	for (i = 0; i < mod->num_static_call_sites; i++) {
		unsigned long site = site_address(&mod->static_call_sites[i]);

		if (site > start - ARCH_STATIC_CALL_SIZE && site <= last)
			return true;
	}
	return false;
}

#else

static int index_static_calls(void)
{
	return 0;
}

static bool module_has_static_call(const struct module *mod, unsigned long start,
				   unsigned long last)
{
	return false;
}

#endif

/* The kernel sorts those of a module that comes. */
static bool static_call_in_module(unsigned long start, unsigned long last)
{
	bool owns;

	if (static_calls_mutex)
		mutex_lock(static_calls_mutex);
	owns = owning_module_has(module_has_static_call, start, last);
	if (static_calls_mutex)
		mutex_unlock(static_calls_mutex);
	return owns;
}

static bool static_call_owns(unsigned long start, unsigned long last)
{
	if (static_calls.nr && host_core_text(start))
		return index_has(&static_calls, start - ARCH_STATIC_CALL_SIZE + 1, last);
	if (static_calls.nr)
		return static_call_in_module(start, last);

	return import_has(static_call_text_reserved) &&
	       import_static_call_text_reserved((void *)start, (void *)last);
}

/* ---- BUG() and WARN() ---- */

#ifdef CONFIG_GENERIC_BUG

static unsigned long bug_address(const struct bug_entry *bug)
{
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

static int index_bugs(void)
{
	const struct bug_entry *bug;
	unsigned int nr;

	bug = find_table("__start___bug_table", "__stop___bug_table", sizeof(*bug), &nr);
	if (alloc_index(&bugs, nr))
		return -ENOMEM;
	for (; nr--; bug++)
		if (!arch_bug_is_elsewhere(bug))
			bugs.sites[bugs.nr++] = bug_address(bug);
	sort_index(&bugs);
	return 0;
}

static bool module_has_bug(const struct module *mod, unsigned long start, unsigned long last)
{
	unsigned int i;

	for (i = 0; i < mod->num_bugs; i++)
		if (bug_address(&mod->bug_table[i]) == start &&
		    !arch_bug_is_elsewhere(&mod->bug_table[i]))
			return true;
	return false;
}

#else

static int index_bugs(void)
{
	return 0;
}

static bool module_has_bug(const struct module *mod, unsigned long start, unsigned long last)
{
	return false;
}

#endif

static bool found_bug_owns(unsigned long start)
{
#ifdef CONFIG_GENERIC_BUG
	const struct bug_entry *bug = import_has(find_bug) ? import_find_bug(start) : NULL;

	return bug && !arch_bug_is_elsewhere(bug);
#else
	return false;
#endif
}

static bool bug_owns(unsigned long start)
{
	if (bugs.nr)
		return index_has(&bugs, start, start) ||
		       owning_module_has(module_has_bug, start, start);
	return found_bug_owns(start);
}

/* ---- alternatives, symbols ---- */

static bool alternatives_own(unsigned long start, unsigned long last)
{
	bool owns;

	if (!import_has(alternatives_text_reserved))
		return false;
	host_text_lock();
	owns = import_alternatives_text_reserved((void *)start, (void *)last);
	host_text_unlock();
	return owns;
}

/* ---- the function tracer ---- */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS

static bool is_site(unsigned long addr)
{
	return host_ftrace_location(addr) == addr;
}

/*
 * A word before each function points to the ops that its site calls.  It is aligned,
 * so the site may be one instruction farther away.
 */
static bool tracer_reads(unsigned long start)
{
	unsigned long site = ALIGN_DOWN(start, sizeof(void *)) + ARCH_OPS_TO_SITE;

	return is_site(site) || is_site(site + ARCH_FTRACE_SITE_SIZE);
}

#else

static bool tracer_reads(unsigned long start)
{
	return false;
}

#endif

/* ---- operands in live patches ---- */

#ifdef CONFIG_LIVEPATCH

/* The largest operand; on powerpc the word behind a call is written, too. */
#define LATE_SIZE	8

static bool is_written_late(const struct klp_modinfo *info, const Elf_Shdr *rela,
			    unsigned long start, unsigned long last)
{
	unsigned long section = info->sechdrs[rela->sh_info].sh_addr;
	const Elf_Rela *at = (const Elf_Rela *)rela->sh_addr;
	unsigned int nr = rela->sh_size / sizeof(*at);

	for (; nr--; at++) {
		unsigned long operand = section + at->r_offset;

		if (operand <= last && operand + LATE_SIZE > start)
			return true;
	}
	return false;
}

/*
 * The kernel writes them each time that the module which they refer to is loaded, and expects the
 * bytes that it has left there: a copy of ours would be out of date, and a jump over them would
 * keep that module from loading.  Operands that refer to the kernel are written before there is
 * a symbol of the module; what of the module's tables is not there yet is not known.
 */
static bool module_has_late_operand(const struct module *mod, unsigned long start,
				    unsigned long last)
{
	const struct klp_modinfo *info = READ_ONCE(mod->klp_info);
	unsigned int i;

	if (!is_livepatch_module((struct module *)mod))
		return false;
	if (!info)
		return true;
	for (i = 0; i < info->hdr.e_shnum; i++) {
		const Elf_Shdr *rela = &info->sechdrs[i];

		if ((rela->sh_flags & SHF_RELA_LIVEPATCH) &&
		    !str_has_prefix(info->secstrings + rela->sh_name, ".klp.rela.vmlinux.") &&
		    is_written_late(info, rela, start, last))
			return true;
	}
	return false;
}

#else

static bool module_has_late_operand(const struct module *mod, unsigned long start,
				    unsigned long last)
{
	return false;
}

#endif

/**
 * host_patched() - does the kernel patch this text, or read it when it traps
 * @start: first byte, of an instruction
 * @end: behind the last byte
 *
 * Context: process context, sleeps; the caller keeps the module that the text
 * belongs to from being unloaded.
 * Return: a complete phrase that names the owner; NULL if there is none.
 */
const char *host_patched(unsigned long start, unsigned long end)
{
	unsigned long last = end - 1;

	might_sleep();
	if (jump_label_owns(start, last))
		return "jump label, which the kernel patches";
	if (static_call_owns(start, last))
		return "static call, which the kernel patches";
	if (alternatives_own(start, last))
		return "alternative that is patched when CPUs come and go";
	if (bug_owns(start))
		return "BUG or WARN site, which the kernel looks up by address";
	if (tracer_reads(start))
		return "word before a function that the function tracer reads";
	if (owning_module_has(module_has_late_operand, start, last))
		return "operand that is written when the module that a live patch changes is loaded";
	return NULL;
}

/**
 * host_reserved() - does this text have another owner
 * @start: first byte, of an instruction
 * @end: behind the last byte
 *
 * As host_patched(), and also for text that is not a function.
 *
 * Context: process context, sleeps; the caller keeps the module that the text
 * belongs to from being unloaded.
 * Return: a complete phrase that names the owner; NULL if there is none.
 */
const char *host_reserved(unsigned long start, unsigned long end)
{
	return host_patched(start, end) ?: host_name_owner(start);
}

/**
 * host_reserved_init() - build the indexes of the kernel image's sites
 *
 * Context: process context, sleeps.
 * Return: 0 or -ENOMEM.
 */
int host_reserved_init(void)
{
	int err;

	might_sleep();
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		static_calls_mutex = (struct mutex *)host_lookup("static_call_mutex");
	err = index_jump_labels() ?: index_static_calls() ?: index_bugs();
	if (err)
		host_reserved_exit();
	return err;
}

/**
 * host_reserved_exit() - free the indexes
 */
void host_reserved_exit(void)
{
	free_index(&jump_labels);
	free_index(&static_calls);
	free_index(&bugs);
}

/**
 * host_exception_entry() - the exception table's entry for an instruction
 * @addr: its address
 *
 * Context: any; the caller keeps the module that @addr belongs to from being unloaded
 * while the entry is used.
 * Return: the entry, NULL if there is none.
 */
const struct exception_table_entry *host_exception_entry(unsigned long addr)
{
	return import_search_exception_tables(addr);
}

/**
 * host_core_text() - is an address in the kernel image's text
 * @addr: any address
 */
bool host_core_text(unsigned long addr)
{
	return import_core_kernel_text(addr);
}
