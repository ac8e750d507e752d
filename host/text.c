// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only place that writes text.  What CPUs may be running is changed by
 * host_text_change() and host_text_replace(), under the locks of all who change
 * text; memory that no CPU runs yet, or any more, by host_text_write().
 *
 * The page behind the text is mapped a second time, writable and never
 * executable, for as long as the write takes.  The mapping that runs stays
 * read-only, so no page is ever both through one address.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpu.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"

/* Pages that one mapping covers: many edits share the cost of it. */
#define WINDOW	128

/* Guards the window. */
static DEFINE_MUTEX(window_mutex);
static struct page *window[WINDOW];

/* Guards the edits of a change that is under way. */
static DEFINE_MUTEX(change_mutex);
static struct text_edit pieces[HOST_TEXT_PIECE];

/*
 * The kernel's own lock around text changes.  Without CONFIG_KALLSYMS_ALL the
 * kernel's symbol table has no data: then it is not found, and not taken.
 */
static struct mutex *kernel_text_mutex;

static bool emulated = true;

/**
 * host_text_lock() - keep the kernel's own text changes out
 *
 * For who reads what belongs to them; who changes text has other ways.
 *
 * Context: process context, sleeps.
 */
void host_text_lock(void)
{
	might_sleep();
	if (kernel_text_mutex)
		mutex_lock(kernel_text_mutex);
}

/**
 * host_text_unlock() - let the kernel change text again
 */
void host_text_unlock(void)
{
	if (kernel_text_mutex)
		mutex_unlock(kernel_text_mutex);
}

/**
 * host_text_lock_works() - is the kernel's lock known
 *
 * Return: false if host_text_lock() keeps nobody out.
 */
bool host_text_lock_works(void)
{
	return kernel_text_mutex;
}

/*
 * The set of CPUs may not change between a write and the sync behind it.  Where the
 * variant of stop_machine() that is called with this lock held cannot be had, the lock
 * is taken by stop_machine() itself, and cannot be held around it.
 */
static bool keeps_cpus(void)
{
	return import_has(stop_machine_cpuslocked);
}

/* In the order in which the kernel takes them. */
static void begin_change(void)
{
	might_sleep();
	if (keeps_cpus())
		cpus_read_lock();
	host_text_lock();
	mutex_lock(&change_mutex);
}

static void end_change(void)
{
	mutex_unlock(&change_mutex);
	host_text_unlock();
	if (keeps_cpus())
		cpus_read_unlock();
}

static unsigned long first_page(const struct text_edit *edit)
{
	return edit->addr & PAGE_MASK;
}

/* An edit of several bytes may reach into the page that follows. */
static unsigned long last_page(const struct text_edit *edit)
{
	return (edit->addr + edit->len - 1) & PAGE_MASK;
}

static bool add_page(unsigned long page, unsigned int *pages)
{
	lockdep_assert_held(&window_mutex);
	window[*pages] = arch_text_page(page);
	return window[(*pages)++];
}

/* How many of the edits fit one window; fills it with their pages. */
static int fill_window(const struct text_edit *edits, unsigned int nr, unsigned int *pages)
{
	unsigned long last = 0;
	unsigned int i;

	*pages = 0;
	for (i = 0; i < nr; i++) {
		unsigned long from = first_page(&edits[i]), to = last_page(&edits[i]);

		if (*pages + (from != last) + (to != from) > WINDOW)
			break;
		if (from != last && !add_page(from, pages))
			return -EFAULT;
		if (to != from && !add_page(to, pages))
			return -EFAULT;
		last = to;
	}
	return i;
}

/* A reader may be running these very bytes: what can be one store is one. */
static void store(void *to, const struct text_edit *edit)
{
	if (edit->len == 1)
		WRITE_ONCE(*(u8 *)to, edit->bytes[0]);
	else if (edit->len == 4 && IS_ALIGNED(edit->addr, 4))
		WRITE_ONCE(*(u32 *)to, *(u32 *)edit->bytes);
	else
		memcpy(to, edit->bytes, edit->len);
}

/* Goes through the window as fill_window() did. */
static void write_window(void *alias, const struct text_edit *edits, unsigned int nr)
{
	unsigned long last = first_page(&edits[0]);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		unsigned long from = first_page(&edits[i]), to = last_page(&edits[i]);

		if (from != last)
			alias += PAGE_SIZE;
		store(alias + offset_in_page(edits[i].addr), &edits[i]);
		if (to != from)
			alias += PAGE_SIZE;
		last = to;
	}
}

