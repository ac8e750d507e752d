// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers that redirect, at call sites of the tracer where somebody else decides where the
 * function goes on: a live patch, or a direct caller as BPF has them.  Either all of the
 * redirection happens, or none of it and the hit counts as missed.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

noinline long lkp_test_sum(long a, long b);
noinline long lkp_test_sum(long a, long b)
{
	barrier();
	return a + b;
}

noinline long lkp_test_patched(long a, long b);
noinline long lkp_test_patched(long a, long b)
{
	barrier();
	return a + b + 1000;
}

TARGET(witness, SLOT_ADD(witness));

/* ---- somebody else ---- */

static void notrace patch(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		instruction_pointer_set(regs, (unsigned long)lkp_test_patched);
}

static struct ftrace_ops patch_ops;
static unsigned long site;

static bool begin_patch(struct ktap *t)
{
	patch_ops = (struct ftrace_ops){
		.func = patch,
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	};
	return EXPECT_EQ(t, ftrace_set_filter_ip(&patch_ops, site, 0, 0), 0) &&
	       EXPECT_EQ(t, register_ftrace_function(&patch_ops), 0);
}

static void end_patch(struct ktap *t)
{
	EXPECT_EQ(t, unregister_ftrace_function(&patch_ops), 0);
	ftrace_free_filter(&patch_ops);
}

/* On powerpc only a kernel for live patches can go on in another function. */
static bool has_patches(struct ktap *t)
{
	if (IS_ENABLED(CONFIG_PPC64) && !IS_ENABLED(CONFIG_LIVEPATCH))
		t->skip = "this kernel can't patch functions";
	return !t->skip;
}

#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && defined(CONFIG_X86_64)

#define HAVE_DIRECT	1

#ifdef HAVE_DIRECT_MULTI
#define direct_on	register_ftrace_direct_multi
#define direct_off	unregister_ftrace_direct_multi
#elif defined(DIRECT_BY_SITE)
#define direct_on(ops, to)	register_ftrace_direct(site, to)
#define direct_off(ops, to)	unregister_ftrace_direct(site, to)
#else
#define direct_on	register_ftrace_direct
#define direct_off(ops, to)	unregister_ftrace_direct(ops, to, false)
#endif

/* Named in assembly. */
static int direct_calls __used;
static unsigned long direct_body __used;

/* Runs the function's body, wherever the tracer would go on: so does BPF for its exit programs. */
TARGET(direct,
       "incl direct_calls(%rip)\n"
       "movq direct_body(%rip), %r11\n"
       AT(direct)
       "movq %r11, (%rsp)\n"
       NEXT(direct));

static struct ftrace_ops direct_ops;

static bool begin_direct(struct ktap *t)
{
	direct_ops = (struct ftrace_ops){ };
	direct_calls = 0;
	direct_body = site + SITE_SIZE;
	return EXPECT_EQ(t, ftrace_set_filter_ip(&direct_ops, site, 0, 0), 0) &&
	       EXPECT_EQ(t, direct_on(&direct_ops, (unsigned long)direct.fn), 0);
}

static void end_direct(struct ktap *t)
{
	EXPECT_EQ(t, direct_off(&direct_ops, (unsigned long)direct.fn), 0);
	ftrace_free_filter(&direct_ops);
}

#else

#define HAVE_DIRECT	0

static int direct_calls;

static bool begin_direct(struct ktap *t)
{
	return false;
}

static void end_direct(struct ktap *t)
{
}

#endif

static bool has_direct(struct ktap *t)
{
	if (!HAVE_DIRECT)
		t->skip = "nobody can be called directly here";
	return !t->skip;
}

/* ---- our probes ---- */

static int calls, pres, posts;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

/* It leaves nothing of the arguments either. */
static int return_77(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	FIRST(regs) = SECOND(regs) = -1;
	return_with(regs, 77);
	return 1;
}

static int change_argument(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	SECOND(regs) = 100;
	return 0;
}

static long see_sum(long a, long b)
{
	calls++;
	jprobe_return();
	return -1;
}

