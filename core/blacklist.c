// SPDX-License-Identifier: GPL-2.0-only
/*
 * What must never be probed, and why.
 *
 * A trap in code that runs between a trap and our guard would recurse without end.
 * The kernel and its modules mark some of that code (noinstr and entry text).  The rest is
 * found by following the calls that those functions make in the running kernel, as a kernel
 * built without kprobes has no blacklist.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kallsyms.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "black_ranges.h"
#include "core.h"

/* A trap path has fewer functions than this: beyond it the walk has gone astray. */
#define MAX_VISITED	2048

#define MAX_ENDS	2

/*
 * A call of the function tracer takes no trap: before anything else that is not in our module it
 * asks for the guard (fprobe_hit()), and what it finds held it leaves.  So what is dangerous only
 * since a trap in it would begin it again is "traps_only".  There the kernel's own tracers may
 * call, too.  Of what a CPU is not ready for the opposite is true: handlers may take traps, as in a
 * function with a probe or by reading what is not mapped, and unregistering waits only for CPUs that
 * are online.  That holds however the handlers are called.
 */
static const struct black_reason trap_path = {
	.why = "runs in the trap path, before the recursion guard", .traps_only = true,
};
static const struct black_reason tracer = {
	.why = "called by the function tracers before their recursion guard", .traps_only = true,
};
static const struct black_reason notifier = {
	.why = "called for every trap, before our own notifier", .traps_only = true,
};
static const struct black_reason fault_path = {
	.why = "runs while a fault is fixed up", .traps_only = true,
};
static const struct black_reason hooked = {
	.why = "kprobes.ko has a probe of its own there", .traps_only = true,
};
/* Mainline's fprobes are on such functions, too; who wants no call says "notrace". */
static const struct black_reason builtin = {
	.why = "on the blacklist of the kernel's own kprobes", .traps_only = true,
};
static const struct black_reason client = {
	.why = "function is marked NOKPROBE_SYMBOL()", .traps_only = true,
};
static const struct black_reason listed = { .why = "runs where traps are not allowed" };
static const struct black_reason listed_traps = {
	.why = "runs where traps are not allowed", .traps_only = true,
};
static const struct black_reason bring_up = {
	.why = "runs on a CPU that can't take traps yet",
};
static const struct black_reason mapping = {
	.why = "runs when a page of this module is not mapped yet",
};
#ifdef ARCH_SWITCHES_GUESTS
static const struct black_reason guest_switch = {
	.why = "runs while the exception vectors are not the kernel's",
};
#endif

/* ---- the sections of modules ---- */

/* Is it the section that the kernel has at a symbol: ".noinstr.text" at "__noinstr_text_start"? */
static bool is_section_of(const char *section, const char *symbol)
{
	if (*symbol++ != '_')
		return false;
	for (; *section; section++, symbol++)
		if (*symbol != (*section == '.' ? '_' : *section))
			return false;
	return !strcmp(symbol, "_start");
}

/* Modules have text of the same kinds as the kernel, each in a section of its own. */
static const struct arch_range *range_of_section(const char *section)
{
	const struct arch_range *r;

	for (r = arch_blacklist_ranges; r->start; r++)
		if (is_section_of(section, r->start))
			return r;
	return NULL;
}

static const char *section_reason(unsigned long addr, bool for_calls)
{
	const char *section = host_section_at(addr);
	const struct arch_range *r = section ? range_of_section(section) : NULL;

	return r && !(for_calls && r->traps_only) ? r->why : NULL;
}

/**
 * blacklist_reason() - why an address must not be probed
 * @addr: the address of an instruction
 *
 * Context: kprobe_mutex held.
 * Return: a phrase that stands alone; NULL if it may be probed.
 */
const char *blacklist_reason(unsigned long addr)
{
	const struct black_range *r = black_find(addr);
	const char *why;

	lockdep_assert_held(&kprobe_mutex);
	if (r)
		return r->reason.why;
	if (within_module(addr, THIS_MODULE))
		return "part of the kprobes module itself";
	why = section_reason(addr, false);
	if (why)
		return why;
	if (host_builtin_blacklist(addr))
		return builtin.why;
	return NULL;
}

