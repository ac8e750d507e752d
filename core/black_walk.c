// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of the blacklist is found by following calls in the text of the running kernel.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "black_ranges.h"
#include "black_walk.h"
#include "core.h"

/* A trap path has fewer functions than this: beyond it the walk has gone astray. */
#define MAX_VISITED	2048

#define MAX_ENDS	2

/*
 * The walk does not follow calls to these: they run when the kernel reports an error,
 * on other paths that a working kernel does not take, or on the way to user space.
 *
 * What checks (KASAN, KCSAN, lockdep, preemption, locks, lists) runs in each trap, and is
 * followed: it ends at what reports, which are the functions of these names.  A checker reports
 * once, and then, most of them, checks no more.
 */
static const char * const not_followed[] = {
	"_printk", "printk", "vprintk", "panic", "nmi_panic", "__warn", "warn_", "dump_", "die",
	"oops", "print_", "show_", "__ubsan", "kasan_report", "lockdep_rcu_suspicious",
	"__stack_chk_fail", "debug_locks_off", "bust_spinlocks", "make_task_dead", "do_exit",
	"force_sig", "do_trap", "irqentry_enter_from_user_mode", "irqentry_exit_to_user_mode",
	"exit_to_user_mode", "__kasan_report", "kcsan_report", "report_bug",
	"__rcu_irq_enter_check_tick", "preempt_schedule", "schedule", "__schedule",
	"__SCT__preempt_schedule", "static_key_", "add_taint", "early_", "trigger_",

	/* Reports of single checkers, and whether one is due. */
	"__asan_report", "__hwasan_report", "kmsan_report", "lockdep_print_", "debug_show_",
	"debug_print_", "spin_bug", "rwlock_bug", "refcount_warn_", "__printk_ratelimit", "___ratelimit",

	/* Lockdep calls it with the first lock of a class after boot has begun, and never again. */
	"init_rcu_head",
};

/*
 * These run in a trap, but the functions that they call do not.  If the probed RCU section
 * was preempted, the end of the trap's own RCU section calls the first, which only sets flags.
 */
static const char * const not_followed_further[] = { "rcu_read_unlock_special", NULL };

/*
 * Of these, what they call themselves runs in a trap, at most, and nothing behind that.  The compiler
 * may have put rcu_read_unlock_special() into the only function that calls it, as it does with KASAN.
 * In an NMI that does nothing; in other traps interrupts are off, and it sets flags, or asks for a
 * softirq or an irq_work, once: it has noted that before it asks, so a trap in there does not ask again.
 * (Of softirqs it does not note it, see arch_blacklist_trap_names.)
 */
static const char * const followed_once[] = { "__rcu_read_unlock", NULL };

/**
 * struct walk - a walk along calls
 * @reason: for all functions that it reaches
 * @within: if any, beginnings of names: other functions are not reached
 * @without: if any, beginnings of names: such functions are not reached
 * @shallow: what the functions that it reaches call is not followed
 * @ends: what a function calls behind a call of these is not followed
 * @visited: where each of them begins
 * @nr: how many there are
 */
struct walk {
	const struct black_reason *reason;
	const char * const *within;
	const char * const *without;
	bool shallow;
	unsigned long ends[MAX_ENDS];
	unsigned long *visited;
	unsigned int nr;
};

static bool begins_with(const struct host_symbol *sym, const char *prefix)
{
	return !strncmp(sym->name, prefix, strlen(prefix));
}

/**
 * black_walk_avoids() - does a function run only where something is wrong, as to report it
 * @sym: the function
 *
 * Context: any.
 */
bool black_walk_avoids(const struct host_symbol *sym)
{
	unsigned int i;

	if (strstr(sym->name, ".cold"))
		return true;
	for (i = 0; i < ARRAY_SIZE(not_followed); i++)
		if (begins_with(sym, not_followed[i]))
			return true;
	return false;
}

static bool begins_with_any(const struct host_symbol *sym, const char * const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (begins_with(sym, *prefixes))
			return true;
	return false;
}

static bool ends_walk(const struct walk *walk, const struct host_symbol *sym)
{
	if (walk->within && !begins_with_any(sym, walk->within))
		return true;
	return (walk->without && begins_with_any(sym, walk->without)) ||
	       begins_with_any(sym, arch_walk_ends) || black_walk_avoids(sym);
}

static bool visit(struct walk *walk, unsigned long start)
{
	unsigned int i;

	for (i = 0; i < walk->nr; i++)
		if (walk->visited[i] == start)
			return false;
	if (walk->nr == MAX_VISITED)
		return false;
	walk->visited[walk->nr++] = start;
	return true;
}

/* @further: what it calls is to be followed, too. */
static int reach(struct walk *walk, unsigned long addr, bool further)
{
	struct host_symbol sym;

	if (!host_core_text(addr) || !host_symbol_at(addr, &sym) || ends_walk(walk, &sym))
		return 0;
	if (further && !begins_with_any(&sym, not_followed_further) && !visit(walk, sym.start))
		return 0;
	return black_add_new(sym.start, sym.start + sym.size, walk->reason);
}

/*
 * Another tool's breakpoint may hide a call, whose target is then not found.  One that nobody is
 * known to have was built into the kernel, as behind the call in a thunk for indirect branches that
 * never returns to it: that hides nothing.
 */
static void pass_breakpoint(struct text_walk *walk)
{
	if (host_foreign_within(walk->at, walk->at + ARCH_TRAP_SIZE) || host_debugger_at(walk->at))
		pr_info("another tool's probe or breakpoint at %pS hides what runs in a trap\n",
			(void *)walk->at);
	walk->at += ARCH_TRAP_SIZE;
}

