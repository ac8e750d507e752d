// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits of jumps in every context, and in every state of the CPU's flags.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "contexts.h"
#include "optimize.h"

#define CALLS	10

/* Returns a + b. */
TARGET(add, PAIR_ADD(add));

static struct seen {
	int hits;
	unsigned long flags, context, flags_within;
	bool irqs_were_on;
} seen;

#ifdef CONFIG_X86_64
#define FLAGS_OF(r)	((r)->flags)
#define FLAGS_NOW()	native_save_fl()
#endif
#ifdef CONFIG_ARM64
#define FLAGS_OF(r)	((r)->pstate)
#define FLAGS_NOW()	arch_local_save_flags()
#endif
#ifdef CONFIG_PPC64
#define FLAGS_OF(r)	((r)->ccr | (r)->xer << 32)
#define FLAGS_NOW()	arch_local_save_flags()
#endif

static int see(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	seen.flags = FLAGS_OF(regs);
	seen.irqs_were_on = IRQS_ON(regs);
	seen.flags_within = FLAGS_NOW();
	seen.context = preempt_count();
	return 0;
}

static bool plant_jump_with(struct ktap *t, struct kprobe *p, const struct target *target,
			    kprobe_post_handler_t post)
{
	*p = (struct kprobe){
		.addr = target_at(target), .pre_handler = see, .post_handler = post,
	};
	seen = (struct seen){ };
	return EXPECT_EQ(t, register_kprobe(p), 0) && EXPECT(t, becomes_jump(p));
}

static bool plant_jump(struct ktap *t, struct kprobe *p, const struct target *target)
{
	return plant_jump_with(t, p, target, NULL);
}

/* ---- flags ---- */

/* The bits whose numbers are set in @set, together. */
static unsigned long subset_of(const unsigned long *bits, unsigned int nr, unsigned int set)
{
	unsigned long all = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (set & 1 << i)
			all |= bits[i];
	return all;
}

static void case_interrupts_stay_off_where_they_were(struct ktap *t)
{
	unsigned long flags;
	struct kprobe p;
	bool off;

	if (!plant_jump(t, &p, &add))
		return;
	local_irq_save(flags);
	add.fn(40, 2);
	off = irqs_disabled();
	local_irq_restore(flags);
	EXPECT(t, off);
	EXPECT(t, !seen.irqs_were_on);
	EXPECT_EQ(t, add.fn(40, 2), 42);
	EXPECT(t, seen.irqs_were_on);
	EXPECT(t, !irqs_disabled());
	EXPECT_EQ(t, seen.hits, 2);
	unregister_kprobe(&p);
}

#ifdef CONFIG_X86_64

/* Takes flags, and returns what they are behind the region; leaves those of b. */
TARGET(keep_flags,
       "push %rdi\n"
       "popf\n"
       AT(keep_flags) "mov %rsi, %rcx\n"
       NEXT(keep_flags) "lea 5(%rcx), %rcx\n"
       "pushf\n"
       "pop %rax\n"
       "push %rsi\n"
       "popf\n");

static void expect_flags(struct ktap *t, unsigned long flags)
{
	unsigned long irqs, after, usual = X86_EFLAGS_FIXED;

	local_irq_save(irqs);
	after = keep_flags.fn(flags, usual);
	local_irq_restore(irqs);
	EXPECT_EQ(t, after, flags);
	EXPECT_EQ(t, seen.flags, flags);
	EXPECT(t, !(seen.flags_within & (X86_EFLAGS_DF | X86_EFLAGS_IF)));
}

static void case_flags_are_the_same_behind_a_jump(struct ktap *t)
{
	static const unsigned long bits[] = {
		X86_EFLAGS_CF, X86_EFLAGS_PF, X86_EFLAGS_AF, X86_EFLAGS_ZF, X86_EFLAGS_SF,
		X86_EFLAGS_OF, X86_EFLAGS_DF, X86_EFLAGS_ID,
	};
	unsigned long flags;
	unsigned int set;
	struct kprobe p;

	if (!plant_jump(t, &p, &keep_flags))
		return;
	for (set = 0; set < 1 << ARRAY_SIZE(bits); set++) {
		flags = subset_of(bits, ARRAY_SIZE(bits), set);
		expect_flags(t, X86_EFLAGS_FIXED | flags);
	}
	EXPECT_EQ(t, seen.hits, 1 << ARRAY_SIZE(bits));
	unregister_kprobe(&p);
}

