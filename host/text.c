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

static int write_some(const struct text_edit *edits, unsigned int nr)
{
	unsigned int pages;
	void *alias;
	int done;

	done = fill_window(edits, nr, &pages);
	if (done < 0)
		return done;
	alias = inject_failure() ? NULL : vmap(window, pages, VM_MAP, PAGE_KERNEL);
	if (!alias)
		return -ENOMEM;
	write_window(alias, edits, done);
	vunmap(alias);
	return verify(edits, done) ?: done;
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
	int done = 0;

	mutex_lock(&window_mutex);
	while (nr && done >= 0) {
		done = write_some(edits, nr);
		if (done > 0) {
			edits += done;
			nr -= done;
		}
		cond_resched();
	}
	mutex_unlock(&window_mutex);
	return done < 0 ? done : 0;
}

/**
 * host_text_write_again() - write what CPUs may have run meanwhile a second time
 * @edits: what host_text_write() has written, and host_text_sync() synced
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
	if (host_text_write(edits, nr))
		pr_debug("no memory to write twice\n");
}

#define REFRESHED_AT_ONCE	256

static struct text_edit refreshed[REFRESHED_AT_ONCE];	/* guarded by kernel_text_mutex */

/* Under the lock nobody else is amid a change that begins with a trap. */
static void refresh_some(const unsigned long *addrs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		refreshed[i] = (struct text_edit){
			.addr = addrs[i], .len = 1, .bytes = { *(u8 *)addrs[i] },
		};
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
		cond_resched();
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
