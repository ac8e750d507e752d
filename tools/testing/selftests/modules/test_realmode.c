// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits in real mode, where no module can be reached: the instruction runs, no handler does, and
 * the probe has missed the hit.
 *
 * A function of the kernel image is called in real mode, on a stack and by code in memory that
 * has the same address there.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/lcm.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/code-patching.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>

#include "ktap.h"
#include "test_realmode.h"

#define FUNCTION	"int_sqrt"
#define STACK		(16 * 1024)
#define ROOM_ABOVE	512

/*
 * The way there, and what runs there: it calls r12 and comes back with the state in r30 and r31.
 * r29 is the stack to return to.  r7 is what is taken from MSR, r8 the function's second argument.
 */
asm(".pushsection .text\n"
    ".p2align 4\n"
    ".globl lkp_call_real\n"
    ".type lkp_call_real, @function\n"
    "lkp_call_real:\n"
    "	mflr	0\n"
    "	std	0, 16(1)\n"
    "	std	2, 24(1)\n"
    "	std	29, -24(1)\n"
    "	std	30, -16(1)\n"
    "	std	31, -8(1)\n"
    "	mr	29, 1\n"
    "	mr	12, 4\n"
    "	mr	4, 8\n"
    "	mfmsr	31\n"
    "	bcl	20, 31, 1f\n"
    "1:	mflr	30\n"
    "	addi	30, 30, 2f - 1b\n"
    "	mr	1, 6\n"
    "	andc	0, 31, 7\n"
    "	mtsrr0	5\n"
    "	mtsrr1	0\n"
    "	rfid\n"
    "2:	mr	1, 29\n"
    "	ld	29, -24(1)\n"
    "	ld	30, -16(1)\n"
    "	ld	31, -8(1)\n"
    "	ld	2, 24(1)\n"
    "	ld	0, 16(1)\n"
    "	mtlr	0\n"
    "	blr\n"
    ".size lkp_call_real, . - lkp_call_real\n"
    ".popsection\n"
    ".pushsection .rodata\n"
    ".p2align 4\n"
    ".globl lkp_real_code\n"
    "lkp_real_code:\n"
    "	mtctr	12\n"
    "	bctrl\n"
    "	mtsrr0	30\n"
    "	mtsrr1	31\n"
    "	rfid\n"
    ".globl lkp_real_code_end\n"
    "lkp_real_code_end:\n"
    ".popsection\n");

static unsigned long memory;

#define REAL	(MSR_IR | MSR_DR)

static long call_real_with(void *function, unsigned long arg, unsigned long second,
			   unsigned long msr_off)
{
	unsigned long size = lkp_real_code_end - lkp_real_code, flags;
	unsigned long sp = memory + STACK - ROOM_ABOVE;
	long result;

	if (!memory)
		return -ENOMEM;
	memcpy((void *)memory, lkp_real_code, size);
	flush_icache_range(memory, memory + size);
	memset((void *)sp, 0, ROOM_ABOVE);
	local_irq_save(flags);
	hard_irq_disable();
	result = lkp_call_real(arg, (unsigned long)function, memory, sp, msr_off, second);
	local_irq_restore(flags);
	return result;
}

static long call_real(unsigned long arg)
{
	return call_real_with(int_sqrt, arg, 0, REAL);
}

static int hits, post_hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_hits++;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* Without a probe: can this machine do that at all? */
static void case_calls_in_real_mode_work(struct ktap *t)
{
	memory = __get_free_pages(GFP_KERNEL, get_order(STACK));
	EXPECT_EQ(t, call_real(1024 * 1024), 1024);
}

static u32 word_at(const struct kprobe *p)
{
	return READ_ONCE(*(u32 *)p->addr);
}

static bool is_jump(const struct kprobe *p)
{
	return word_at(p) >> 26 == 18;
}

static void wait_for_jump(const struct kprobe *p)
{
	int i;

	for (i = 0; i < 1200 && !is_jump(p); i++)
		msleep(50);
}

/* One hit there, one here. */
static void expect_missed(struct ktap *t, struct kprobe *p)
{
	unsigned long before = p->nmissed;

	hits = 0;
	EXPECT_EQ(t, call_real(1024 * 1024), 1024);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, p->nmissed - before, 1);
	EXPECT_EQ(t, int_sqrt(81), 9);
	EXPECT_EQ(t, hits, 1);
	EXPECT_EQ(t, p->nmissed - before, 1);
}

