// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that are called by a pointer.  Some kernels check such calls: there must be a landing
 * at the target (IBT), or before it the hash of its type, which the caller compares (kCFI), or
 * which code before it compares that is called in its place (FineIBT).
 */
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

/* With a site of the tracer, where there is a tracer, and without one. */
noinline __noclone long lkp_pointed_traced(long a, long b);
noinline __noclone long lkp_pointed_traced(long a, long b)
{
	barrier();
	return a + b;
}

noinline __noclone notrace long lkp_pointed_plain(long a, long b);
noinline __noclone notrace long lkp_pointed_plain(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(pointed_asm, FIRST_ADD(pointed_asm));

/* What is compared before the call, or computed for it, is here. */
noinline __noclone notrace long lkp_points(long (*fn)(long a, long b));
noinline __noclone notrace long lkp_points(long (*fn)(long a, long b))
{
	long sum = READ_ONCE(fn)(40, 2);

	barrier();
	return sum;
}

static long (*functions[3])(long a, long b);

static void init_functions(void)
{
	functions[0] = lkp_pointed_traced;
	functions[1] = lkp_pointed_plain;
	functions[2] = pointed_asm.fn;
}

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	hits++;
	return 0;
}

static void count_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	hits++;
}

static long count_jprobe(long a, long b)
{
	hits++;
	jprobe_return();
	return 0;
}

static void expect_hits(struct ktap *t, long (*fn)(long a, long b), int wanted)
{
	hits = 0;
	EXPECT_EQ(t, lkp_points(fn), 42);
	EXPECT_EQ(t, hits, wanted);
}

/* ---- entries ---- */

static void try_kprobe(struct ktap *t, long (*fn)(long a, long b))
{
	struct kprobe p = {
		.addr = (void *)fn, .pre_handler = count, .post_handler = count_behind,
	};

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_hits(t, fn, 2);
	wait_for_kprobe_optimizer();
	expect_hits(t, fn, 2);
	unregister_kprobe(&p);
	expect_hits(t, fn, 0);
}

static void case_a_kprobe_at_the_entry(struct ktap *t)
{
	unsigned int i;

	init_functions();
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		try_kprobe(t, functions[i]);
}

#define PACIASP	0xd503233f

/* No jump can be where the first instruction, which signs the return address, is the landing pad, too. */
static void *behind_landing(long (*fn)(long a, long b))
{
	return (void *)fn + (IS_ENABLED(CONFIG_ARM64) && *(u32 *)fn == PACIASP ? 4 : 0);
}

static void case_one_where_there_is_no_site_becomes_a_jump(struct ktap *t)
{
	struct kprobe p = { .addr = behind_landing(lkp_pointed_plain), .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_hits(t, lkp_pointed_plain, 1);
	EXPECT(t, becomes_jump(&p));
	expect_hits(t, lkp_pointed_plain, 1);
	unregister_kprobe(&p);
	expect_hits(t, lkp_pointed_plain, 0);
}

static void each_function(struct ktap *t, void (*try)(struct ktap *t, long (*fn)(long a, long b)))
{
	unsigned int i;

	init_functions();
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		try(t, functions[i]);
}

static void try_kretprobe(struct ktap *t, long (*fn)(long a, long b))
{
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = count_return };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	expect_hits(t, fn, 1);
	wait_for_kprobe_optimizer();
	expect_hits(t, fn, 1);
	unregister_kretprobe(&rp);
}

static void case_a_kretprobe(struct ktap *t)
{
	each_function(t, try_kretprobe);
}

static void try_jprobe(struct ktap *t, long (*fn)(long a, long b))
{
	struct jprobe jp = { .kp.addr = (void *)fn, .entry = count_jprobe };

	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	expect_hits(t, fn, 1);
	wait_for_kprobe_optimizer();
	expect_hits(t, fn, 1);
	unregister_jprobe(&jp);
}