/* The site of the function's entry. */
static bool find_site(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_sum", .offset = SITE_OFFSET };

	calls = pres = posts = 0;
	if (site)
		return true;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return false;
	EXPECT(t, kprobe_ftrace(&p));
	site = (unsigned long)p.addr;
	unregister_kprobe(&p);
	return true;
}

static bool plant(struct ktap *t, struct kprobe *p)
{
	p->addr = (void *)site;
	return EXPECT_EQ(t, register_kprobe(p), 0);
}

static struct jprobe jp;

static int plant_jprobe(void)
{
	jp = (struct jprobe){ .kp.addr = (void *)site, .entry = see_sum };
	return register_jprobe(&jp);
}

/* A hit has left nothing behind: interrupts are on, the guard is free. */
static void expect_clean(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&witness), .pre_handler = see };

	if (!EXPECT(t, !irqs_disabled()))
		local_irq_enable();
	EXPECT(t, !kprobe_running());
	pres = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, witness.fn(1, 2), 3);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

/* ---- beside a live patch ---- */

static bool on_site(struct ktap *t)
{
	if (!ENTRY_IS_SITE)
		t->skip = "a jprobe is not at the site";
	return !t->skip;
}

static void case_a_patch_then_a_jprobe_is_ebusy(struct ktap *t)
{
	if (!has_patches(t) || !on_site(t) || !find_site(t) || !begin_patch(t))
		return;
	if (EXPECT_EQ(t, plant_jprobe(), -EBUSY))
		EXPECT(t, kprobe_refusal(&jp.kp));
	EXPECT_EQ(t, lkp_test_sum(40, 2), 1042);
	expect_clean(t);
	end_patch(t);
	unregister_jprobe(&jp);
	if (!EXPECT_EQ(t, plant_jprobe(), 0))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
}

static void case_a_jprobe_then_a_patch_are_both_run_or_it_is_missed(struct ktap *t)
{
	if (!has_patches(t) || !on_site(t) || !find_site(t) || !EXPECT_EQ(t, plant_jprobe(), 0))
		return;
	if (begin_patch(t)) {
		EXPECT_EQ(t, lkp_test_sum(40, 2), 1042);
		EXPECT_EQ(t, calls + jp.kp.nmissed, 1);
		expect_clean(t);
		end_patch(t);
	}
	unregister_jprobe(&jp);
}

static void case_a_patch_then_a_handler_that_redirects_in_vain(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77, .post_handler = see_after };

	if (!has_patches(t) || !find_site(t) || !begin_patch(t))
		return;
	if (plant(t, &p)) {
		EXPECT_EQ(t, lkp_test_sum(40, 2), 1042);
		EXPECT_EQ(t, pres, 1);
		EXPECT_EQ(t, p.nmissed, 1);
		expect_clean(t);
	}
	end_patch(t);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 77);
	EXPECT_EQ(t, p.nmissed, 1);
	unregister_kprobe(&p);
}

static void case_a_handler_that_redirects_then_a_patch(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77 };

	if (!has_patches(t) || !find_site(t) || !plant(t, &p))
		return;
	if (begin_patch(t)) {
		long got = lkp_test_sum(40, 2);

		EXPECT_EQ(t, got, p.nmissed ? 1042 : 77);
		expect_clean(t);
		end_patch(t);
	}
	unregister_kprobe(&p);
}

static void case_a_patch_and_handlers_that_only_change_arguments(struct ktap *t)
{
	struct kprobe p = { .pre_handler = change_argument }, q = { .pre_handler = return_77 },
		      r = { .pre_handler = see };

	if (!has_patches(t) || !find_site(t) || !begin_patch(t))
		return;
	if (plant(t, &p) && plant(t, &q) && plant(t, &r)) {
		EXPECT_EQ(t, lkp_test_sum(40, 2), 1140);
		EXPECT_EQ(t, pres, 3);
		EXPECT_EQ(t, p.nmissed, 0);
		EXPECT_EQ(t, q.nmissed, 1);
		EXPECT_EQ(t, r.nmissed, 0);
		expect_clean(t);
	}
	unregister_kprobe(&r);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
	end_patch(t);
}

