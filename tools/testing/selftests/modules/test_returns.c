// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that return more or less often than they are called, and stack traces
 * while a call is followed.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <linux/stacktrace.h>

#include "ktap.h"
#include "target.h"

static int hits;

static int count_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static bool plant(struct ktap *t, struct kretprobe *rp, void *fn)
{
	*rp = (struct kretprobe){ .kp.addr = fn, .handler = count_hit, .maxactive = 1 };
	hits = 0;
	return EXPECT_EQ(t, register_kretprobe(rp), 0);
}

/* ---- returns that do not match a call ---- */

#define ASM_FUNCTION(name, body)						\
asm(".pushsection .text\n"							\
    ".balign 16\n"								\
    ASM_TYPE(#name)								\
    ".type " #name ", @function\n"						\
    ".globl " #name "\n"							\
    #name ":\n"									\
    ASM_LANDING									\
    body									\
    ".size " #name ", . - " #name "\n"						\
    ".popsection\n");								\
asmlinkage long name(void);							\
STACK_FRAME_NON_STANDARD(name)

#ifdef CONFIG_X86_64

/* Leaves its return address in a register as well. */
ASM_FUNCTION(lkp_shows_return,
	     "mov (%rsp), %rcx\n"
	     ASM_RET);

/* Goes where that returned to once more: returns the number of returns it saw. */
ASM_FUNCTION(lkp_returns_again,
	     "xor %eax, %eax\n"
	     "call lkp_shows_return\n"
	     "inc %eax\n"
	     "cmp $2, %eax\n"
	     "je 1f\n"
	     "push %rcx\n"
	     ASM_RET
	     "1:\n"
	     ASM_RET);

/* Returns to its return address, which it has pushed a second time. */
ASM_FUNCTION(lkp_returns_from_below,
	     "push (%rsp)\n"
	     ASM_RET);

ASM_FUNCTION(lkp_called_from_below,
	     "xor %eax, %eax\n"
	     "call lkp_returns_from_below\n"
	     "inc %eax\n"
	     "cmp $2, %eax\n"
	     "je 1f\n"
	     ASM_RET
	     "1:\n"
	     ASM_RET);

/* Drops its return address and its caller with it. */
ASM_FUNCTION(lkp_never_returns,
	     "pop %rcx\n"
	     "mov $4711, %eax\n"
	     ASM_RET);

ASM_FUNCTION(lkp_is_left_out,
	     "call lkp_never_returns\n"
	     "xor %eax, %eax\n"
	     ASM_RET);

#endif /* CONFIG_X86_64 */

#ifdef CONFIG_ARM64

/* Leaves its return address in a register as well. */
ASM_FUNCTION(lkp_shows_return,
	     "mov x9, x30\n"
	     "ret\n");

/* Goes where that returned to once more: returns the number of returns it saw. */
ASM_FUNCTION(lkp_returns_again,
	     "stp x29, x30, [sp, #-16]!\n"
	     "mov x0, #0\n"
	     "bl lkp_shows_return\n"
	     "add x0, x0, #1\n"
	     "cmp x0, #2\n"
	     "b.eq 1f\n"
	     "ret x9\n"
	     "1: ldp x29, x30, [sp], #16\n"
	     "ret\n");

/* Returns with its caller's stack pointer too low. */
ASM_FUNCTION(lkp_returns_from_below,
	     "mov x9, x30\n"
	     "sub sp, sp, #16\n"
	     "ret\n");

ASM_FUNCTION(lkp_called_from_below,
	     "stp x29, x30, [sp, #-16]!\n"
	     "mov x0, #0\n"
	     "bl lkp_returns_from_below\n"
	     "add x0, x0, #1\n"
	     "cmp x0, #2\n"
	     "b.eq 1f\n"
	     "add sp, sp, #16\n"
	     "ret x9\n"
	     "1: ldp x29, x30, [sp], #16\n"
	     "ret\n");

/* Drops its return address and its caller with it. */
ASM_FUNCTION(lkp_never_returns,
	     "ldp x29, x30, [sp], #16\n"
	     "mov x0, #4711\n"
	     "ret\n");

ASM_FUNCTION(lkp_is_left_out,
	     "stp x29, x30, [sp, #-16]!\n"
	     "bl lkp_never_returns\n"
	     "ldp x29, x30, [sp], #16\n"
	     "mov x0, #0\n"
	     "ret\n");

#endif /* CONFIG_ARM64 */

#ifdef CONFIG_PPC64

/* A frame with the return address where a caller is looked for. */
#define ENTER	"mflr 0\n std 0, 16(1)\n stdu 1, -32(1)\n"
#define LEAVE	"addi 1, 1, 32\n ld 0, 16(1)\n mtlr 0\n"

/* Leaves its return address in a register as well. */
ASM_FUNCTION(lkp_shows_return,
	     "mflr 9\n"
	     "blr\n");

/* Goes where that returned to once more: returns the number of returns it saw. */
ASM_FUNCTION(lkp_returns_again,
	     ENTER
	     "li 3, 0\n"
	     "bl lkp_shows_return\n"
	     "addi 3, 3, 1\n"
	     "cmpdi 3, 2\n"
	     "beq 1f\n"
	     "mtlr 9\n"
	     "blr\n"
	     "1:\n" LEAVE
	     "blr\n");

/* Returns with its caller's stack pointer too low. */
ASM_FUNCTION(lkp_returns_from_below,
	     "mflr 9\n"
	     "stdu 1, -32(1)\n"
	     "blr\n");

ASM_FUNCTION(lkp_called_from_below,
	     ENTER
	     "li 3, 0\n"
	     "bl lkp_returns_from_below\n"
	     "addi 3, 3, 1\n"
	     "cmpdi 3, 2\n"
	     "beq 1f\n"
	     "addi 1, 1, 32\n"
	     "mtlr 9\n"
	     "blr\n"
	     "1:\n" LEAVE
	     "blr\n");

/* Drops its return address and its caller with it. */
ASM_FUNCTION(lkp_never_returns,
	     LEAVE
	     "li 3, 4711\n"
	     "blr\n");

ASM_FUNCTION(lkp_is_left_out,
	     ENTER
	     "bl lkp_never_returns\n"
	     LEAVE
	     "li 3, 0\n"
	     "blr\n");

#endif /* CONFIG_PPC64 */

static int printed;

static int count_printed(struct kprobe *p, struct pt_regs *regs)
{
	printed++;
	return 0;
}

/* A hit in the scheduler or an NMI could not print: the complaint comes behind it. */
static void case_a_complaint_is_printed_behind_the_hit(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "vprintk_emit", .pre_handler = count_printed };
	unsigned long until = jiffies + 60 * HZ;
	struct kretprobe rp;

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (plant(t, &rp, lkp_shows_return)) {
		EXPECT_EQ(t, lkp_returns_again(), 2);
		while (!READ_ONCE(printed) && !READ_ONCE(p.nmissed) && time_before(jiffies, until))
			msleep(20);
		EXPECT(t, printed > 0);
		EXPECT_EQ(t, p.nmissed, 0);
		unregister_kretprobe(&rp);
	}
	unregister_kprobe(&p);
}

