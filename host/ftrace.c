// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe points that are call sites of the function tracer: the kernel's ftrace
 * owns those bytes, so it calls us.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mutex.h>

#include "../core/core.h"
#include "host.h"
#include "inject.h"

#ifdef LKP_HAVE_FTRACE

/*
 * Our own guard tells a handler's own hits from others, and counts them: the
 * tracer must not swallow them before, so it is not asked to see to recursion.
 */
static void notrace on_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		arch_ftrace_hit(ip, regs);
}

static struct ftrace_ops probe_ops = {
	.func = on_call,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static DEFINE_MUTEX(ops_mutex);
static unsigned int nr_armed;

/* Without any site left in its filter an ops would trace all functions. */
static int start_first(unsigned long *sites, unsigned int nr)
{
	int err = ftrace_set_filter_ips(&probe_ops, sites, nr, 0, 1);

	if (!err)
		err = register_ftrace_function(&probe_ops);
	if (err)
		ftrace_set_filter_ips(&probe_ops, sites, nr, 1, 0);
	return err;
}

/**
 * host_ftrace_arm() - have calls at these sites lead to arch_ftrace_hit()
 * @sites: call sites, as host_ftrace_location() gives them
 * @nr: how many
 *
 * Context: process context, sleeps.
 * Return: 0; an error of ftrace's, and then none is armed.
 */
int host_ftrace_arm(unsigned long *sites, unsigned int nr)
{
	int err;

	if (inject_failure())
		return -ENOMEM;
	mutex_lock(&ops_mutex);
	if (!nr_armed)
		err = start_first(sites, nr);
	else
		err = ftrace_set_filter_ips(&probe_ops, sites, nr, 0, 0);
	if (!err)
		nr_armed += nr;
	mutex_unlock(&ops_mutex);
	host_text_refresh(sites, nr);
	return err;
}

/**
 * host_ftrace_disarm() - end that
 * @sites: sites that are armed
 * @nr: how many
 *
 * Context: process context, sleeps.
 * Return: 0; an error of ftrace's, and then all may still be armed.
 */
int host_ftrace_disarm(unsigned long *sites, unsigned int nr)
{
	int err = 0;

	if (inject_failure())
		return -ENOMEM;
	mutex_lock(&ops_mutex);
	if (nr_armed == nr)
		err = unregister_ftrace_function(&probe_ops);
	if (!err)
		err = ftrace_set_filter_ips(&probe_ops, sites, nr, 1, 0);
	if (!err)
		nr_armed -= nr;
	mutex_unlock(&ops_mutex);
	host_text_refresh(sites, nr);
	return err;
}

#else /* !LKP_HAVE_FTRACE */

int host_ftrace_arm(unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

int host_ftrace_disarm(unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

#endif /* LKP_HAVE_FTRACE */
