// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to user memory in handlers, on kernels with an addr_limit: as in an exception, however they
 * are reached, and behind them as before.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

#define PAN_REGISTER	sys_reg(3, 0, 4, 2, 3)
#define UAO_REGISTER	sys_reg(3, 0, 4, 2, 4)

#ifndef KERNEL_DS
/* No such kernel: nothing to test. */
#define NO_LIMIT	"this kernel has no addr_limit"
#define KERNEL_DS	0
#define USER_DS		0
#define get_fs()	0ul
#define set_fs(limit)	((void)(limit))
#else
#define NO_LIMIT	NULL
#endif

TARGET(slot, SLOT_ADD(slot));

noinline long lkp_limited(long a, long b);
noinline long lkp_limited(long a, long b)
{
	barrier();
	return a + b;
}

/**
 * struct access - what can be accessed
 * @limit: by user pointers
 * @pan: bit of pstate: not user memory
 * @uao: bit of pstate: the kernel's memory by instructions for user memory
 */
struct access {
	unsigned long limit;
	u64 pan, uao;
};

static bool has_uao(void)
{
	return read_sysreg_s(SYS_ID_AA64MMFR2_EL1) >> 4 & 0xf;
}

static bool has_pan(void)
{
	return cpus_have_cap(ARM64_HAS_PAN);
}

static struct access access_now(void)
{
	return (struct access){
		.limit = get_fs(),
		.pan = has_pan() ? read_sysreg_s(PAN_REGISTER) & PSR_PAN_BIT : 0,
		.uao = has_uao() ? read_sysreg_s(UAO_REGISTER) & PSR_UAO_BIT : 0,
	};
}

static void write_pan(u64 pan)
{
	if (has_pan())
		write_sysreg_s(pan, PAN_REGISTER);
}

static struct access seen;
static int calls;

static void see(void)
{
	calls++;
	seen = access_now();
}

static int see_before(struct kprobe *p, struct pt_regs *regs)
{
	see();
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	see();
}

/* Where it would have gone on. */
static void see_and_go_on(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	see();
	instruction_pointer_set(regs, instruction_pointer(regs) + 4);
}

static int see_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	see();
	return 0;
}

static long see_call(long a, long b)
{
	see();
	jprobe_return();
	return 0;
}

/* With user memory open or shut. */
static void try_with(struct ktap *t, long (*fn)(long a, long b), unsigned long limit, u64 pan)
{
	unsigned long found_limit = get_fs();
	struct access found, before, after;
	long sum;

	OPTIMIZER_HIDE_VAR(fn);
	calls = 0;
	preempt_disable();
	set_fs(limit);
	found = access_now();
	write_pan(pan);
	before = access_now();
	sum = fn(40, 2);
	after = access_now();
	write_pan(found.pan);
	set_fs(found_limit);
	preempt_enable();
	EXPECT_EQ(t, sum, 42);
	EXPECT_EQ(t, calls, 1);
	EXPECT_EQ(t, seen.limit, USER_DS);
	EXPECT_EQ(t, seen.pan, has_pan() ? PSR_PAN_BIT : 0);
	EXPECT_EQ(t, seen.uao, 0);
	EXPECT_EQ(t, after.limit, before.limit);
	EXPECT_EQ(t, after.pan, before.pan);
	EXPECT_EQ(t, after.uao, before.uao);
}

/* With PAN cleared the tracer is never called. */
static void try_all(struct ktap *t, long (*fn)(long a, long b), bool open)
{
	try_with(t, fn, USER_DS, PSR_PAN_BIT);
	try_with(t, fn, KERNEL_DS, PSR_PAN_BIT);
	if (!open)
		return;
	try_with(t, fn, USER_DS, 0);
	try_with(t, fn, KERNEL_DS, 0);
}

static void try_kprobe(struct ktap *t, struct kprobe p, bool jump)
{
	t->skip = NO_LIMIT;
	p.addr = target_at(&slot);
	if (t->skip || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (!jump || EXPECT(t, becomes_jump(&p)))
		try_all(t, slot.fn, true);
	unregister_kprobe(&p);
}

static int no_handler(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static void case_in_a_trap(struct ktap *t)
{
	try_kprobe(t, (struct kprobe){ .pre_handler = see_before, .fault_handler = no_handler },
		   false);
}

static void case_behind_a_jump(struct ktap *t)
{
	try_kprobe(t, (struct kprobe){ .pre_handler = see_before }, true);
}

static void case_in_a_post_handler(struct ktap *t)
{
	try_kprobe(t, (struct kprobe){ .post_handler = see_after }, false);
}

TARGET(skips,
	AT(skips) "add x0, x0, x1\n"
	NEXT(skips) "nop\n"
	"nop\n");

static void case_in_a_post_handler_that_goes_elsewhere(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&skips), .post_handler = see_and_go_on };

	t->skip = NO_LIMIT;
	if (t->skip || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	try_all(t, skips.fn, true);
	unregister_kprobe(&p);
}

static void case_at_a_site_of_the_tracer(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)lkp_limited, .pre_handler = see_before };

	t->skip = NO_LIMIT;
	if (t->skip || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	try_all(t, lkp_limited, false);
	unregister_kprobe(&p);
}

static void try_return(struct ktap *t, long (*fn)(long a, long b), bool open)
{
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = see_return };

	t->skip = NO_LIMIT;
	if (t->skip || !EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	try_all(t, fn, open);
	unregister_kretprobe(&rp);
}

static void case_at_a_return(struct ktap *t)
{
	try_return(t, lkp_limited, false);
	try_return(t, slot.fn, true);
}

static void try_jprobe(struct ktap *t, long (*fn)(long a, long b), bool open)
{
	struct jprobe jp = { .kp.addr = (void *)fn, .entry = see_call };

	t->skip = NO_LIMIT;
	if (t->skip || !EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	try_all(t, fn, open);
	unregister_jprobe(&jp);
}

static void case_in_a_jprobe(struct ktap *t)
{
	try_jprobe(t, lkp_limited, false);
	try_jprobe(t, slot.fn, true);
}

static const struct ktap_case cases[] = {
	CASE(in_a_trap),
	CASE(behind_a_jump),
	CASE(in_a_post_handler),
	CASE(in_a_post_handler_that_goes_elsewhere),
	CASE(at_a_site_of_the_tracer),
	CASE(at_a_return),
	CASE(in_a_jprobe),
};
KTAP_MODULE(cases);
