// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on function entries, which the function tracer serves if there is one.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

#define HAVE_TRACER	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)

noinline long lkp_test_sum(long a, long b);
noinline long lkp_test_sum(long a, long b)
{
	barrier();
	return a + b;
}

noinline long lkp_test_product(long a, long b);
noinline long lkp_test_product(long a, long b)
{
	barrier();
	return a * b;
}

TARGET(witness, SLOT_ADD(witness));

TARGET(caller, CALLS_ADD_1000(caller, lkp_test_sum));

static int pres, posts;
static unsigned long pre_ip, post_ip, first, second;
static bool irqs_were_on;
static struct kprobe *running;

static int see(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	pre_ip = instruction_pointer(regs);
	first = FIRST(regs);
	second = SECOND(regs);
	irqs_were_on |= !irqs_disabled();
	running = kprobe_running();
	return 0;
}

static void see_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
	post_ip = instruction_pointer(regs);
	irqs_were_on |= !irqs_disabled();
}

static bool plant(struct ktap *t, struct kprobe *p)
{
	pres = posts = 0;
	irqs_were_on = false;
	running = NULL;
	if (!p->addr && !p->symbol_name)
		p->symbol_name = "lkp_test_sum", p->offset = HAVE_TRACER ? SITE_OFFSET : 0;
	return EXPECT_EQ(t, register_kprobe(p), 0);
}

static void *site_of_sum(struct ktap *t)
{
	struct kprobe p = { };

	if (!plant(t, &p))
		return NULL;
	unregister_kprobe(&p);
	return p.addr;
}

static void case_an_entry_is_served_by_the_tracer_if_there_is_one(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, kprobe_ftrace(&p), HAVE_TRACER);
	if (ENTRY_IS_SITE)
		EXPECT(t, p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 1);
}

/* Whether the client means the landing pad or what is behind it, it is one place. */
static void case_first_byte_and_call_site_are_the_same_place(struct ktap *t)
{
	void *site = site_of_sum(t), *function = lkp_test_sum, *addresses[] = { function, site };
	unsigned int i;

	if (!ENTRY_IS_SITE) {
		t->skip = "they are two places";
		return;
	}
	/* objtool warns about constants close to a function's first byte. */
	OPTIMIZER_HIDE_VAR(function);
	EXPECT(t, site - function <= MAX_SITE_OFFSET);
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct kprobe p = { .addr = addresses[i], .pre_handler = see };

		if (!plant(t, &p))
			continue;
		EXPECT(t, p.addr == site);
		EXPECT_EQ(t, kprobe_ftrace(&p), HAVE_TRACER);
		EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
		EXPECT_EQ(t, pres, 1);
		unregister_kprobe(&p);
	}
}

static void case_pre_handler_sees_ip_and_arguments(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };

	if (!plant(t, &p))
		return;
	lkp_test_sum(40, 2);
	EXPECT_EQ(t, pre_ip, SEEN_AT(p.addr));
	EXPECT_EQ(t, first, 40);
	EXPECT_EQ(t, second, 2);
	EXPECT(t, running == &p);
	EXPECT(t, !irqs_were_on);
	EXPECT(t, !irqs_disabled());
	unregister_kprobe(&p);
}

static int change_argument(struct kprobe *p, struct pt_regs *regs)
{
	SECOND(regs) = 100;
	return 0;
}

static void case_pre_handler_changes_an_argument(struct ktap *t)
{
	struct kprobe p = { .pre_handler = change_argument };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 140);
	unregister_kprobe(&p);
}

static int return_77(struct kprobe *p, struct pt_regs *regs)
{
	return_with(regs, 77);
	return 1;
}

static int go_to_product(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)lkp_test_product);
	return 1;
}

static void case_nonzero_pre_handler_goes_to_another_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = go_to_product, .post_handler = see_after };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 80);
	EXPECT_EQ(t, posts, 0);
	unregister_kprobe(&p);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
}

static void case_nonzero_pre_handler_returns_for_the_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77, .post_handler = see_after };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 77);
	EXPECT_EQ(t, posts, 0);
	EXPECT(t, !irqs_disabled());
	unregister_kprobe(&p);
}

static int return_77_for_the_caller(struct kprobe *p, struct pt_regs *regs)
{
	return_twice_with(regs, 77);
	return 1;
}

