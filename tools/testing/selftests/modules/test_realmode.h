/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The assembly code of test_realmode.c: the way into real mode, and what runs there.
 */
#ifndef LKP_TEST_REALMODE_H
#define LKP_TEST_REALMODE_H

long lkp_call_real(unsigned long arg, unsigned long fn, unsigned long code, unsigned long sp,
		   unsigned long msr_off, unsigned long second);
extern const char lkp_real_code[], lkp_real_code_end[];

#endif /* LKP_TEST_REALMODE_H */
