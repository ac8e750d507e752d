// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds functions by pattern, by name or by address.
 *
 * With a function tracer these are the functions that it can trace.  Without one they
 * are the symbols that look like functions that are called.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "core.h"

/*
 * How compilers align all functions.  For size some align none, whatever they are told.  Where all
 * instructions have the same size they align some less.
 */
#if defined(CONFIG_FUNCTION_ALIGNMENT) && CONFIG_FUNCTION_ALIGNMENT > 0 && !defined(CONFIG_CC_OPTIMIZE_FOR_SIZE)
#define FUNCTION_ALIGN	CONFIG_FUNCTION_ALIGNMENT
#else
#define FUNCTION_ALIGN	(ARCH_INSN_SIZE ?: IS_ENABLED(CONFIG_CC_OPTIMIZE_FOR_SIZE) ? 1 : 16)
#endif

/* ---- sets ---- */

/* A client may ask for more than there can be. */
static int alloc_set(struct function_set *set, unsigned int max)
{
	*set = (struct function_set){ .max = max };
	set->addrs = inject_failure() ? NULL :
		     kvmalloc_array(max, sizeof(*set->addrs), GFP_KERNEL | __GFP_NOWARN);
	return set->addrs ? 0 : -ENOMEM;
}

static void add(struct function_set *set, unsigned long addr)
{
	if (set->nr < set->max)
		set->addrs[set->nr] = addr;
	set->nr++;
}

/* Those of the kernel come first, in order, and those of modules mostly lie behind. */
static void sort_values(unsigned long *values, unsigned int nr)
{
	unsigned int sorted = 1;

	while (sorted < nr && values[sorted] >= values[sorted - 1])
		sorted++;
	if (sorted >= nr)
		return;
	sort(values + sorted, nr - sorted, sizeof(*values), host_by_value, NULL);
	if (values[sorted] < values[sorted - 1])
		sort(values, nr, sizeof(*values), host_by_value, NULL);
}

/* A function may have several names: sorts the set and drops duplicates. */
static void sort_set(struct function_set *set)
{
	unsigned int i, kept = 0;

	sort_values(set->addrs, set->nr);
	for (i = 0; i < set->nr; i++)
		if (!kept || set->addrs[i] != set->addrs[kept - 1])
			set->addrs[kept++] = set->addrs[i];
	set->nr = kept;
}

/* The set is sorted. */
static void drop_range(void *data, unsigned long start, unsigned long end)
{
	struct function_set *set = data;
	unsigned int from = host_first_from(set->addrs, set->nr, start);
	unsigned int to = host_first_from(set->addrs, set->nr, end);

	if (from == to)
		return;
	memmove(&set->addrs[from], &set->addrs[to], (set->nr - to) * sizeof(*set->addrs));
	set->nr -= to - from;
}

/*
 * A probe on its own handler would be hit by each hit, and miss that: "*" on a kernel without a tracer
 * has functions that are not for tracers, too.
 */
static void drop_function(struct function_set *set, unsigned long addr)
{
	unsigned long start, size;

	if (addr && host_symbol_bounds(addr, &start, &size))
		drop_range(set, start, start + size);
}

/**
 * functions_free() - free what is in a set
 * @set: the set; may be empty
 */
void functions_free(struct function_set *set)
{
	kvfree(set->addrs);
	*set = (struct function_set){ };
}

/* ---- from a function to the place of its probe ---- */

/*
 * Within host_sites_lock().  What is in the range may be the next function's, as small functions of ppc64
 * lie close together: which one is this function's the tracer is asked by its address.
 */
static unsigned long traced_site(unsigned long addr)
{
	/* Of most that have none that is told sooner. */
	return host_site_within(addr, addr + ARCH_FTRACE_SITE_BEHIND + 1) ? host_site_at(addr) : 0;
}

/* Is it the site that this kernel's tracer has for the function, even if that can't call us there? */
static bool is_site_of(unsigned long addr, unsigned long start)
{
	return addr - start <= ARCH_FTRACE_SITE_BEHIND && host_ftrace_location(addr) == addr;
}

