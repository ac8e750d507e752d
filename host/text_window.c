// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window through which text.c writes: pages of text, mapped a second time, writable and not
 * executable.
 *
 * Each write has its own mapping, as a rule.  Thousands of slots and detours that are written one by
 * one lie side by side, and a mapping costs more than the rest of the write: so a task that is about
 * to write many says so, and the page that was written last stays mapped until it has done.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "arch_host.h"
#include "host.h"
#include "inject.h"
#include "text_window.h"

/* Pages in one mapping: many edits share its cost. */
#define WINDOW	128

/* Guards all that follows. */
static DEFINE_MUTEX(window_mutex);
static struct page *window[WINDOW];

/* How many tasks are writing many edits, and what is mapped for them; NULL: nothing. */
static unsigned int writers;
static struct page *kept_page;
static void *kept;

/**
 * text_window_lock() - begin to use the window
 *
 * Context: process context, may sleep.
 */
void text_window_lock(void)
	__acquires(&window_mutex)
{
	mutex_lock(&window_mutex);
	__acquire(&window_mutex);
}

/**
 * text_window_unlock() - end that
 */
void text_window_unlock(void)
	__releases(&window_mutex)
{
	__release(&window_mutex);
	mutex_unlock(&window_mutex);
}

static unsigned long first_page(const struct text_edit *edit)
{
	return edit->addr & PAGE_MASK;
}

/* An edit of several bytes may extend into the next page. */
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

/* Fills the window with the pages of edits; returns how many of the edits fit. */
static int fill_window(const struct text_edit *edits, unsigned int nr, unsigned int *pages)
{
	unsigned long last = 0;
	unsigned int i;

	lockdep_assert_held(&window_mutex);
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

static void unmap_kept(void)
{
	lockdep_assert_held(&window_mutex);
	if (!kept)
		return;
	vunmap(kept);
	put_page(kept_page);
	kept = NULL;
	kept_page = NULL;
}

/*
 * The memory of slots may be given back and taken anew meanwhile, at the same address.  So what is
 * compared is the page that is there now; and a page is nobody else's as long as it is mapped here.
 */
static void *map_kept(void)
{
	lockdep_assert_held(&window_mutex);
	if (kept_page == window[0])
		return kept;
	unmap_kept();
	kept = inject_failure() ? NULL : vmap(window, 1, VM_MAP, PAGE_KERNEL);
	if (!kept)
		return NULL;
	kept_page = window[0];
	get_page(kept_page);
	return kept;
}

/**
 * text_window_open() - map the pages of edits
 * @edits: the edits, at least one
 * @nr: how many
 * @may_stay: a page may stay mapped for who writes many
 * @alias: on success, where the first page is mapped
 *
 * Context: process context, sleeps, between text_window_lock() and text_window_unlock().
 * Return: for how many of the edits there was room; -ENOMEM; -EFAULT if an address is not text.
 */
int text_window_open(const struct text_edit *edits, unsigned int nr, bool may_stay, void **alias)
{
	unsigned int pages;
	int done;

	might_sleep();
	lockdep_assert_held(&window_mutex);
	host_page_tables_lock();
	done = fill_window(edits, nr, &pages);
	host_page_tables_unlock();
	if (done < 0)
		return done;
	if (may_stay && writers && pages == 1)
		*alias = map_kept();
	else
		*alias = inject_failure() ? NULL : vmap(window, pages, VM_MAP, PAGE_KERNEL);
	return *alias ? done : -ENOMEM;
}

/**
 * text_window_close() - unmap what text_window_open() has mapped
 * @alias: from there
 *
 * Context: as text_window_open().
 */
void text_window_close(void *alias)
{
	lockdep_assert_held(&window_mutex);
	if (alias != kept)
		vunmap(alias);
}

/* A CPU may be running these bytes, so a single store is used where possible. */
static void store(void *to, const struct text_edit *edit)
{
	if (edit->len == 1)
		WRITE_ONCE(*(u8 *)to, edit->bytes[0]);
	else if (edit->len == 4 && IS_ALIGNED(edit->addr, 4))
		WRITE_ONCE(*(u32 *)to, *(u32 *)edit->bytes);
	else
		memcpy(to, edit->bytes, edit->len);
}

/**
 * text_window_store() - write edits through the window
 * @alias: from text_window_open(), which has been given the same edits
 * @edits: the edits
 * @nr: how many have room there
 *
 * An edit of one byte, or of four aligned ones, is a single store.
 *
 * Context: any, also while all other CPUs are stopped.
 */
void text_window_store(void *alias, const struct text_edit *edits, unsigned int nr)
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

/**
 * text_window_store_code() - write code through the window
 * @to: where it is mapped
 * @code: the code
 * @len: how many bytes, of one page
 *
 * By words, as text is compared.  No CPU runs there.
 *
 * Context: any.
 */
void text_window_store_code(void *to, const u8 *code, unsigned int len)
{
	u64 word;

	for (; len >= sizeof(word); len -= sizeof(word), to += sizeof(word), code += sizeof(word)) {
		memcpy(&word, code, sizeof(word));
		WRITE_ONCE(*(u64 *)to, word);
	}
	for (; len; len--)
		WRITE_ONCE(*(u8 *)to++, *code++);
}

/**
 * host_text_begin_many() - the caller is about to write many edits that no CPU runs yet
 *
 * Context: process context, may sleep.  host_text_end_many() follows, in the same task or another.
 */
void host_text_begin_many(void)
{
	text_window_lock();
	writers++;
	text_window_unlock();
}

/**
 * host_text_end_many() - it has written them
 *
 * Context: process context, may sleep.
 */
void host_text_end_many(void)
{
	text_window_lock();
	if (!--writers)
		unmap_kept();
	text_window_unlock();
}
