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

#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/inject.h"
#include "black_ranges.h"
#include "black_walk.h"
#include "core.h"
#include "dispatch.h"

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
static const struct black_reason event = {
	.why = "called by trace events that every trap passes", .traps_only = true,
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
/* A trap makes RCU watch on some architectures, a call of the tracer and a jump on none. */
static const struct black_reason idle = {
	.why = "runs in the idle loop, where RCU does not watch",
};
static const struct black_reason mapping = {
	.why = "runs when a page of this module is not mapped yet",
};

#ifdef ARCH_FIRMWARE_EVENTS
static const struct black_reason event_of_firmware = {
	.why = "called by firmware, at any place in the kernel",
};
#endif

#ifdef CONFIG_KCSAN
/*
 * What compilers call for each access, function and barrier, to detect data races: in our own code
 * on its way to the guard, too.
 */
static const char * const detector_roots[] = {
	"__tsan_func_entry", "__tsan_func_exit", "__tsan_atomic_signal_fence",
	"__tsan_atomic_thread_fence", "__tsan_memset", "__tsan_memmove", "__tsan_memcpy",
	"__tsan_read1", "__tsan_read2", "__tsan_read4", "__tsan_read8", "__tsan_read16",
	"__tsan_write1", "__tsan_write2", "__tsan_write4", "__tsan_write8", "__tsan_write16",
	"__tsan_read_write1", "__tsan_read_write2", "__tsan_read_write4", "__tsan_read_write8",
	"__tsan_read_write16", "__tsan_read_range", "__tsan_write_range",
	"__tsan_volatile_read1", "__tsan_volatile_read2", "__tsan_volatile_read4",
	"__tsan_volatile_read8", "__tsan_volatile_read16",
	"__tsan_volatile_write1", "__tsan_volatile_write2", "__tsan_volatile_write4",
	"__tsan_volatile_write8", "__tsan_volatile_write16",
	"__kcsan_check_access", "__kcsan_mb", "__kcsan_wmb", "__kcsan_rmb", "__kcsan_release",
	"kcsan_disable_current", "kcsan_enable_current", "kcsan_enable_current_nowarn",
	/* Called by way of a pointer, while a watchpoint is set. */
	"delay_tsc", "delay_loop",
	NULL
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

/* ---- the functions of the idle driver ---- */

/* A driver may come and go at any time, so it is asked for each time. */
static bool in_idle_driver(unsigned long addr)
{
	unsigned long functions[HOST_IDLE_FUNCTIONS], start, size;
	unsigned int i, nr = host_idle_functions(functions);

	if (!nr || !host_symbol_bounds(addr, &start, &size))
		return false;
	for (i = 0; i < nr; i++)
		if (functions[i] - start < size)
			return true;
	return false;
}

static void each_of_idle_driver(void (*fn)(void *data, unsigned long start, unsigned long end),
				void *data)
{
	unsigned long functions[HOST_IDLE_FUNCTIONS], start, size;
	unsigned int i, nr = host_idle_functions(functions);

	for (i = 0; i < nr; i++)
		if (host_symbol_bounds(functions[i], &start, &size))
			fn(data, start, start + size);
}

#ifdef ARCH_BLACK_IN_MODULES

/**
 * blacklist_has_for_modules() - does a name begin as those of arch_blacklist_in_modules
 * @name: of a function
 *
 * Context: any.
 */
bool blacklist_has_for_modules(const char *name)
{
	const char * const *begins = arch_blacklist_in_modules;

	while (*begins && strncmp(name, *begins, strlen(*begins)))
		begins++;
	return *begins;
}

#endif

/* Modules may come after us, and go: they are asked about by name. */
static bool is_listed_in_module(unsigned long addr)
{
#ifdef ARCH_BLACK_IN_MODULES
	struct host_symbol sym;

	return !host_core_text(addr) && host_symbol_at(addr, &sym) && sym.module[0] &&
	       blacklist_has_for_modules(sym.name);
#else
	return false;
#endif
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
	if (in_idle_driver(addr))
		return idle.why;
	if (is_listed_in_module(addr))
		return listed.why;
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
	const char *why;

	lockdep_assert_held(&kprobe_mutex);
	if (r)
		return r->reason.why;
	why = section_reason(addr, true);
	return !why && in_idle_driver(addr) ? idle.why : why;
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
	each_of_idle_driver(fn, data);
	host_each_text_section(section_for_calls, &each);
}

static int add_names(const char * const *names, const struct black_reason *reason)
{
	unsigned long addr;
	int err = 0;

	for (; *names && !err; names++) {
		addr = host_lookup(*names);
		if (addr)
			err = black_add_function(addr, reason, NULL);
	}
	return err;
}

/* Of all functions that are refused by name, whatever the compiler has made of them. */
static const struct {
	const char * const *names;
	const struct black_reason *reason;
} by_name[] = {
	{ arch_idle_names, &idle },
	{ arch_blacklist_names, &listed },
	{ arch_blacklist_trap_names, &listed_traps },
	{ arch_fault_path, &fault_path },
	{ host_tracers_guarded, &tracer },
	{ host_tracers_of_notifiers, &event },
	{ host_tracers_of_rcu, &event },
	{ host_tracers_of_nmis, &event },
};

static bool is_in(const char * const *names, const char *name, size_t len)
{
	for (; *names; names++)
		if (!strncmp(*names, name, len) && !(*names)[len])
			return true;
	return false;
}

static int add_copy(const char *name, const char *suffix, unsigned long addr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(by_name) && !err; i++)
		if (is_in(by_name[i].names, name, suffix - name))
			err = black_add_function(addr, by_name[i].reason, NULL);
	return err;
}

static int add_every(const char *name, unsigned long addr)
{
#ifdef ARCH_BLACK_EVERYWHERE
	if (arch_blacklist_every(name))
		return black_add_function(addr, &listed, NULL);
#endif
	return 0;
}

static void consider(void *data, const struct module *mod, const char *name, unsigned long addr)
{
	const char *suffix = strchr(name, '.');
	int *err = data;

	if (!*err && suffix && host_is_made_by_compiler(suffix))
		*err = add_copy(name, suffix, addr);
	if (!*err)
		*err = add_every(name, addr);
}

static int add_first_copies_of(const char *name, const struct black_reason *reason)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < HOST_NR_MADE && !err; i++)
		err = black_add_function(host_lookup_made(name, i), reason, NULL);
	return err;
}

