// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of an arm64 processor at a probe and behind it: masks of interrupts and
 * other exceptions, flags, access to user memory, keys that sign pointers.  It
 * is the same as without a probe, for every kind of probe point.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <asm/cpufeature.h>
#include <asm/daifflags.h>
#include <asm/sysreg.h>

#include "arm64_masks.h"
#include "ktap.h"
#include "optimize.h"
#include "target.h"

#define PAN_REGISTER	sys_reg(3, 0, 4, 2, 3)

#define FLAGS_MASK	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)

/* A function of an address and flags: it returns the flags as they are at its end. */
#define RUNS(name, before, insn, after)						\
TARGET(name,									\
	"msr nzcv, x1\n"							\
	"mov x2, sp\n"								\
	before									\
	AT(name) insn								\
	NEXT(name) after							\
	"mrs x0, nzcv\n"							\
	"mov x3, sp\n"								\
	"cmp x2, x3\n"								\
	"csinv x0, x0, xzr, eq\n")

RUNS(slot, "", "add x9, x9, #1\n", "nop\n");
RUNS(push, "", "str x1, [sp, #-16]!\n", "add sp, sp, #16\n");
RUNS(emulated, "", "adr x9, .\n", "nop\n");
RUNS(branch, "", "b 1f\n", "1:\n");
RUNS(signs, "", "hint #25\n", "hint #29\n");		/* paciasp, autiasp */
RUNS(faults, "", "ldtr x9, [x0]\n", "nop\n"
     ".Lfaults_fix:\n"
     USER_FIXUP(faults, "0x3ff"));

TARGET(sum, SLOT_ADD(sum));

/* The same function with what it is to be called with. */
static const struct subject {
	const char *name;
	const struct target *target;
	bool no_jump;
} subjects[] = {
	{ "slot", &slot },
	{ "push", &push },
	{ "emulated", &emulated },
	{ "branch", &branch },
	{ "signs", &signs, IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) },
	{ "faults", &faults, true },
};

/**
 * struct state - what must not change
 * @masks: of interrupts
 * @pan: bit of pstate
 * @key: half of the key that the kernel signs return addresses with
 */
struct state {
	struct masks masks;
	u64 pan, key;
};

static u64 read_pan(void)
{
	return cpus_have_cap(ARM64_HAS_PAN) ? read_sysreg_s(PAN_REGISTER) & PSR_PAN_BIT : 0;
}

static void write_pan(u64 pan)
{
	if (cpus_have_cap(ARM64_HAS_PAN))
		write_sysreg_s(pan, PAN_REGISTER);
}

static struct state read_state(void)
{
	return (struct state){
		.masks = masks_now(),
		.pan = read_pan(),
		.key = system_supports_address_auth() ? read_sysreg_s(SYS_APIAKEYLO_EL1) : 0,
	};
}

/* What handlers have seen. */
static int pres, posts;
static struct pt_regs seen, seen_by_post;
static bool was_open, was_odd;

static void look(const struct pt_regs *regs)
{
	was_open |= !irqs_disabled() || !(read_sysreg(daif) & PSR_I_BIT) ||
		    (cpus_have_cap(ARM64_HAS_PAN) && !read_pan());
	was_odd |= regs->sp % 16;
}

static int see(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	seen = *regs;
	look(regs);
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	seen_by_post = *regs;
	look(regs);
}

static int see_and_skip(struct kprobe *p, struct pt_regs *regs)
{
	see(p, regs);
	instruction_pointer_set(regs, instruction_pointer(regs) + 4);
	return 1;
}

