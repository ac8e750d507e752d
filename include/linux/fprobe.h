/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the entry and the return of many functions at once, as brought by
 * the module kprobes.ko.
 *
 * This header takes the place of the kernel's own <linux/fprobe.h> for a
 * client that is built with our include/ first on its path.
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/kprobes_names.h>

struct fprobe;
struct fprobe_hook;

typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);

/**
 * struct fprobe - a probe of one client on any number of functions
 * @nmissed: calls whose handlers were not run: a handler of some probe was
 *	running on that CPU, or as many calls as can be were being followed
 * @flags: FPROBE_FL_DISABLED and FPROBE_FL_KPROBE_SHARED
 * @entry_data_size: bytes that each call has for what @entry_handler wants to
 *	tell @exit_handler; at most KRETPROBE_MAX_DATA_SIZE
 * @nr_maxactive: how many calls can be followed to their return at a time, at
 *	most KRETPROBE_MAX_ACTIVE; 0: twice the number of CPUs for each function,
 *	but no more than that
 * @entry_handler: called on entry. May be NULL. Returns non-zero if it does
 *	not want @exit_handler to be called for this call.
 * @exit_handler: called on return: @regs have the return value, which may be
 *	changed. May be NULL.
 *
 * Both run with interrupts off and may not sleep. They are told the probe; the
 * address in the function that it is on; where the function returns to; the
 * registers, in which arguments may be changed, but ip may not; and the data of
 * the call, NULL if @entry_data_size is 0 or there is no @exit_handler.
 *
 * The other members are the subsystem's own.  What is registered may not be
 * moved, freed or written to, but by disable_fprobe() and enable_fprobe().
 */
struct fprobe {
	unsigned long nmissed;
	unsigned int flags;
	size_t entry_data_size;
	int nr_maxactive;
	fprobe_entry_cb entry_handler;
	fprobe_exit_cb exit_handler;
	/* private: */
	struct fprobe_hook *hook;
};

/* No handler runs until enable_fprobe(). */
#define FPROBE_FL_DISABLED	1

/*
 * The handlers share code with kprobes' and must not run while one of those
 * does. That is so with each fprobe here; for clients written for mainline.
 */
#define FPROBE_FL_KPROBE_SHARED	2

int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
int unregister_fprobe(struct fprobe *fp);
bool fprobe_is_registered(struct fprobe *fp);

/**
 * fprobe_disabled() - are an fprobe's handlers off
 * @fp: any fprobe
 *
 * Context: any.
 */
static inline bool fprobe_disabled(const struct fprobe *fp)
{
	/* Who sets it does not wait for who reads it. */
	return data_race(fp->flags & FPROBE_FL_DISABLED);
}

/**
 * fprobe_shared_with_kprobes() - does it say that its handlers are kprobes', too
 * @fp: any fprobe, or NULL
 *
 * Context: any.
 */
static inline bool fprobe_shared_with_kprobes(const struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_KPROBE_SHARED;
}

/**
 * disable_fprobe() - have an fprobe's handlers not called for a while
 * @fp: a registered fprobe, or NULL
 *
 * One that runs on another CPU may still be running when this returns. Calls
 * that were entered before and return now have no exit_handler run.
 *
 * Context: any.
 */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

/**
 * enable_fprobe() - have them called again
 * @fp: a registered fprobe, or NULL
 *
 * Context: any.
 */
static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#endif /* _LINUX_FPROBE_H */
