// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only place that writes live text.
 *
 * The page behind the text is mapped a second time, writable and never
 * executable, for as long as the write takes.  The mapping that runs stays
 * read-only, so no page is ever both through one address.
 */
#define pr_fmt(fmt) "kprobes: " fmt

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
#include "inject.h"

/* Pages that one mapping covers: many edits share the cost of it. */
#define WINDOW	128

static struct page *window[WINDOW];
static DEFINE_MUTEX(window_mutex);

/* The kernel's own lock around text changes, where it can be found. */
static struct mutex *kernel_text_mutex;

/**
 * host_text_lock() - keep the kernel's own text changes out
 *
 * Context: process context, sleeps.
 */
void host_text_lock(void)
{
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

static int write_alias(void *alias, const struct text_edit *edits, unsigned int nr, bool live)
{
	struct stopped_write write = { .alias = alias, .edits = edits, .nr = nr };

	if (live && !all_are_safe_live(edits, nr))
		return stop_machine(write_stopped, &write, cpu_online_mask);
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
 * host_text_write() - write bytes into live text
 * @edits: what and where
 * @nr: how many
 *
 * An edit of one byte, or of four aligned ones, is a single store.  What the
 * CPUs have already fetched is not called back: host_text_sync() does that,
 * once for as many edits as the caller likes.
 *
 * Context: process context, may sleep.
 * Return: 0; -ENOMEM; -EFAULT if an address is not text, -EIO if a write did
 * not take.  On error the edits before the failing group have been made.
 */
int host_text_write(const struct text_edit *edits, unsigned int nr)
{
	return write_all(edits, nr, false);
}

/**
 * host_text_write_live() - write bytes that CPUs may be running at this moment
 * @edits: as for host_text_write()
 * @nr: how many
 *
 * Where a processor must not run what is being changed, the others are stopped
 * meanwhile.  The caller goes on with host_text_sync(), and with
 * host_text_write_again().
 *
 * Context: process context with interrupts on.
 * Return: as host_text_write().
 */
int host_text_write_live(const struct text_edit *edits, unsigned int nr)
{
	return write_all(edits, nr, true);
}

/**
 * host_text_write_again() - write what CPUs may have run meanwhile a second time
 * @edits: what has been written, and synced
 * @nr: how many
 *
 * To a processor that changes nothing.  An emulated one (QEMU's TCG with a
 * thread for each CPU) drops its translation of the old bytes just before a
 * store to them; if another CPU translates them anew right then, it keeps the
 * old bytes for good, unless there is another store.  A trap that has gone
 * would then be run into forever.
 *
 * Context: process context, may sleep.
 */
void host_text_write_again(const struct text_edit *edits, unsigned int nr)
{
	if (write_all(edits, nr, false))
		pr_debug("no memory to write twice\n");
}

#define REFRESHED_AT_ONCE	256

static struct text_edit refreshed[REFRESHED_AT_ONCE];	/* guarded by kernel_text_mutex */

/* Under the lock nobody else is amid a change that begins with a trap. */
static void refresh_some(const unsigned long *addrs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		refreshed[i].addr = addrs[i];
		refreshed[i].len = ARCH_TRAP_SIZE;
		memcpy(refreshed[i].bytes, (void *)addrs[i], ARCH_TRAP_SIZE);
	}
	host_text_write_again(refreshed, nr);
}

/**
 * host_text_refresh() - write what the kernel has just written once more
 * @addrs: where instructions begin that it has changed; sorted if they are many
 * @nr: how many
 *
 * For emulated processors, see host_text_write_again().
 *
 * Context: process context, sleeps.
 */
void host_text_refresh(const unsigned long *addrs, unsigned int nr)
{
	unsigned int some;

	if (!kernel_text_mutex)
		return;
	for (; nr; nr -= some, addrs += some) {
		some = min_t(unsigned int, nr, REFRESHED_AT_ONCE);
		host_text_lock();
		refresh_some(addrs, some);
		host_text_unlock();
		cond_resched_tasks_rcu_qs();
	}
}

/**
 * host_text_sync() - have every CPU forget the instructions it has fetched
 *
 * Context: process context with interrupts on.
 */
void host_text_sync(void)
{
	on_each_cpu(arch_sync_core, NULL, 1);
}

/**
 * host_text_init() - learn which lock guards text
 *
 * To be called when host_lookup() works; until then nothing is locked.
 */
int host_text_init(void)
{
	kernel_text_mutex = (struct mutex *)host_lookup("text_mutex");
	return 0;
}
