// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every address in text that execution may come to by another way than from
 * the instruction before it: a bit for each byte of text.
 *
 * A text is gone through as a whole when its first probe point is judged. That
 * finds jumps from elsewhere, too, such as those of a function's cold part, and
 * makes each judgement after the first a matter of a few bits.
 *
 * A function with an instruction that is not known, as somebody else's breakpoint
 * is on it, may branch to anywhere in itself and in its cold part.  None of its
 * branches count until it can be read as a whole: it is tried again each time that
 * a place there is to be judged.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../core/core.h"
#include "../../host/inject.h"
#include "detour.h"

/**
 * struct text_map - what is known of a text
 * @list: all maps
 * @mod: whose text it is; NULL: the kernel image's
 * @area: where it is
 * @known: all of its bits are right; else nothing there can be judged
 * @thunks: where the kernel has those of indirect branches
 * @hidden: where functions that could not be read may branch to, struct hidden_range
 * @targets: a bit for each byte
 */
struct text_map {
	struct list_head list;
	struct module *mod;
	struct host_area area;
	bool known;
	struct host_area thunks;
	struct list_head hidden;
	unsigned long *targets;
};

/**
 * struct hidden_range - text that a function which could not be read may branch to
 * @list: all of a map
 * @area: where it is
 * @function: the function
 */
struct hidden_range {
	struct list_head list;
	struct host_area area;
	struct host_area function;
};

/* What goes on while functions are gone through. */
struct survey {
	struct text_map *map;
	u8 *bytes;
	size_t max;
	bool left_text;
	bool failed;
	struct host_area function;
};

const char * const arch_jump_unknown = "no memory to scan the text for branch targets";

static LIST_HEAD(maps);

static struct text_map *map_of(unsigned long addr)
{
	struct text_map *map;

	list_for_each_entry(map, &maps, list)
		if (addr >= map->area.start && addr < map->area.end)
			return map;
	return NULL;
}

static bool in_map(const struct text_map *map, unsigned long addr)
{
	return addr >= map->area.start && addr < map->area.end;
}

/* ---- one function ---- */

static void mark(void *data, unsigned long addr)
{
	struct text_map *map = data;

	if (in_map(map, addr))
		__set_bit(addr - map->area.start, map->targets);
}

static void mark_all(struct text_map *map, unsigned long start, unsigned long size)
{
	if (in_map(map, start))
		bitmap_set(map->targets, start - map->area.start,
			   min(size, map->area.end - start));
}

static void on_target(void *data, u64 addr)
{
	struct survey *survey = data;

	if (in_map(survey->map, addr))
		mark(survey->map, addr);
	else if (!survey->left_text)
		survey->left_text = host_outside_all_text(addr);
}

/* A jump goes to somewhere behind this address: if that is another function, to anywhere in it. */
static void on_base(void *data, u64 addr)
{
	struct survey *survey = data;
	unsigned long start, size;

	if (in_map(survey->map, addr) && host_symbol_bounds(addr, &start, &size) && start != addr)
		mark_all(survey->map, start, size);
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	static const char prefix[] = "__x86_indirect";
	const struct text_map *map = ((const struct survey *)data)->map;
	struct host_symbol sym;

	return addr >= map->thunks.start && addr < map->thunks.end &&
	       host_symbol_at(addr, &sym) && !strncmp(sym.name, prefix, strlen(prefix));
}

static void mark_whole(struct survey *survey, unsigned long start, unsigned long size)
{
	mark_all(survey->map, start, size);
}

static void hide(struct survey *survey, unsigned long start, unsigned long size)
{
	struct hidden_range *hidden = inject_failure() ? NULL :
				      kmalloc(sizeof(*hidden), GFP_KERNEL);

	if (!hidden) {
		survey->failed = true;
		return;
	}
	hidden->area = (struct host_area){ start, start + size };
	hidden->function = survey->function;
	list_add(&hidden->list, &survey->map->hidden);
}

typedef void (*part_fn)(struct survey *survey, unsigned long start, unsigned long size);

struct parts {
	struct survey *survey;
	part_fn fn;
};

static int do_symbol(void *data, unsigned long addr)
{
	const struct parts *parts = data;
	unsigned long start, size;

	if (host_symbol_bounds(addr, &start, &size))
		parts->fn(parts->survey, start, size);
	return 0;
}

/*
 * For a function, and for its cold part, or the function that it is the cold part
 * of: each branches into the other, who knows where to.
 */
static void each_part(struct survey *survey, part_fn fn)
{
	static const char cold[] = ".cold";
	unsigned long start = survey->function.start;
	struct parts parts = { survey, fn };
	struct host_symbol sym;
	char *at;

	fn(survey, start, survey->function.end - start);
	if (!host_symbol_at(start, &sym))
		return;
	at = strstr(sym.name, cold);
	if (at)
		*at = '\0';
	else
		strlcat(sym.name, cold, sizeof(sym.name));
	host_each_named(sym.name, do_symbol, &parts);
}

static void scan_function(struct survey *survey)
{
	const struct reach_scan scan = {
		.data = survey,
		.target = on_target,
		.base = on_base,
		.is_indirect_thunk = is_indirect_thunk,
	};
	unsigned long start = survey->function.start;

	survey->left_text = false;
	if (!reach_scan(&scan, survey->bytes, survey->function.end - start, start) ||
	    survey->left_text)
		each_part(survey, mark_whole);
}

/* Returns false if it has to be tried again. */
static bool survey_function(struct survey *survey, unsigned long start, unsigned long size)
{
	survey->function = (struct host_area){ start, start + size };
	if (size > survey->max) {
		each_part(survey, mark_whole);
		return true;
	}
	if (!text_function(start, survey->bytes, size))
		return false;
	scan_function(survey);
	return true;
}