/* AC opens user memory to the kernel.  Without SMAP it means nothing there, and stays. */
static void see_flags_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	seen.hits++;
	seen.flags = regs->flags;
	seen.flags_within = native_save_fl();
}

static void expect_user_memory_is_closed(struct ktap *t)
{
	unsigned long set = X86_EFLAGS_FIXED | X86_EFLAGS_AC, flags, after;

	local_irq_save(flags);
	after = keep_flags.fn(set, X86_EFLAGS_FIXED);
	local_irq_restore(flags);
	EXPECT(t, after & X86_EFLAGS_AC);
	EXPECT(t, seen.flags & X86_EFLAGS_AC);
	EXPECT_EQ(t, !(seen.flags_within & X86_EFLAGS_AC), boot_cpu_has(X86_FEATURE_SMAP));
	EXPECT_EQ(t, seen.hits, 1);
}

static void case_between_stac_and_clac_a_handler_can_not_read_user_memory(struct ktap *t)
{
	struct kprobe p;

	if (!plant_jump(t, &p, &keep_flags))
		return;
	expect_user_memory_is_closed(t);
	unregister_kprobe(&p);
	p = (struct kprobe){ .addr = target_at(&keep_flags), .post_handler = see_flags_after };
	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_user_memory_is_closed(t);
	unregister_kprobe(&p);
}

static void case_a_handler_runs_with_the_direction_flag_clear(struct ktap *t)
{
	struct kprobe p;

	if (!plant_jump(t, &p, &keep_flags))
		return;
	expect_flags(t, X86_EFLAGS_FIXED | X86_EFLAGS_DF);
	EXPECT(t, seen.flags & X86_EFLAGS_DF);
	EXPECT(t, !(seen.flags_within & X86_EFLAGS_DF));
	EXPECT(t, !(native_save_fl() & X86_EFLAGS_DF));
	EXPECT_EQ(t, seen.hits, 1);
	unregister_kprobe(&p);
}

static void case_a_handler_has_no_access_to_user_space(struct ktap *t)
{
	struct kprobe p;

	if (!boot_cpu_has(X86_FEATURE_SMAP)) {
		t->skip = "the CPU has no SMAP";
		return;
	}
	if (!plant_jump(t, &p, &keep_flags))
		return;
	expect_flags(t, X86_EFLAGS_FIXED | X86_EFLAGS_AC);
	EXPECT(t, seen.flags & X86_EFLAGS_AC);
	EXPECT(t, !(seen.flags_within & X86_EFLAGS_AC));
	EXPECT(t, !(native_save_fl() & X86_EFLAGS_AC));
	unregister_kprobe(&p);
}

#endif /* CONFIG_X86_64 */

#ifdef CONFIG_ARM64

/* Takes flags and masks, and returns what they are behind the probe; leaves those of b. */
TARGET(keep_flags,
       "msr nzcv, x0\n"
       "msr daif, x0\n"
       AT(keep_flags) "mov x2, x1\n"
       NEXT(keep_flags) "mrs x0, nzcv\n"
       "mrs x1, daif\n"
       "msr daif, x2\n"
       "orr x0, x0, x1\n");

#define MASKS	(PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT)
#define FLAGS	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)

static void expect_flags(struct ktap *t, unsigned long flags, unsigned long usual)
{
	EXPECT_EQ(t, keep_flags.fn(flags, usual), flags);
	EXPECT_EQ(t, seen.flags & (MASKS | FLAGS), flags);
	EXPECT(t, arch_irqs_disabled_flags(seen.flags_within));
}

/* Interrupts included, that are on or off at once. */
static void case_flags_are_the_same_behind_a_jump(struct ktap *t)
{
	static const unsigned long bits[] = {
		PSR_N_BIT, PSR_Z_BIT, PSR_C_BIT, PSR_V_BIT, PSR_D_BIT, PSR_A_BIT,
		PSR_I_BIT | PSR_F_BIT,
	};
	unsigned long flags, usual = read_sysreg(daif);
	unsigned int set;
	struct kprobe p;

	if (!plant_jump(t, &p, &keep_flags))
		return;
	for (set = 0; set < 1 << ARRAY_SIZE(bits); set++) {
		flags = subset_of(bits, ARRAY_SIZE(bits), set);
		expect_flags(t, flags, usual);
	}
	EXPECT_EQ(t, seen.hits, 1 << ARRAY_SIZE(bits));
	unregister_kprobe(&p);
}

