/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe of any kind whose handler counts, for clients that do the same to each.
 */
#ifndef LKP_TEST_KINDS_H
#define LKP_TEST_KINDS_H

#include <linux/compiler.h>
#include <linux/kprobes.h>

static int calls;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	calls++;
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	calls++;
	return 0;
}

static long count_call(long a, long b)
{
	calls++;
	jprobe_return();
	return 0;
}

static int calls_of(long (*fn)(long a, long b))
{
	OPTIMIZER_HIDE_VAR(fn);
	WRITE_ONCE(calls, 0);
	fn(40, 2);
	return READ_ONCE(calls);
}

/* What follows the kprobe is at the same place in all of them. */
union probe {
	struct kprobe kp;
	struct kretprobe rp;
	struct jprobe jp;
};

static int add_kprobe(union probe *p)
{
	return register_kprobe(&p->kp);
}

static int add_kretprobe(union probe *p)
{
	return register_kretprobe(&p->rp);
}

static int add_jprobe(union probe *p)
{
	return register_jprobe(&p->jp);
}

static void remove_kprobe(union probe *p)
{
	unregister_kprobe(&p->kp);
}

static void remove_kretprobe(union probe *p)
{
	unregister_kretprobe(&p->rp);
}

static void remove_jprobe(union probe *p)
{
	unregister_jprobe(&p->jp);
}

#endif /* LKP_TEST_KINDS_H */
