// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that register and unregister kretprobes, fprobes and jprobes on functions in
 * which tasks sleep and exit, as long as the module is loaded.
 */
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "target.h"

static const char * const functions[] = {
	"do_nanosleep", "pipe_read", "do_wait", "futex_wait", "do_exit", "do_group_exit",
	"schedule_timeout", "ksys_read", "ksys_write", "do_sys_openat2", "kernel_clone",
	"wake_up_process", "hrtimer_wakeup", "do_futex", "mmput", "vfs_read",
};

#define NR_FUNCTIONS	ARRAY_SIZE(functions)
#define NR_STORMS	4
#define NR_RETS		3
#define NR_SYMS		5

static atomic_long_t rounds, entries, returns, fentries, fexits, calls, refused, strange;
static struct task_struct *tasks[NR_STORMS];

/* What an instance must still hold when the function returns. */
struct mark {
	struct kretprobe *rp;
	struct task_struct *task;
	unsigned long sp;
};

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct mark *mark = (void *)ri->data;

	mark->rp = get_kretprobe(ri);
	mark->task = current;
	mark->sp = STACK(regs);
	atomic_long_inc(&entries);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct mark *mark = (void *)ri->data;

	if (mark->rp != get_kretprobe(ri) || mark->task != current || ri->task != current ||
	    mark->sp + RETURN_POPS != STACK(regs))
		atomic_long_inc(&strange);
	atomic_long_inc(&returns);
	return 0;
}

/* The same of an fprobe's. */
struct fmark {
	struct fprobe *fp;
	struct task_struct *task;
	unsigned long entry_ip, ret_ip;
};

static int on_fentry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		     struct pt_regs *regs, void *data)
{
	*(struct fmark *)data = (struct fmark){ fp, current, entry_ip, ret_ip };
	atomic_long_inc(&fentries);
	return 0;
}

static void on_fexit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		     struct pt_regs *regs, void *data)
{
	const struct fmark *mark = data;

	if (mark->fp != fp || mark->task != current || mark->entry_ip != entry_ip ||
	    mark->ret_ip != ret_ip)
		atomic_long_inc(&strange);
	atomic_long_inc(&fexits);
}

static long on_call(long a, long b, long c, long d, long e, long f)
{
	atomic_long_inc(&calls);
	jprobe_return();
	return 0;
}

/* One storm's probes: on functions of its own choice. */
struct storm {
	struct kretprobe ret[NR_RETS], *rets[NR_RETS];
	struct fprobe fp;
	const char *syms[NR_SYMS];
	struct jprobe jp;
};

static struct storm storms[NR_STORMS];

static void plant(struct storm *storm, unsigned int seed)
{
	unsigned int i;

	for (i = 0; i < NR_RETS; i++) {
		storm->ret[i] = (struct kretprobe){
			.kp.symbol_name = functions[(seed + 5 * i) % NR_FUNCTIONS],
			.entry_handler = on_entry, .handler = on_return,
			.data_size = sizeof(struct mark), .maxactive = 8 << (seed + i) % 4,
		};
		storm->rets[i] = &storm->ret[i];
	}
	storm->fp = (struct fprobe){
		.entry_handler = on_fentry, .exit_handler = on_fexit,
		.entry_data_size = sizeof(struct fmark), .nr_maxactive = 16 << seed % 5,
	};
	for (i = 0; i < NR_SYMS; i++)
		storm->syms[i] = functions[(seed + 3 * i) % NR_FUNCTIONS];
	storm->jp = (struct jprobe){ .kp.symbol_name = functions[seed % NR_FUNCTIONS],
				     .entry = on_call };
}

static void one_round(struct storm *storm, unsigned int seed)
{
	bool rets, many, jumper;

	plant(storm, seed);
	rets = !register_kretprobes(storm->rets, NR_RETS);
	many = !register_fprobe_syms(&storm->fp, storm->syms, NR_SYMS);
	jumper = !register_jprobe(&storm->jp);
	if (!rets || !many)
		atomic_long_inc(&refused);
	msleep(seed % 50);
	if (rets && seed % 3 == 0) {
		disable_kretprobe(storm->rets[0]);
		usleep_range(1000, 5000);
		enable_kretprobe(storm->rets[0]);
	}
	if (many && seed % 3 == 1) {
		disable_fprobe(&storm->fp);
		usleep_range(1000, 5000);
		enable_fprobe(&storm->fp);
	}
	if (jumper)
		unregister_jprobe(&storm->jp);
	if (many && unregister_fprobe(&storm->fp))
		atomic_long_inc(&strange);
	if (rets)
		unregister_kretprobes(storm->rets, NR_RETS);
	atomic_long_inc(&rounds);
}

static int storming(void *data)
{
	struct storm *storm = data;
	unsigned int seed = 7 * (storm - storms) + 1;

	while (!kthread_should_stop()) {
		one_round(storm, seed);
		seed = seed * 1103515245 + 12345;
		seed >>= 1;
	}
	return 0;
}

static int get_counter(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(param->arg));
}

static const struct kernel_param_ops counter_ops = { .get = get_counter };
module_param_cb(rounds, &counter_ops, &rounds, 0400);
module_param_cb(entries, &counter_ops, &entries, 0400);
module_param_cb(returns, &counter_ops, &returns, 0400);
module_param_cb(fentries, &counter_ops, &fentries, 0400);
module_param_cb(fexits, &counter_ops, &fexits, 0400);
module_param_cb(calls, &counter_ops, &calls, 0400);
module_param_cb(refused, &counter_ops, &refused, 0400);
module_param_cb(strange, &counter_ops, &strange, 0400);

static int stop(const char *val, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < NR_STORMS; i++) {
		if (!IS_ERR_OR_NULL(tasks[i]))
			kthread_stop(tasks[i]);
		tasks[i] = NULL;
	}
	return 0;
}

static const struct kernel_param_ops stop_ops = { .set = stop };
module_param_cb(stop, &stop_ops, NULL, 0200);

static int __init storm_init(void)
{
	unsigned int i;

	for (i = 0; i < NR_STORMS; i++)
		tasks[i] = kthread_run(storming, &storms[i], "lkp_storm");
	return 0;
}
module_init(storm_init);

static void __exit storm_exit(void)
{
	stop(NULL, NULL);
}
module_exit(storm_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
