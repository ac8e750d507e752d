// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory that is open to the probed code stays open behind a handler that has read user
 * memory, and is shut to the handler.  With PAN that is a bit of the processor's state.  Without,
 * user memory is open while TTBR0_EL1 has the task's tables, and reading opens and shuts it.
 */
#include <linux/fprobe.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/mmu.h>
#include <asm/sysreg.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

#define PAN_REGISTER	sys_reg(3, 0, 4, 2, 3)

/* It has had two names. */
#ifndef TTBR_ASID_MASK
#define TTBR_ASID_MASK	TTBRx_EL1_ASID_MASK
#endif

noinline long lkp_test_open(long a, long b);
noinline long lkp_test_open(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(slot, SLOT_ADD(slot));

/* By the address space, or by PAN. */
static bool is_open(void)
{
	if (cpus_have_cap(ARM64_HAS_PAN))
		return !(read_sysreg_s(PAN_REGISTER) & PSR_PAN_BIT);
	return system_uses_ttbr0_pan() && read_sysreg(ttbr0_el1) & TTBR_ASID_MASK;
}

/* Both registers have the same address space's number, or none. */
static bool is_consistent(void)
{
	return !system_uses_ttbr0_pan() ||
	       !((read_sysreg(ttbr0_el1) ^ read_sysreg(ttbr1_el1)) & TTBR_ASID_MASK);
}

static void set_open(bool open)
{
	if (open)
		uaccess_enable_privileged();
	else
		uaccess_disable_privileged();
}

/* ---- handlers ---- */

static int hits, reads;
static bool was_open, was_inconsistent;

static void read_user(void)
{
	const void __user *from = (const void __user *)current->mm->arg_start;
	unsigned long word;

	hits++;
	was_open |= is_open();
	was_inconsistent |= !is_consistent();
	reads += !copy_from_user_nofault(&word, from, sizeof(word));
}

static int read_before(struct kprobe *p, struct pt_regs *regs)
{
	read_user();
	return 0;
}

static void read_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	read_user();
}

static int read_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	read_user();
	return 0;
}

static long read_instead(long a, long b)
{
	read_user();
	jprobe_return();
	return 0;
}

/* ---- one call ---- */

typedef long (*called_fn)(long a, long b);

/* Where a function begins or ends no kernel clears PAN, so handlers need not find it set. */
static void expect_kept(struct ktap *t, called_fn fn, bool open, int wanted, bool at_call)
{
	bool after, consistent;
	unsigned long flags;
	long sum;

	hits = reads = 0;
	was_open = was_inconsistent = false;
	local_irq_save(flags);
	set_open(open);
	sum = fn(40, 2);
	after = is_open();
	consistent = is_consistent();
	set_open(false);
	local_irq_restore(flags);
	EXPECT_EQ(t, sum, 42);
	EXPECT_EQ(t, hits, wanted);
	EXPECT_EQ(t, reads, wanted);
	EXPECT_EQ(t, after, open);
	EXPECT(t, consistent);
	EXPECT(t, !was_open || (at_call && cpus_have_cap(ARM64_HAS_PAN)));
	EXPECT(t, !was_inconsistent);
}

static void expect_both(struct ktap *t, called_fn fn, int wanted, bool at_call)
{
	expect_kept(t, fn, false, wanted, at_call);
	if (cpus_have_cap(ARM64_HAS_PAN) || system_uses_ttbr0_pan())
		expect_kept(t, fn, true, wanted, at_call);
}

/* ---- cases ---- */

static void case_behind_a_trap(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&slot), .pre_handler = read_before,
			    .post_handler = read_behind };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_both(t, slot.fn, 2, false);
	unregister_kprobe(&p);
}

/* Without PAN there are none. */
static void case_behind_a_jump(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&slot), .pre_handler = read_before };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (cpus_have_cap(ARM64_HAS_PAN))
		EXPECT(t, becomes_jump(&p));
	expect_both(t, slot.fn, 1, false);
	unregister_kprobe(&p);
}

static void case_behind_a_site_of_the_tracer(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_open", .offset = SITE_OFFSET,
			    .pre_handler = read_before };

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		t->skip = "there are no probes on the tracer's sites";
		return;
	}
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT(t, kprobe_ftrace(&p));
	expect_both(t, lkp_test_open, 1, true);
	unregister_kprobe(&p);
}

static int read_at_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	read_user();
	return 0;
}

static void read_at_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	read_user();
}

static void case_behind_an_fprobe(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = read_at_entry, .exit_handler = read_at_exit };

	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_test_open", NULL), 0))
		return;
	expect_both(t, lkp_test_open, 2, true);
	unregister_fprobe(&fp);
}

static void case_behind_a_return(struct ktap *t)
{
	struct kretprobe rp = {
		.kp.symbol_name = "lkp_test_open",
		.handler = read_at_return,
	};

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	expect_both(t, lkp_test_open, 1, true);
	unregister_kretprobe(&rp);
}

static void case_behind_a_jprobe(struct ktap *t)
{
	struct jprobe jp = {
		.kp.symbol_name = "lkp_test_open",
		.entry = read_instead,
	};

	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	expect_both(t, lkp_test_open, 1, false);
	unregister_jprobe(&jp);
}

/* ---- while it is being opened ---- */

#ifdef CONFIG_ARM64_SW_TTBR0_PAN

#define MAX_WORDS	256

/* What the kernel's own headers make of it. */
noinline void lkp_test_opens(void);
noinline void lkp_test_opens(void)
{
	uaccess_ttbr0_enable();
}

static bool writes_ttbr(u32 word, unsigned int nr)
{
	return (word & ~0x1fu) == (0xd5182000 | nr << 5);
}

/* Between the two a handler that reads user memory would undo the first. */
static void case_between_the_two_writes_no_probe_is_accepted(struct ktap *t)
{
	u32 *at = (u32 *)lkp_test_opens, *end = at + MAX_WORDS;
	unsigned int between = 0;

	while (at < end && !writes_ttbr(*at, 1))
		at++;
	for (at++; at < end && !writes_ttbr(*at, 0); at++) {
		struct kprobe p = { .addr = (kprobe_opcode_t *)at, .pre_handler = read_before };

		between++;
		if (!EXPECT_EQ(t, register_kprobe(&p), -EINVAL))
			unregister_kprobe(&p);
	}
	EXPECT(t, at < end);
	EXPECT(t, between);
}

#endif

static const struct ktap_case cases[] = {
	CASE(behind_a_trap),
	CASE(behind_a_jump),
	CASE(behind_a_site_of_the_tracer),
	CASE(behind_an_fprobe),
	CASE(behind_a_return),
	CASE(behind_a_jprobe),
#ifdef CONFIG_ARM64_SW_TTBR0_PAN
	CASE(between_the_two_writes_no_probe_is_accepted),
#endif
};
KTAP_MODULE(cases);