#endif /* CONFIG_ARM64 */

#ifdef CONFIG_PPC64

/*
 * Takes CR and XER, and returns what they are behind the probe; they are left as they
 * were, as a summary overflow would stay, and compares would copy it.
 */
TARGET(keep_flags,
       "mfcr 7\n"
       "mfxer 8\n"
       "mtcr 3\n"
       "srdi 5, 3, 32\n"
       "mtxer 5\n"
       AT(keep_flags) "mr 6, 4\n"
       NEXT(keep_flags) "mfcr 3\n"
       "mfxer 5\n"
       "sldi 5, 5, 32\n"
       "or 3, 3, 5\n"
       "mtcr 7\n"
       "mtxer 8\n");

/* With interrupts masked as told. */
static void expect_flags(struct ktap *t, unsigned long flags, unsigned long mask)
{
	unsigned long before = irq_soft_mask_or_return(mask), after, mask_after;

	after = keep_flags.fn(flags, 0);
	mask_after = irq_soft_mask_return();
	arch_local_irq_restore(before);
	EXPECT_EQ(t, after, flags);
	EXPECT_EQ(t, seen.flags, flags);
	EXPECT_EQ(t, mask_after, mask);
	EXPECT_EQ(t, seen.irqs_were_on, mask == IRQS_ENABLED);
	EXPECT(t, arch_irqs_disabled_flags(seen.flags_within));
}

/* A bit of each field of CR, those of XER that computing sets, and every mask. */
static void case_flags_are_the_same_behind_a_jump(struct ktap *t)
{
	static const unsigned long bits[] = {
		0x80000000, 0x04000000, 0x00200000, 0x00010000, 0x00008000, 0x00000400,
		0x00000020, 0x00000001, 0x80000000ul << 32, 0x40000000ul << 32, 0x20000000ul << 32,
	};
	unsigned long flags;
	unsigned int set;
	struct kprobe p;

	if (!plant_jump(t, &p, &keep_flags))
		return;
	for (set = 0; set < 1 << ARRAY_SIZE(bits); set++) {
		flags = subset_of(bits, ARRAY_SIZE(bits), set);
		expect_flags(t, flags, IRQS_ENABLED);
		expect_flags(t, flags, IRQS_DISABLED);
		expect_flags(t, flags, IRQS_ALL_DISABLED);
	}
	EXPECT_EQ(t, seen.hits, 3 << ARRAY_SIZE(bits));
	unregister_kprobe(&p);
}

/* Opens user memory, and returns AMR, which says so, behind the probe. */
TARGET(open_user,
       OPEN_USER
       AT(open_user) "mr 5, 3\n"
       NEXT(open_user) "mfspr 3, 29\n"
       CLOSE_USER);

/* As after a handler that reads user memory. */
TARGET(entered, FIRST_ADD(entered));

static int close_user(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	mtspr(SPRN_AMR, AMR_KUAP_BLOCKED);
	isync();
	return 0;
}

static void case_user_memory_stays_open_behind_a_handler_that_closes_it(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&open_user), .pre_handler = close_user };
	unsigned long amr = mfspr(SPRN_AMR);

	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT(t, becomes_jump(&p)))
		return;
	EXPECT_EQ(t, open_user.fn(0, 0), 0);
	EXPECT_EQ(t, mfspr(SPRN_AMR), amr);
	EXPECT_EQ(t, seen.hits, 1);
	unregister_kprobe(&p);
}

/* Some functions are called with user memory open. */
static unsigned long amr_behind_open_call(void)
{
	unsigned long before = mfspr(SPRN_AMR), behind;

	preempt_disable();
	isync();
	mtspr(SPRN_AMR, 0);
	isync();
	entered.fn(40, 2);
	behind = mfspr(SPRN_AMR);
	isync();
	mtspr(SPRN_AMR, before);
	isync();
	preempt_enable();
	return behind;
}

static long enter_and_return(long a, long b)
{
	jprobe_return();
	return 0;
}

