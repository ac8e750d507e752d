// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kretprobes on one function, or a jprobe, controlled by a script through the
 * module's parameters.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>

#define MAX_PROBES	8

static char func[KSYM_NAME_LEN];
module_param_string(func, func, sizeof(func), 0400);

static unsigned int nr = 1;
module_param(nr, uint, 0400);
MODULE_PARM_DESC(nr, "how many kretprobes");

static bool jumper;
module_param(jumper, bool, 0400);
MODULE_PARM_DESC(jumper, "a jprobe as well");

static int maxactive;
module_param(maxactive, int, 0400);

static bool forget;
module_param(forget, bool, 0400);
MODULE_PARM_DESC(forget, "leave them registered on exit");

static bool allocated;
module_param(allocated, bool, 0400);
MODULE_PARM_DESC(allocated, "the structs are not in the module");

static atomic_long_t nr_entries, nr_hits, nr_calls;

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&nr_entries);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&nr_hits);
	return 0;
}

static long on_call(long a, long b, long c, long d, long e, long f)
{
	atomic_long_inc(&nr_calls);
	jprobe_return();
	return 0;
}

static struct kretprobe in_module[MAX_PROBES], *rps[MAX_PROBES];
static struct jprobe jp_in_module, *jp = &jp_in_module;

static int get_counter(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(param->arg));
}

static const struct kernel_param_ops counter_ops = { .get = get_counter };
module_param_cb(entries, &counter_ops, &nr_entries, 0400);
module_param_cb(hits, &counter_ops, &nr_hits, 0400);
module_param_cb(calls, &counter_ops, &nr_calls, 0400);

static int get_missed(char *buffer, const struct kernel_param *param)
{
	unsigned int i;
	long missed = 0;

	for (i = 0; i < nr; i++)
		missed += READ_ONCE(rps[i]->nmissed);
	return sysfs_emit(buffer, "%ld\n", missed);
}

static const struct kernel_param_ops missed_ops = { .get = get_missed };
module_param_cb(missed, &missed_ops, NULL, 0400);

static int drop(const char *val, const struct kernel_param *param)
{
	unsigned int which;
	int err = kstrtouint(val, 0, &which);

	if (!err && which >= nr)
		err = -EINVAL;
	if (!err)
		unregister_kretprobe(rps[which]);
	return err;
}

static const struct kernel_param_ops drop_ops = { .set = drop };
module_param_cb(drop, &drop_ops, NULL, 0200);
MODULE_PARM_DESC(drop, "unregister the one of this number");

static int make_probes(void)
{
	struct kretprobe *at = in_module;
	unsigned int i;

	if (nr > MAX_PROBES)
		return -EINVAL;
	if (allocated) {
		at = kcalloc(MAX_PROBES, sizeof(*at), GFP_KERNEL);
		jp = kzalloc(sizeof(*jp), GFP_KERNEL);
	}
	if (!at || !jp)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		at[i] = (struct kretprobe){ .kp.symbol_name = func, .entry_handler = on_entry,
					    .handler = on_return, .maxactive = maxactive };
		rps[i] = &at[i];
	}
	*jp = (struct jprobe){ .kp.symbol_name = func, .entry = on_call };
	return 0;
}

static int __init rets_init(void)
{
	int err = make_probes();

	if (!err && nr)
		err = register_kretprobes(rps, nr);
	if (!err && jumper) {
		err = register_jprobe(jp);
		if (err && nr)
			unregister_kretprobes(rps, nr);
	}
	return err;
}
module_init(rets_init);

/* What it has allocated is lost, as with a client that forgets. */
static void __exit rets_exit(void)
{
	if (forget)
		return;
	if (jumper)
		unregister_jprobe(jp);
	unregister_kretprobes(rps, nr);
	if (allocated) {
		kfree(nr ? rps[0] : NULL);
		kfree(jp);
	}
}
module_exit(rets_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
