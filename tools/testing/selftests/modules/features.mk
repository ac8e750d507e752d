# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel's headers have, for the tests: interfaces have had new names and new arguments.

test-has = $(shell grep -qs '\<$(1)\>' $(srctree)/include/linux/$(2) && echo -D$(3))
test-lacks = $(shell grep -qs '\<$(1)\>' $(srctree)/include/linux/$(2) || echo -D$(3))
ccflags-y += $(call test-lacks,ASM_ENDBR,../../arch/x86/include/asm/ibt.h,NO_IBT_HEADER)
ccflags-y += $(call test-lacks,__state,sched.h,TASK_STATE_IS_PLAIN)
ccflags-y += $(call test-lacks,struct ftrace_regs,ftrace.h,FTRACE_PASSES_REGS)
ccflags-y += $(call test-lacks,kthread_complete_and_exit,kthread.h,KTHREADS_JUST_EXIT)
ccflags-y += $(call test-lacks,struct kmsg_dump_iter,kmsg_dump.h,LOG_HAS_DUMPERS)
ccflags-y += $(call test-lacks,ftrace_set_filter_ips,ftrace.h,FTRACE_KEEPS_FILTER)
ccflags-y += $(call test-has,hrtimer_setup,hrtimer.h,HAVE_HRTIMER_SETUP)
ccflags-y += $(call test-has,extern void timer_destroy_on_stack,timer.h,HAVE_TIMER_DESTROY)
ccflags-y += $(call test-has,u32 init_nr,perf_event.h,CALLCHAIN_BEGINS_AT)
ccflags-y += $(call test-lacks,EX_TYPE_UACCESS_ERR_ZERO,../../arch/arm64/include/asm/asm-extable.h,FIXUPS_HAVE_NO_KIND)
ccflags-y += $(call test-lacks,CONFIG_ARM64_PTR_AUTH_KERNEL,../../arch/arm64/include/asm/processor.h,SIGNS_ALIKE)
ccflags-y += $(call test-lacks,uaccess_enable_privileged,../../arch/arm64/include/asm/uaccess.h,UACCESS_MAY_BE_PRIVILEGED)
ccflags-y += $(call test-has,regs.* unsigned int esr,../../arch/arm64/include/asm/debug-monitors.h,SYNDROMES_ARE_INTS)
ccflags-y += $(shell grep -qs 'u[36][24] pmr;' $(srctree)/arch/arm64/include/asm/ptrace.h && \
	       echo -DLKP_HAVE_REGS_PMR)
