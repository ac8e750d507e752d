// SPDX-License-Identifier: GPL-2.0-only
/*
 * What masks interrupts on arm64, on each way into a handler: there both DAIF and what
 * irqs_disabled() looks at mask them, registers have what the probed code has, and it finds that
 * unchanged behind the probe.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "arm64_masks.h"
#include "optimize.h"

TARGET(slot_add, SLOT_ADD(slot_add));
TARGET(jmp_add, JMP_ADD(jmp_add));
TARGET(first_add, FIRST_ADD(first_add));
TARGET(pair_add, PAIR_ADD(pair_add));

noinline __noclone long lkp_masks_sum(long a, long b);
noinline __noclone long lkp_masks_sum(long a, long b)
{
	barrier();
	return a + b;
}

static long elsewhere(long a, long b)
{
	return 42;
}

/* ---- handlers ---- */

static struct masks callers;

static struct seen {
	int hits;
	int open;	/* of these, interrupts could come, or the kernel says so */
	int wrong;	/* of these, the registers had other masks than the caller */
} seen;

static void look(const struct pt_regs *regs)
{
	seen.hits++;
	seen.open += !irqs_disabled() || !(read_sysreg(daif) & PSR_I_BIT);
	seen.wrong += regs && !masks_are(masks_in(regs), callers);
}

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	look(regs);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look(regs);
}

/* At a function's beginning. */
static int leave(struct kprobe *p, struct pt_regs *regs)
{
	look(regs);
	instruction_pointer_set(regs, (unsigned long)elsewhere);
	return 1;
}

static void leave_late(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	leave(p, regs);
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look(regs);
	return 0;
}

static long on_jprobe(long a, long b)
{
	look(NULL);
	jprobe_return();
	return 0;
}

static long on_jprobe_that_returns(long a, long b)
{
	look(NULL);
	return 0;
}

static int on_fprobe_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			   struct pt_regs *regs, void *data)
{
	look(regs);
	return 0;
}

static void on_fprobe_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			   struct pt_regs *regs, void *data)
{
	look(regs);
}

/* ---- calls, with all that can be masked ---- */

static void call_masked(struct ktap *t, long (*fn)(long a, long b), struct masks masks, int hits)
{
	bool failed = t->failed;
	struct masks found, after;
	long sum;

	seen = (struct seen){ };
	preempt_disable();
	found = masks_now();
	callers = masks;
	masks_set(masks);
	sum = fn(40, 2);
	after = masks_now();
	masks_set(found);
	preempt_enable();
	EXPECT_EQ(t, sum, 42);
	EXPECT_EQ(t, after.daif, masks.daif);
	EXPECT_EQ(t, after.pmr, masks.pmr);
	EXPECT_EQ(t, seen.hits, hits);
	EXPECT_EQ(t, seen.open, 0);
	EXPECT_EQ(t, seen.wrong, 0);
	if (t->failed != failed)
		seq_printf(t->m, "# masks %llx, %llx\n", masks.daif, masks.pmr);
}

static void call(struct ktap *t, long (*fn)(long a, long b), int hits)
{
	unsigned int i;
	u64 daif;

	for (daif = 0; daif <= DAIF_MASK; daif += PSR_F_BIT)
		for (i = 0; i < masks_nr_pmrs(daif); i++)
			call_masked(t, fn, (struct masks){ daif, masks_pmr(i) }, hits);
}

static void call_with(struct ktap *t, struct kprobe p, const struct target *target, int hits)
{
	p.addr = target_at(target);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	call(t, target->fn, hits);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

/* ---- without a probe ---- */

static void case_without_a_probe_the_masks_stay(struct ktap *t)
{
	call(t, lkp_masks_sum, 0);
}

/* ---- traps ---- */

static void case_in_a_trap(struct ktap *t)
{
	EXPECT_EQ(t, turn_optimization(false), 0);
	call_with(t, (struct kprobe){ .pre_handler = on_pre }, &slot_add, 1);
	call_with(t, (struct kprobe){ .pre_handler = on_pre }, &jmp_add, 1);
	EXPECT_EQ(t, turn_optimization(true), 0);
}

/* By a stub where memory is near; emulated. */
static void case_in_a_post_handler(struct ktap *t)
{
	struct kprobe both = { .pre_handler = on_pre, .post_handler = on_post };

	call_with(t, both, &slot_add, 2);
	call_with(t, both, &jmp_add, 2);
	call_with(t, (struct kprobe){ .post_handler = on_post }, &slot_add, 1);
}

static void case_where_a_handler_goes_elsewhere(struct ktap *t)
{
	struct kprobe both = { .pre_handler = leave, .post_handler = on_post };

	EXPECT_EQ(t, turn_optimization(false), 0);
	call_with(t, (struct kprobe){ .pre_handler = leave }, &first_add, 1);
	EXPECT_EQ(t, turn_optimization(true), 0);
	call_with(t, both, &first_add, 1);
	call_with(t, (struct kprobe){ .post_handler = leave_late }, &first_add, 1);
	call_with(t, (struct kprobe){ .post_handler = leave_late }, &jmp_add, 1);
}

/* ---- jumps ---- */

static void case_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, 1, on_pre, call);
}