static void case_user_memory_stays_open_behind_a_jprobe_and_a_handler_that_closes_it(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)entered.fn, .pre_handler = close_user };
	struct jprobe jp = { .kp.addr = (void *)entered.fn, .entry = enter_and_return };

	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	EXPECT_EQ(t, amr_behind_open_call(), 0);
	EXPECT(t, becomes_jump(&p));
	EXPECT_EQ(t, amr_behind_open_call(), 0);
	EXPECT_EQ(t, seen.hits, 2);
	unregister_jprobe(&jp);
	unregister_kprobe(&p);
}

#endif /* CONFIG_PPC64 */

/* ---- within a handler ---- */

TARGET(nested, FIRST_ADD(nested));
/* It stays a trap: it has a fixup. */
TARGET(kept, FIXED_LOAD_ADD(kept));

static const struct target *within = &nested;
static long nested_result;

static int hit_another(struct kprobe *p, struct pt_regs *regs)
{
	nested_result = within->fn(30, 3);
	return 0;
}

static void expect_missed(struct ktap *t, struct kprobe *outer, struct kprobe *inner)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		nested_result = 0;
		EXPECT_EQ(t, add.fn(40, 2), 42);
		EXPECT_EQ(t, nested_result, 33);
	}
	EXPECT_EQ(t, seen.hits, 0);
	EXPECT_EQ(t, inner->nmissed, CALLS);
	EXPECT_EQ(t, outer->nmissed, 0);
	/* Later hits are not missed. */
	EXPECT_EQ(t, within->fn(30, 3), 33);
	EXPECT_EQ(t, seen.hits, 1);
	EXPECT_EQ(t, inner->nmissed, CALLS);
}

static void case_a_jump_within_a_handler_of_a_jump_is_missed(struct ktap *t)
{
	struct kprobe inner, outer;

	if (!plant_jump(t, &inner, &nested))
		return;
	outer = (struct kprobe){ .addr = target_at(&add), .pre_handler = hit_another };
	if (!EXPECT_EQ(t, register_kprobe(&outer), 0) || !EXPECT(t, becomes_jump(&outer)))
		return;
	expect_missed(t, &outer, &inner);
	unregister_kprobe(&outer);
	unregister_kprobe(&inner);
}

static void hit_another_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hit_another(p, regs);
}

static void case_a_jump_within_a_handler_of_a_trap_is_missed(struct ktap *t)
{
	struct kprobe inner, outer;

	if (!plant_jump(t, &inner, &nested))
		return;
	outer = (struct kprobe){ .addr = target_at(&add), .post_handler = hit_another_after };
	if (!EXPECT_EQ(t, register_kprobe(&outer), 0))
		return;
	expect_missed(t, &outer, &inner);
	EXPECT(t, is_trap(&outer));
	unregister_kprobe(&outer);
	unregister_kprobe(&inner);
}

static void case_a_trap_within_a_handler_of_a_jump_is_missed(struct ktap *t)
{
	struct kprobe inner = { .addr = target_at(&kept), .pre_handler = see }, outer;

	seen = (struct seen){ };
	outer = (struct kprobe){ .addr = target_at(&add), .pre_handler = hit_another };
	if (!EXPECT_EQ(t, register_kprobe(&inner), 0) ||
	    !EXPECT_EQ(t, register_kprobe(&outer), 0) || !EXPECT(t, becomes_jump(&outer)))
		return;
	within = &kept;
	expect_missed(t, &outer, &inner);
	within = &nested;
	EXPECT(t, is_trap(&inner));
	unregister_kprobe(&outer);
	unregister_kprobe(&inner);
}

/* ---- interrupts ---- */

static void hit_add(void)
{
	nested_result = add.fn(40, 2);
}

static void hit_in_interrupt(void)
{
	run_in_interrupt(hit_add);
}

static void hit_in_softirq(void)
{
	run_in_softirq(hit_add);
}

static int posts;

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