/* ---- a text ---- */

static void survey_functions(struct survey *survey)
{
	unsigned long addr = survey->map->area.start, start, size;

	while (addr < survey->map->area.end) {
		if (!host_symbol_bounds(addr, &start, &size) || !size) {
			mark_all(survey->map, addr, 1);
			addr++;
			continue;
		}
		size = start + size - addr;
		if (!survey_function(survey, addr, min(size, survey->map->area.end - addr)))
			each_part(survey, hide);
		addr += size;
		cond_resched_tasks_rcu_qs();
	}
}

#define MAX_FUNCTION	SZ_256K

static bool begin_survey(struct survey *survey, struct text_map *map, size_t max)
{
	*survey = (struct survey){ .map = map, .max = max };
	survey->bytes = inject_failure() ? NULL : kvmalloc(max, GFP_KERNEL);
	return survey->bytes;
}

static bool survey_text(struct text_map *map)
{
	struct survey survey;

	if (!begin_survey(&survey, map, MAX_FUNCTION))
		return false;
	map->thunks.start = host_lookup("__indirect_thunk_start");
	map->thunks.end = host_lookup("__indirect_thunk_end");
	survey_functions(&survey);
	kvfree(survey.bytes);
	return !survey.failed;
}

/* ---- what could not be read ---- */

static const struct hidden_range *find_hidden(const struct text_map *map, unsigned long addr)
{
	const struct hidden_range *hidden;

	list_for_each_entry(hidden, &map->hidden, list)
		if (addr >= hidden->area.start && addr < hidden->area.end)
			return hidden;
	return NULL;
}

static void free_hidden(struct text_map *map, unsigned long function)
{
	struct hidden_range *hidden, *next;

	list_for_each_entry_safe(hidden, next, &map->hidden, list) {
		if (function && hidden->function.start != function)
			continue;
		list_del(&hidden->list);
		kfree(hidden);
	}
}

/* Returns NULL if no function is left that might branch there unseen. */
static const char *look_again(struct text_map *map, unsigned long addr)
{
	const struct hidden_range *hidden;
	struct host_area function;
	struct survey survey;
	bool known;

	while ((hidden = find_hidden(map, addr))) {
		function = hidden->function;
		if (!begin_survey(&survey, map, function.end - function.start))
			return arch_jump_unknown;
		known = survey_function(&survey, function.start, survey.max);
		kvfree(survey.bytes);
		if (!known)
			return text_foreign;
		free_hidden(map, function.start);
	}
	return NULL;
}

/* ---- maps ---- */

static void free_map(struct text_map *map)
{
	list_del(&map->list);
	free_hidden(map, 0);
	kvfree(map->targets);
	kfree(map);
}

static struct text_map *new_map(struct module *mod)
{
	struct text_map *map = inject_failure() ? NULL : kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	INIT_LIST_HEAD(&map->list);
	INIT_LIST_HEAD(&map->hidden);
	map->mod = mod;
	if (host_text_area(mod, &map->area))
		map->targets = kvcalloc(BITS_TO_LONGS(map->area.end - map->area.start),
					sizeof(long), GFP_KERNEL);
	if (map->targets)
		return map;
	free_map(map);
	return NULL;
}

static struct text_map *make_map(struct module *mod)
{
	struct text_map *map = new_map(mod);

	if (!map)
		return NULL;
	map->known = host_each_landing(mod, mark, map);
	if (!map->known) {
		pr_info("kernel tables not found, so branch targets are unknown: its probes stay traps\n");
	} else if (!survey_text(map)) {
		free_map(map);
		return NULL;
	}
	list_add(&map->list, &maps);
	return map;
}

static struct text_map *map_of_module(const struct module *mod)
{
	struct text_map *map;

	list_for_each_entry(map, &maps, list)
		if (map->mod == mod)
			return map;
	return NULL;
}

/**
 * x86_targets_know() - see that the text at an address has been gone through
 * @addr: in text
 * @mod: whose text that is; NULL: the kernel image's
 *
 * Context: kprobe_mutex held, sleeps; the module may not vanish meanwhile.
 * Return: NULL, or why nothing is known about it; arch_jump_unknown and text_foreign
 * may pass.
 */
const char *x86_targets_know(unsigned long addr, struct module *mod)
{
	struct text_map *map = map_of_module(mod) ?: make_map(mod);

	if (!map)
		return arch_jump_unknown;
	if (!in_map(map, addr))
		return "in init text, which is freed after initialisation";
	if (!map->known)
		return "kernel tables not found, so branch targets are unknown";
	return look_again(map, addr);
}

/**
 * x86_targets_has() - may execution come there other than from the instruction before
 * @addr: in a text that x86_targets_know() has said NULL about
 *
 * Context: kprobe_mutex held.
 */
bool x86_targets_has(unsigned long addr)
{
	const struct text_map *map = map_of(addr);

	return !map || test_bit(addr - map->area.start, map->targets);
}

/**
 * x86_targets_forget() - a module goes
 * @mod: which
 *
 * Context: kprobe_mutex held.
 */
void x86_targets_forget(struct module *mod)
{
	struct text_map *map, *next;

	list_for_each_entry_safe(map, next, &maps, list)
		if (map->mod == mod)
			free_map(map);
}

/**
 * x86_targets_exit() - forget all
 */
void x86_targets_exit(void)
{
	while (!list_empty(&maps))
		free_map(list_first_entry(&maps, struct text_map, list));
}