static int no_handler(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

/* ---- one call ---- */

static u64 call_in(const struct subject *subject, u64 flags, struct state *state)
{
	struct state found = read_state();
	u64 result;

	preempt_disable();
	masks_set(state->masks);
	write_pan(state->pan);
	result = subject->target->fn(UNMAPPED, flags);
	*state = read_state();
	write_pan(found.pan);
	masks_set(found.masks);
	preempt_enable();
	return result;
}

static void expect_seen(struct ktap *t, const struct pt_regs *regs, u64 flags,
			const struct state *state)
{
	EXPECT_EQ(t, regs->pstate & FLAGS_MASK, flags);
	EXPECT_EQ(t, regs->pstate & PSR_PAN_BIT, state->pan);
	EXPECT_EQ(t, masks_in(regs).daif, state->masks.daif);
	EXPECT_EQ(t, masks_in(regs).pmr, state->masks.pmr);
}

static void try_in(struct ktap *t, const struct subject *subject, u64 flags, struct masks masks,
		   u64 pan, bool with_post)
{
	struct state before = { masks, pan, read_state().key }, after = before;
	bool failed = t->failed;

	pres = posts = 0;
	was_open = was_odd = false;
	EXPECT_EQ(t, call_in(subject, flags, &after), flags);
	EXPECT_EQ(t, after.masks.daif, before.masks.daif);
	EXPECT_EQ(t, after.masks.pmr, before.masks.pmr);
	EXPECT_EQ(t, after.pan, before.pan);
	EXPECT_EQ(t, after.key, before.key);
	EXPECT_EQ(t, pres, 1);
	expect_seen(t, &seen, flags, &before);
	EXPECT_EQ(t, posts, with_post);
	if (with_post)
		expect_seen(t, &seen_by_post, flags, &before);
	EXPECT(t, !was_open);
	EXPECT(t, !was_odd);
	if (t->failed != failed)
		seq_printf(t->m, "# %s, flags %llx, masks %llx, %llx, pan %llx\n", subject->name,
			   flags, masks.daif, masks.pmr, pan);
}

static void try_masks(struct ktap *t, const struct subject *subject, struct masks masks,
		      bool with_post)
{
	static const u64 flags[] = { 0, FLAGS_MASK, PSR_Z_BIT, PSR_C_BIT | PSR_N_BIT };
	unsigned int i;
	u64 pan;

	for (pan = 0; pan <= (cpus_have_cap(ARM64_HAS_PAN) ? PSR_PAN_BIT : 0); pan += PSR_PAN_BIT)
		for (i = 0; i < ARRAY_SIZE(flags); i++)
			try_in(t, subject, flags[i], masks, pan, with_post);
}

static void try_all(struct ktap *t, const struct subject *subject, bool with_post)
{
	unsigned int i;
	u64 daif;

	for (daif = 0; daif <= DAIF_MASK; daif += PSR_F_BIT)
		for (i = 0; i < masks_nr_pmrs(daif); i++)
			try_masks(t, subject, (struct masks){ daif, masks_pmr(i) }, with_post);
}

static void try_with(struct ktap *t, const struct subject *subject, struct kprobe p, bool jump,
		     bool post_runs)
{
	p.addr = target_at(subject->target);
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (!jump || EXPECT(t, becomes_jump(&p)))
		try_all(t, subject, post_runs);
	unregister_kprobe(&p);
}

/* ---- cases ---- */

static void case_a_trap_leaves_no_trace(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		try_with(t, &subjects[i], (struct kprobe){ .pre_handler = see,
							   .fault_handler = no_handler }, false, false);
}

/* Behind what faults none runs. */
static void case_a_post_handler_leaves_no_trace(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		try_with(t, &subjects[i], (struct kprobe){ .pre_handler = see,
							   .post_handler = see_after },
			 false, subjects[i].target != &faults);
}

static void case_a_jump_leaves_no_trace(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (!subjects[i].no_jump)
			try_with(t, &subjects[i], (struct kprobe){ .pre_handler = see }, true,
				 false);
}

/* The instruction is not run; those that the function can do without. */
static void case_an_instruction_that_is_skipped_leaves_no_trace(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see_and_skip, .post_handler = see_after };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (subjects[i].target != &push && subjects[i].target != &signs)
			try_with(t, &subjects[i], p, false, false);
}

static long elsewhere(long a, long b)
{
	return a * b;
}

static void go_elsewhere(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	instruction_pointer_set(regs, (unsigned long)elsewhere);
}

static void case_a_post_handler_chooses_where_to_go_on(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&sum), .post_handler = go_elsewhere };
	unsigned long flags;
	long product;

	posts = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, sum.fn(40, 2), 80);
	EXPECT(t, !irqs_disabled());
	local_irq_save(flags);
	product = sum.fn(21, 2);
	EXPECT(t, irqs_disabled());
	local_irq_restore(flags);
	EXPECT_EQ(t, product, 42);
	EXPECT_EQ(t, posts, 2);
	unregister_kprobe(&p);
	EXPECT_EQ(t, sum.fn(40, 2), 42);
}

/* What a CPU has of them: data independent timing, speculative bypass of stores. */
#define DIT_REGISTER	sys_reg(3, 3, 4, 2, 5)
#define SSBS_REGISTER	sys_reg(3, 3, 4, 2, 6)
#define DIT_BIT		BIT(24)
#define SSBS_BIT	BIT(12)

static bool has_dit(void)
{
	return read_sysreg(id_aa64pfr0_el1) >> 48 & 0xf;
}

static bool has_ssbs(void)
{
	return (read_sysreg(id_aa64pfr1_el1) >> 4 & 0xf) == 2;
}

static u64 read_modes(void)
{
	return (has_dit() ? read_sysreg_s(DIT_REGISTER) & DIT_BIT : 0) |
	       (has_ssbs() ? read_sysreg_s(SSBS_REGISTER) & SSBS_BIT : 0);
}

static void write_modes(u64 modes)
{
	if (has_dit())
		write_sysreg_s(modes & DIT_BIT, DIT_REGISTER);
	if (has_ssbs())
		write_sysreg_s(modes & SSBS_BIT, SSBS_REGISTER);
}

static void expect_modes_stay(struct ktap *t, u64 modes)
{
	u64 found, after;
	long product;

	preempt_disable();
	found = read_modes();
	write_modes(modes);
	product = sum.fn(21, 2);
	after = read_modes();
	write_modes(found);
	preempt_enable();
	EXPECT_EQ(t, product, 42);
	EXPECT_EQ(t, after, modes);
}