static void case_a_function_that_returns_twice(struct ktap *t)
{
	struct kretprobe rp;
	int i;

	EXPECT_EQ(t, lkp_returns_again(), 2);
	if (!plant(t, &rp, lkp_shows_return))
		return;
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(t, lkp_returns_again(), 2);
		EXPECT_EQ(t, hits, i);
		EXPECT_EQ(t, rp.nmissed, 0);
	}
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_returns_again(), 2);
}

static void case_a_function_that_returns_from_elsewhere(struct ktap *t)
{
	struct kretprobe rp;
	int i;

	EXPECT_EQ(t, lkp_called_from_below(), 2);
	if (!plant(t, &rp, lkp_returns_from_below))
		return;
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(t, lkp_called_from_below(), 2);
		EXPECT_EQ(t, hits, i);
		EXPECT_EQ(t, rp.nmissed, 0);
	}
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_called_from_below(), 2);
}

/* Its instance is reclaimed when the probe is unregistered, at the latest. */
static void case_a_function_that_does_not_return(struct ktap *t)
{
	struct kretprobe rp;

	EXPECT_EQ(t, lkp_is_left_out(), 4711);
	if (!plant(t, &rp, lkp_never_returns))
		return;
	EXPECT_EQ(t, lkp_is_left_out(), 4711);
	EXPECT_EQ(t, lkp_is_left_out(), 4711);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, rp.nmissed, 1);
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_is_left_out(), 4711);
}

/* ---- unwinding ---- */

#define MAX_TRACE	32

static unsigned long trace[MAX_TRACE];
static unsigned int nr_trace;

