// SPDX-License-Identifier: GPL-2.0-only
/*
 * The branch targets in text: a bitmap with a bit for each byte, set if execution
 * may reach that byte other than from the preceding instruction.
 *
 * A whole text is scanned when its first probe point is judged.  This also finds
 * jumps from other functions, such as a function's cold part.  Later judgements only
 * test a few bits.
 *
 * Beside the bitmap some beginnings of instructions are kept, so that who asks whether one begins at an
 * address need not decode the function up to there.
 *
 * A function is hidden while a foreign breakpoint covers one of its instructions: it
 * may then branch to anywhere in itself and in its cold part.  Of its branches no more than
 * those before the breakpoint are recorded until all of it can be read.  It is scanned again each
 * time that a place there is judged.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../core/core.h"
#include "../../host/inject.h"
#include "detour.h"

/**
 * struct text_map - the branch targets in a text
 * @list: in the list of all maps
 * @mod: the module that it belongs to; NULL: the kernel image
 * @area: address range of the text
 * @known: the bitmap is complete; if not, no place there can be judged
 * @thunks: address range of the kernel's thunks for indirect branches
 * @hidden: ranges that hidden functions may branch to, struct hidden_range
 * @targets: a bit for each byte
 * @begins: for each BLOCK, one more than the offset there of one instruction; 0: none is known.
 *	NULL for modules
 */
struct text_map {
	struct list_head list;
	struct module *mod;
	struct host_area area;
	bool known;
	struct host_area thunks;
	struct list_head hidden;
	unsigned long *targets;
	u8 *begins;
};

/* Bytes of text for which one beginning of an instruction is kept. */
#define BLOCK		64
static_assert(BLOCK <= U8_MAX && BLOCK >= REACH_STRIDE);

/**
 * struct hidden_range - text that a hidden function may branch to
 * @list: in the map's list
 * @area: address range of the text
 * @function: address range of the hidden function
 */
struct hidden_range {
	struct list_head list;
	struct host_area area;
	struct host_area function;
};

/* The state of a scan of functions. */
struct survey {
	struct text_map *map;
	u8 *bytes;
	size_t max;
	bool left_text;
	bool failed;
	bool hidden;
	struct host_area function;
};

const char * const arch_jump_unknown = "no memory to scan the text for branch targets";

static LIST_HEAD(maps);	/* guarded by kprobe_mutex */

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

/*
 * Where processors mispredict indirect branches in one half of each cache line (ITS), the kernel
 * makes thunks for them outside all text.  They are told by what they are, a jump to where a
 * register points: whoever has made it, it leads nowhere else.
 */
static bool is_outside_thunk(const struct survey *survey, unsigned long addr)
{
	/* No more than the shortest thunk has: the last of them may end with its page. */
	u8 bytes[3];
	struct insn insn;

	return !in_map(survey->map, addr) && host_outside_all_text(addr) &&
	       !copy_from_kernel_nofault(bytes, (void *)addr, sizeof(bytes)) &&
	       insn_decode(&insn, bytes, sizeof(bytes)) == INSN_OK &&
	       insn.class == INSN_JMP_IND && !(insn.flags & INSN_HAS_MEM);
}

static void on_target(void *data, u64 addr)
{
	struct survey *survey = data;

	if (in_map(survey->map, addr))
		mark(survey->map, addr);
	else if (!survey->left_text)
		survey->left_text = host_outside_all_text(addr) && !is_outside_thunk(survey, addr);
}

/*
 * A constant is not seen as a branch out of all text, even if it looks like an address there,
 * as one with bit 31 set often does: 0xdeadbeef is in the range of modules.
 *
 * What is outside all text has been made while the kernel runs: detours of the built-in kprobes,
 * trampolines of the tracer and of BPF, thunks.  Their makers write its address into this text
 * as the target of a jump or a call, and never as a constant: those are the compiler's, made
 * when no such memory existed.  And only a detour knows how to come back into the middle of this
 * function.  It is entered by the jump in the place of its own probe, whose bytes are not known
 * (text_function()).
 */
static void on_taken(void *data, u64 addr)
{
	mark(((struct survey *)data)->map, addr);
}

