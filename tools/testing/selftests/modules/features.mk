# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel's headers have, for the tests: interfaces have had new names and new arguments.

test-has = $(shell grep -qs '\<$(1)\>' $(srctree)/include/linux/$(2) && echo -D$(3))
ccflags-y += $(call test-has,hrtimer_setup,hrtimer.h,HAVE_HRTIMER_SETUP)
ccflags-y += $(call test-has,extern void timer_destroy_on_stack,timer.h,HAVE_TIMER_DESTROY)
ccflags-y += $(call test-has,u32 init_nr,perf_event.h,CALLCHAIN_BEGINS_AT)
ccflags-y += $(shell grep -qs 'u64 pmr;' $(srctree)/arch/arm64/include/asm/ptrace.h && \
	       echo -DLKP_HAVE_REGS_PMR)