static void take_trace(void)
{
	nr_trace = stack_trace_save(trace, MAX_TRACE, 0);
}

static bool in_trace(unsigned long from, unsigned long size)
{
	unsigned int i;

	for (i = 0; i < nr_trace; i++)
		if (trace[i] - from < size)
			return true;
	return false;
}

static int trace_at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take_trace();
	return 0;
}

static int trace_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	take_trace();
	return 0;
}

noinline __noclone long lkp_traced(long a, long b);
noinline __noclone long lkp_traced(long a, long b)
{
	barrier();
	return a + b;
}

TARGET(asm_traced, FIRST_ADD(asm_traced));

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

static bool callers_are_named(void)
{
	return (!CALLER_ON_STACK || in_trace((unsigned long)lkp_calls, 128)) &&
	       in_trace((unsigned long)lkp_calls_that, 128);
}

static void expect_caller_in_handlers(struct ktap *t, long (*fn)(long a, long b))
{
	struct kretprobe rp = { .kp.addr = (void *)fn, .entry_handler = trace_at_entry };

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	nr_trace = 0;
	EXPECT_EQ(t, lkp_calls_that(fn), 42);
	EXPECT(t, callers_are_named());
	unregister_kretprobe(&rp);
	rp = (struct kretprobe){ .kp.addr = (void *)fn, .handler = trace_at_return };
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	hits = nr_trace = 0;
	EXPECT_EQ(t, lkp_calls_that(fn), 42);
	EXPECT_EQ(t, hits, 1);
	EXPECT(t, callers_are_named());
	unregister_kretprobe(&rp);
}

static void case_a_trace_in_a_handler_names_the_caller(struct ktap *t)
{
	expect_caller_in_handlers(t, lkp_traced);
	expect_caller_in_handlers(t, asm_traced.fn);
}

static unsigned long found, not_found;
static bool in_stub, elsewhere_in_stub;

noinline __noclone long lkp_unwinds(long a, long b);
noinline __noclone long lkp_unwinds(long a, long b)
{
	unsigned long *at = RETURN_ADDRESS_AT(__builtin_frame_address(0));
	long local = a;

	found = kretprobe_find_ret_addr(current, at, NULL);
	not_found = kretprobe_find_ret_addr(current, &local, NULL);
	in_stub = is_kretprobe_trampoline((unsigned long)__builtin_return_address(0));
	elsewhere_in_stub = is_kretprobe_trampoline((unsigned long)lkp_unwinds);
	take_trace();
	return a + b;
}

static void case_the_real_caller_of_a_slot_on_the_stack(struct ktap *t)
{
	unsigned long from = (unsigned long)lkp_calls;
	struct kretprobe rp, rq;

	EXPECT_EQ(t, lkp_calls(lkp_unwinds), 42);
	EXPECT_EQ(t, found, 0);
	EXPECT(t, !in_stub);
	EXPECT(t, in_trace(from, 128));
	if (!plant(t, &rp, lkp_unwinds) || !plant(t, &rq, lkp_unwinds))
		return;
	EXPECT_EQ(t, lkp_calls(lkp_unwinds), 42);
	EXPECT(t, found - from < 128);
	EXPECT_EQ(t, not_found, 0);
	EXPECT(t, in_stub);
	EXPECT(t, !elsewhere_in_stub);
	EXPECT_EQ(t, kretprobe_find_ret_addr(current, (void *)8, NULL), 0);
	EXPECT(t, in_trace((unsigned long)lkp_unwinds, 256));
	seq_printf(t->m, "# the kernel's own unwinder %s the caller\n",
		   in_trace(from, 128) ? "names" : "does not see");
	unregister_kretprobe(&rp);
	EXPECT_EQ(t, lkp_calls(lkp_unwinds), 42);
	EXPECT(t, found - from < 128);
	unregister_kretprobe(&rq);
	EXPECT_EQ(t, lkp_calls(lkp_unwinds), 42);
	EXPECT_EQ(t, found, 0);
	EXPECT(t, in_trace(from, 128));
}

static const struct ktap_case cases[] = {
	CASE(a_complaint_is_printed_behind_the_hit),
	CASE(a_function_that_returns_twice),
	CASE(a_function_that_returns_from_elsewhere),
	CASE(a_function_that_does_not_return),
	CASE(a_trace_in_a_handler_names_the_caller),
	CASE(the_real_caller_of_a_slot_on_the_stack),
};
KTAP_MODULE(cases);
