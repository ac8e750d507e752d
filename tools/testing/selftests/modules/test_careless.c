// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that unloads without unregistering its probes, which are in memory that it has taken for
 * something else meanwhile.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "target.h"

/* They outlive the module: who hits a probe that nobody has taken back looks into them. */
struct probes {
	struct kretprobe rp;
	struct fprobe fp;
};

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
}

/* Nobody calls the functions until it has gone. */
static int __init careless_init(void)
{
	struct probes *probes = kzalloc(sizeof(*probes), GFP_KERNEL);
	int err;

	if (!probes)
		return -ENOMEM;
	probes->rp.kp.symbol_name = "lkp_target_fn";
	probes->rp.handler = on_return;
	probes->fp.entry_handler = on_entry;
	probes->fp.exit_handler = on_exit;
	err = register_kretprobe(&probes->rp) ?: register_fprobe(&probes->fp, "lkp_target_in_c", NULL);
	memset(probes, 0, sizeof(*probes));
	return err;
}
module_init(careless_init);

static void __exit careless_exit(void)
{
}
module_exit(careless_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
