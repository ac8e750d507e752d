// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns what a client asks for into an address that may be probed, or into the reason
 * why it may not.  Every reason is a phrase that stands alone.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "core.h"

/* Symbols of the batch that is being registered, if it is large; guarded by kprobe_mutex. */
static struct host_names *batch_names;

static int lookup_symbol(struct host_names *names, const char *name, unsigned long *addr,
			 const char **why)
{
	struct host_name query = { .name = name };

	if (!names || !host_names_find(names, &query))
		host_resolve(&query);
	if (!query.addr) {
		*why = "no such symbol";
		return -ENOENT;
	}
	if (query.candidates > 1)
		pr_info("%u functions are called %s: taking the first, %pS; say module:symbol, or give the address, for another\n",
			query.candidates, name, (void *)query.addr);
	*addr = query.addr;
	return 0;
}

static int base_address(const struct kprobe *p, struct host_names *names, unsigned long *addr,
			const char **why)
{
	if (p->symbol_name && p->addr) {
		*why = "both symbol_name and addr given";
		return -EINVAL;
	}
	if (p->symbol_name)
		return lookup_symbol(names, p->symbol_name, addr, why);
	*addr = (unsigned long)p->addr;
	*why = "neither symbol_name nor addr given";
	return *addr ? 0 : -EINVAL;
}

/*
 * The place where a function's entry is probed: the call site of the tracer, where
 * that stands for the entry; else the first instruction behind a landing pad.
 */
static unsigned long entry_of(unsigned long start)
{
	unsigned long site = ARCH_ENTRY_AT_SITE ? host_ftrace_location(start) : 0;

	return site ?: arch_entry_address(start);
}

/**
 * address_behind_tracer() - where a probe of our own on a function goes
 * @start: the function's first byte
 *
 * Behind the call site of the tracer, so that it needs no tracer.  Nothing of the function
 * has run there yet.
 *
 * Context: kprobe_mutex held, sleeps.
 */
unsigned long address_behind_tracer(unsigned long start)
{
	unsigned long site = host_ftrace_location(start);

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	return site ? site + ARCH_FTRACE_SITE_SIZE : arch_entry_address(start);
}

static bool is_entry(unsigned long addr, unsigned long start)
{
	return addr == start || addr == arch_entry_address(start) || addr == entry_of(start);
}

static void adjust_entry(struct probe_address *where, unsigned long start)
{
	where->on_entry = is_entry(where->addr, start);
	if (where->addr == start)
		where->addr = entry_of(start);
}

static const char *not_text_because(unsigned long addr)
{
	if (addr < TASK_SIZE_MAX)
		return "user space address";
	return "not kernel or module text";
}

static int check_text(struct probe_address *where, const char **why)
{
	int err;

	where->module = module_of_text(where->addr, &err);
	if (err) {
		*why = module_of_text_none;
		return err;
	}
	if (text_is_there(where->module, where->addr))
		return 0;
	*why = not_text_because(where->addr);
	return -EINVAL;
}

/* ---- is it the first byte of an instruction ---- */

/*
 * How far the last function of a batch has been read.  The next address is often behind
 * that in the same function, and instructions do not move.  Guarded by kprobe_mutex.
 */
static struct {
	unsigned long start;
	unsigned long at;
	bool flow_ended;
} been_to;

/* The address check returns one error for both. */
static int cannot_pass(unsigned long at, int err, const char **why)
{
	if (err != -EBUSY)
		*why = "bytes before it in the function can't be decoded";
	else if (host_foreign_probe(at))
		*why = "a kprobe of the kernel's own is before it in the function";
	else
		*why = "a foreign breakpoint is before it in the function";
	return -EILSEQ;
}

#ifndef arch_begin_before
#define arch_begin_before(start, addr)	(start)
#endif

static void read_up_to(struct probe_address *where, unsigned long end)
{
	where->known = text_original(where->addr, where->bytes,
				     min_t(size_t, end - where->addr, sizeof(where->bytes)));
}

/**
 * address_read() - read the text at a probe point
 * @where: with its addr set; known and bytes are filled in
 *
 * For probes of our own, of which address_find() is not asked.
 *
 * Context: kprobe_mutex held, sleeps.
 */
void address_read(struct probe_address *where)
{
	unsigned long start, size;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (!host_symbol_bounds(where->addr, &start, &size))
		start = where->addr, size = 1;
	read_up_to(where, start + size);
}

/* On the way to the address its text is read. */
static int check_boundary(struct probe_address *where, unsigned long start, unsigned long end,
			  const char **why)
{
	unsigned long addr = where->addr;
	bool again = been_to.start == start && been_to.at <= addr;
	struct text_walk walk;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	*why = "not on an instruction boundary";
	if (ARCH_INSN_SIZE) {
		read_up_to(where, end);
		return IS_ALIGNED(addr, ARCH_INSN_SIZE ?: 1) ? 0 : -EILSEQ;
	}
	text_walk_begin(&walk, again ? been_to.at : arch_begin_before(start, addr), end);
	walk.flow_ended = again && been_to.flow_ended;
	err = text_walk_to(&walk, addr);
	if (err)
		return cannot_pass(walk.at, err, why);
	/* Within a filler one needs to know that it is one. */
	if (walk.at >= walk.filler_end) {
		been_to.start = start;
		been_to.at = walk.at;
		been_to.flow_ended = walk.flow_ended;
	}
	if (walk.at != addr)
		return -EILSEQ;
	where->known = text_walk_ahead(&walk, where->bytes, sizeof(where->bytes));
	return 0;
}