/**
 * blacklist_reason_for_calls() - why the function tracer must not call handlers from an address
 * @addr: a call site of the tracer
 *
 * Context: kprobe_mutex held.
 * Return: a phrase that stands alone; NULL if it may.
 */
const char *blacklist_reason_for_calls(unsigned long addr)
{
	const struct black_range *r = black_find_for_calls(addr);

	lockdep_assert_held(&kprobe_mutex);
	return r ? r->reason.why : section_reason(addr, true);
}

/**
 * struct each_call - what blacklist_each_for_calls() is doing
 * @fn: what it was given
 * @data: with that
 */
struct each_call {
	void (*fn)(void *data, unsigned long start, unsigned long end);
	void *data;
};

static void section_for_calls(void *data, const char *name, const struct host_area *area)
{
	const struct arch_range *r = range_of_section(name);
	struct each_call *each = data;

	if (r && !r->traps_only)
		each->fn(each->data, area->start, area->end);
}

/**
 * blacklist_each_for_calls() - go through the text from which the tracer must not call handlers
 * @fn: called for each range; in no order, and some overlap; may not sleep
 * @data: passed to @fn
 *
 * Context: kprobe_mutex held.
 */
void blacklist_each_for_calls(void (*fn)(void *data, unsigned long start, unsigned long end),
			      void *data)
{
	struct each_call each = { fn, data };
	const struct black_range *r;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; (r = black_nth(i)); i++)
		if (!r->reason.traps_only)
			fn(data, r->start, r->end);
	host_each_text_section(section_for_calls, &each);
}

static int add_function(unsigned long addr, const struct black_reason *reason, struct module *mod)
{
	unsigned long start, size;

	if (black_knows(addr, reason) || !host_symbol_bounds(addr, &start, &size))
		return 0;
	return black_add(start, start + size, reason, mod);
}

/* The compiler renames a function of which it changes the arguments. */
static unsigned long lookup_function(const char *name)
{
	unsigned long addr = host_lookup(name);
	char renamed[KSYM_NAME_LEN];

	if (addr)
		return addr;
	snprintf(renamed, sizeof(renamed), "%s.isra.0", name);
	return host_lookup(renamed);
}

static int add_names(const char * const *names, const struct black_reason *reason)
{
	unsigned long addr;
	int err = 0;

	for (; *names && !err; names++) {
		addr = lookup_function(*names);
		if (addr)
			err = add_function(addr, reason, NULL);
	}
	return err;
}

/* It is forgotten with the module that it belongs to. */
static int add_notifier(unsigned long addr)
{
	struct module *mod;
	int err;

	mod = host_text_module_get(addr, &err);
	if (!err)
		err = add_function(addr, &notifier, mod);
	module_put(mod);
	return err == -ENOENT ? 0 : err;
}

static int add_notifiers(void)
{
	return entry_each_before_trap(add_notifier);
}

static int add_new(unsigned long start, unsigned long end, const struct black_reason *reason)
{
	return black_knows(start, reason) ? 0 : black_add(start, end, reason, NULL);
}

static int add_hooked_call(unsigned long start, unsigned long end)
{
	return add_new(start, end, &hooked);
}

static int add_hooked(void)
{
	const char * const names[] = { builtin_hooked(), NULL };

	return add_names(names, &hooked) ?: traces_each_site(add_hooked_call);
}

static int add_symbol_ranges(void)
{
	const struct arch_range *r;
	int err = 0;

	for (r = arch_blacklist_ranges; r->start && !err; r++) {
		unsigned long start = host_lookup(r->start);
		unsigned long end = host_lookup(r->end);

		if (start && start < end)
			err = black_add(start, end, &(struct black_reason){ r->why, r->traps_only },
					NULL);
	}
	return err;
}

static int add_builtin(unsigned long start, unsigned long end)
{
	return add_new(start, end, &builtin);
}

#ifdef ARCH_FINDS_BLACK
static int add_found(unsigned long start, unsigned long end, const char *why)
{
	return add_new(start, end, &(struct black_reason){ .why = why });
}
#endif

