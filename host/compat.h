/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels name otherwise.  Kbuild has looked for it.  See also tracing.h, sysctl.h.
 */
#ifndef LKP_HOST_COMPAT_H
#define LKP_HOST_COMPAT_H

#include <linux/irq_work.h>
#include <linux/kcsan-checks.h>
#include <linux/sched.h>

/* A task's state, as a member. */
#ifdef LKP_TASK_HAS_UNDERSCORE_STATE
#define HOST_TASK_STATE	__state
#else
#define HOST_TASK_STATE	state
#define task_is_running(task)	(READ_ONCE((task)->state) == TASK_RUNNING)
#endif

/* Older detectors of data races know nothing of barriers. */
#ifndef kcsan_release
#define kcsan_release()		do { } while (0)
#endif

/* An irq_work that no interrupt is sent for, unless this CPU has no tick. */
#ifdef IRQ_WORK_INIT_LAZY
#define HOST_LAZY_IRQ_WORK(function)	IRQ_WORK_INIT_LAZY(function)
#else
#define HOST_LAZY_IRQ_WORK(function)	{ .flags = ATOMIC_INIT(IRQ_WORK_LAZY), .func = (function) }
#endif

#ifdef CONFIG_ARM64

#include <linux/uaccess.h>
#include <asm/cacheflush.h>
#include <asm/cpufeature.h>

#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX		TASK_SIZE
#endif

#ifdef LKP_FLUSHES_ICACHE_RANGE
#define caches_clean_inval_pou	__flush_icache_range
#endif

#ifndef LKP_TELLS_HW_PAN
static inline bool system_uses_hw_pan(void)
{
	return IS_ENABLED(CONFIG_ARM64_PAN) && cpus_have_const_cap(ARM64_HAS_PAN);
}
#endif

/* Does the kernel sign its own return addresses? It did wherever it could for programs. */
#ifdef LKP_SIGNS_APART
#define HOST_SIGNS_RETURNS	IS_ENABLED(CONFIG_ARM64_PTR_AUTH_KERNEL)
#else
#define HOST_SIGNS_RETURNS	IS_ENABLED(CONFIG_ARM64_PTR_AUTH)
#endif

/* Exception table entries have no types there: who faults goes on behind the load. */
#ifndef __get_kernel_nofault
#define __get_kernel_nofault(dst, src, type, label)				\
do {										\
	unsigned long __faulted = 1, __val;						\
										\
	BUILD_BUG_ON(sizeof(type) != 8 && sizeof(type) != 4);			\
	if (sizeof(type) == 8)							\
		asm volatile("1:	ldr	%1, [%2]\n"			\
			     "	mov	%0, #0\n2:\n"				\
			     _ASM_EXTABLE(1b, 2b)				\
			     : "+&r" (__faulted), "=&r" (__val) : "r" (src));	\
	else									\
		asm volatile("1:	ldr	%w1, [%2]\n"			\
			     "	mov	%0, #0\n2:\n"				\
			     _ASM_EXTABLE(1b, 2b)				\
			     : "+&r" (__faulted), "=&r" (__val) : "r" (src));	\
	if (__faulted)								\
		goto label;							\
	*(type *)(dst) = __val;							\
} while (0)
#endif

#endif /* CONFIG_ARM64 */

#endif /* LKP_HOST_COMPAT_H */