static void tell_caches(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		arch_text_written(edits[i].addr, edits[i].len);
}

/* What is written while the others are kept out of all text but this. */
struct stopped_write {
	void *alias;
	const struct text_edit *edits;
	unsigned int nr;
	atomic_t arrived;
	bool done;
};

/* Runs on every CPU at the same time; the first one to come does the work when all are here. */
static int write_stopped(void *data)
{
	struct stopped_write *write = data;

	if (atomic_inc_return(&write->arrived) == 1) {
		while (atomic_read(&write->arrived) < num_online_cpus())
			cpu_relax();
		write_window(write->alias, write->edits, write->nr);
		tell_caches(write->edits, write->nr);
		/* Who sees this sees the text. */
		smp_store_release(&write->done, true);
	} else {
		/* ...as here. */
		while (!smp_load_acquire(&write->done))
			cpu_relax();
	}
	arch_sync_core(NULL);
	return 0;
}

static bool all_are_safe_live(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!arch_edit_is_safe_live(&edits[i]))
			return false;
	return true;
}

/* Callers that write what others may run hold the locks of begin_change(). */
static int stop_others_and_write(struct stopped_write *write)
{
	lockdep_assert_held(&change_mutex);
	if (keeps_cpus())
		return import_stop_machine_cpuslocked(write_stopped, write, cpu_online_mask);
	return stop_machine(write_stopped, write, cpu_online_mask);
}

static int write_alias(void *alias, const struct text_edit *edits, unsigned int nr, bool live)
{
	struct stopped_write write = { .alias = alias, .edits = edits, .nr = nr };

	if (live && !all_are_safe_live(edits, nr))
		return stop_others_and_write(&write);
	write_window(alias, edits, nr);
	tell_caches(edits, nr);
	return 0;
}

/* A hypervisor may drop writes to what it knows as text: look through the real mapping. */
static int verify(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!host_text_is(edits[i].addr, edits[i].bytes, edits[i].len)) {
			pr_err("write to text at %pS did not take\n", (void *)edits[i].addr);
			return -EIO;
		}
	}
	return 0;
}

static int write_some(const struct text_edit *edits, unsigned int nr, bool live)
{
	unsigned int pages;
	void *alias;
	int done, err;

	done = fill_window(edits, nr, &pages);
	if (done < 0)
		return done;
	alias = inject_failure() ? NULL : vmap(window, pages, VM_MAP, PAGE_KERNEL);
	if (!alias)
		return -ENOMEM;
	err = write_alias(alias, edits, done, live);
	vunmap(alias);
	return err ?: verify(edits, done) ?: done;
}

static int write_all(const struct text_edit *edits, unsigned int nr, bool live)
{
	int done = 0;

	mutex_lock(&window_mutex);
	while (nr && done >= 0) {
		done = write_some(edits, nr, live);
		if (done > 0) {
			edits += done;
			nr -= done;
		}
		cond_resched_tasks_rcu_qs();
	}
	mutex_unlock(&window_mutex);
	return done < 0 ? done : 0;
}

/**
 * host_text_write() - write to executable memory that no CPU runs yet, or any more
 * @edits: what and where
 * @nr: how many
 *
 * An edit of one byte, or of four aligned ones, is a single store.
 *
 * Context: process context, may sleep.
 * Return: 0; -ENOMEM; -EFAULT if an address is not text, -EIO if a write did
 * not take.  On error the edits before the failing group have been made.
 */
int host_text_write(const struct text_edit *edits, unsigned int nr)
{
	might_sleep();
	return write_all(edits, nr, false);
}

/*
 * To a processor that changes nothing.  An emulated one (QEMU's TCG with a
 * thread for each CPU) drops its translation of the old bytes just before a
 * store to them; if another CPU translates them anew right then, it keeps the
 * old bytes for good, unless there is another store.  A trap that has gone
 * would then be run into forever.
 */
static void write_again(const struct text_edit *edits, unsigned int nr)
{
	lockdep_assert_held(&change_mutex);
	if (host_cpu_is_emulated() && write_all(edits, nr, false))
		pr_debug("no memory to write twice\n");
}

static int write_pieces(struct text_change *change, unsigned int step, bool *any)
{
	unsigned int nr;
	int err = 0;

	lockdep_assert_held(&change_mutex);
	*any = false;
	change->begin_step(change, step);
	while (!err && (nr = change->next_edits(change, step, pieces, ARRAY_SIZE(pieces)))) {
		*any = true;
		err = write_all(pieces, nr, true);
	}
	return err;
}

