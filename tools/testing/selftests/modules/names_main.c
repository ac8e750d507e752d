// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that several functions have.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "names.h"

/* Where a probe on a function's entry is: behind ENDBR, and maybe where the tracer's call is. */
static bool is_entry_of(const void *addr, const void *function)
{
	/* objtool warns about constants close to a function's first byte. */
	OPTIMIZER_HIDE_VAR(function);
	return addr >= function && addr <= function + 4;
}

static noinline int lkp_test_twin(int a)
{
	barrier();
	return a + 1;
}

/* The kernel has a function of that name; its address is not exported. */
static int our_sync(int a) asm("ksys_sync");
static noinline int our_sync(int a)
{
	barrier();
	return a + 3;
}

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int register_by(struct kprobe *p, const char *name)
{
	*p = (struct kprobe){ .symbol_name = name, .pre_handler = count };
	hits = 0;
	return register_kprobe(p);
}

static void case_of_two_in_a_module_one_is_taken(struct ktap *t)
{
	struct kprobe p;
	bool first;

	if (!EXPECT_EQ(t, register_by(&p, "lkp_test_twin"), 0))
		return;
	first = is_entry_of(p.addr, lkp_test_twin);
	EXPECT(t, first || is_entry_of(p.addr, second_twin()));
	EXPECT_EQ(t, lkp_test_twin(1), 2);
	EXPECT_EQ(t, hits, first);
	EXPECT_EQ(t, call_second_twin(1), 3);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_the_kernels_comes_before_a_modules(struct ktap *t)
{
	struct kprobe p;

	if (!EXPECT_EQ(t, register_by(&p, "ksys_sync"), 0))
		return;
	EXPECT(t, !within_module((unsigned long)p.addr, THIS_MODULE));
	unregister_kprobe(&p);
}

static void case_vmlinux_narrows_to_the_kernels(struct ktap *t)
{
	struct kprobe p;

	if (!EXPECT_EQ(t, register_by(&p, "vmlinux:ksys_sync"), 0))
		return;
	EXPECT(t, !within_module((unsigned long)p.addr, THIS_MODULE));
	our_sync(1);
	EXPECT_EQ(t, hits, 0);
	unregister_kprobe(&p);
}

static void case_a_modules_name_narrows_to_its_own(struct ktap *t)
{
	struct kprobe p;

	if (!EXPECT_EQ(t, register_by(&p, "test_names:ksys_sync"), 0))
		return;
	EXPECT(t, is_entry_of(p.addr, our_sync));
	EXPECT_EQ(t, our_sync(1), 4);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static const struct ktap_case cases[] = {
	CASE(of_two_in_a_module_one_is_taken),
	CASE(the_kernels_comes_before_a_modules),
	CASE(vmlinux_narrows_to_the_kernels),
	CASE(a_modules_name_narrows_to_its_own),
};
KTAP_MODULE(cases);
