/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fprobe handlers of mainline 6.1, for clients that define FPROBE_API_6_1 before they
 * include <linux/fprobe.h>, which includes this.
 *
 * These handlers get no return address, and the entry_handler returns nothing.  kprobes.ko
 * calls functions of the newer types, here in the client, which call the handlers.  They go
 * by the probe that they are given, so any number of probes can share them.
 */
#ifndef _LINUX_FPROBE_6_1_H
#define _LINUX_FPROBE_6_1_H

static __maybe_unused notrace int fprobe_6_1_on_entry(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	fp->entry_handler(fp, entry_ip, regs, entry_data);
	return 0;
}

static __maybe_unused notrace void fprobe_6_1_on_exit(struct fprobe *fp, unsigned long entry_ip,
						      unsigned long ret_ip, struct pt_regs *regs,
						      void *entry_data)
{
	fp->exit_handler(fp, entry_ip, regs, entry_data);
}

/* A probe that is registered already gets what it has. */
static inline struct fprobe *fprobe_6_1(struct fprobe *fp)
{
	if (fp) {
		fp->on_entry = fp->entry_handler ? fprobe_6_1_on_entry : NULL;
		fp->on_exit = fp->exit_handler ? fprobe_6_1_on_exit : NULL;
	}
	return fp;
}

static inline int fprobe_6_1_register(struct fprobe *fp, const char *filter,
				      const char *notfilter)
{
	return register_fprobe(fprobe_6_1(fp), filter, notfilter);
}

static inline int fprobe_6_1_register_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	return register_fprobe_ips(fprobe_6_1(fp), addrs, num);
}

static inline int fprobe_6_1_register_syms(struct fprobe *fp, const char **syms, int num)
{
	return register_fprobe_syms(fprobe_6_1(fp), syms, num);
}

#undef register_fprobe
#undef register_fprobe_ips
#undef register_fprobe_syms
#define register_fprobe		fprobe_6_1_register
#define register_fprobe_ips	fprobe_6_1_register_ips
#define register_fprobe_syms	fprobe_6_1_register_syms

#endif /* _LINUX_FPROBE_6_1_H */
