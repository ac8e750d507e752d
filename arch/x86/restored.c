// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs in a kernel that has just been restored from disk, before it is whole.
 *
 * Another kernel, with its memory at other addresses, has copied the image into place and jumps to
 * restore_registers(), which returns for swsusp_arch_suspend().  The page tables and the stack are
 * the image's from then on; the base of the per-CPU data is that of the kernel before until
 * restore_processor_state() has written it.  The first per-CPU access of a trap, a detour or a
 * return hook would be to an address that is not mapped: a triple fault.
 *
 * The function that has called swsusp_arch_suspend() may be any that the compiler has inlined it
 * into, of those that are named here.  What restore_processor_state() calls until then depends on
 * the kernel's configuration: where it is paravirtualised, these are functions.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>

#include "../../core/core.h"

static const char why_restored[] = "runs in a kernel restored from disk, before it is whole";

static const char * const suspenders[] = {
	"create_image", "hibernation_snapshot", "hibernate",
};

static const char * const unwhole[] = {
	"swsusp_arch_suspend", "native_write_msr", "native_write_cr0", "native_write_cr3",
	"native_write_cr4",
};

/*
 * Steps to behind the next call of a function, or of any if @target is 0; false if there is none.
 */
static bool step_to_call(struct text_walk *text, unsigned long first, unsigned long target)
{
	struct arch_step step;

	while (text->at < text->end && !text_walk_step(text, &step))
		if (target ? arch_called_function(step.target) == target :
			     step.target && (step.target < first || step.target >= text->end))
			return true;
	return false;
}

/* From where swsusp_arch_suspend() returns to, up to behind the call that makes the CPU whole. */
static bool find_window(const char *name, unsigned long suspend, struct host_area *window)
{
	unsigned long addr = host_lookup(name), first, size;
	struct text_walk text;
	bool found;

	if (!addr || !host_symbol_bounds(addr, &first, &size))
		return false;
	text_walk_begin(&text, first, first + size);
	found = step_to_call(&text, first, suspend);
	window->start = text.at;
	found = found && step_to_call(&text, first, 0);
	window->end = text.at;
	return found;
}

static bool find_any_window(unsigned long suspend, struct host_area *window)
{
	bool found = false;
	unsigned int i;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(suspenders) && !found; i++)
		found = find_window(suspenders[i], suspend, window);
	mutex_unlock(&kprobe_mutex);
	return found;
}

static int add_unwhole(blacklist_fn add)
{
	unsigned long addr, start, size;
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(unwhole) && !err; i++) {
		addr = host_lookup(unwhole[i]);
		if (addr && host_symbol_bounds(addr, &start, &size))
			err = add(start, start + size, why_restored);
	}
	return err;
}

int arch_blacklist_find(blacklist_fn add)
{
	unsigned long suspend = host_lookup("swsusp_arch_suspend");
	struct host_area window;
	int err;

	might_sleep();
	/* Most kernels that can't hibernate have no such function. */
	if (!suspend)
		return 0;
	err = add_unwhole(add);
	if (err)
		return err;
	if (find_any_window(suspend, &window))
		return add(window.start, window.end, why_restored);
	pr_warn("hibernation is not as expected: a probe behind the call of %ps may reset the machine when the kernel is restored\n",
		(void *)suspend);
	return 0;
}