static bool was_made(const struct text_edit *edit)
{
	return host_text_is(edit->addr, edit->bytes, edit->len);
}

/* If not all could be written some of it may have been: that is reported, and stays. */
static void report_pieces(struct text_change *change, unsigned int step, bool all)
{
	unsigned int nr, i;

	lockdep_assert_held(&change_mutex);
	change->begin_step(change, step);
	while ((nr = change->next_edits(change, step, pieces, ARRAY_SIZE(pieces)))) {
		if (all)
			write_again(pieces, nr);
		for (i = 0; i < nr; i++)
			if (all || was_made(&pieces[i]))
				change->written(change, step, i);
	}
}

static int do_step(struct text_change *change, unsigned int step)
{
	bool any;
	int err;

	err = write_pieces(change, step, &any);
	if (!any)
		return 0;
	host_text_sync();
	report_pieces(change, step, !err);
	return err ? change->failed(change, step, err) : 0;
}

/**
 * host_text_change() - change text that CPUs may be running at this moment
 * @change: what is to be changed, in which steps
 *
 * With the kernel's own changes of text kept out and no CPU coming or going: checks,
 * and then writes step by step.  Behind each step all CPUs are synced, and then
 * the change is told what has been written.  Where a processor must not run what is
 * being written, the others are stopped meanwhile.  Each write is verified through the
 * mapping that runs.
 *
 * Context: process context with interrupts on, sleeps; of the caller's locks none
 * that is taken under text_mutex or with CPUs kept from coming and going.
 * Return: 0; what @change->check() or @change->failed() returned.
 */
int host_text_change(struct text_change *change)
{
	unsigned int step;
	int err;

	lockdep_assert_irqs_enabled();
	begin_change();
	err = change->check(change);
	if (!err) {
		for (step = 0; step < change->nr_steps && !err; step++)
			err = do_step(change, step);
		host_text_sync();
	}
	end_change();
	return err;
}

/**
 * host_text_replace() - change a few instructions of the kernel's, each in one store
 * @edits: what and where
 * @nr: how many
 *
 * Context: as host_text_change().
 * Return: 0 or an error of host_text_write().
 */
int host_text_replace(const struct text_edit *edits, unsigned int nr)
{
	int err;

	lockdep_assert_irqs_enabled();
	begin_change();
	err = write_all(edits, nr, true);
	if (!err) {
		host_text_sync();
		write_again(edits, nr);
	}
	end_change();
	return err;
}

/* Under the locks nobody else is amid a change that begins with a trap. */
static void refresh_some(const unsigned long *addrs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		pieces[i].addr = addrs[i];
		pieces[i].len = ARCH_TRAP_SIZE;
		memcpy(pieces[i].bytes, (void *)addrs[i], ARCH_TRAP_SIZE);
	}
	write_again(pieces, nr);
}

/**
 * host_text_refresh() - write what the kernel has just written once more
 * @addrs: where instructions begin that it has changed; sorted if they are many
 * @nr: how many
 *
 * For emulated processors, see write_again(); others are left in peace.
 *
 * Context: process context, sleeps.
 */
void host_text_refresh(const unsigned long *addrs, unsigned int nr)
{
	unsigned int some;

	if (!kernel_text_mutex || !host_cpu_is_emulated())
		return;
	for (; nr; nr -= some, addrs += some) {
		some = min_t(unsigned int, nr, HOST_TEXT_PIECE);
		begin_change();
		refresh_some(addrs, some);
		end_change();
		cond_resched_tasks_rcu_qs();
	}
}

/**
 * host_text_sync() - have every CPU forget the instructions it has fetched
 *
 * By itself only for memory that is about to be run for the first time.
 *
 * Context: process context with interrupts on.
 */
void host_text_sync(void)
{
	lockdep_assert_irqs_enabled();
	on_each_cpu(arch_sync_core, NULL, 1);
}

/**
 * host_cpu_is_emulated() - may an emulator keep translations of text that has changed?
 *
 * Context: any.
 */
bool host_cpu_is_emulated(void)
{
	return emulated;
}

/**
 * host_text_init() - learn which lock guards text, and what runs it
 *
 * To be called when host_lookup() works; until then nothing is locked.
 */
int host_text_init(void)
{
	kernel_text_mutex = (struct mutex *)host_lookup("text_mutex");
	emulated = arch_cpu_is_emulated();
	return 0;
}
