// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the function tracer has its calls.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"

/* The tracer's lock; or NULL. */
static struct mutex *sites_mutex;

/* Older tracers take only a site's own address, not that of a function. */
#ifdef LKP_FTRACE_TAKES_SITES
static const bool takes_functions = true;
#else
static const bool takes_functions;
#endif

/*
 * Where a weak function has been overridden, the linker drops its symbol, but neither its text nor
 * its site: to the kernel they are within the function before.  So only the first bytes are searched,
 * and the first site there is the function's: on ppc64 a function can be as short as twelve bytes.
 */
static unsigned long site_of_function(unsigned long addr)
{
	unsigned long start, size;

	if (!import_has(ftrace_location_range) || !host_symbol_bounds(addr, &start, &size) ||
	    addr != start)
		return 0;
	size = min_t(unsigned long, size, ARCH_FTRACE_SITE_BEHIND + 1);
	return import_ftrace_location_range(start, start + size - 1);
}

/* @site is one of those that the kernel takes for those of the function at @addr. */
static unsigned long first_site(unsigned long addr, unsigned long site)
{
	unsigned long before = site;

	while (before > addr) {
		site = before;
		before = import_has(ftrace_location_range) ?
			 import_ftrace_location_range(addr, site - 1) : 0;
	}
	return before == addr ? addr : site;
}

/**
 * host_sites_lock() - keep the function tracer's list of call sites as it is
 *
 * The tracer looks sites up without a lock.  That of kernels before 6.10, and of their stable series
 * before that was found, frees those of a module that goes without waiting for who looks.
 *
 * Context: process context, sleeps; not under text_mutex.
 */
void host_sites_lock(void)
{
	might_sleep();
	if (sites_mutex)
		mutex_lock(sites_mutex);
}

/**
 * host_sites_unlock() - undo host_sites_lock()
 */
void host_sites_unlock(void)
{
	if (sites_mutex)
		mutex_unlock(sites_mutex);
}

/**
 * host_site_at() - host_ftrace_location(), for who has many questions, or may not sleep
 * @addr: any address
 *
 * Context: within host_sites_lock().
 * Return: as host_ftrace_location().
 */
unsigned long host_site_at(unsigned long addr)
{
	unsigned long site = import_has(ftrace_location) ? import_ftrace_location(addr) : 0;

	if (!site && takes_functions)
		return 0;
	/* It may be another function's, or of the call in which @addr is. */
	if (site - addr > ARCH_FTRACE_SITE_BEHIND)
		site = site_of_function(addr);
	return first_site(addr, site);
}

/**
 * host_ftrace_location() - the call site of the function tracer at an address
 * @addr: any address; the first byte of a function stands for its site
 *
 * Context: process context, sleeps.
 * Return: the site, at most ARCH_FTRACE_SITE_BEHIND bytes behind @addr; 0 if there is none.
 */
unsigned long host_ftrace_location(unsigned long addr)
{
	unsigned long site;

	host_sites_lock();
	site = host_site_at(addr);
	host_sites_unlock();
	return site;
}

/**
 * host_site_within() - host_ftrace_within(), for who has many questions, or may not sleep
 * @start: first byte
 * @end: behind the last
 *
 * Context: within host_sites_lock().
 */
bool host_site_within(unsigned long start, unsigned long end)
{
	unsigned long first, size, site;

	if (import_has(ftrace_location_range))
		return import_ftrace_location_range(start, end - 1);
	if (!host_symbol_bounds(start, &first, &size))
		return false;
	site = host_site_at(first);
	return site >= start && site < end;
}

/**
 * host_ftrace_within() - is there a call site of the function tracer in a range
 * @start: first byte
 * @end: behind the last
 *
 * Context: process context, sleeps.
 */
bool host_ftrace_within(unsigned long start, unsigned long end)
{
	bool within;

	host_sites_lock();
	within = host_site_within(start, end);
	host_sites_unlock();
	return within;
}

/**
 * host_sites_init() - find the tracer's lock
 *
 * Return: 0.
 */
int host_sites_init(void)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		sites_mutex = (struct mutex *)host_lookup("ftrace_lock");
	return 0;
}