static void expect_context_with(struct ktap *t, void (*run)(void), unsigned long mask,
				kprobe_post_handler_t post)
{
	struct kprobe p;
	int i;

	posts = 0;
	if (!plant_jump_with(t, &p, &add, post))
		return;
	for (i = 0; i < CALLS; i++) {
		nested_result = 0;
		run();
		EXPECT_EQ(t, nested_result, 42);
		EXPECT(t, seen.context & mask);
	}
	EXPECT_EQ(t, seen.hits, CALLS);
	EXPECT_EQ(t, posts, post ? CALLS : 0);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

static void expect_context(struct ktap *t, void (*run)(void), unsigned long mask)
{
	expect_context_with(t, run, mask, NULL);
	expect_context_with(t, run, mask, count_post);
}

static void case_a_hit_in_an_interrupt(struct ktap *t)
{
	expect_context(t, hit_in_interrupt, HARDIRQ_MASK);
}

static void case_a_hit_in_a_softirq(struct ktap *t)
{
	expect_context(t, hit_in_softirq, SOFTIRQ_CONTEXT);
}

#ifdef CONFIG_X86_64

static bool nmi_wanted;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!xchg(&nmi_wanted, false))
		return NMI_DONE;
	nested_result = add.fn(40, 2);
	return NMI_HANDLED;
}

static void send_nmi(void)
{
	unsigned long until = jiffies + PATIENCE;

	/* One that comes when nobody waits for it is unknown to the kernel. */
	WRITE_ONCE(nmi_wanted, true);
	preempt_disable();
	apic->send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	preempt_enable();
	while (READ_ONCE(nmi_wanted) && time_before(jiffies, until))
		cpu_relax();
}

static void run_nmi(void)
{
	if (register_nmi_handler(NMI_LOCAL, on_nmi, 0, KBUILD_MODNAME))
		return;
	send_nmi();
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

static void case_a_hit_in_an_nmi(struct ktap *t)
{
	expect_context(t, run_nmi, NMI_MASK);
}

static int nmi_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	send_nmi();
	return 0;
}

/* The handler of the same probe is running, on the same CPU. */
static void case_an_nmi_within_a_handler_is_missed(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&add), .pre_handler = nmi_in_handler };

	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, KBUILD_MODNAME), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&p), 0) && EXPECT(t, becomes_jump(&p))) {
		nested_result = 0;
		EXPECT_EQ(t, add.fn(40, 2), 42);
		EXPECT_EQ(t, nested_result, 42);
		EXPECT_EQ(t, seen.hits, 1);
		EXPECT_EQ(t, p.nmissed, 1);
	}
	unregister_kprobe(&p);
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

#endif /* CONFIG_X86_64 */

/* ---- returns ---- */

TARGET(factorial, FACTORIAL(factorial));

static struct {
	int entries, returns;
	long sum;
} rets;

static int see_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	rets.entries++;
	*(long *)ri->data = FIRST(regs);
	return 0;
}

/* Innermost first: 0! 1! 2! ... */
static int see_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	long value = 1, i;

	for (i = 1; i <= *(long *)ri->data; i++)
		value *= i;
	rets.sum += regs_return_value(regs) == value;
	rets.returns++;
	return 0;
}

static void case_returns_behind_a_jump_have_their_values(struct ktap *t)
{
	struct kretprobe rp = {
		.kp.addr = (void *)factorial.fn,
		.entry_handler = see_entry,
		.handler = see_return,
		.data_size = sizeof(long),
		.maxactive = 20,
	};
	int i;

	memset(&rets, 0, sizeof(rets));
	EXPECT_EQ(t, factorial.fn(6, 1), 720);
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT(t, becomes_jump(&rp.kp));
	for (i = 0; i < CALLS; i++)
		EXPECT_EQ(t, factorial.fn(6, 1), 720);
	EXPECT_EQ(t, rets.entries, 7 * CALLS);
	EXPECT_EQ(t, rets.returns, 7 * CALLS);
	EXPECT_EQ(t, rets.sum, 7 * CALLS);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, factorial.fn(6, 1), 720);
	EXPECT_EQ(t, rets.entries, 7 * CALLS);
}

static int increase_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	RETURNED(regs) += 1000;
	return 0;
}

static void case_a_kprobe_beside_a_kretprobe_on_a_jump(struct ktap *t)
{
	struct kretprobe rp = { .kp.addr = (void *)nested.fn, .handler = increase_return };
	struct kprobe p = { .addr = (void *)nested.fn, .pre_handler = see };

	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, nested.fn(30, 3), 1033);
	EXPECT(t, becomes_jump(&p));
	EXPECT_EQ(t, nested.fn(30, 3), 1033);
	EXPECT_EQ(t, seen.hits, 2);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, nested.fn(30, 3), 33);
	EXPECT(t, becomes_jump(&p));
	EXPECT_EQ(t, nested.fn(30, 3), 33);
	EXPECT_EQ(t, seen.hits, 4);
	unregister_kprobe(&p);
}