/* Where no walk can be had. */
static int add_first_copies(void)
{
	const char * const *name;
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(by_name); i++)
		for (name = by_name[i].names; *name && !err; name++)
			err = add_first_copies_of(*name, by_name[i].reason);
	return err;
}

/*
 * The compiler gives another name to a function of which it changes the arguments, and to what it
 * moves out of one; there may be several, beside the function itself.  And a function of a header
 * may be in many object files.  It is one walk, which is dear: all names are unpacked.
 */
static int add_by_symbol(void)
{
	int err = 0;

	if (!host_each_kernel_symbol(consider, &err))
		return err;
	pr_info("this kernel's symbols can't be walked: some copies of functions that must not be probed may be missing from the blacklist\n");
	return add_first_copies();
}

/* It is forgotten with the module that it belongs to. */
static int add_notifier(unsigned long addr)
{
	struct module *mod;
	int err;

	mod = host_text_module_get(addr, &err);
	if (!err)
		err = black_add_function(addr, &notifier, mod);
	module_put(mod);
	return err == -ENOENT ? 0 : err;
}

static int add_notifiers(void)
{
	return entry_each_before_trap(add_notifier);
}

/**
 * blacklist_add_hooked() - an instruction of the kernel's may be replaced by ours
 * @start: its first byte
 * @end: behind the last
 *
 * Context: kprobe_mutex held, sleeps; or when the module is loaded.
 * Return: 0 or -ENOMEM.
 */
int blacklist_add_hooked(unsigned long start, unsigned long end)
{
	return black_add_new(start, end, &hooked);
}

