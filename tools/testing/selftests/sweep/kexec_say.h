/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The assembly code of kexec_say.c: what runs in place of a kernel.
 */
#ifndef LKP_KEXEC_SAY_H
#define LKP_KEXEC_SAY_H

extern const char code[], code_end[];

#endif /* LKP_KEXEC_SAY_H */
