// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's locks for changes of text.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>

#include "host.h"

/*
 * The kernel's text_mutex.  Without CONFIG_KALLSYMS_ALL the kernel's symbol table
 * has no data symbols: then the mutex is not known, and not taken.
 */
static struct mutex *kernel_text_mutex;

/*
 * That of the built-in kprobes, if there are any, and it is known.  They look at the text, release
 * text_mutex, and only then enter a probe into the table in which everybody finds it: in between it
 * is not seen.  They hold this one all the time.
 */
static struct mutex *builtin_mutex;

/**
 * host_text_lock() - exclude the kernel's own changes of text
 *
 * For readers of text. Changes of text use host_text_change() or
 * host_text_replace(), which take the lock themselves.
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
 * host_text_unlock() - allow the kernel's changes of text again
 *
 * Context: process context, after host_text_lock().
 */
void host_text_unlock(void)
{
	if (kernel_text_mutex)
		mutex_unlock(kernel_text_mutex);
}

/**
 * host_text_assert_locked() - warn if host_text_lock() is not in force
 *
 * Context: any.
 */
void host_text_assert_locked(void)
{
	if (kernel_text_mutex)
		lockdep_assert_held(kernel_text_mutex);
}

/**
 * host_text_lock_works() - is the kernel's lock known
 *
 * Return: false if host_text_lock() has no effect.
 */
bool host_text_lock_works(void)
{
	return kernel_text_mutex;
}

/**
 * host_text_is_locked() - is anybody changing or reading text under the kernel's lock
 *
 * Context: any.
 * Return: false if that is not known.
 */
bool host_text_is_locked(void)
{
	return kernel_text_mutex && mutex_is_locked(kernel_text_mutex);
}

/**
 * host_builtin_lock() - exclude changes of what the built-in kprobes know
 *
 * Where their mutex is not known this does nothing.
 *
 * Context: process context, sleeps; comes before the other locks of changes of text.
 */
void host_builtin_lock(void)
{
	might_sleep();
	if (builtin_mutex)
		mutex_lock(builtin_mutex);
}

/**
 * host_builtin_unlock() - undo host_builtin_lock()
 */
void host_builtin_unlock(void)
{
	if (builtin_mutex)
		mutex_unlock(builtin_mutex);
}

static struct mutex *find_builtin_mutex(void)
{
	return IS_ENABLED(CONFIG_KPROBES) ? (struct mutex *)host_lookup("kprobe_mutex") : NULL;
}

/**
 * host_text_locks_init() - find the kernel's locks
 *
 * Return: 0.
 */
int host_text_locks_init(void)
{
	kernel_text_mutex = (struct mutex *)host_lookup("text_mutex");
	builtin_mutex = find_builtin_mutex();
	return 0;
}
