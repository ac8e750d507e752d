// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places that are refused, each for its own reason; which of a function's two entries
 * a name stands for; and post_handlers that change the execution path.
 */
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

/* ---- refused ---- */

#define ASM_PLI		".long 0x06000000, 0x38600001\n"	/* pli r3,1: a prefix and a word */

TARGET(system_call, NEVER_RUN(system_call, "sc\n"));
TARGET(vectored_call, NEVER_RUN(vectored_call, ".long 0x44000001\n"));
TARGET(exception_return, NEVER_RUN(exception_return, "rfid\n"));
TARGET(move_to_msr, NEVER_RUN(move_to_msr, "mtmsrd 5\n"));
TARGET(move_to_srr, NEVER_RUN(move_to_srr, "mtsrr0 5\n"));
TARGET(trap_if, NEVER_RUN(trap_if, "tdi 4, 5, 0\n"));
TARGET(stop, NEVER_RUN(stop, ".long 0x4c0002e4\n"));

TARGET(reserves,
       "stdu 1, -64(1)\n addi 6, 1, 40\n"
       "1:" AT(reserves) "ldarx 5, 0, 6\n"
       NEXT(reserves) "add 5, 3, 4\n stdcx. 5, 0, 6\n bne- 1b\n"
       "ld 3, 40(1)\n addi 1, 1, 64\n");
TARGET(reserved,
       "stdu 1, -64(1)\n addi 6, 1, 40\n"
       "1: ldarx 5, 0, 6\n"
       AT(reserved) "add 5, 3, 4\n"
       NEXT(reserved) "stdcx. 5, 0, 6\n bne- 1b\n"
       "ld 3, 40(1)\n addi 1, 1, 64\n");
TARGET(conditional,
       "stdu 1, -64(1)\n addi 6, 1, 40\n"
       "1: ldarx 5, 0, 6\n add 5, 3, 4\n"
       AT(conditional) "stdcx. 5, 0, 6\n"
       NEXT(conditional) "bne- 1b\n"
       "ld 3, 40(1)\n addi 1, 1, 64\n");
TARGET(behind_reservation,
       "stdu 1, -64(1)\n addi 6, 1, 40\n"
       "1: ldarx 5, 0, 6\n add 5, 3, 4\n stdcx. 5, 0, 6\n"
       AT(behind_reservation) "bne- 1b\n"
       NEXT(behind_reservation) "ld 3, 40(1)\n addi 1, 1, 64\n");

/* What follows an instruction with a prefix is a word that looks like one, too. */
TARGET(prefixed,
       "add 3, 3, 4\n b 2f\n .p2align 6\n"
       AT(prefixed) ASM_PLI
       "2:\n" NEXT(prefixed) "nop\n");
TARGET(across_line,
       "add 3, 3, 4\n b 2f\n .p2align 6\n .rept 15\n nop\n .endr\n"
       AT(across_line) ASM_PLI
       "2:\n" NEXT(across_line) "nop\n");

static const struct refused {
	const struct target *target;
	unsigned int offset;
	int err;
	const char *reason;
} refused[] = {
	{ &system_call, 0, -EINVAL, "instruction is a system call" },
	{ &vectored_call, 0, -EINVAL, "instruction is a system call" },
	{ &exception_return, 0, -EINVAL, "instruction returns from an interrupt" },
	{ &move_to_msr, 0, -EINVAL, "instruction writes the machine state register" },
	{ &move_to_srr, 0, -EINVAL, "instruction reads or writes a register that traps overwrite" },
	{ &trap_if, 0, -EINVAL, "a trap" },
	{ &stop, 0, -EINVAL, "instruction stops the processor" },
	{ &reserves, 0, -EINVAL, "load-reserve, whose reservation" },
	{ &reserved, 0, -EINVAL,
	  "between a load-reserve and its conditional store, which would always fail" },
	{ &conditional, 0, -EINVAL, "conditional store, whose reservation" },
	{ &prefixed, 4, -EILSEQ, "not on an instruction boundary" },
	{ &across_line, 0, -EINVAL, "prefixed instruction crosses a 64-byte boundary" },
	{ &across_line, 4, -EILSEQ, "not on an instruction boundary" },
};

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void expect_refused(struct ktap *t, const struct refused *r)
{
	struct kprobe p = {
		.addr = (void *)((unsigned long)target_at(r->target) + r->offset),
		.pre_handler = count,
	};
	const char *reason;
	int err = register_kprobe(&p);

	EXPECT_EQ(t, err, r->err);
	if (!err)
		unregister_kprobe(&p);
	reason = err ? kprobe_refusal(&p) : NULL;
	if (!reason || !strstr(reason, r->reason)) {
		seq_printf(t->m, "# %s\n", reason ?: "not refused");
		ktap_fail(t, __LINE__, r->reason);
	}
	EXPECT_EQ(t, r->target->fn(40, 2), 42);
}