/* An address that does not stand for a function is left for address_find() to judge. */
static unsigned long untraced_site(unsigned long addr)
{
	unsigned long start, size;

	if (!host_symbol_bounds(addr, &start, &size) ||
	    (start != addr && !is_site_of(addr, start)))
		return addr;
	return arch_entry_address(start);
}

/*
 * Handlers may be told where a kprobe on the entry is, which is behind a landing pad: it stands for the
 * function, too.
 */
static unsigned long start_of(unsigned long addr)
{
	unsigned long start, size;

	if (host_symbol_bounds(addr, &start, &size) && addr != start &&
	    addr - start <= ARCH_FTRACE_SITE_BEHIND && arch_entry_address(start) == addr)
		return start;
	return addr;
}

/*
 * @addr is a function's first byte, its entry behind a landing pad, or the place itself.  Returns 0 if
 * there is no place.  What is no text, or no more, is not read: it is left for address_find() to judge.
 */
static unsigned long site_of(unsigned long addr, bool is_text)
{
	unsigned long site;

	if (!host_has_tracer())
		return is_text ? untraced_site(addr) : addr;
	if (is_text)
		addr = start_of(addr);
	host_sites_lock();
	site = traced_site(addr);
	host_sites_unlock();
	return site;
}

/* The text is read, so its module may not go meanwhile.  Returns -ENOENT if it is going. */
static int find_site(unsigned long addr, unsigned long *site)
{
	struct module *mod;
	int err;

	mod = module_of_text(addr, &err);
	if (err)
		return err;
	*site = site_of(addr, text_is_there(mod, addr));
	module_put(mod);
	return 0;
}

/*
 * Without a tracer nothing marks functions.  Thunks, and parts of functions that are
 * jumped to, are not functions: in both the stack does not hold a return address of
 * their own.
 */
static bool looks_called(const char *name, unsigned long addr)
{
	return IS_ALIGNED(addr, FUNCTION_ALIGN) && !strstr(name, ".cold") &&
	       !str_has_prefix(name, "__x86_") && !str_has_prefix(name, "__SCT__") &&
	       !str_has_prefix(name, "__cfi_") && !str_has_prefix(name, "__pfx_");
}

static unsigned long site_of_symbol(const struct module *mod, const char *name,
				    unsigned long addr)
{
	if (mod == THIS_MODULE || !host_symbol_is_text(mod, addr))
		return 0;
	if (mod && !module_can_be_probed(mod))
		return 0;
	if (host_has_tracer())
		return traced_site(addr);
	/* The place is found after the walk, in which nothing may sleep. */
	return looks_called(name, addr) ? addr : 0;
}

/* ---- patterns ---- */

/* A pattern that ends at a comma: "*" stands for any characters, "?" for one. */
static bool matches_one(const char *pattern, const char *end, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			if (star == end)
				return true;
			retry = name;
		} else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

/* Which of the patterns a name matches, a bit each; the last bit stands for all behind it. */
static u64 matches(const char *patterns, const char *name)
{
	unsigned int bit = 0;
	const char *end;
	u64 found = 0;

	for (;; patterns = end + 1) {
		end = strchrnul(patterns, ',');
		if (end > patterns && matches_one(patterns, end, name))
			found |= BIT_ULL(bit);
		if (!*end)
			return found;
		if (bit < 63)
			bit++;
	}
}

/* A name that was mistyped, or is not in this kernel, in a list in which others were found. */
static void report_unmatched(const char *patterns, u64 found)
{
	unsigned int bit;
	const char *end;

	for (bit = 0; bit < 63; bit++, patterns = end + 1) {
		end = strchrnul(patterns, ',');
		if (end > patterns && !(found & BIT_ULL(bit)))
			pr_warn("fprobe: no function that can be probed matches %.*s, which is left out\n",
				(int)(end - patterns), patterns);
		if (!*end)
			return;
	}
}

/**
 * struct function_search - a search by patterns, and its result
 * @set: the functions found
 * @filter: the patterns
 * @notfilter: patterns of functions to leave out; or NULL
 * @found: which patterns of @filter match a function, as from matches()
 * @nr_not: how many of all functions match @notfilter
 */
