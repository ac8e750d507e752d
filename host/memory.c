// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable memory from the kernel's allocator, near given text.
 *
 * It is read-only in every mapping: in the one that runs, and in the kernel's linear
 * mapping of all memory, where an allocation is writable otherwise.  The latter is put back
 * when the memory is freed.
 *
 * An attempt for which there is no room is dear: the kernel flushes the TLBs of all CPUs, in the hope
 * for addresses that are free then.  So it is remembered, for who would try again soon.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/numa.h>
#include <linux/perf_event.h>
#include <linux/vmalloc.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"

/* Profilers show this name for what runs there. */
static const char name[] = "kprobes_slots";

/* The function has another name in kernels that profile memory allocations. */
static void *alloc_between(unsigned long start, unsigned long end, unsigned long size)
{
	const void *caller = __builtin_return_address(0);
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;

	if (import_has(__vmalloc_node_range))
		return import___vmalloc_node_range(size, PAGE_SIZE, start, end, gfp,
						   ARCH_SLOT_PGPROT, VM_FLUSH_RESET_PERMS,
						   NUMA_NO_NODE, caller);
	if (import_has(__vmalloc_node_range_noprof))
		return import___vmalloc_node_range_noprof(size, PAGE_SIZE, start, end, gfp,
							  ARCH_SLOT_PGPROT, VM_FLUSH_RESET_PERMS,
							  NUMA_NO_NODE, caller);
	return NULL;
}

/* Where the kernel has no such function, its own modules are writable there, too. */
static int protect(void *base, unsigned long size)
{
	if (inject_failure())
		return -ENOMEM;
	return import_has(set_memory_ro) ?
	       import_set_memory_ro((unsigned long)base, size >> PAGE_SHIFT) : 0;
}

static void announce(unsigned long base, unsigned long size, bool gone)
{
	if (import_has(perf_event_ksymbol))
		import_perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, base, size, gone, name);
}

/* ---- where there was none ---- */

/**
 * struct shortage - a range of addresses in which there was no memory
 * @range: which
 * @until: jiffies until when nobody should try again
 * @delay: the time from the attempt until then, in jiffies; 0: none
 */
struct shortage {
	struct host_area range;
	unsigned long until;
	unsigned long delay;
};

#define FIRST_DELAY	(HZ / 4)
#define LAST_DELAY	(64 * HZ)

static DEFINE_MUTEX(shortages_mutex);
static struct shortage shortages[8];	/* of the ranges that were asked for last */
static unsigned int next_shortage;

static void near_text(unsigned long near, struct host_area *range)
{
	arch_near_text_range(near, &range->start, &range->end);
}

/* Ranges may depend on the very place. */
static bool is_much_the_same(const struct host_area *one, const struct host_area *other)
{
	unsigned long start = max(one->start, other->start), end = min(one->end, other->end);

	return start < end && end - start > (one->end - one->start) / 8 * 7;
}

static struct shortage *find_shortage(const struct host_area *range)
{
	struct shortage *shortage;

	lockdep_assert_held(&shortages_mutex);
	for (shortage = shortages; shortage < shortages + ARRAY_SIZE(shortages); shortage++)
		if (shortage->delay && is_much_the_same(range, &shortage->range))
			return shortage;
	return NULL;
}

static void note_shortage(const struct host_area *range)
{
	struct shortage *shortage = find_shortage(range);

	if (!shortage) {
		shortage = &shortages[next_shortage++ % ARRAY_SIZE(shortages)];
		*shortage = (struct shortage){ .range = *range, .delay = FIRST_DELAY / 2 };
	}
	shortage->delay = min_t(unsigned long, 2 * shortage->delay, LAST_DELAY);
	shortage->until = jiffies + shortage->delay;
}

static void note_attempt(const struct host_area *range, bool failed)
{
	struct shortage *shortage;

	mutex_lock(&shortages_mutex);
	if (failed)
		note_shortage(range);
	else
		while ((shortage = find_shortage(range)))
			shortage->delay = 0;
	mutex_unlock(&shortages_mutex);
}