static void case_what_cannot_be_probed_is_refused_with_its_reason(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		expect_refused(t, &refused[i]);
}

static void expect_hits(struct ktap *t, const struct target *target, int wanted)
{
	struct kprobe p = { .addr = target_at(target), .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, target->fn(40, 2), 42);
	EXPECT(t, hits >= wanted);
	unregister_kprobe(&p);
}

static void case_what_is_beside_it_can_be_probed(struct ktap *t)
{
	expect_hits(t, &behind_reservation, 1);
	expect_hits(t, &prefixed, 0);
}

/* ---- two entries ---- */

/* What calls by a pointer enters at the first word, with r12 set; what is near, behind two. */
long lkp_test_global(long a, long b);
asm(".pushsection .text\n"
    ".p2align 4\n"
    ".globl lkp_test_global\n"
    ".type lkp_test_global, @function\n"
    "lkp_test_global:\n"
    "0:	addis 2, 12, .TOC.-0b@ha\n"
    "	addi 2, 2, .TOC.-0b@l\n"
    "	.localentry lkp_test_global, .-lkp_test_global\n"
    "	add 3, 3, 4\n"
    "	blr\n"
    ".size lkp_test_global, . - lkp_test_global\n"
    ".popsection\n");

static long (*by_pointer)(long a, long b) = lkp_test_global;

/* How often a probe is hit by a call from near and by one through a pointer. */
static void expect_entered(struct ktap *t, struct kprobe *p, int near, int far)
{
	p->pre_handler = count;
	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	EXPECT_EQ(t, lkp_test_global(40, 2), 42);
	EXPECT_EQ(t, hits, near);
	EXPECT_EQ(t, READ_ONCE(by_pointer)(40, 2), 42);
	EXPECT_EQ(t, hits, near + far);
	unregister_kprobe(p);
}

static void case_a_name_stands_for_the_local_entry(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_global" };

	expect_entered(t, &p, 1, 1);
	EXPECT_EQ(t, (unsigned long)p.addr, (unsigned long)by_pointer + 8);
	EXPECT(t, p.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "lkp_test_global", 0), 0);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "lkp_test_global", 8), 0);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "lkp_test_global", 12), -EINVAL);
}

/* Only calls that need the TOC pointer execute the code that sets it up. */
static void case_an_offset_within_the_global_entry_is_meant(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_global", .offset = 4 };

	expect_entered(t, &p, 0, 1);
	EXPECT_EQ(t, (unsigned long)p.addr, (unsigned long)by_pointer + 4);
	EXPECT_EQ(t, kprobe_on_func_entry(NULL, "lkp_test_global", 4), -EINVAL);
}

/* ---- ways on behind a copy ---- */

TARGET(in_slot, SLOT_ADD(in_slot));
TARGET(pushes, SLOT_PUSH_ADD(pushes));

/* All registers are as a trap would have them, and a handler may choose among them. */
static void return_88(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	hits++;
	return_with(regs, 88);
}

static void pop_and_return_88(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	regs->gpr[1] += 64;
	return_88(p, regs, flags);
}

static void expect_88(struct ktap *t, const struct target *target, kprobe_post_handler_t post)
{
	struct kprobe p = { .addr = target_at(target), .post_handler = post };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, target->fn(40, 2), 88);
	EXPECT_EQ(t, target->fn(40, 2), 88);
	EXPECT_EQ(t, hits, 2);
	EXPECT(t, !irqs_disabled());
	unregister_kprobe(&p);
	EXPECT_EQ(t, target->fn(40, 2), 42);
}

static void case_a_post_handler_chooses_where_to_go_on(struct ktap *t)
{
	expect_88(t, &in_slot, return_88);
}

static void case_a_post_handler_chooses_a_stack(struct ktap *t)
{
	expect_88(t, &pushes, pop_and_return_88);
}

static const struct ktap_case cases[] = {
	CASE(what_cannot_be_probed_is_refused_with_its_reason),
	CASE(what_is_beside_it_can_be_probed),
	CASE(a_name_stands_for_the_local_entry),
	CASE(an_offset_within_the_global_entry_is_meant),
	CASE(a_post_handler_chooses_where_to_go_on),
	CASE(a_post_handler_chooses_a_stack),
};
KTAP_MODULE(cases);
