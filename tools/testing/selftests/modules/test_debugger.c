// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the kernel's debugger, which the kernels of the tests are built without: it has one
 * breakpoint, in a function of its own, keeps what was there, and writes that back.  It must be
 * loaded before kprobes.ko, which looks for the debugger by these names, and leave after it.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <asm/cacheflush.h>

#include "target.h"
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

void *dbg_io_ops = &set;

int kgdb_has_hit_break(unsigned long addr)
{
	return READ_ONCE(set) && addr == (unsigned long)target_at(&lkp_debugged);
}

static int write_text(text_unit unit)
{
	unsigned long at = (unsigned long)target_at(&lkp_debugged);
	struct page *page = vmalloc_to_page((void *)at);
	void *alias = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;

	if (!alias)
		return -ENOMEM;
	memcpy(alias + offset_in_page(at), &unit, sizeof(unit));
	vunmap(alias);
	flush_icache_range(at, at + sizeof(unit));
	return 0;
}

/* Nobody runs the function meanwhile. */
static int change(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (err || want == set)
		return err;
	if (want)
		kept = target_unit(&lkp_debugged);
	err = write_text(want ? DEBUGGERS_TRAP : kept);
	if (!err)
		WRITE_ONCE(set, want);
	return err;
}

static const struct kernel_param_ops change_ops = { .set = change };
module_param_cb(set, &change_ops, NULL, 0200);
MODULE_PARM_DESC(set, "set the breakpoint, or write back what was there");

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
	at = lkp_debugged.at;
	original = target_unit(&lkp_debugged);
	return 0;
}
module_init(debugger_init);

static void __exit debugger_exit(void)
{
}
module_exit(debugger_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