static void case_nonzero_pre_handler_returns_for_the_caller_too(struct ktap *t)
{
	struct kprobe p = { .pre_handler = return_77_for_the_caller };

	if (!HANDLERS_MOVE_STACK) {
		t->skip = "a handler cannot move the stack pointer";
		return;
	}
	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, caller.fn(40, 2), 77);
	unregister_kprobe(&p);
	EXPECT_EQ(t, caller.fn(40, 2), 1042);
}

static void case_post_handler_sees_ip_behind_the_site(struct ktap *t)
{
	struct kprobe p = { .post_handler = see_after };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, posts, 1);
	if (HAVE_TRACER)
		EXPECT_EQ(t, post_ip, (unsigned long)p.addr + SITE_SIZE);
	EXPECT(t, !irqs_were_on);
	unregister_kprobe(&p);
}

static void case_inside_the_call_site_is_eilseq(struct ktap *t)
{
	void *site = site_of_sum(t);
	struct kprobe p = { .addr = site + 1 };

	if (!HAVE_TRACER) {
		t->skip = "no function tracer";
		return;
	}
	EXPECT_EQ(t, register_kprobe(&p), -EILSEQ);
	p.addr = site + SITE_SIZE - 1;
	EXPECT_EQ(t, register_kprobe(&p), -EILSEQ);
}

static void case_behind_the_call_site_is_a_trap(struct ktap *t)
{
	struct kprobe entry = { .pre_handler = see }, behind = { .pre_handler = see };

	if (!HAVE_TRACER) {
		t->skip = "no function tracer";
		return;
	}
	if (!plant(t, &entry))
		return;
	behind.addr = (void *)entry.addr + SITE_SIZE;
	if (plant(t, &behind)) {
		EXPECT(t, !kprobe_ftrace(&behind));
		EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
		EXPECT_EQ(t, pres, 2);
		EXPECT(t, running == &behind);
		unregister_kprobe(&behind);
	}
	unregister_kprobe(&entry);
}

static void case_disabled_and_enabled_again(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	lkp_test_sum(40, 2);
	EXPECT_EQ(t, pres, 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	lkp_test_sum(40, 2);
	EXPECT_EQ(t, pres, 1);
	unregister_kprobe(&p);
}

static void case_the_site_is_as_before_when_disabled_and_unregistered(struct ktap *t)
{
	void *site = site_of_sum(t);
	struct kprobe p = { .pre_handler = see };
	u8 before[SITE_SIZE];

	memcpy(before, site, SITE_SIZE);
	if (!plant(t, &p))
		return;
	EXPECT(t, memcmp(site, before, SITE_SIZE));
	disable_kprobe(&p);
	EXPECT(t, !memcmp(site, before, SITE_SIZE));
	enable_kprobe(&p);
	unregister_kprobe(&p);
	EXPECT(t, !memcmp(site, before, SITE_SIZE));
}

static void case_several_at_one_entry(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see }, q = p, r = { .pre_handler = return_77 };

	if (!plant(t, &p) || !plant(t, &q))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 2);
	EXPECT(t, running == &q);
	unregister_kprobe(&p);
	if (plant(t, &r)) {
		EXPECT_EQ(t, lkp_test_sum(40, 2), 77);
		EXPECT_EQ(t, pres, 1);
		unregister_kprobe(&r);
	}
	unregister_kprobe(&q);
}

/* ---- missed hits, where the tracer has a guard of its own ---- */

static int call_sum(struct kprobe *p, struct pt_regs *regs)
{
	lkp_test_sum(1, 1);
	return 0;
}

static int call_witness(struct kprobe *p, struct pt_regs *regs)
{
	witness.fn(1, 1);
	return 0;
}

static void case_hits_of_a_trap_handler_are_counted_as_missed(struct ktap *t)
{
	struct kprobe p = { .pre_handler = see };
	struct kprobe q = { .addr = target_at(&witness), .pre_handler = call_sum };

	if (!plant(t, &p) || !plant(t, &q))
		return;
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, pres, 0);
	EXPECT_EQ(t, p.nmissed, 1);
	EXPECT_EQ(t, q.nmissed, 0);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

static void case_hits_of_an_entrys_handler_are_counted_as_missed(struct ktap *t)
{
	struct kprobe p = { .pre_handler = call_witness };
	struct kprobe q = { .addr = target_at(&witness), .pre_handler = see };

	if (!plant(t, &p) || !plant(t, &q))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 0);
	EXPECT_EQ(t, q.nmissed, 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

static void case_an_entrys_handler_that_calls_the_function(struct ktap *t)
{
	struct kprobe p = { .pre_handler = call_sum };

	if (!plant(t, &p))
		return;
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, p.nmissed, 1);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, p.nmissed, 2);
	unregister_kprobe(&p);
}