/* A jump may go to this address plus an offset: if inside a function, to anywhere in that. */
static void on_base(void *data, u64 addr)
{
	struct survey *survey = data;
	unsigned long start, size;

	if (in_map(survey->map, addr) && host_symbol_bounds(addr, &start, &size) && start != addr)
		mark_all(survey->map, start, size);
}

/* Not for each jump: some kernels clear all that is on the stack, also the room for a name. */
static noinline bool has_thunk_name(unsigned long addr)
{
	static const char prefix[] = "__x86_indirect";
	struct host_symbol sym;

	/* Of the names of a symbol, this may be "__pi___x86_indirect_...". */
	return host_symbol_at(addr, &sym) && strstr(sym.name, prefix);
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	const struct text_map *map = ((const struct survey *)data)->map;

	return is_outside_thunk(data, addr) ||
	       (addr >= map->thunks.start && addr < map->thunks.end && has_thunk_name(addr));
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

static void on_beginning(void *data, u64 addr)
{
	const struct text_map *map = ((struct survey *)data)->map;
	unsigned long at = addr - map->area.start;

	if (map->begins)
		map->begins[at / BLOCK] = at % BLOCK + 1;
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
 * Calls @fn for a function and for its cold part, or for the function that it is the
 * cold part of: each may branch to anywhere in the other.
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

/* What has been found before it is right. */
static bool is_stray(void *data, const u8 *bytes, size_t avail, u64 addr)
{
	struct survey *survey = data;

	survey->hidden = text_trap_is_stray(bytes, avail, addr);
	return survey->hidden;
}

/* Returns false if it is hidden. */
static bool scan_function(struct survey *survey)
{
	const struct reach_scan scan = {
		.data = survey,
		.target = on_target,
		.taken = on_taken,
		.base = on_base,
		.is_indirect_thunk = is_indirect_thunk,
		.is_stray = is_stray,
		.begins = on_beginning,
		.fillers = X86_TRAPS_BEHIND_JUMPS,
		.from = survey->map->area.start,
		.to = survey->map->area.end,
	};
	unsigned long start = survey->function.start;
	bool known;

	survey->left_text = false;
	survey->hidden = false;
	known = reach_scan(&scan, survey->bytes, survey->function.end - start, start);
	if (survey->hidden)
		return false;
	if (!known || survey->left_text)
		each_part(survey, mark_whole);
	return true;
}

/* Returns false if a foreign breakpoint hides an instruction: scan it again later. */
static bool survey_function(struct survey *survey, unsigned long start, unsigned long size)
{
	survey->function = (struct host_area){ start, start + size };
	if (size > survey->max) {
		each_part(survey, mark_whole);
		return true;
	}
	if (!text_function(start, survey->bytes, size))
		return false;
	return scan_function(survey);
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
	map->thunks.start = host_lookup("__indirect_thunk_start") ?:
			    host_lookup("__x86_indirect_thunk_array");
	map->thunks.end = host_lookup("__indirect_thunk_end") ?: host_lookup("__x86_return_thunk");
	survey_functions(&survey);
	kvfree(survey.bytes);
	return !survey.failed;
}

#ifdef LKP_FIXUPS_ARE_CODE

/* Bytes of a fixup that does not end before. */
#define MAX_FIXUP	64

/*
 * A fixup branches back into the function that it is for.  All of them are in one place, under the
 * name of whatever is before it: if the scan of that fails, this does not.
 */
static void follow_fixup(void *data, unsigned long addr)
{
	struct survey *survey = data;
	struct arch_step step;
	struct text_walk text;

	if (!in_map(survey->map, addr))
		return;
	text_walk_begin(&text, addr, min(addr + MAX_FIXUP, survey->map->area.end));
	while (text.at < text.end && !text.flow_ended) {
		if (text_walk_step(&text, &step)) {
			/* Or padding, behind a call that never returns. */
			survey->failed |= host_foreign_within(text.at, text.at + 1);
			return;
		}
		if (step.target)
			mark(survey->map, step.target);
	}
}

static bool survey_fixups(struct text_map *map)
{
	struct survey survey = { .map = map };

	return host_each_fixup(map->mod, follow_fixup, &survey) && !survey.failed;
}

#else

static bool survey_fixups(struct text_map *map)
{
	return true;
}

#endif

/* ---- hidden functions ---- */

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

/* Scans hidden functions again.  Returns NULL if none is left that may branch to @addr. */
static const char *rescan_hidden(struct text_map *map, unsigned long addr)
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
	kvfree(map->begins);
	kfree(map);
}

/*
 * The symbols of a module, at which its functions begin, are others when its init text has gone.  So
 * this is for the kernel only.  Without memory for it, functions are decoded from their beginning.
 */
static void add_begins(struct text_map *map)
{
	unsigned long blocks = DIV_ROUND_UP(map->area.end - map->area.start, BLOCK);

	if (!map->mod && !inject_failure())
		map->begins = kvzalloc(blocks, GFP_KERNEL);
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
	if (map->targets) {
		add_begins(map);
		return map;
	}
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
	} else if (!survey_text(map) || !survey_fixups(map)) {
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
 * x86_targets_know() - make sure that the text at an address has been scanned
 * @addr: in text
 * @mod: the module whose text that is; NULL: the kernel image
 *
 * Context: kprobe_mutex held, sleeps; the module must not vanish meanwhile.
 * Return: NULL, or why the targets are not known; arch_jump_unknown and text_foreign
 * are not final.
 */
const char *x86_targets_know(unsigned long addr, struct module *mod)
{
	struct text_map *map;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	map = map_of_module(mod) ?: make_map(mod);
	if (!map)
		return arch_jump_unknown;
	if (!in_map(map, addr))
		return "in init text, which is freed after initialisation";
	if (!map->known)
		return "kernel tables not found, so branch targets are unknown";
	return rescan_hidden(map, addr);
}

/**
 * x86_targets_has() - may execution reach @addr other than from the preceding instruction
 * @addr: in a text for which x86_targets_know() has returned NULL
 *
 * Context: kprobe_mutex held.
 */
bool x86_targets_has(unsigned long addr)
{
	const struct text_map *map = map_of(addr);

	lockdep_assert_held(&kprobe_mutex);
	return !map || test_bit(addr - map->area.start, map->targets);
}

static unsigned long beginning_in(const struct text_map *map, unsigned long block)
{
	return map->area.start + block * BLOCK + map->begins[block] - 1;
}

/**
 * x86_targets_begin_before() - where an instruction begins, not far before an address
 * @start: the first byte of the function, as its symbol says
 * @addr: in it
 *
 * This was found by stepping from there over one instruction after the other, past no trap that may
 * be another tool's, and execution goes on there from the one before.  Instructions do not move: who
 * changes text has others of the same lengths.
 *
 * Context: kprobe_mutex held.
 * Return: an address from @start up to @addr.
 */
unsigned long x86_targets_begin_before(unsigned long start, unsigned long addr)
{
	const struct text_map *map = map_of(addr);
	unsigned long block, first, at;

	lockdep_assert_held(&kprobe_mutex);
	if (!map || !map->begins || !in_map(map, start))
		return start;
	block = (addr - map->area.start) / BLOCK;
	first = (start - map->area.start) / BLOCK;
	for (;; block--) {
		at = beginning_in(map, block);
		/* A jump that somebody has written over the end of the way is to be seen. */
		if (map->begins[block] && at + REACH_JUMP_SIZE <= addr)
			return max(at, start);
		if (block == first)
			return start;
	}
}

/**
 * x86_targets_forget() - free the maps of a module that is unloaded
 * @mod: the module
 *
 * Context: kprobe_mutex held.
 */
void x86_targets_forget(struct module *mod)
{
	struct text_map *map, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(map, next, &maps, list)
		if (map->mod == mod)
			free_map(map);
}

/**
 * x86_targets_exit() - free all maps
 *
 * A module that goes meanwhile takes its own away: x86_targets_forget().
 *
 * Context: module init or exit, sleeps; nobody asks any more.
 */
void x86_targets_exit(void)
{
	might_sleep();
	mutex_lock(&kprobe_mutex);
	while (!list_empty(&maps))
		free_map(list_first_entry(&maps, struct text_map, list));
	mutex_unlock(&kprobe_mutex);
}
