// SPDX-License-Identifier: GPL-2.0-only
/*
 * The client's probes: filled in, registered, unregistered, disabled, enabled as told, with
 * handlers that count.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "client.h"

/**
 * struct storm_probe - a probe of any kind, and what its handlers counted
 * @kp: one of these four
 * @rp: one of these four
 * @jp: one of these four
 * @fp: one of these four
 * @kind: which
 * @spec: with what it was filled
 * @names: for an fprobe
 * @pre: how often its first handler ran
 * @post: and its second
 */
struct storm_probe {
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct jprobe jp;
		struct fprobe fp;
	};
	enum storm_kind kind;
	struct storm_spec spec;
	const char *names[STORM_GROUPS];
	atomic_long_t pre;
	atomic_long_t post;
};

static struct storm_probe probes[STORM_PROBES];

/* ---- handlers ---- */

static void count_pre(struct storm_probe *probe)
{
	atomic_long_inc(&probe->pre);
	if (probe->spec.nest >= 0)
		storm_call(probe->spec.nest);
}

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	count_pre(container_of(p, struct storm_probe, kp));
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(&container_of(p, struct storm_probe, kp)->post);
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct storm_probe *probe = container_of(get_kretprobe(ri), struct storm_probe, rp);

	count_pre(probe);
	return !!(probe->spec.handlers & STORM_DECLINE);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(get_kretprobe(ri), struct storm_probe, rp)->post);
	return 0;
}

static void in_jprobe(long a, long b)
{
	struct kprobe *p = kprobe_running();

	if (p)
		count_pre(container_of(p, struct storm_probe, kp));
	jprobe_return();
}

static int on_fprobe_entry(struct fprobe *fp, unsigned long site, unsigned long ret,
			   struct pt_regs *regs, void *data)
{
	struct storm_probe *probe = container_of(fp, struct storm_probe, fp);

	count_pre(probe);
	return !!(probe->spec.handlers & STORM_DECLINE);
}

static void on_fprobe_exit(struct fprobe *fp, unsigned long site, unsigned long ret,
			   struct pt_regs *regs, void *data)
{
	atomic_long_inc(&container_of(fp, struct storm_probe, fp)->post);
}

/* ---- filling in ---- */

static void set_where(struct kprobe *p, const struct storm_spec *spec)
{
	if (spec->where == STORM_BY_ADDR || spec->where == STORM_BY_BOTH)
		p->addr = (kprobe_opcode_t *)(unsigned long)spec->addr;
	if (spec->where == STORM_BY_NAME || spec->where == STORM_BY_BOTH)
		p->symbol_name = spec->name;
	p->offset = spec->offset;
	p->flags = spec->flags;
}

static void set_fprobe(struct storm_probe *probe, const struct storm_spec *spec)
{
	unsigned int i;

	for (i = 0; i < STORM_GROUPS; i++)
		probe->names[i] = spec->names[i];
	probe->fp = (struct fprobe){
		.flags = spec->flags,
		.entry_data_size = spec->data_size,
		.nr_maxactive = spec->maxactive,
		.entry_handler = spec->handlers & STORM_PRE ? on_fprobe_entry : NULL,
		.exit_handler = spec->handlers & STORM_POST ? on_fprobe_exit : NULL,
	};
}

static void set_probe(struct storm_probe *probe, const struct storm_spec *spec)
{
	bool pre = spec->handlers & STORM_PRE, post = spec->handlers & STORM_POST;

	if (probe->kind == STORM_FPROBE) {
		set_fprobe(probe, spec);
		return;
	}
	set_where(&probe->kp, spec);
	if (probe->kind == STORM_KPROBE) {
		probe->kp.pre_handler = pre ? on_pre : NULL;
		probe->kp.post_handler = post ? on_post : NULL;
		probe->kp.fault_handler = spec->handlers & STORM_FAULT ? on_fault : NULL;
	} else if (probe->kind == STORM_KRETPROBE) {
		probe->rp.entry_handler = pre ? on_entry : NULL;
		probe->rp.handler = post ? on_return : NULL;
		probe->rp.maxactive = spec->maxactive;
		probe->rp.data_size = spec->data_size;
	} else {
		probe->jp.entry = pre ? in_jprobe : NULL;
	}
}

/**
 * storm_set() - fill in a probe anew
 * @spec: with what; the program knows that it is not registered
 *
 * Context: process context.
 * Return: 0; -EINVAL if there is no such probe.
 */
int storm_set(const struct storm_spec *spec)
{
	struct storm_probe *probe;

	if (spec->id >= STORM_PROBES || spec->kind >= STORM_KINDS)
		return -EINVAL;
	probe = &probes[spec->id];
	memset(probe, 0, sizeof(*probe));
	probe->spec = *spec;
	probe->kind = spec->kind;
	set_probe(probe, &probe->spec);
	return 0;
}