/* An instruction that is run once in each call: behind the entry's own. */
static unsigned int offsets[] = { 16, 20, 24 };

static void case_traps(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct kprobe p = { .symbol_name = FUNCTION, .offset = offsets[i],
				    .pre_handler = count, .post_handler = count_after };

		post_hits = 0;
		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			continue;
		EXPECT(t, !is_jump(&p));
		expect_missed(t, &p);
		EXPECT_EQ(t, post_hits, 1);
		unregister_kprobe(&p);
	}
}

static void case_traps_on_the_fast_path(struct ktap *t)
{
	struct kprobe p = { .symbol_name = FUNCTION, .offset = 16, .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_missed(t, &p);
	unregister_kprobe(&p);
}

static void case_jumps(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct kprobe p = { .symbol_name = FUNCTION, .offset = offsets[i],
				    .pre_handler = count };

		if (!EXPECT_EQ(t, register_kprobe(&p), 0))
			continue;
		wait_for_jump(&p);
		EXPECT(t, is_jump(&p));
		expect_missed(t, &p);
		unregister_kprobe(&p);
	}
}

static void case_the_entry(struct ktap *t)
{
	struct kprobe p = { .symbol_name = FUNCTION, .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_missed(t, &p);
	unregister_kprobe(&p);
}

static void case_returns(struct ktap *t)
{
	struct kretprobe rp = { .kp.symbol_name = FUNCTION, .handler = count_return };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	hits = 0;
	EXPECT_EQ(t, call_real(1024 * 1024), 1024);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, rp.nmissed, 1);
	EXPECT_EQ(t, int_sqrt(81), 9);
	EXPECT_EQ(t, hits, 1);
	unregister_kretprobe(&rp);
}

/* Offset of the call in lcm(), behind the tracer's site. */
static unsigned int call_in_lcm(void)
{
	const u32 *word = (const u32 *)ppc_function_entry(lcm);
	unsigned int i;

	for (i = 4; i < 32; i++)
		if ((word[i] & 0xfc000003) == 0x48000001)
			return (unsigned long)&word[i] - (unsigned long)lcm;
	return 0;
}

/* What the jump leads to has a pointer in front, to data of kprobes.ko. */
static u64 *data_of_jump(const struct kprobe *p)
{
	unsigned long to = (unsigned long)p->addr + sign_extend64(word_at(p) & 0x03fffffc, 25);

	return *(u64 **)(to - sizeof(u64));
}

/*
 * In an early machine check, with MSR[RI] clear, no trap counts the hit.  Then nothing is read but text
 * and the stack, as nothing else need be in reach: here it would be misleading.
 */
static void case_nothing_else_is_read(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lcm", .offset = call_in_lcm(), .pre_handler = count };
	u64 *data, was[2];

	if (!EXPECT(t, p.offset) || !EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	hits = 0;
	wait_for_jump(&p);
	EXPECT_EQ(t, call_real_with(lcm, 4, 6, REAL), 12);
	EXPECT_EQ(t, p.nmissed, 1);
	data = data_of_jump(&p);
	if (EXPECT(t, is_jump(&p)) && EXPECT_EQ(t, data[2], (unsigned long)p.addr)) {
		memcpy(was, &data[2], sizeof(was));
		memset(&data[2], 0, sizeof(was));
		EXPECT_EQ(t, call_real_with(lcm, 6, 10, REAL | MSR_RI), 30);
		memcpy(&data[2], was, sizeof(was));
		EXPECT_EQ(t, p.nmissed, 1);
	}
	EXPECT_EQ(t, lcm(10, 4), 20);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

/* The last one. */
static void case_no_trace_is_left(struct ktap *t)
{
	EXPECT_EQ(t, call_real(1024 * 1024), 1024);
	free_pages(memory, get_order(STACK));
	memory = 0;
}

static const struct ktap_case cases[] = {
	CASE(calls_in_real_mode_work),
	CASE(traps_on_the_fast_path),
	CASE(traps),
	CASE(jumps),
	CASE(the_entry),
	CASE(returns),
	CASE(nothing_else_is_read),
	CASE(no_trace_is_left),
};
KTAP_MODULE(cases);
