/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of a function, in the registers at its entry.
 *
 * The kernel has regs_get_kernel_argument() on some architectures.  Here is one for those
 * that we know, and on which the kernel lacks it.
 */
#ifndef _LINUX_KPROBES_ARGUMENTS_H
#define _LINUX_KPROBES_ARGUMENTS_H

#include <linux/ptrace.h>

#if defined(CONFIG_PPC64) && !defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)

/* The ABI passes the first eight in r3 to r10. */
#define KPROBES_NR_REG_ARGUMENTS	8

/**
 * kprobes_get_argument() - regs_get_kernel_argument(): an argument of a function that is being entered
 * @regs: the registers at its entry
 * @n: which argument, from 0
 *
 * Arguments that are no integers and no pointers are not counted as they are in C.
 *
 * Return: the argument; 0 if it is not passed in a register.
 */
static inline unsigned long kprobes_get_argument(struct pt_regs *regs, unsigned int n)
{
	return n < KPROBES_NR_REG_ARGUMENTS ? regs->gpr[3 + n] : 0;
}

/* A macro: newer kernels have a function of that name, and may not announce it. */
#define regs_get_kernel_argument	kprobes_get_argument

#endif

#endif /* _LINUX_KPROBES_ARGUMENTS_H */