static void case_modes_stay_where_a_post_handler_goes(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&sum), .post_handler = go_elsewhere };
	u64 all = (has_dit() ? DIT_BIT : 0) | (has_ssbs() ? SSBS_BIT : 0);

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_modes_stay(t, 0);
	expect_modes_stay(t, all & DIT_BIT);
	expect_modes_stay(t, all & SSBS_BIT);
	expect_modes_stay(t, all);
	unregister_kprobe(&p);
}

/* ---- the type of the branch that led to a landing, which ends with it ---- */

/* A landing that is no nop, so it is not stepped over; and a call of it. */
TARGET_IN(landing,
	  ".balign 16\n"
	  ".type landing_fn, @function\n"
	  "landing_fn:\n"
	  AT(landing) "hint #25\n"			/* paciasp */
	  NEXT(landing) "hint #29\n"			/* autiasp */
	  "ret\n"
	  ".size landing_fn, . - landing_fn\n");
TARGET(calls,
	"stp x29, x30, [sp, #-16]!\n"
	"adr x8, landing_fn\n"
	AT(calls) "blr x8\n"
	NEXT(calls) "nop\n"
	"ldp x29, x30, [sp], #16\n");
TARGET(witness, SLOT_ADD(witness));

static u64 type_at_landing, type_at_witness;

static int note_landing(struct kprobe *p, struct pt_regs *regs)
{
	type_at_landing = regs->pstate & PSR_BTYPE_MASK;
	return 0;
}

static int note_witness(struct kprobe *p, struct pt_regs *regs)
{
	type_at_witness = regs->pstate & PSR_BTYPE_MASK;
	return 0;
}

static int to_witness(struct kprobe *p, struct pt_regs *regs)
{
	note_landing(p, regs);
	instruction_pointer_set(regs, (unsigned long)target_at(&witness));
	return 1;
}

static void after_to_witness(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	instruction_pointer_set(regs, (unsigned long)target_at(&witness));
}

static void after_nothing(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

/* Calls a function with this probe, and one that sees the type that it leaves; both are traps. */
static bool run_with_types(struct ktap *t, struct kprobe *p, const struct target *called)
{
	struct kprobe seer = {
		.addr = target_at(&witness), .pre_handler = note_witness, .post_handler = after_nothing,
	};

	if (!(read_sysreg(id_aa64pfr1_el1) & 0xf)) {
		t->skip = "this processor has no BTI";
		return false;
	}
	type_at_landing = type_at_witness = ~0ull;
	if (!EXPECT_EQ(t, register_kprobe(&seer), 0))
		return false;
	if (EXPECT_EQ(t, register_kprobe(p), 0)) {
		called->fn(40, 2);
		unregister_kprobe(p);
	}
	unregister_kprobe(&seer);
	return true;
}

static void case_a_pre_handler_that_leaves_a_landing_has_landed(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&landing), .pre_handler = to_witness };
	struct kprobe with_post = {
		.addr = target_at(&landing), .pre_handler = to_witness, .post_handler = after_nothing,
	};

	if (!run_with_types(t, &p, &landing))
		return;
	EXPECT_EQ(t, type_at_landing, PSR_BTYPE_C);
	EXPECT_EQ(t, type_at_witness, 0);
	run_with_types(t, &with_post, &landing);
	EXPECT_EQ(t, type_at_landing, PSR_BTYPE_C);
	EXPECT_EQ(t, type_at_witness, 0);
}

static void case_a_post_handler_that_leaves_a_call_has_landed(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&calls), .post_handler = after_to_witness };

	if (run_with_types(t, &p, &calls))
		EXPECT_EQ(t, type_at_witness, 0);
}

static void case_behind_a_probed_call_a_landing_is_demanded(struct ktap *t)
{
	struct kprobe seer = {
		.addr = target_at(&landing), .pre_handler = note_landing, .post_handler = after_nothing,
	};
	struct kprobe p = { .addr = target_at(&calls), .post_handler = after_nothing };

	if (!EXPECT_EQ(t, register_kprobe(&seer), 0))
		return;
	if (run_with_types(t, &p, &calls))
		EXPECT_EQ(t, type_at_landing, PSR_BTYPE_C);
	unregister_kprobe(&seer);
}

static const struct ktap_case cases[] = {
	CASE(a_trap_leaves_no_trace),
	CASE(a_post_handler_leaves_no_trace),
	CASE(a_jump_leaves_no_trace),
	CASE(an_instruction_that_is_skipped_leaves_no_trace),
	CASE(a_post_handler_chooses_where_to_go_on),
	CASE(modes_stay_where_a_post_handler_goes),
	CASE(a_pre_handler_that_leaves_a_landing_has_landed),
	CASE(a_post_handler_that_leaves_a_call_has_landed),
	CASE(behind_a_probed_call_a_landing_is_demanded),
};
KTAP_MODULE(cases);