/* Names explain less than what has been found by other means. */
static int add_by_arch(void)
{
	int err = 0;

#ifdef ARCH_FINDS_BLACK
	err = arch_blacklist_find(add_found);
#endif
	err = err ?: add_names(arch_blacklist_names, &listed);
	return err ?: add_names(arch_blacklist_trap_names, &listed_traps);
}

/* ---- following calls ---- */

/*
 * The walk does not follow calls to these: they run when the kernel reports an error,
 * on other paths that a working kernel does not take, or on the way to user space.
 */
static const char * const not_followed[] = {
	"_printk", "printk", "vprintk", "panic", "nmi_panic", "__warn", "warn_", "dump_", "die",
	"oops", "print_", "show_", "__ubsan", "kasan_report", "lockdep_rcu_suspicious",
	"__stack_chk_fail", "debug_locks_off", "bust_spinlocks", "make_task_dead", "do_exit",
	"force_sig", "do_trap", "irqentry_enter_from_user_mode", "irqentry_exit_to_user_mode",
	"exit_to_user_mode", "__kasan_report", "kcsan_", "report_bug",
	"__rcu_irq_enter_check_tick", "preempt_schedule", "schedule", "__schedule",
	"__SCT__preempt_schedule", "static_key_", "add_taint", "early_", "trigger_",
};

/*
 * These run in a trap, but the functions that they call do not.  If the probed RCU section
 * was preempted, the end of the trap's own RCU section calls the first, which only sets flags.
 */
static const char * const not_followed_further[] = { "rcu_read_unlock_special" };

/**
 * struct walk - a walk along calls
 * @reason: for all functions that it reaches
 * @shallow: what the functions that it reaches call is not followed
 * @ends: what a function calls behind a call of these is not followed
 * @visited: where each of them begins
 * @nr: how many there are
 */
struct walk {
	const struct black_reason *reason;
	bool shallow;
	unsigned long ends[MAX_ENDS];
	unsigned long *visited;
	unsigned int nr;
};

static bool begins_with(const struct host_symbol *sym, const char *prefix)
{
	return !strncmp(sym->name, prefix, strlen(prefix));
}

static bool ends_walk(const struct host_symbol *sym)
{
	unsigned int i;

	if (strstr(sym->name, ".cold"))
		return true;
	for (i = 0; i < ARRAY_SIZE(not_followed); i++)
		if (begins_with(sym, not_followed[i]))
			return true;
	for (i = 0; arch_walk_ends[i]; i++)
		if (begins_with(sym, arch_walk_ends[i]))
			return true;
	return false;
}

static bool is_last_of_walk(const struct host_symbol *sym)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(not_followed_further); i++)
		if (begins_with(sym, not_followed_further[i]))
			return true;
	return false;
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

static int reach(struct walk *walk, unsigned long addr)
{
	struct host_symbol sym;

	if (!host_core_text(addr) || !host_symbol_at(addr, &sym) || ends_walk(&sym))
		return 0;
	if (!is_last_of_walk(&sym) && !walk->shallow && !visit(walk, sym.start))
		return 0;
	return add_new(sym.start, sym.start + sym.size, walk->reason);
}