/* ---- does it have another owner ---- */

static int check_owner(struct probe_address *where, const char **why)
{
	unsigned long addr = where->addr;
	struct arch_step step;

	if (host_foreign_probe(addr)) {
		*why = "a kprobe of the kernel's own is there";
		return -EINVAL;
	}
	if (builtin_collides(addr)) {
		*why = "a kprobe of the kernel's own is before it, whose jump would cover it";
		return -EINVAL;
	}
	if (!where->known) {
		*why = text_foreign;
		return -EINVAL;
	}
	if (!arch_step_over(&step, where->bytes, where->known, addr)) {
		*why = "no valid instruction at this address";
		return -EILSEQ;
	}
	*why = host_reserved(addr, addr + step.length);
	if (*why)
		return -EINVAL;
	/* Of most it is told sooner that there is none. */
	if (!host_ftrace_within(addr, addr + 1) || host_ftrace_location(addr) != addr)
		return 0;
	where->mechanism = POINT_FTRACE;
	*why = "ftrace call site, where this kernel does not save all registers";
	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) ? 0 : -EINVAL;
}

/* Cheap checks with the clearest reasons come first. */
static int check_all(struct probe_address *where, const char **why)
{
	unsigned long start, size;
	int err;

	if (!host_symbol_bounds(where->addr, &start, &size)) {
		*why = "no symbol covers this address";
		return -EINVAL;
	}
	if (where->addr - start <= ARCH_FTRACE_SITE_BEHIND)
		adjust_entry(where, start);
	*why = blacklist_reason(where->addr);
	if (*why)
		return -EINVAL;
	err = check_boundary(where, start, start + size, why);
	return err ?: check_owner(where, why);
}

/**
 * addresses_begin() - a batch of kprobes is about to be registered
 * @kps: array of pointers to them; entries behind a NULL are ignored
 * @num: how many
 *
 * Looks up their names together, where that is faster.  Nothing is kept from earlier
 * batches, since modules may have come and gone.
 *
 * Context: kprobe_mutex held until addresses_end() has been called; sleeps.
 */
void addresses_begin(struct kprobe **kps, int num)
{
	unsigned int named = 0;
	int i;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	been_to.start = 0;
	for (i = 0; i < num && kps[i]; i++)
		named += !!kps[i]->symbol_name;
	batch_names = host_names_new(named);
	if (!batch_names)
		return;
	for (i = 0; i < num && kps[i]; i++)
		if (kps[i]->symbol_name)
			host_names_add(batch_names, kps[i]->symbol_name);
	host_names_resolve(batch_names);
}

/**
 * addresses_end() - that batch has been registered
 *
 * Context: kprobe_mutex held.
 */
void addresses_end(void)
{
	lockdep_assert_held(&kprobe_mutex);
	host_names_free(batch_names);
	batch_names = NULL;
}

/**
 * address_find() - find the probe point that a kprobe asks for
 * @p: the kprobe, as the client filled it in
 * @entry_only: it must be the entry of a function
 * @where: on success, filled in; @where->module has a reference
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0, or what register_kprobe() documents.
 */
int address_find(const struct kprobe *p, bool entry_only, struct probe_address *where,
		 const char **why)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (point_of(p)) {
		*why = "already registered";
		return -EINVAL;
	}
	err = base_address(p, batch_names, &where->addr, why);
	if (err)
		return err;
	if (check_add_overflow(where->addr, (unsigned long)p->offset, &where->addr)) {
		*why = "the offset leads beyond the end of memory";
		return -EINVAL;
	}
	err = check_text(where, why);
	if (err)
		return err;
	err = check_all(where, why);
	if (!err && entry_only && !where->on_entry) {
		*why = "not a function entry";
		err = -EINVAL;
	}
	if (err) {
		module_put(where->module);
		where->module = NULL;
	}
	return err;
}

/**
 * kprobe_on_func_entry() - is an address the entry of a function
 * @addr: an address, or NULL
 * @sym: a symbol, if @addr is NULL
 * @offset: added to either
 *
 * Context: process context, sleeps.
 * Return: 0 if it is; -EINVAL if it is not; -ENOENT if there is no such symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym, unsigned long offset)
{
	struct kprobe p = { .addr = addr, .symbol_name = sym };
	unsigned long start, size, at;
	struct module *mod;
	const char *why;
	int err;

	might_sleep();
	err = base_address(&p, NULL, &at, &why);
	if (err)
		return err;
	/* With the mutex no init text goes meanwhile. */
	mutex_lock(&kprobe_mutex);
	mod = module_of_text(at + offset, &err);
	if (!err && !text_is_there(mod, at + offset))
		err = -EINVAL;
	if (!err && !host_symbol_bounds(at + offset, &start, &size))
		err = -ENOENT;
	if (!err)
		err = is_entry(at + offset, start) ? 0 : -EINVAL;
	mutex_unlock(&kprobe_mutex);
	module_put(mod);
	return err;
}
EXPORT_SYMBOL_GPL(kprobe_on_func_entry);