static void case_an_entrys_handler_that_calls_another_probed_function(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_product", .pre_handler = call_sum };
	struct kprobe q = { .pre_handler = see };

	if (!plant(t, &p) || !plant(t, &q))
		return;
	EXPECT_EQ(t, lkp_test_product(40, 2), 80);
	EXPECT_EQ(t, pres, 0);
	EXPECT_EQ(t, q.nmissed, 1);
	EXPECT_EQ(t, lkp_test_sum(40, 2), 42);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, q.nmissed, 1);
	unregister_kprobe(&q);
	unregister_kprobe(&p);
}

/* ---- arrays of both kinds ---- */

static void case_an_array_of_entries_and_traps(struct ktap *t)
{
	struct kprobe p[] = {
		{ .symbol_name = "lkp_test_sum", .pre_handler = see },
		{ .addr = target_at(&witness), .pre_handler = see },
		{ .symbol_name = "lkp_test_product", .pre_handler = see },
		{ .symbol_name = "lkp_test_sum", .pre_handler = see },
	};
	struct kprobe *pointers[] = { &p[0], &p[1], &p[2], &p[3] };

	pres = 0;
	if (!EXPECT_EQ(t, register_kprobes(pointers, 4), 0))
		return;
	lkp_test_sum(1, 1);
	lkp_test_product(1, 1);
	witness.fn(1, 1);
	EXPECT_EQ(t, pres, 4);
	unregister_kprobes(pointers, 4);
	lkp_test_sum(1, 1);
	lkp_test_product(1, 1);
	witness.fn(1, 1);
	EXPECT_EQ(t, pres, 4);
}

static void case_kprobe_on_func_entry_knows_entries(struct ktap *t)
{
	void *site = site_of_sum(t);

	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "lkp_test_sum", 0), 0);
	EXPECT_EQ(t, kprobe_on_func_entry(site, NULL, 0),
		  ENTRY_IS_SITE || !HAVE_TRACER ? 0 : -EINVAL);
	EXPECT_EQ(t, kprobe_on_func_entry(site, NULL, SITE_SIZE), -EINVAL);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "no_such_function", 0), -ENOENT);
	/* Init text has gone, and may not be read. */
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "start_kernel", 0), -EINVAL);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "start_kernel", 4), -EINVAL);
}

/* On some kernels the tracer keeps data there, amid text. */
static void case_a_word_before_a_function_that_the_tracer_reads(struct ktap *t)
{
	void *functions[] = { vfs_getattr, vfs_fsync };
	struct kprobe p = { };
	unsigned int i;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)) {
		t->skip = "this kernel has none";
		return;
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		p.addr = functions[i] - sizeof(u64);
		EXPECT_EQ(t, register_kprobe(&p), -EINVAL);
		p.addr = functions[i] - sizeof(u32);
		EXPECT_EQ(t, register_kprobe(&p), -EINVAL);
	}
}

static const struct ktap_case cases[] = {
	CASE(an_entry_is_served_by_the_tracer_if_there_is_one),
	CASE(first_byte_and_call_site_are_the_same_place),
	CASE(pre_handler_sees_ip_and_arguments),
	CASE(pre_handler_changes_an_argument),
	CASE(nonzero_pre_handler_goes_to_another_function),
	CASE(nonzero_pre_handler_returns_for_the_function),
	CASE(nonzero_pre_handler_returns_for_the_caller_too),
	CASE(post_handler_sees_ip_behind_the_site),
	CASE(inside_the_call_site_is_eilseq),
	CASE(behind_the_call_site_is_a_trap),
	CASE(disabled_and_enabled_again),
	CASE(the_site_is_as_before_when_disabled_and_unregistered),
	CASE(several_at_one_entry),
	CASE(hits_of_a_trap_handler_are_counted_as_missed),
	CASE(hits_of_an_entrys_handler_are_counted_as_missed),
	CASE(an_entrys_handler_that_calls_the_function),
	CASE(an_entrys_handler_that_calls_another_probed_function),
	CASE(an_array_of_entries_and_traps),
	CASE(kprobe_on_func_entry_knows_entries),
	CASE(a_word_before_a_function_that_the_tracer_reads),
};
KTAP_MODULE(cases);