/* ---- unwinding ---- */

#define MAX_TRACE	32

static unsigned long trace[MAX_TRACE];
static unsigned int nr_trace;

static int take_trace(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	nr_trace = stack_trace_save(trace, MAX_TRACE, 0);
	return 0;
}

static bool in_trace(unsigned long from, unsigned long size)
{
	unsigned int i;

	for (i = 0; i < nr_trace; i++)
		if (trace[i] - from < size)
			return true;
	return false;
}

noinline __noclone long lkp_calls(long (*fn)(long a, long b));
noinline __noclone long lkp_calls(long (*fn)(long a, long b))
{
	long sum = fn(40, 2);

	barrier();
	return sum;
}

noinline __noclone long lkp_calls_that(long (*fn)(long a, long b));
noinline __noclone long lkp_calls_that(long (*fn)(long a, long b))
{
	long sum = lkp_calls(fn);

	barrier();
	return sum;
}

/* Nothing follows the handler and what of kprobes.ko, if anything, calls it. */
static bool ends_at_detour(void)
{
	char last[KSYM_SYMBOL_LEN];

	if (nr_trace < 2)
		return true;
	snprintf(last, sizeof(last), "%ps", (void *)trace[nr_trace - 1]);
	return strstr(last, "[kprobes]");
}

static void expect_callers(struct ktap *t, const struct target *target, bool caller_on_stack)
{
	struct kprobe p = { .addr = target_at(target), .pre_handler = take_trace };
	unsigned int i;

	seen = (struct seen){ };
	if (!EXPECT_EQ(t, register_kprobe(&p), 0) || !EXPECT(t, becomes_jump(&p)))
		return;
	nr_trace = 0;
	EXPECT_EQ(t, lkp_calls_that(target->fn), 42);
	unregister_kprobe(&p);
	EXPECT_EQ(t, seen.hits, 1);
	EXPECT(t, in_trace((unsigned long)take_trace, 128));
	if (ends_at_detour()) {
		t->skip = "this kernel's unwinder stops at a detour";
		return;
	}
	EXPECT(t, in_trace((unsigned long)target->fn, 64));
	EXPECT(t, !caller_on_stack || in_trace((unsigned long)lkp_calls, 128));
	EXPECT(t, in_trace((unsigned long)lkp_calls_that, 128));
	for (i = 0; t->failed && i < nr_trace; i++)
		seq_printf(t->m, "# trace: %pS\n", (void *)trace[i]);
}

TARGET(with_frame, FRAME_ADD(with_frame));

static void case_a_stack_trace_names_the_callers(struct ktap *t)
{
	expect_callers(t, &add, CALLER_ON_STACK);
	expect_callers(t, &with_frame, true);
}

static const struct ktap_case cases[] = {
	CASE(interrupts_stay_off_where_they_were),
	CASE(flags_are_the_same_behind_a_jump),
#ifdef CONFIG_X86_64
	CASE(a_handler_runs_with_the_direction_flag_clear),
	CASE(between_stac_and_clac_a_handler_can_not_read_user_memory),
	CASE(a_handler_has_no_access_to_user_space),
#endif
#ifdef CONFIG_PPC64
	CASE(user_memory_stays_open_behind_a_handler_that_closes_it),
	CASE(user_memory_stays_open_behind_a_jprobe_and_a_handler_that_closes_it),
#endif
	CASE(a_jump_within_a_handler_of_a_jump_is_missed),
	CASE(a_jump_within_a_handler_of_a_trap_is_missed),
	CASE(a_trap_within_a_handler_of_a_jump_is_missed),
	CASE(a_hit_in_an_interrupt),
	CASE(a_hit_in_a_softirq),
#ifdef CONFIG_X86_64
	CASE(a_hit_in_an_nmi),
	CASE(an_nmi_within_a_handler_is_missed),
#endif
	CASE(returns_behind_a_jump_have_their_values),
	CASE(a_kprobe_beside_a_kretprobe_on_a_jump),
	CASE(a_stack_trace_names_the_callers),
};
KTAP_MODULE(cases);