static void case_a_jprobe(struct ktap *t)
{
	each_function(t, try_jprobe);
}

static void case_an_fprobe(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = count_entry, .exit_handler = count_exit };

	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_pointed_*", NULL), 0))
		return;
	expect_hits(t, lkp_pointed_traced, 2);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
	expect_hits(t, lkp_pointed_traced, 0);
}

/* ---- around calls ---- */

#define MAX_SIZE	512

static struct kprobe around[MAX_SIZE];

static unsigned long size_of(const void *fn)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long size;
	const char *slash;

	sprint_symbol(text, (unsigned long)fn);
	slash = strchr(text, '/');
	return slash && sscanf(slash, "/0x%lx", &size) == 1 ? size : 0;
}

/* On each instruction: what is none is refused.  Returns how many there are. */
static unsigned int register_around(const void *start, unsigned long size)
{
	unsigned int nr = 0;
	unsigned long i;

	for (i = 0; i < size; i += sizeof(kprobe_opcode_t)) {
		around[nr] = (struct kprobe){ .addr = (void *)start + i, .pre_handler = count };
		nr += !register_kprobe(&around[nr]);
	}
	return nr;
}

static void unregister_around(unsigned int nr)
{
	while (nr--)
		unregister_kprobe(&around[nr]);
}

static void expect_some_hits(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		hits = 0;
		EXPECT_EQ(t, lkp_points(functions[i]), 42);
		/* The entry, two for the call or more, and the return. */
		EXPECT(t, hits >= 4);
	}
}

static void case_each_instruction_of_a_call(struct ktap *t)
{
	unsigned long size = size_of(lkp_points);
	static u8 text[MAX_SIZE];
	unsigned int nr;

	init_functions();
	if (!EXPECT(t, size && size <= sizeof(text)))
		return;
	memcpy(text, lkp_points, size);
	nr = register_around(lkp_points, size);
	EXPECT(t, nr >= 4);
	expect_some_hits(t);
	wait_for_kprobe_optimizer();
	expect_some_hits(t);
	unregister_around(nr);
	EXPECT(t, !memcmp(text, lkp_points, size));
	expect_hits(t, lkp_pointed_plain, 0);
}

/* ---- before functions ---- */

#if defined(CONFIG_X86_64) && (defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI))

static void expect_refused(struct ktap *t, void *addr)
{
	struct kprobe p = { .addr = addr, .pre_handler = count };
	int err = register_kprobe(&p);

	if (!err)
		unregister_kprobe(&p);
	EXPECT(t, err == -EINVAL || err == -EILSEQ);
}

static void expect_preamble(struct ktap *t, void *addr)
{
	struct kprobe p = { .addr = addr, .pre_handler = count };
	const char *why;

	if (!EXPECT_EQ(t, register_kprobe(&p), -EINVAL)) {
		unregister_kprobe(&p);
		return;
	}
	why = kprobe_refusal(&p);
	EXPECT(t, why && strstr(why, "CFI preamble"));
}

static void case_what_is_before_a_function_is_refused(struct ktap *t)
{
	unsigned int i, before;

	init_functions();
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		expect_preamble(t, (void *)functions[i] - ASM_TYPE_SIZE);
		for (before = 1; before < ASM_TYPE_SIZE; before++)
			expect_refused(t, (void *)functions[i] - before);
		expect_hits(t, functions[i], 0);
	}
}

#else

static void case_what_is_before_a_function_is_refused(struct ktap *t)
{
	t->skip = "this kernel has no types before functions";
}

#endif

static const struct ktap_case cases[] = {
	CASE(a_kprobe_at_the_entry),
	CASE(one_where_there_is_no_site_becomes_a_jump),
	CASE(a_kretprobe),
	CASE(a_jprobe),
	CASE(an_fprobe),
	CASE(each_instruction_of_a_call),
	CASE(what_is_before_a_function_is_refused),
};

KTAP_MODULE(cases);