/* ---- beside a direct caller ---- */

static void case_a_direct_caller_then_a_jprobe_is_ebusy(struct ktap *t)
{
	if (!has_direct(t) || !find_site(t) || !begin_direct(t))
		return;
	if (EXPECT_EQ(t, plant_jprobe(), -EBUSY))
		EXPECT(t, kprobe_refusal(&jp.kp));
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, direct_calls, 1);
	expect_clean(t);
	unregister_jprobe(&jp);
	end_direct(t);
}

/* Our callback is in the tracer's list already, for another function, when the caller comes. */
static void case_a_direct_caller_between_a_probe_and_a_jprobe(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_patched", .offset = SITE_OFFSET,
			    .pre_handler = see };

	if (!has_direct(t) || !find_site(t) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (begin_direct(t)) {
		EXPECT_EQ(t, plant_jprobe(), IS_ENABLED(CONFIG_KALLSYMS_ALL) ? -EBUSY : 0);
		EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
		EXPECT_EQ(t, direct_calls, 1);
		EXPECT_EQ(t, calls, 0);
		expect_clean(t);
		unregister_jprobe(&jp);
		end_direct(t);
	}
	unregister_kprobe(&p);
}

static void case_a_jprobe_misses_hits_of_a_direct_caller_after_it(struct ktap *t)
{
	if (!has_direct(t) || !find_site(t) || !EXPECT_EQ(t, plant_jprobe(), 0))
		return;
	if (begin_direct(t)) {
		EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
		EXPECT_EQ(t, calls, 0);
		EXPECT_EQ(t, jp.kp.nmissed, 1);
		EXPECT_EQ(t, direct_calls, 1);
		expect_clean(t);
		end_direct(t);
	}
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, calls, 1);
	EXPECT_EQ(t, jp.kp.nmissed, 1);
	expect_clean(t);
	unregister_jprobe(&jp);
}

static void redirect_beside_direct(struct ktap *t, struct kprobe *p)
{
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, p->nmissed, 1);
	EXPECT_EQ(t, direct_calls, 1);
	expect_clean(t);
}

static void case_a_direct_caller_then_a_handler_that_redirects_in_vain(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77 };

	if (!has_direct(t) || !find_site(t) || !begin_direct(t))
		return;
	if (plant(t, &p)) {
		redirect_beside_direct(t, &p);
		unregister_kprobe(&p);
	}
	end_direct(t);
}

static void case_a_handler_that_redirects_in_vain_then_a_direct_caller(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77 };

	if (!has_direct(t) || !find_site(t) || !plant(t, &p))
		return;
	if (begin_direct(t)) {
		redirect_beside_direct(t, &p);
		end_direct(t);
	}
	EXPECT_EQ(t, lkp_test_sum(40, 2), 77);
	unregister_kprobe(&p);
}

static const struct ktap_case cases[] = {
	CASE(a_patch_then_a_jprobe_is_ebusy),
	CASE(a_jprobe_then_a_patch_are_both_run_or_it_is_missed),
	CASE(a_patch_then_a_handler_that_redirects_in_vain),
	CASE(a_handler_that_redirects_then_a_patch),
	CASE(a_patch_and_handlers_that_only_change_arguments),
	CASE(a_direct_caller_then_a_jprobe_is_ebusy),
	CASE(a_direct_caller_between_a_probe_and_a_jprobe),
	CASE(a_jprobe_misses_hits_of_a_direct_caller_after_it),
	CASE(a_direct_caller_then_a_handler_that_redirects_in_vain),
	CASE(a_handler_that_redirects_in_vain_then_a_direct_caller),
};

#else /* !CONFIG_DYNAMIC_FTRACE_WITH_REGS */

static void case_nobody_redirects(struct ktap *t)
{
	t->skip = "there is no tracer that lets a function go on elsewhere";
}

static const struct ktap_case cases[] = {
	CASE(nobody_redirects),
};

#endif

KTAP_MODULE(cases);
