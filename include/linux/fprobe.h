/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the entry and the return of many functions at once, as provided by
 * the module kprobes.ko.
 *
 * A client that is built with our include/ first on its path gets this header
 * in place of the kernel's own <linux/fprobe.h>.
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/types.h>
#include <linux/kprobes_arguments.h>
#include <linux/kprobes_names.h>

/* Mainline's header includes it, where there is one. */
#ifdef __has_include
#if __has_include("linux/rethook.h")
#include <linux/rethook.h>
#endif
#endif

struct fprobe;
struct ftrace_regs;
struct fprobe_hook;

#ifndef FPROBE_API_6_14
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct pt_regs *regs, void *entry_data);
#else
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct ftrace_regs *regs, void *entry_data);
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			       struct ftrace_regs *regs, void *entry_data);
#endif

#if defined(FPROBE_API_6_1) && defined(FPROBE_API_6_14)
#error "FPROBE_API_6_1 and FPROBE_API_6_14 are both defined: a file has the handlers of one version"
#endif

/**
 * struct fprobe - a probe of one client on any number of functions
 * @nmissed: calls whose handlers did not run: a handler of any probe was
 *	running on that CPU, or @nr_maxactive calls were being followed
 * @flags: FPROBE_FL_DISABLED and FPROBE_FL_KPROBE_SHARED
 * @entry_data_size: bytes of data per call, which @entry_handler stores for
 *	@exit_handler; at most KRETPROBE_MAX_DATA_SIZE
 * @nr_maxactive: how many calls can be followed to their return at a time, at
 *	most KRETPROBE_MAX_ACTIVE; 0: twice the number of CPUs for each function,
 *	with the same maximum
 * @entry_handler: called on entry. If it returns non-zero, @exit_handler is not
 *	called for this call. May be NULL.
 * @exit_handler: called on return: @regs have the return value, which may be
 *	changed. May be NULL.
 *
 * Both run with interrupts off and may not sleep. Their arguments are the probe;
 * its address in the function; the return address; the registers, in which
 * arguments may be changed, but not ip; and the data of the call, NULL if
 * @entry_data_size is 0 or there is no @exit_handler. With FPROBE_API_6_1 defined, the
 * handlers are those of mainline 6.1: without the return address, and @entry_handler
 * returns nothing. With FPROBE_API_6_14 they are those of 6.14 and newer: with struct
 * ftrace_regs in the place of struct pt_regs.
 *
 * The other members are private.  A registered fprobe may not be moved, freed
 * or written to, except by disable_fprobe() and enable_fprobe().
 */
struct fprobe {
	unsigned long nmissed;
	unsigned int flags;
	size_t entry_data_size;
	int nr_maxactive;
#if !defined(FPROBE_API_6_1) && !defined(FPROBE_API_6_14)
	fprobe_entry_cb entry_handler;
	fprobe_exit_cb exit_handler;
#else
	/* private: in the place of the two */
	int (*on_entry)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			struct pt_regs *regs, void *entry_data);
	void (*on_exit)(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			struct pt_regs *regs, void *entry_data);
#endif
	/* private: */
	struct fprobe_hook *hook;
	/* kprobes.ko knows of nothing behind this. */
#ifdef FPROBE_API_6_1
	/* public: */
	void (*entry_handler)(struct fprobe *fp, unsigned long entry_ip, struct pt_regs *regs,
			      void *entry_data);
	void (*exit_handler)(struct fprobe *fp, unsigned long entry_ip, struct pt_regs *regs,
			     void *entry_data);
#elif defined(FPROBE_API_6_14)
	/* public: */
	fprobe_entry_cb entry_handler;
	fprobe_exit_cb exit_handler;
#endif
};

/* The maximum of struct fprobe's entry_data_size, in bytes.  Mainline's is smaller. */
#define MAX_FPROBE_DATA_SIZE	4096

/* No handler runs until enable_fprobe(). */
#define FPROBE_FL_DISABLED	1

/*
 * The handlers share code with handlers of kprobes and must not run while one of
 * those is running. Here this is so for every fprobe; the flag is for clients
 * written for mainline.
 */
#define FPROBE_FL_KPROBE_SHARED	2

int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
int unregister_fprobe(struct fprobe *fp);
bool fprobe_is_registered(struct fprobe *fp);

/**
 * fprobe_disabled() - are the handlers of an fprobe disabled
 * @fp: any fprobe, or NULL
 *
 * Context: any.
 */
static inline bool fprobe_disabled(const struct fprobe *fp)
{
	/* Races with disable_fprobe() and enable_fprobe(), which do not wait for readers. */
	return fp && data_race(fp->flags & FPROBE_FL_DISABLED);
}

/**
 * fprobe_shared_with_kprobes() - is FPROBE_FL_KPROBE_SHARED set
 * @fp: any fprobe, or NULL
 *
 * Context: any.
 */
static inline bool fprobe_shared_with_kprobes(const struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_KPROBE_SHARED;
}

/**
 * disable_fprobe() - stop calling the handlers of an fprobe
 * @fp: a registered fprobe, or NULL
 *
 * A handler on another CPU may still be running when this returns. Calls that
 * were entered before return without a call of the exit_handler.
 *
 * Context: any.
 */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

/**
 * enable_fprobe() - call the handlers of an fprobe again
 * @fp: a registered fprobe, or NULL
 *
 * Context: any.
 */
static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#if defined(FPROBE_API_6_1) || defined(FPROBE_API_6_14)
#include <linux/fprobe_versions.h>
#endif

#endif /* _LINUX_FPROBE_H */
