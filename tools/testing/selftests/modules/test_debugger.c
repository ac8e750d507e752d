// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the kernel's debugger, which the kernels of the tests are built without: it has one
 * breakpoint, in a function of its own, keeps what was there, and writes that back.  It must be
 * loaded before kprobes.ko, which looks for the debugger by these names, and leave after it; one that
 * is built for failures takes this module for the kernel.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>

#include "target.h"
#include "older.h"
#include "test_debugger.h"

#if defined(CONFIG_X86_64)
#define DEBUGGERS_TRAP	0xcc
#elif defined(CONFIG_ARM64)
#define DEBUGGERS_TRAP	0xd4208000
#else
#define DEBUGGERS_TRAP	0x7d821008
#endif

TARGET(lkp_debugged, SLOT_ADD(lkp_debugged));

static bool set;
static text_unit kept, original;
static void *alias;		/* of the function's page, to write to */

void *dbg_io_ops = &set;

int kgdb_has_hit_break(unsigned long addr)
{
	return READ_ONCE(set) && addr == (unsigned long)target_at(&lkp_debugged);
}

static void write_text(text_unit unit)
{
	unsigned long at = (unsigned long)target_at(&lkp_debugged);

	memcpy(alias + offset_in_page(at), &unit, sizeof(unit));
	flush_icache_range(at, at + sizeof(unit));
}

/* Nobody runs the function meanwhile. */
static void change_to(bool want)
{
	if (want)
		kept = target_unit(&lkp_debugged);
	write_text(want ? DEBUGGERS_TRAP : kept);
	WRITE_ONCE(set, want);
}

static int change(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (!err && want != set)
		change_to(want);
	return err;
}

static const struct kernel_param_ops change_ops = { .set = change };
module_param_cb(set, &change_ops, NULL, 0200);
MODULE_PARM_DESC(set, "set the breakpoint, or write back what was there");

#ifdef CONFIG_DYNAMIC_FTRACE

/*
 * Who changes text maps it when he has looked for a debugger and found none.  A debugger that stops
 * all CPUs then waits for no lock.
 */
static bool late;

static void notrace on_mapping(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	if (xchg(&late, false))
		change_to(true);
}

static struct ftrace_ops mapping = { .func = on_mapping };

static int change_late(const char *val, const struct kernel_param *param)
{
	char function[] = "vmap";
	int err = ftrace_set_filter(&mapping, function, strlen(function), 1);

	late = true;
	return err ?: register_ftrace_function(&mapping);
}

static const struct kernel_param_ops change_late_ops = { .set = change_late };
module_param_cb(late, &change_late_ops, NULL, 0200);
MODULE_PARM_DESC(late, "written once: set the breakpoint when text is mapped next");

static void forget_mapping(void)
{
	if (mapping.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&mapping);
	ftrace_free_filter(&mapping);
}

#else

static void forget_mapping(void)
{
}

#endif

static int call(const char *val, const struct kernel_param *param)
{
	return lkp_debugged.fn(40, 2) == 42 ? 0 : -EIO;
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: calls the function, -EIO if the result is wrong");

static int is_original(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", target_unit(&lkp_debugged) == original);
}

static const struct kernel_param_ops original_ops = { .get = is_original };
module_param_cb(original, &original_ops, NULL, 0400);

static unsigned int at;
module_param(at, uint, 0400);

static int __init debugger_init(void)
{
	struct page *page = vmalloc_to_page(target_at(&lkp_debugged));

	alias = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;
	if (!alias)
		return -ENOMEM;
	at = lkp_debugged.at;
	original = target_unit(&lkp_debugged);
	return 0;
}
module_init(debugger_init);

static void __exit debugger_exit(void)
{
	forget_mapping();
	vunmap(alias);
}
module_exit(debugger_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
