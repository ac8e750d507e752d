// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: its parts are initialised in order, and end in reverse order.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>

#include "../host/arch_host.h"
#include "core.h"
#include "return_hook.h"

/* By name: compilers that shuffle structs shuffle this one. */
#define PART(begin, end)	{ .init = begin, .exit = end }

static const struct part {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	PART(arch_init, NULL),
	PART(host_symbols_init, host_symbols_exit),
	PART(host_text_locks_init, NULL),
	PART(host_text_init, NULL),
	PART(host_foreign_init, NULL),
	PART(host_sections_init, NULL),
	PART(host_reserved_init, host_reserved_exit),
	PART(host_landings_init, NULL),
	PART(host_sites_init, NULL),
	PART(host_slots_init, host_slots_exit),
	PART(table_init, table_exit),
	PART(NULL, late_exit),
	PART(return_hooks_init, return_hooks_exit),
	PART(traces_init, traces_exit),
	PART(blacklist_init, blacklist_exit),
	PART(guard_init, guard_exit),
	PART(entry_trap_init, entry_trap_exit),
	/* A task that is preempted in a slot may leave it by a trap: that goes last. */
	PART(NULL, host_slots_flush),
	PART(entry_ftrace_init, host_ftrace_exit),
	PART(NULL, point_exit),
	PART(modules_init, modules_exit),
	/* It may have text in modules to put back. */
	PART(NULL, optimize_exit),
	PART(debugfs_init, debugfs_exit),
	PART(sysctl_init, sysctl_exit),
};

static void end_parts(unsigned int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static bool other_kernel;
module_param(other_kernel, bool, 0400);
MODULE_PARM_DESC(other_kernel, "load into a kernel of another release than it was built for");

/*
 * What the kernel does not export has no version that insmod could compare, and its headers have said when
 * this was built how it is called, and what there is to take care of.
 */
static bool __init is_built_for_this(void)
{
	if (!strcmp(init_uts_ns.name.release, UTS_RELEASE))
		return true;
	pr_warn("built for Linux %s, not for this one, %s%s\n", UTS_RELEASE, init_uts_ns.name.release,
		other_kernel ? "" : ": build it anew, or say other_kernel=1 if you know that nothing differs");
	return other_kernel;
}

static int __init kprobes_init(void)
{
	unsigned int i;
	int err;

	if (!is_built_for_this())
		return -ENOEXEC;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init ? parts[i].init() : 0;
		if (err) {
			end_parts(i);
			return err;
		}
	}
	pr_info("ready, %s\n", KPROBES_SIDE_BY_SIDE ?
		"beside the kernel's own: our functions begin with lkp_" :
		"in a kernel that has none of its own");
	return 0;
}
module_init(kprobes_init);

/*
 * "rmmod -f" passes over those who hold this module, but for clients: over traps that could not be
 * removed yet, tasks that return through a stub, open files.  They let it go by themselves, and nobody
 * takes it any more.  What will never let it go keeps it, and rmmod.
 */
static void wait_for_holders(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	int nr = module_refcount(THIS_MODULE);

	if (nr <= 0)
		return;
	pr_warn("unloaded by force, and held %d times: waiting until it is not\n", nr);
	while (module_refcount(THIS_MODULE) > 0)
		msleep(100);
#endif
}

/* Clients hold references to this module, so no probe and no point is left. */
static void __exit kprobes_exit(void)
{
	wait_for_holders();
	end_parts(ARRAY_SIZE(parts));
}
module_exit(kprobes_exit);

MODULE_DESCRIPTION("Kernel probes for a running kernel");
MODULE_LICENSE("GPL");
MODULE_VERSION(LKP_VERSION);