/* ---- the calls ---- */

/* The functions of one kind, as if all took the same. */
#define CALLS(kind, type)							\
static int call_##kind(const struct storm_request *r, struct type **array)	\
{										\
	switch (r->call) {							\
	case STORM_REGISTER:							\
		return r->single ? register_##kind(array[0]) :			\
				   register_##kind##s(array, r->num);		\
	case STORM_UNREGISTER:							\
		if (r->single)							\
			unregister_##kind(array[0]);				\
		else								\
			unregister_##kind##s(array, r->num);			\
		return 0;							\
	case STORM_DISABLE:							\
		return disable_##kind(array[0]);				\
	default:								\
		return enable_##kind(array[0]);					\
	}									\
}

CALLS(kprobe, kprobe)
CALLS(kretprobe, kretprobe)
CALLS(jprobe, jprobe)

static int register_one_fprobe(struct storm_probe *probe)
{
	struct storm_spec *spec = &probe->spec;
	unsigned long addrs[STORM_GROUPS];
	unsigned int i;

	for (i = 0; i < STORM_GROUPS; i++)
		addrs[i] = spec->addrs[i];
	if (spec->where == STORM_BY_ADDR)
		return register_fprobe_ips(&probe->fp, addrs, spec->num);
	if (spec->where == STORM_BY_NAME)
		return register_fprobe_syms(&probe->fp, probe->names, spec->num);
	return register_fprobe(&probe->fp, spec->name, NULL);
}

static int call_fprobe(const struct storm_request *r, struct storm_probe *probe)
{
	struct fprobe *fp = probe ? &probe->fp : NULL;

	switch (r->call) {
	case STORM_REGISTER:
		return probe ? register_one_fprobe(probe) : register_fprobe(NULL, "*", NULL);
	case STORM_UNREGISTER:
		return unregister_fprobe(fp);
	case STORM_DISABLE:
		disable_fprobe(fp);
		return 0;
	default:
		enable_fprobe(fp);
		return 0;
	}
}

/**
 * storm_do() - call a function of the API
 * @request: which, with what; its result is filled in
 *
 * Context: process context, sleeps.
 * Return: 0; -EINVAL if there is no such probe or kind.
 */
int storm_do(struct storm_request *request)
{
	struct kprobe *array[STORM_BATCH];
	void *pointers = request->num < 0 && !request->single ? NULL : array;
	unsigned int i;

	for (i = 0; i < STORM_BATCH; i++) {
		if (request->ids[i] >= STORM_PROBES)
			return -EINVAL;
		array[i] = request->ids[i] < 0 ? NULL : &probes[request->ids[i]].kp;
	}
	if (request->kind == STORM_KPROBE)
		request->result = call_kprobe(request, pointers);
	else if (request->kind == STORM_KRETPROBE)
		request->result = call_kretprobe(request, pointers);
	else if (request->kind == STORM_JPROBE)
		request->result = call_jprobe(request, pointers);
	else
		request->result = call_fprobe(request, request->ids[0] < 0 ? NULL :
						       &probes[request->ids[0]]);
	return 0;
}

/**
 * storm_counts() - what has become of a probe
 * @counts: its id is given; the rest is filled in
 *
 * Context: process context.
 * Return: 0; -EINVAL if there is no such probe.
 */
int storm_counts(struct storm_counts *counts)
{
	struct storm_probe *probe;

	if (counts->id >= STORM_PROBES)
		return -EINVAL;
	probe = &probes[counts->id];
	counts->pre = atomic_long_read(&probe->pre);
	counts->post = atomic_long_read(&probe->post);
	counts->missed_returns = probe->kind == STORM_KRETPROBE ? probe->rp.nmissed : 0;
	if (probe->kind == STORM_FPROBE) {
		counts->missed = READ_ONCE(probe->fp.nmissed);
		counts->flags = probe->fp.flags;
		counts->addr = 0;
	} else {
		counts->missed = READ_ONCE(probe->kp.nmissed);
		counts->flags = probe->kp.flags;
		counts->addr = (unsigned long)probe->kp.addr;
	}
	return 0;
}

/**
 * storm_probes_exit() - unregister what the program has left
 *
 * Context: process context, sleeps.
 */
void storm_probes_exit(void)
{
	struct storm_probe *probe;

	for (probe = probes; probe < probes + STORM_PROBES; probe++) {
		if (probe->kind == STORM_FPROBE)
			unregister_fprobe(&probe->fp);
		else if (probe->kind == STORM_KRETPROBE)
			unregister_kretprobe(&probe->rp);
		else
			unregister_kprobe(&probe->kp);
	}
}