static int add_hooked(void)
{
	const char * const names[] = { builtin_hooked(), NULL };

	return add_names(names, &hooked) ?: traces_each_site(blacklist_add_hooked);
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

/* All of it, as the built-in kprobes are not asked any more about the kernel's own text. */
static int add_builtin(unsigned long start, unsigned long end)
{
	if (black_knows(start, &builtin) && black_knows(end - 1, &builtin))
		return 0;
	return black_add(start, end, &builtin, NULL);
}

#ifdef ARCH_FINDS_BLACK
static int add_found(unsigned long start, unsigned long end, const char *why)
{
	return black_add_new(start, end, &(struct black_reason){ .why = why });
}
#endif

/* Names explain less than what has been found by other means. */
static int add_by_arch(void)
{
	int err = 0;

#ifdef ARCH_FINDS_BLACK
	err = arch_blacklist_find(add_found);
#endif
	err = err ?: add_names(arch_idle_names, &idle);
	err = err ?: add_names(arch_blacklist_names, &listed);
	return err ?: add_names(arch_blacklist_trap_names, &listed_traps);
}

/* ---- what is found by following calls ---- */

/*
 * A CPU that comes up or wakes up can't take traps before it has the kernel's table of them.  What
 * runs until then is what these functions call, up to one that loads the table.  Further down are
 * only errors, and what firmware and hypervisors of some kinds need.
 */
static int add_bring_up(void)
{
	return black_walk_callees(arch_bring_up_roots, arch_bring_up_ends, &bring_up);
}

/* On other machines firmware calls nothing, and only the functions for that are refused. */
static int add_events_of_firmware(void)
{
#ifdef ARCH_FIRMWARE_EVENTS
	return black_walk_some(arch_event_roots, arch_has_events() ? NULL : arch_event_own,
			       arch_event_ends, &event_of_firmware);
#else
	return 0;
#endif
}

static int add_detector(void)
{
#ifdef CONFIG_KCSAN
	return black_walk_all(detector_roots, &trap_path);
#else
	return 0;
#endif
}

/*
 * On its way to us a trap passes functions that can be traced.  A trap in what a tracer does for
 * each of them begins it all again, before anybody's guard: ours is further in, and theirs
 * is further down in the tracer.
 */
static int add_tracers(void)
{
	return add_names(host_tracers_guarded, &tracer) ?:
	       black_walk_callees(host_tracers_unguarded, NULL, &tracer);
}

static bool has_any(const char * const *names)
{
	for (; *names; names++)
		if (host_lookup(*names))
			return true;
	return false;
}

/* To the kernel, which so tells those who count what an NMI is. */
static bool trap_is_nmi(void)
{
	return ARCH_TRAP_NMIS != 0;
}

/* Does a trap pass tracepoints that this kernel has? */
static bool trap_is_traced(void)
{
#ifdef ARCH_TRAP_EVENT
	if (has_any(host_tracers_of_notifiers))
		return true;
#endif
	return has_any(host_tracers_of_rcu) || (trap_is_nmi() && has_any(host_tracers_of_nmis));
}

/* Whether an event is on may change at any time. */
static int add_events(void)
{
	int err;

	if (!trap_is_traced())
		return 0;
	err = add_names(host_tracers_of_notifiers, &event) ?: add_names(host_tracers_of_rcu, &event);
	if (!err && trap_is_nmi())
		err = add_names(host_tracers_of_nmis, &event);
	return err ?: black_walk_callees(host_tracers_events, NULL, &event);
}

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
			err = black_add_function((unsigned long)mod->kp[i].arg, &client, mod);
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

static void list_function(void *data, unsigned long start, unsigned long end)
{
	list_range(data, start, end);
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
	each_of_idle_driver(list_function, &listing);
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
		err = black_walk_guests();
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
		err = black_walk_all(arch_trap_roots, &trap_path);
	if (!err)
		err = black_walk_all(arch_mapping_roots, &mapping);
	if (!err)
		err = add_bring_up();
	if (!err)
		err = add_events_of_firmware();
	if (!err)
		err = add_detector();
	if (!err)
		err = add_tracers();
	if (!err)
		err = add_events();
	if (!err)
		err = add_by_symbol();
	if (err)
		blacklist_exit();
	else
		black_seal();
	return err;
}

/**
 * blacklist_exit() - free the list
 */
void blacklist_exit(void)
{
	black_free();
}
