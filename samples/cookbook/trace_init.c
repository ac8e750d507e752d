// SPDX-License-Identifier: GPL-2.0-only
/*
 * What do the init functions of modules return, and after how long?  The kernel tells its
 * notifiers of a module before its init function runs: that is the time to probe it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

/* A module between the beginning of its loading and the end of its init function. */
struct watch {
	struct list_head list;
	struct module *mod;
	char name[MODULE_NAME_LEN];
	struct kretprobe rp;
	u64 entered;
	u64 ns;
	int result;
};

static LIST_HEAD(watches);
static DEFINE_MUTEX(watches_lock);

static struct watch *watch_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct watch, rp);
}

/* There is only one call, so its data need not be in the instance. */
static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	watch_of(ri)->entered = ktime_get_mono_fast_ns();
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct watch *watch = watch_of(ri);

	watch->ns = ktime_get_mono_fast_ns() - watch->entered;
	watch->result = regs_return_value(regs);
	return 0;
}

static void begin(struct module *mod)
{
	struct watch *watch;
	int err;

	if (!mod->init)
		return;
	watch = kzalloc(sizeof(*watch), GFP_KERNEL);
	if (!watch)
		return;
	watch->mod = mod;
	strscpy(watch->name, mod->name, sizeof(watch->name));
	watch->rp.kp.addr = (kprobe_opcode_t *)mod->init;
	watch->rp.entry_handler = on_entry;
	watch->rp.handler = on_return;
	watch->rp.maxactive = 1;
	err = register_kretprobe(&watch->rp);
	if (err) {
		pr_warn("%s: %s (error %d)\n", mod->name, kprobe_refusal(&watch->rp.kp), err);
		kfree(watch);
		return;
	}
	mutex_lock(&watches_lock);
	list_add(&watch->list, &watches);
	mutex_unlock(&watches_lock);
}

/* Takes the watch of a module off the list, or of any if mod is NULL. */
static struct watch *take(const struct module *mod)
{
	struct watch *watch, *found = NULL;

	mutex_lock(&watches_lock);
	list_for_each_entry(watch, &watches, list) {
		if (!mod || watch->mod == mod) {
			found = watch;
			list_del(&watch->list);
			break;
		}
	}
	mutex_unlock(&watches_lock);
	return found;
}

static void end(struct watch *watch)
{
	unregister_kretprobe(&watch->rp);
	if (watch->ns)
		pr_info("%s: init returned %d after %llu ns\n", watch->name, watch->result,
			watch->ns);
	kfree(watch);
}

/* In process context: may sleep, and print. */
static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct watch *watch;

	if (state == MODULE_STATE_COMING) {
		begin(data);
	} else {
		/* Its init function has succeeded or failed, and is still in memory. */
		watch = take(data);
		if (watch)
			end(watch);
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_module };

static int __init trace_init_init(void)
{
	return register_module_notifier(&notifier);
}

static void __exit trace_init_exit(void)
{
	struct watch *watch;

	unregister_module_notifier(&notifier);
	while ((watch = take(NULL)))
		end(watch);
}

module_init(trace_init_init);
module_exit(trace_init_exit);
MODULE_DESCRIPTION("Shows what the init functions of modules return");
MODULE_LICENSE("GPL");
