/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the kernel's that are made ours, where a call is one word.
 *
 * An architecture provides, in its insn.h, INSN_CALL_BIT, which turns a branch into a call, and:
 *
 * bool insn_is_call(const struct insn *insn);
 *	is it a direct call
 *
 * and reach_branch().
 */
#ifndef LKP_ARCH_REDIRECT_H
#define LKP_ARCH_REDIRECT_H

unsigned long redirect_find(const char *name, unsigned long target);
int redirect_call(unsigned long site, unsigned long target);
void redirect_back(unsigned long site, unsigned long target);

#endif /* LKP_ARCH_REDIRECT_H */