static void case_two_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, 2, on_pre, call);
}

static void case_many_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, MANY_PROBES, on_pre, call);
}

/* ---- the tracer's site ---- */

static void call_site(struct ktap *t, struct kprobe p, int hits)
{
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		t->skip = "the tracer shows no registers";
		return;
	}
	p.symbol_name = "lkp_masks_sum";
	p.offset = SITE_OFFSET;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	call(t, lkp_masks_sum, hits);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void case_at_the_tracers_site(struct ktap *t)
{
	struct kprobe both = { .pre_handler = on_pre, .post_handler = on_post };

	call_site(t, (struct kprobe){ .pre_handler = on_pre }, 1);
	call_site(t, both, 2);
}

static void case_in_an_fprobe(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = on_fprobe_entry, .exit_handler = on_fprobe_exit };

	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_masks_sum", NULL), 0))
		return;
	call(t, lkp_masks_sum, 2);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
}

/* ---- returns ---- */

static void call_kretprobe(struct ktap *t, void *addr, long (*fn)(long a, long b), bool jump)
{
	struct kretprobe rp = {
		.kp.addr = addr, .entry_handler = on_call, .handler = on_call, .maxactive = 4,
	};

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	if (!jump || EXPECT(t, becomes_jump(&rp.kp)))
		call(t, fn, 2);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

static void case_in_a_kretprobe(struct ktap *t)
{
	EXPECT_EQ(t, turn_optimization(false), 0);
	call_kretprobe(t, lkp_masks_sum, lkp_masks_sum, false);
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static void case_in_a_kretprobe_by_a_jump(struct ktap *t)
{
	call_kretprobe(t, pair_add.fn, pair_add.fn, true);
}

/* ---- jprobes ---- */

static void call_jprobe(struct ktap *t, void *addr, long (*fn)(long a, long b), void *entry)
{
	struct jprobe jp = { .kp.addr = addr, .entry = entry };

	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	call(t, fn, 1);
	EXPECT_EQ(t, jp.kp.nmissed, 0);
	unregister_jprobe(&jp);
}

static void case_in_a_jprobe(struct ktap *t)
{
	call_jprobe(t, lkp_masks_sum, lkp_masks_sum, on_jprobe);
	call_jprobe(t, pair_add.fn, pair_add.fn, on_jprobe);
	call_jprobe(t, pair_add.fn, pair_add.fn, on_jprobe_that_returns);
}

/* With a guarded copy behind it. */
static void case_in_a_jprobe_with_a_post_handler_there(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)pair_add.fn, .post_handler = on_post };
	struct jprobe jp = { .kp.addr = (void *)pair_add.fn, .entry = on_jprobe };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_jprobe(&jp), 0))
		call(t, pair_add.fn, 2);
	unregister_jprobe(&jp);
	unregister_kprobe(&p);
}

/* ---- an instruction that reads PMR, ICC_PMR_EL1 ---- */

TARGET(reads, AT(reads) "mrs x2, s3_0_c4_c6_0\n" NEXT(reads) "mov x0, x2\n");

static void expect_reads(struct ktap *t, struct kprobe p, bool jump)
{
	unsigned long flags;
	u64 on, off;

	p.addr = target_at(&reads);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (jump)
		EXPECT(t, becomes_jump(&p));
	on = reads.fn(0, 0);
	local_irq_save(flags);
	off = reads.fn(0, 0);
	local_irq_restore(flags);
	EXPECT_EQ(t, on, GIC_PRIO_IRQON);
	EXPECT_EQ(t, off, GIC_PRIO_IRQOFF);
	unregister_kprobe(&p);
}

static int no_handler(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void no_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static void case_pmr_reads_as_without_a_probe(struct ktap *t)
{
	if (!system_uses_irq_prio_masking()) {
		t->skip = "interrupts are not masked by priority";
		return;
	}
	EXPECT_EQ(t, turn_optimization(false), 0);
	expect_reads(t, (struct kprobe){ .pre_handler = no_handler }, false);
	EXPECT_EQ(t, turn_optimization(true), 0);
	expect_reads(t, (struct kprobe){ .post_handler = no_post }, false);
	expect_reads(t, (struct kprobe){ .pre_handler = no_handler }, true);
}

static const struct ktap_case cases[] = {
	CASE(without_a_probe_the_masks_stay),
	CASE(in_a_trap),
	CASE(in_a_post_handler),
	CASE(where_a_handler_goes_elsewhere),
	CASE(behind_a_jump),
	CASE(two_behind_a_jump),
	CASE(many_behind_a_jump),
	CASE(at_the_tracers_site),
	CASE(in_an_fprobe),
	CASE(in_a_kretprobe),
	CASE(in_a_kretprobe_by_a_jump),
	CASE(in_a_jprobe),
	CASE(in_a_jprobe_with_a_post_handler_there),
	CASE(pmr_reads_as_without_a_probe),
};
KTAP_MODULE(cases);