struct function_search {
	struct function_set *set;
	const char *filter;
	const char *notfilter;
	u64 found;
	unsigned int nr_not;
};

static void consider(void *data, const struct module *mod, const char *name,
		     unsigned long addr)
{
	struct function_search *search = data;
	u64 wanted = name ? matches(search->filter, name) : ~0ull;
	bool unwanted = search->notfilter && matches(search->notfilter, name);
	unsigned long site;

	if (!wanted && !unwanted)
		return;
	site = site_of_symbol(mod, name, addr);
	if (!site)
		return;
	search->nr_not += unwanted;
	search->found |= wanted;
	if (wanted && !unwanted)
		add(search->set, site);
}

/* Then no name has to be expanded.  Without a tracer names tell what is no function. */
static bool wants_all(const struct function_search *search)
{
	return !strcmp(search->filter, "*") && !search->notfilter && host_has_tracer();
}

/* By names, too, if the text has a place of which the kernel knows no bounds. */
static int consider_all(struct function_search *search)
{
	if (wants_all(search) && !host_each_text(consider, search))
		return 0;
	search->set->nr = 0;
	return host_each_symbol(consider, search);
}

/* More than most kernels have, as a walk takes long. */
#define FIRST_GUESS	65536

/*
 * Nothing can be allocated during the walk: if the set is too small, walk again.  For the tests it
 * can be.
 */
static int search_all(struct function_search *search)
{
	unsigned int max = inject_failure() ? 1 : FIRST_GUESS;
	int err;

	for (;;) {
		err = alloc_set(search->set, max);
		if (err)
			return err;
		search->nr_not = 0;
		host_sites_lock();
		err = consider_all(search);
		host_sites_unlock();
		if (err || search->set->nr <= max)
			return err;
		max = search->set->nr;
		functions_free(search->set);
	}
}

/* A set stays as long as its fprobe.  Without memory it is larger than it need be. */
static void trim(struct function_set *set)
{
	struct function_set trimmed;

	if (set->nr == set->max || alloc_set(&trimmed, set->nr))
		return;
	memcpy(trimmed.addrs, set->addrs, set->nr * sizeof(*set->addrs));
	trimmed.nr = set->nr;
	functions_free(set);
	*set = trimmed;
}

/* Leaves out what has gone since. */
static void find_untraced_sites(struct function_set *set)
{
	unsigned int i, kept = 0;
	unsigned long site;

	for (i = 0; i < set->nr; i++)
		if (!find_site(set->addrs[i], &site) && site)
			set->addrs[kept++] = site;
	set->nr = kept;
}

/**
 * functions_matching() - find functions by patterns
 * @set: filled in; to be freed with functions_free(), also on error
 * @filter: patterns with "*" and "?", with commas between them
 * @notfilter: patterns of functions to leave out, or NULL
 * @handlers: two functions to leave out, or 0
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -EINVAL if none is left, or @notfilter matches none; -ENOMEM;
 * -EOPNOTSUPP if this kernel does not list its symbols.
 */
int functions_matching(struct function_set *set, const char *filter, const char *notfilter,
		       const unsigned long handlers[2], const char **why)
{
	struct function_search search = {
		.set = set, .filter = filter, .notfilter = notfilter,
	};
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	err = search_all(&search);
	*why = "out of memory";
	if (err == -ENOMEM)
		return err;
	*why = "patterns need a list of symbols, which this kernel lacks";
	if (err)
		return err;
	*why = "notfilter matches no function";
	if (notfilter && !search.nr_not)
		return -EINVAL;
	*why = "filter matches no function";
	if (!set->nr)
		return -EINVAL;
	report_unmatched(filter, search.found);
	if (!host_has_tracer())
		find_untraced_sites(set);
	sort_set(set);
	/* Without a tracer each function has a kprobe, of which one may be refused. */
	if (host_has_tracer())
		blacklist_each_for_calls(drop_range, set);
	drop_function(set, handlers[0]);
	drop_function(set, handlers[1]);
	*why = "none of the functions can be probed";
	if (!set->nr)
		return -EINVAL;
	trim(set);
	return 0;
}

