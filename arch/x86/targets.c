// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every address in text that execution may come to by another way than from
 * the instruction before it: a bit for each byte of text.
 *
 * A text is gone through as a whole when its first probe point is judged. That
 * finds jumps from elsewhere, too, such as those of a function's cold part, and
 * makes each judgement after the first a matter of a few bits.
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
 * @targets: a bit for each byte
 */
struct text_map {
	struct list_head list;
	struct module *mod;
	struct host_area area;
	bool known;
	unsigned long *targets;
};

/* What goes on while a map is made. */
struct survey {
	struct text_map *map;
	u8 *bytes;
	size_t max;
	bool left_text;
	struct host_area thunks;
};

const char * const arch_jump_unknown = "there is no memory to go through that text";

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
	const struct survey *survey = data;
	struct host_symbol sym;

	return addr >= survey->thunks.start && addr < survey->thunks.end &&
	       host_symbol_at(addr, &sym) && !strncmp(sym.name, prefix, strlen(prefix));
}

/* The tracer's call is its own business, wherever it leads at the moment. */
static void hide_tracer(const struct survey *survey, unsigned long start, unsigned long size)
{
	unsigned long site = host_ftrace_location(start);
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (site && site - start + sizeof(nop) <= size)
		memcpy(survey->bytes + (site - start), nop, sizeof(nop));
}

/* There is no jump of ours in a text before there is a map of it: only traps are to be undone. */
static bool read_function(struct survey *survey, unsigned long start, unsigned long size)
{
	unsigned long i;

	if (size > survey->max)
		return false;
	memcpy(survey->bytes, (const void *)start, size);
	for (i = 0; i < size; i++) {
		struct probe_point *pt = survey->bytes[i] == X86_INT3 ? table_find(start + i) : NULL;

		if (pt)
			survey->bytes[i] = pt->arch.bytes[0];
	}
	hide_tracer(survey, start, size);
	return true;
}

static int mark_symbol(void *data, unsigned long addr)
{
	unsigned long start, size;

	if (host_symbol_bounds(addr, &start, &size))
		mark_all(data, start, size);
	return 0;
}

/*
 * Its cold part, or the function that it is the cold part of: each branches
 * into the other, who knows where to.
 */
static void mark_other_part(struct text_map *map, unsigned long addr)
{
	static const char cold[] = ".cold";
	struct host_symbol sym;
	char *at;

	if (!host_symbol_at(addr, &sym))
		return;
	at = strstr(sym.name, cold);
	if (at)
		*at = '\0';
	else
		strlcat(sym.name, cold, sizeof(sym.name));
	host_each_named(sym.name, mark_symbol, map);
}

static void survey_function(struct survey *survey, unsigned long start, unsigned long size)
{
	const struct reach_scan scan = {
		.data = survey,
		.target = on_target,
		.base = on_base,
		.is_indirect_thunk = is_indirect_thunk,
	};

	survey->left_text = false;
	if (read_function(survey, start, size) && reach_scan(&scan, survey->bytes, size, start) &&
	    !survey->left_text)
		return;
	mark_all(survey->map, start, size);
	mark_other_part(survey->map, start);
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
		survey_function(survey, addr, min(size, survey->map->area.end - addr));
		addr += size;
		cond_resched_tasks_rcu_qs();
	}
}

#define MAX_FUNCTION	SZ_256K

static bool survey_text(struct text_map *map)
{
	struct survey survey = { .map = map, .max = MAX_FUNCTION };

	survey.bytes = inject_failure() ? NULL : kvmalloc(survey.max, GFP_KERNEL);
	if (!survey.bytes)
		return false;
	survey.thunks.start = host_lookup("__indirect_thunk_start");
	survey.thunks.end = host_lookup("__indirect_thunk_end");
	survey_functions(&survey);
	kvfree(survey.bytes);
	return true;
}

static void free_map(struct text_map *map)
{
	list_del(&map->list);
	kvfree(map->targets);
	kfree(map);
}

static struct text_map *new_map(struct module *mod)
{
	struct text_map *map = inject_failure() ? NULL : kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	INIT_LIST_HEAD(&map->list);
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
	if (!survey_text(map)) {
		free_map(map);
		return NULL;
	}
	map->known = host_each_landing(mod, mark, map);
	if (!map->known)
		pr_info("kernel tables not found, so branch targets are unknown: its probes stay traps\n");
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
 * Return: NULL, or why nothing is known about it.
 */
const char *x86_targets_know(unsigned long addr, struct module *mod)
{
	struct text_map *map = map_of_module(mod) ?: make_map(mod);

	if (!map)
		return arch_jump_unknown;
	if (!in_map(map, addr))
		return "it is in init text";
	return map->known ? NULL : "the kernel hides where its tables are";
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