/**
 * host_memory_is_short() - has there been no memory near text, a moment ago
 * @near: an address of that text
 *
 * The moment is longer after each attempt, up to a minute.
 *
 * Context: process context, may sleep.
 * Return: whether to try again only later.
 */
bool host_memory_is_short(unsigned long near)
{
	const struct shortage *shortage;
	struct host_area range;
	bool is_short;

	might_sleep();
	near_text(near, &range);
	mutex_lock(&shortages_mutex);
	shortage = find_shortage(&range);
	is_short = shortage && time_before(jiffies, shortage->until);
	mutex_unlock(&shortages_mutex);
	return is_short;
}

/**
 * host_memory_try_again() - forget where memory was short
 *
 * Context: process context, may sleep.
 */
void host_memory_try_again(void)
{
	unsigned int i;

	might_sleep();
	mutex_lock(&shortages_mutex);
	for (i = 0; i < ARRAY_SIZE(shortages); i++)
		shortages[i].delay = 0;
	mutex_unlock(&shortages_mutex);
}

/* ---- memory ---- */

/**
 * host_memory_alloc() - get executable memory within reach of text
 * @near: an address of that text
 * @size: bytes, whole pages
 * @again: who asks will ask again, if host_memory_is_short() does not keep it from that
 *
 * Context: process context, may sleep.
 * Return: the address, of memory to be filled by host_text_fill(); 0 if there is none.
 */
unsigned long host_memory_alloc(unsigned long near, unsigned long size, bool again)
{
	struct host_area range;
	void *base;

	might_sleep();
	/* Of a page in part, the rest would stay writable by the linear mapping. */
	if (WARN_ON_ONCE(!PAGE_ALIGNED(size)))
		return 0;
	near_text(near, &range);
	if (inject_failure() || range.start >= range.end)
		return 0;
	base = alloc_between(range.start, range.end, size);
	if (again || base)
		note_attempt(&range, !base);
	if (base && protect(base, size)) {
		vfree(base);
		return 0;
	}
	if (base)
		announce((unsigned long)base, size, false);
	return (unsigned long)base;
}

/**
 * host_memory_free() - free what host_memory_alloc() has returned
 * @base: the address
 * @size: bytes, as allocated
 *
 * Context: process context, may sleep; no CPU runs the memory any more.
 */
void host_memory_free(unsigned long base, unsigned long size)
{
	might_sleep();
	announce(base, size, true);
	vfree((void *)base);
}

/* ---- page tables ---- */

#ifdef CONFIG_ARCH_HAS_EXECMEM_ROX

/*
 * Modules share large pages there, which the kernel splits to write to one and collapses again,
 * and then it frees the table of small pages: who is reading it meanwhile may find any page in it.
 * The kernel's own writer takes this lock against that, under text_mutex as we do.
 */
static struct mm_struct *kernel_mm;

/**
 * host_page_tables_init() - find the lock of the kernel's page tables, where it is needed
 *
 * Context: process context, may sleep.
 */
void host_page_tables_init(void)
{
	kernel_mm = (struct mm_struct *)host_lookup("init_mm");
	if (!kernel_mm)
		pr_warn("the lock of the kernel's page tables is not known: do not load modules while probes come and go\n");
}

/**
 * host_page_tables_lock() - text stays mapped as it is
 *
 * Context: process context, sleeps; under text_mutex or not.
 */
void host_page_tables_lock(void)
	__acquires(&kernel_mm->mmap_lock)
{
	might_sleep();
	if (kernel_mm)
		down_read(&kernel_mm->mmap_lock);
	__acquire(&kernel_mm->mmap_lock);
}

/**
 * host_page_tables_unlock() - undo host_page_tables_lock()
 */
void host_page_tables_unlock(void)
	__releases(&kernel_mm->mmap_lock)
{
	__release(&kernel_mm->mmap_lock);
	if (kernel_mm)
		up_read(&kernel_mm->mmap_lock);
}

#endif