/* ---- names and addresses ---- */

static int add_address(struct function_set *set, unsigned long addr, const char **why)
{
	unsigned long site;
	int err;

	*why = module_of_text_none;
	err = find_site(addr, &site);
	if (err)
		return err;
	*why = "not the entry of a traceable function";
	if (!site)
		return -EINVAL;
	*why = host_has_tracer() ? blacklist_reason_for_calls(site) : NULL;
	if (*why) {
		pr_info("can't probe %pS: %s (error %d)\n", (void *)site, *why, -EINVAL);
		return -EINVAL;
	}
	add(set, site);
	return 0;
}

static int add_named(struct function_set *set, struct host_names *names, const char *name,
		     const char **why)
{
	struct host_name query = { .name = name };

	if (!names || !host_names_find(names, &query))
		host_resolve(&query);
	*why = "no such symbol";
	if (!query.addr)
		return -ENOENT;
	return add_address(set, query.addr, why);
}

static struct host_names *look_up(const char **syms, int num)
{
	struct host_names *names = host_names_new(num);
	int i;

	for (i = 0; names && i < num; i++)
		host_names_add(names, syms[i]);
	host_names_resolve(names);
	return names;
}

/**
 * functions_named() - find functions by their names
 * @set: filled in; to be freed with functions_free(), also on error
 * @syms: the names, as register_kprobe() takes them; none is NULL
 * @num: how many
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -ENOENT if a name is not found; -EINVAL if a function can't be traced, or must not;
 * -ENOMEM.
 */
int functions_named(struct function_set *set, const char **syms, int num, const char **why)
{
	struct host_names *names;
	int i, err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	*why = "out of memory";
	err = alloc_set(set, num);
	if (err)
		return err;
	names = look_up(syms, num);
	for (i = 0; i < num && !err; i++)
		err = add_named(set, names, syms[i], why);
	host_names_free(names);
	if (!err)
		sort_set(set);
	return err;
}

/**
 * functions_at() - find functions by their addresses
 * @set: filled in; to be freed with functions_free(), also on error
 * @addrs: their first bytes, or where their probes go
 * @num: how many
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -EINVAL if one can't be traced, or must not; -ENOMEM.
 */
int functions_at(struct function_set *set, const unsigned long *addrs, int num,
		 const char **why)
{
	int i, err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	*why = "out of memory";
	err = alloc_set(set, num);
	for (i = 0; i < num && !err; i++)
		err = add_address(set, addrs[i], why);
	if (!err)
		sort_set(set);
	return err;
}

/* Returns 0 if the site does not belong to an entry, or its module goes. */
static unsigned long entry_of_site(unsigned long site)
{
	unsigned long start, size, entry = 0;
	struct module *mod;
	int err;

	if (ARCH_ENTRY_AT_SITE)
		return site;
	mod = module_of_text(site, &err);
	if (err)
		return 0;
	if (text_is_there(mod, site) && host_symbol_bounds(site, &start, &size) &&
	    site - start <= ARCH_FTRACE_SITE_BEHIND)
		entry = arch_entry_address(start);
	module_put(mod);
	return entry;
}

/**
 * functions_entries() - the entries of functions that are given by sites of the tracer
 * @entries: filled in; to be freed with functions_free(), but for an error
 * @sites: the sites
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0; -EINVAL if one has none, or one that can't be probed; -ENOMEM.
 */
int functions_entries(struct function_set *entries, const struct function_set *sites,
		      const char **why)
{
	unsigned long entry;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	*why = "out of memory";
	if (alloc_set(entries, sites->nr))
		return -ENOMEM;
	*why = "not the entry of a traceable function";
	for (i = 0; i < sites->nr; i++) {
		entry = entry_of_site(sites->addrs[i]);
		/* Else the others would be armed before it is found that this one can't be. */
		if (!entry || blacklist_reason(entry) || host_foreign_probe(entry)) {
			functions_free(entries);
			return -EINVAL;
		}
		add(entries, entry);
	}
	return 0;
}