/* A breakpoint may hide a call, whose target is then not found. */
static void pass_breakpoint(struct text_walk *walk)
{
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

static int follow_calls(struct walk *walk, unsigned long start)
{
	unsigned long first, size;
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
			if (ends_function(walk, step.target))
				return 0;
			err = reach(walk, step.target);
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

/* The roots, and all that is called from there on. */
static int add_all_called(const char * const *roots, const struct black_reason *reason)
{
	struct walk walk;
	int err;

	err = walk_begin(&walk, reason);
	if (err)
		return err;
	for (; *roots && !err; roots++) {
		unsigned long addr = host_lookup(*roots);

		if (addr)
			err = reach(&walk, addr);
	}
	return walk_end(&walk, err);
}

/* The roots, and what they call, but for what is behind a call of @ends; and no further. */
static int add_with_callees(const char * const *roots, const char * const *ends,
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
		err = add_function(addr, reason, NULL);
	}
	for (i = 0; ends && i < MAX_ENDS && ends[i]; i++)
		walk.ends[i] = host_lookup(ends[i]);
	return walk_end(&walk, err);
}

/*
 * A CPU that comes up or wakes up can't take traps before it has the kernel's table of them.  What
 * runs until then is what these functions call, up to one that loads the table.  Further down are
 * only errors, and what firmware and hypervisors of some kinds need.
 */
static int add_bring_up(void)
{
	return add_with_callees(arch_bring_up_roots, arch_bring_up_ends, &bring_up);
}

/*
 * On its way to us a trap passes functions that can be traced.  A trap in what a tracer does for
 * each of them begins it all again, before anybody's guard: ours is further in, and theirs
 * is further down in the tracer.
 */
static int add_tracers(void)
{
	return add_names(host_tracers_guarded, &tracer) ?:
	       add_with_callees(host_tracers_unguarded, NULL, &tracer);
}

#ifdef ARCH_SWITCHES_GUESTS
/* What this text calls runs in the same state, wherever it is. */
static int add_guest_switch(void)
{
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
static int add_guest_switch(void)
{
	return 0;
}
#endif

/* ---- what clients mark ---- */

static int refuse_set(const char *val, const struct kernel_param *kp)
{
	return -EPERM;
}

/* Marks the parameters that carry a NOKPROBE_SYMBOL(), see <linux/kprobes.h>. */
const struct kernel_param_ops kprobe_nokprobe_ops = {
	.set = refuse_set,
};
EXPORT_SYMBOL_GPL(kprobe_nokprobe_ops);

/**
 * blacklist_add_module() - add what a module has marked
 * @mod: a module whose text is in place
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int blacklist_add_module(struct module *mod)
{
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	for (i = 0; i < mod->num_kp && !err; i++)
		if (mod->kp[i].ops == &kprobe_nokprobe_ops)
			err = add_function((unsigned long)mod->kp[i].arg, &client, mod);
	return err;
}

/**
 * blacklist_remove_module() - forget what a module has marked
 * @mod: a module that is being unloaded
 *
 * Context: kprobe_mutex held.
 */
void blacklist_remove_module(struct module *mod)
{
	lockdep_assert_held(&kprobe_mutex);
	black_forget_module(mod);
}

struct listing {
	struct seq_file *m;
	unsigned long mask;
};

static void list_range(const struct listing *listing, unsigned long start, unsigned long end)
{
	seq_printf(listing->m, "0x%016lx-0x%016lx\t%ps\n", start & listing->mask,
		   end & listing->mask, (void *)start);
}

static void list_section(void *data, const char *name, const struct host_area *area)
{
	if (range_of_section(name))
		list_range(data, area->start, area->end);
}

/**
 * blacklist_show() - list the ranges, in the format of mainline's file
 * @m: the file
 * @show_addresses: may the reader see them; if not, they are 0
 *
 * Context: kprobe_mutex held.
 */
void blacklist_show(struct seq_file *m, bool show_addresses)
{
	struct listing listing = { m, show_addresses ? ~0ul : 0 };
	const struct black_range *r;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; (r = black_nth(i)) && file_goes_on(m); i++)
		list_range(&listing, r->start, r->end);
	host_each_text_section(list_section, &listing);
}

/**
 * blacklist_init() - build the blacklist of this kernel
 *
 * Context: process context, sleeps.
 * Return: 0 or -ENOMEM.
 */
int blacklist_init(void)
{
	int err;

	might_sleep();
	err = add_symbol_ranges();
	if (!err)
		err = add_guest_switch();
	if (!err)
		err = host_builtin_blacklist_each(add_builtin);
	if (!err)
		err = add_by_arch();
	if (!err)
		err = add_notifiers();
	if (!err)
		err = add_hooked();
	if (!err)
		err = add_names(arch_fault_path, &fault_path);
	if (!err)
		err = add_all_called(arch_trap_roots, &trap_path);
	if (!err)
		err = add_all_called(arch_mapping_roots, &mapping);
	if (!err)
		err = add_bring_up();
	if (!err)
		err = add_tracers();
	if (err)
		blacklist_exit();
	return err;
}

/**
 * blacklist_exit() - free the list
 */
void blacklist_exit(void)
{
	black_free();
}