static bool ends_function(const struct walk *walk, unsigned long target)
{
	unsigned int i;

	for (i = 0; i < MAX_ENDS; i++)
		if (walk->ends[i] == target)
			return true;
	return false;
}

#ifndef arch_called_function
#define arch_called_function(target)	(target)
#endif

static bool is_followed_further(const struct walk *walk, unsigned long start)
{
	struct host_symbol sym;

	return !walk->shallow && host_symbol_at(start, &sym) &&
	       !begins_with_any(&sym, followed_once);
}

static int follow_calls(struct walk *walk, unsigned long start)
{
	bool further = is_followed_further(walk, start);
	unsigned long first, size, target;
	struct text_walk text;
	struct arch_step step;
	int err = 0;

	if (!host_symbol_bounds(start, &first, &size))
		return 0;
	text_walk_begin(&text, first, first + size);
	while (text.at < text.end && err != -ENOMEM) {
		err = text_walk_step(&text, &step);
		if (err == -EILSEQ)
			return 0;
		if (err == -EBUSY) {
			pass_breakpoint(&text);
		} else if (step.target && (step.target < first || step.target >= first + size)) {
			target = arch_called_function(step.target);
			if (ends_function(walk, target))
				return 0;
			err = reach(walk, target, further);
		}
	}
	return err == -EBUSY ? 0 : err;
}

static int walk_begin(struct walk *walk, const struct black_reason *reason)
{
	*walk = (struct walk){ .reason = reason };
	walk->visited = inject_failure() ? NULL :
			kvcalloc(MAX_VISITED, sizeof(*walk->visited), GFP_KERNEL);
	return walk->visited ? 0 : -ENOMEM;
}

/* Follows the calls of all that has been visited, and ends the walk. */
static int walk_end(struct walk *walk, int err)
{
	unsigned int i;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < walk->nr && !err; i++)
		err = follow_calls(walk, walk->visited[i]);
	mutex_unlock(&kprobe_mutex);
	if (walk->nr == MAX_VISITED)
		pr_warn("more than %u functions are called by what %s: some may be missing from the blacklist\n",
			MAX_VISITED, walk->reason->why);
	kvfree(walk->visited);
	return err;
}

/**
 * black_walk_some() - put functions on the list, and what is called from there on
 * @roots: their names; NULL behind the last one
 * @within: beginnings of names, in the same way: of other functions nothing is added; or NULL
 * @without: the same of functions of which nothing is added; or NULL
 * @reason: why
 *
 * Context: process context, sleeps; kprobe_mutex not held.
 * Return: 0 or -ENOMEM.
 */
int black_walk_some(const char * const *roots, const char * const *within,
		    const char * const *without, const struct black_reason *reason)
{
	struct walk walk;
	int err;

	err = walk_begin(&walk, reason);
	if (err)
		return err;
	walk.within = within;
	walk.without = without;
	for (; *roots && !err; roots++) {
		unsigned long addr = host_lookup(*roots);

		if (addr)
			err = reach(&walk, addr, true);
	}
	return walk_end(&walk, err);
}

/**
 * black_walk_all() - put functions on the list, and all that is called from there on
 * @roots: their names; NULL behind the last one
 * @reason: why
 *
 * Context: as black_walk_some().
 * Return: 0 or -ENOMEM.
 */
int black_walk_all(const char * const *roots, const struct black_reason *reason)
{
	return black_walk_some(roots, NULL, NULL, reason);
}

/**
 * black_walk_callees() - put functions on the list, and what they call themselves
 * @roots: their names; NULL behind the last one
 * @ends: names, in the same way: of what a root calls behind one of them nothing is added; or NULL
 * @reason: why
 *
 * Context: as black_walk_some().
 * Return: 0 or -ENOMEM.
 */
int black_walk_callees(const char * const *roots, const char * const *ends,
		       const struct black_reason *reason)
{
	struct walk walk;
	unsigned int i;
	int err;

	err = walk_begin(&walk, reason);
	if (err)
		return err;
	walk.shallow = true;
	for (; *roots && !err; roots++) {
		unsigned long addr = host_lookup(*roots);

		if (!addr)
			continue;
		visit(&walk, addr);
		err = black_add_function(addr, reason, NULL);
	}
	for (i = 0; ends && i < MAX_ENDS && ends[i]; i++)
		walk.ends[i] = host_lookup(ends[i]);
	return walk_end(&walk, err);
}

#ifdef ARCH_SWITCHES_GUESTS

/**
 * black_walk_guests() - put what runs with a guest's exception vectors on the list
 *
 * What this text calls runs in the same state, wherever it is.
 *
 * Context: as black_walk_some().
 * Return: 0 or -ENOMEM.
 */
int black_walk_guests(void)
{
	static const struct black_reason guest_switch = {
		.why = "runs while the exception vectors are not the kernel's",
	};
	unsigned long addr, start, size;
	struct host_area area;
	struct walk walk;
	int err;

	if (!arch_guest_switch(&area))
		return 0;
	err = black_add(area.start, area.end, &guest_switch, NULL);
	if (!err)
		err = walk_begin(&walk, &guest_switch);
	if (err)
		return err;
	for (addr = area.start; addr < area.end; addr = start + size) {
		if (!host_symbol_bounds(addr, &start, &size) || !size)
			break;
		visit(&walk, start);
	}
	return walk_end(&walk, 0);
}

#else

int black_walk_guests(void)
{
	return 0;
}

#endif
