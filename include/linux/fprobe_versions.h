/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fprobe handlers of other versions of mainline, for clients that define FPROBE_API_6_1 or
 * FPROBE_API_6_14 before they include <linux/fprobe.h>, which includes this.
 *
 * kprobes.ko calls functions of the types of 6.12, here in the client, which call the handlers.  They go
 * by the probe that they are given, so any number of probes can share them.
 */
#ifndef _LINUX_FPROBE_VERSIONS_H
#define _LINUX_FPROBE_VERSIONS_H

#ifdef FPROBE_API_6_1

/* These handlers get no return address, and the entry_handler returns nothing. */
static __maybe_unused notrace int fprobe_api_on_entry(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	fp->entry_handler(fp, entry_ip, regs, entry_data);
	return 0;
}

static __maybe_unused notrace void fprobe_api_on_exit(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	fp->exit_handler(fp, entry_ip, regs, entry_data);
}

#elif defined(CONFIG_ARM64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)

/* These handlers get struct ftrace_regs, which has some of the registers only. */
#ifdef arch_ftrace_regs
#define fprobe_some_regs	__arch_ftrace_regs
#else	/* before 6.13 */
#define fprobe_some_regs	ftrace_regs
#endif

static __always_inline void fprobe_api_take(struct fprobe_some_regs *some,
					    const struct pt_regs *regs)
{
	*some = (struct fprobe_some_regs){
		.fp = regs->regs[29], .lr = regs->regs[30], .sp = regs->sp, .pc = regs->pc,
	};
	memcpy(some->regs, regs->regs, sizeof(some->regs));
}

/* What handlers may change: arguments, and what is returned. */
static __always_inline void fprobe_api_give(struct pt_regs *regs,
					    const struct fprobe_some_regs *some)
{
	memcpy(regs->regs, some->regs, sizeof(some->regs));
}

static __maybe_unused notrace int fprobe_api_on_entry(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	struct fprobe_some_regs some;
	int ret;

	fprobe_api_take(&some, regs);
	ret = fp->entry_handler(fp, entry_ip, ret_ip, (struct ftrace_regs *)&some, entry_data);
	fprobe_api_give(regs, &some);
	return ret;
}

static __maybe_unused notrace void fprobe_api_on_exit(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	struct fprobe_some_regs some;

	fprobe_api_take(&some, regs);
	fp->exit_handler(fp, entry_ip, ret_ip, (struct ftrace_regs *)&some, entry_data);
	fprobe_api_give(regs, &some);
}

#else /* FPROBE_API_6_14, where struct ftrace_regs begins with struct pt_regs, and has no more */

static __maybe_unused notrace int fprobe_api_on_entry(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	return fp->entry_handler(fp, entry_ip, ret_ip, (struct ftrace_regs *)regs, entry_data);
}

static __maybe_unused notrace void fprobe_api_on_exit(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	fp->exit_handler(fp, entry_ip, ret_ip, (struct ftrace_regs *)regs, entry_data);
}

#endif

/* A probe that is registered already gets what it has. */
static inline struct fprobe *fprobe_api(struct fprobe *fp)
{
	if (fp) {
		fp->on_entry = fp->entry_handler ? fprobe_api_on_entry : NULL;
		fp->on_exit = fp->exit_handler ? fprobe_api_on_exit : NULL;
	}
	return fp;
}

static inline int fprobe_api_register(struct fprobe *fp, const char *filter, const char *notfilter)
{
	return register_fprobe(fprobe_api(fp), filter, notfilter);
}

static inline int fprobe_api_register_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	return register_fprobe_ips(fprobe_api(fp), addrs, num);
}

static inline int fprobe_api_register_syms(struct fprobe *fp, const char **syms, int num)
{
	return register_fprobe_syms(fprobe_api(fp), syms, num);
}

#undef register_fprobe
#undef register_fprobe_ips
#undef register_fprobe_syms
#define register_fprobe		fprobe_api_register
#define register_fprobe_ips	fprobe_api_register_ips
#define register_fprobe_syms	fprobe_api_register_syms

#endif /* _LINUX_FPROBE_VERSIONS_H */
