// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of arch/x86/insn.c, a named case for each situation: classes, what is
 * refused, and what may fault.
 */
#include "insn_test.h"

static void assert_refused(enum insn_refuse why, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn.class, INSN_REFUSED);
	assert_int_equal(insn.refuse, why);
	assert_non_null(insn_refusal(&insn));
}

/* Classes */

static void direct_branches(void **state)
{
	struct insn insn;
	u8 bytes[6] = { 0 };
	unsigned int i;

	(void)state;
	assert_class(INSN_JMP, BYTES(0xeb, 0xfe));
	assert_class(INSN_JMP, BYTES(0xe9, 0x01, 0x02, 0x03, 0x04));
	assert_class(INSN_CALL, BYTES(0xe8, 0x01, 0x02, 0x03, 0x04));
	for (i = 0; i < 16; i++) {
		bytes[0] = 0x70 + i;
		assert_class(INSN_JCC, bytes, 2);
		bytes[0] = 0x0f;
		bytes[1] = 0x80 + i;
		assert_class(INSN_JCC, bytes, 6);
		bytes[1] = 0;
	}
	for (i = 0; i < 4; i++) {
		bytes[0] = 0xe0 + i;
		assert_class(INSN_LOOP, bytes, 2);
	}
	assert_class(INSN_LOOP, BYTES(0x67, 0xe3, 0x00));	/* jecxz */
	insn = decode_ok(BYTES(0xeb, 0xfe));
	assert_true(insn_branch_target(&insn, 0x1000) == 0x1000);
	insn = decode_ok(BYTES(0xe8, 0x00, 0x00, 0x00, 0x80));
	assert_true(insn_branch_target(&insn, 0xffffffff81000000) == 0xffffffff01000005);
}

static void indirect_branches(void **state)
{
	(void)state;
	assert_class(INSN_CALL_IND, BYTES(0xff, 0xd0));			/* call *%rax */
	assert_class(INSN_JMP_IND, BYTES(0xff, 0xe4));			/* jmp *%rsp */
	assert_class(INSN_CALL_IND, BYTES(0x41, 0xff, 0x14, 0xc4));	/* call *(%r12,%rax,8) */
	assert_class(INSN_JMP_IND, BYTES(0xff, 0x25, 0, 0, 0, 0));	/* jmp *0(%rip) */
	assert_class(INSN_JMP_IND, BYTES(0x3e, 0xff, 0xe0));		/* notrack jmp *%rax */
	assert_class(INSN_SLOT, BYTES(0xff, 0x30));			/* push (%rax) */
	assert_class(INSN_SLOT, BYTES(0xff, 0x00));			/* incl (%rax) */
}

static void returns(void **state)
{
	(void)state;
	assert_class(INSN_RET, BYTES(0xc3));
	assert_class(INSN_RET, BYTES(0xf3, 0xc3));			/* repz ret */
	assert_class(INSN_RET, BYTES(0xf2, 0xc3));			/* bnd ret */
	assert_class(INSN_RET, BYTES(0xc2, 0x10, 0x00));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xcb));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xca, 0x10, 0x00));
}

static void prefixed_branches_are_ordinary(void **state)
{
	(void)state;
	assert_class(INSN_JMP, BYTES(0xf2, 0xe9, 0, 0, 0, 0));		/* bnd jmp */
	assert_class(INSN_JMP, BYTES(0x2e, 0xe9, 0, 0, 0, 0));		/* cs jmp */
	assert_class(INSN_JCC, BYTES(0x3e, 0x74, 0x00));		/* je,pt */
	assert_class(INSN_CALL, BYTES(0x48, 0xe8, 0, 0, 0, 0));		/* rex.W call */
	/* data16 data16 rex.W call __tls_get_addr */
	assert_class(INSN_CALL, BYTES(0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0));
	assert_class(INSN_JMP_IND, BYTES(0x66, 0x48, 0xff, 0xe0));
}

static void branches_of_16_bits_differ_between_processors(void **state)
{
	(void)state;
	/* rel32 for Intel, rel16 for AMD: no length at all */
	assert_invalid(BYTES(0x66, 0xe8, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0xe9, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0x0f, 0x84, 0, 0, 0, 0));
	assert_invalid(BYTES(0x66, 0x66, 0xe8, 0, 0, 0, 0));
	/* one length, two meanings */
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xeb, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0x74, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xe2, 0x00));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xc3));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xff, 0xe0));
	assert_refused(INSN_REFUSE_BRANCH16, BYTES(0x66, 0xff, 0x10));
}

static void nops(void **state)
{
	(void)state;
	assert_class(INSN_NOP, BYTES(0x90));
	assert_class(INSN_NOP, BYTES(0x66, 0x90));
	assert_class(INSN_NOP, BYTES(0x48, 0x90));
	assert_class(INSN_NOP, BYTES(0x0f, 0x1f, 0x00));
	assert_class(INSN_NOP, BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00));
	assert_class(INSN_NOP, BYTES(0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0));
	assert_class(INSN_NOP, BYTES(0xf3, 0x0f, 0x1e, 0xfa));		/* endbr64 */
	assert_class(INSN_NOP, BYTES(0xf3, 0x0f, 0x1e, 0xfb));		/* endbr32 */
}

static void what_looks_like_a_nop(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0xf3, 0x90));			/* pause */
	assert_class(INSN_SLOT, BYTES(0x41, 0x90));			/* xchg %eax,%r8d */
	assert_class(INSN_SLOT, BYTES(0xf3, 0x41, 0x90));
	assert_class(INSN_SLOT, BYTES(0x91));				/* xchg %eax,%ecx */
	assert_class(INSN_SLOT, BYTES(0xf3, 0x48, 0x0f, 0x1e, 0xc8));	/* rdsspq %rax */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x1e, 0xfa));		/* no F3, no endbr */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x1f, 0xc8));		/* 0f 1f /1 */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x18, 0x08));		/* prefetcht0 */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x0d, 0x08));		/* prefetchw */
}

static void flag_instructions(void **state)
{
	(void)state;
	assert_class(INSN_PUSHF, BYTES(0x9c));
	assert_class(INSN_PUSHF, BYTES(0x66, 0x9c));
	assert_class(INSN_POPF, BYTES(0x9d));
	assert_class(INSN_POPF, BYTES(0x66, 0x9d));
	assert_class(INSN_CLI, BYTES(0xfa));
	assert_class(INSN_STI, BYTES(0xfb));
	assert_class(INSN_SLOT, BYTES(0xfc));				/* cld */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xca));		/* clac */
}

static void stack_instructions_go_to_the_slot(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0x55));				/* push %rbp */
	assert_class(INSN_SLOT, BYTES(0x41, 0x5f));			/* pop %r15 */
	assert_class(INSN_SLOT, BYTES(0x8f, 0x00));			/* pop (%rax) */
	assert_class(INSN_SLOT, BYTES(0xc9));				/* leave */
	assert_class(INSN_SLOT, BYTES(0xc8, 0x10, 0x00, 0x00));		/* enter */
	assert_class(INSN_SLOT, BYTES(0x0f, 0xa1));			/* pop %fs */
}

static void refused_instructions(void **state)
{
	(void)state;
	assert_refused(INSN_REFUSE_BREAKPOINT, BYTES(0xcc));
	assert_refused(INSN_REFUSE_BREAKPOINT, BYTES(0xf1));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0x0b));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0xb9, 0x40, 0x10));
	assert_refused(INSN_REFUSE_UNDEFINED, BYTES(0x0f, 0xff, 0xc0));
	assert_refused(INSN_REFUSE_SOFT_INTERRUPT, BYTES(0xcd, 0x80));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x0f, 0x05));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x48, 0x0f, 0x07));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x0f, 0x34));
	assert_refused(INSN_REFUSE_SYSCALL, BYTES(0x48, 0x0f, 0x35));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0x48, 0xcf));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xff, 0x18));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xff, 0x28));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0x0f, 0xaa));
	assert_refused(INSN_REFUSE_FAR_TRANSFER, BYTES(0xf2, 0x0f, 0x01, 0xca));
	assert_refused(INSN_REFUSE_SWAPGS, BYTES(0x0f, 0x01, 0xf8));
	assert_refused(INSN_REFUSE_HALT, BYTES(0xf4));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x0f, 0x01, 0xc9));
	/* tdcall: the call may be one that halts. */
	assert_refused(INSN_REFUSE_HALT, BYTES(0x66, 0x0f, 0x01, 0xcc));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x0f, 0x01, 0xfb));
	assert_refused(INSN_REFUSE_HALT, BYTES(0x66, 0x0f, 0xae, 0xf0));
	assert_refused(INSN_REFUSE_HALT, BYTES(0xf2, 0x0f, 0xae, 0xf0));
	assert_refused(INSN_REFUSE_STACK_SHADOW, BYTES(0x8e, 0xd0));
	assert_refused(INSN_REFUSE_STACK_SHADOW, BYTES(0x8e, 0x10));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xc2));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xc3));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xd4));
	assert_refused(INSN_REFUSE_VIRT, BYTES(0x0f, 0x01, 0xd8));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0xc7, 0xf8, 0, 0, 0, 0));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0xc6, 0xf8, 0x01));
	assert_refused(INSN_REFUSE_TRANSACTION, BYTES(0x0f, 0x01, 0xd5));
	assert_refused(INSN_REFUSE_USER_INTERRUPT, BYTES(0xf3, 0x0f, 0x01, 0xec));
	assert_refused(INSN_REFUSE_USER_INTERRUPT, BYTES(0xf3, 0x0f, 0xc7, 0xf0));
}

static void near_relatives_of_refused_ones_are_not(void **state)
{
	(void)state;
	assert_class(INSN_SLOT, BYTES(0x8e, 0xd8));			/* mov %eax,%ds */
	assert_class(INSN_SLOT, BYTES(0x8c, 0xd0));			/* mov %ss,%eax */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xc1));		/* vmcall */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xd9));		/* vmmcall */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xc8));		/* monitor */
	assert_class(INSN_SLOT, BYTES(0x0f, 0x01, 0xf9));		/* rdtscp */
	assert_class(INSN_SLOT, BYTES(0xf2, 0x0f, 0x01, 0xfd));		/* rmpread */
	assert_class(INSN_SLOT, BYTES(0x0f, 0xae, 0xf0));		/* mfence */
	assert_class(INSN_SLOT, BYTES(0x66, 0x0f, 0xae, 0x30));		/* clwb */
}

static void every_reason_and_class_has_a_text(void **state)
{
	struct insn insn = { .class = INSN_REFUSED };
	unsigned int i;

	(void)state;
	for (i = INSN_REFUSE_NONE + 1; i < INSN_NR_REFUSES; i++) {
		insn.refuse = i;
		assert_non_null(insn_refusal(&insn));
	}
	insn.refuse = INSN_NR_REFUSES;
	assert_null(insn_refusal(&insn));
	for (i = 0; i < INSN_NR_CLASSES; i++)
		assert_string_not_equal(insn_class_name(i), "?");
	assert_string_equal(insn_class_name(INSN_NR_CLASSES), "?");
	assert_string_equal(insn_class_name(-1u), "?");
}

/* Faults */

static void assert_may_fault(bool may, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn_may_fault(&insn), may);
}

static void assert_local(bool local, const u8 *bytes, size_t len)
{
	struct insn insn = decode_ok(bytes, len);

	assert_int_equal(insn_is_local(&insn), local);
}

static void what_is_local(void **state)
{
	(void)state;
	assert_local(true, BYTES(0x48, 0xc7, 0xc0, 1, 0, 0, 0));	/* mov $1,%rax */
	assert_local(true, BYTES(0x48, 0x89, 0xf8));			/* mov %rdi,%rax */
	assert_local(true, BYTES(0x4d, 0x89, 0xe4));			/* mov %r12,%r12 */
	assert_local(true, BYTES(0x48, 0x8d, 0x44, 0x3e, 0x08));	/* lea 8(%rsi,%rdi),%rax */
	assert_local(true, BYTES(0x49, 0x8d, 0x04, 0x24));		/* lea (%r12),%rax */
	assert_local(true, BYTES(0x48, 0x8d, 0x05, 0, 0, 0, 0));	/* lea 0(%rip),%rax */
	assert_local(true, BYTES(0x48, 0x83, 0xe0, 0x0f));		/* and $15,%rax */
	assert_local(true, BYTES(0x48, 0xc1, 0xe0, 0x04));		/* shl $4,%rax */
	assert_local(true, BYTES(0x48, 0xf7, 0xe2));			/* mul %rdx */
	assert_local(true, BYTES(0x0f, 0xba, 0xe0, 0x03));		/* bt $3,%eax */
	assert_local(true, BYTES(0x0f, 0x44, 0xc1));			/* cmove %ecx,%eax */
	assert_local(true, BYTES(0x41, 0xbc, 1, 0, 0, 0));		/* mov $1,%r12d */
	assert_local(true, BYTES(0x49, 0x0f, 0xcc));			/* bswap %r12 */
	assert_local(true, BYTES(0x0f, 0xa2));				/* cpuid */
}

static void what_is_not_local(void **state)
{
	(void)state;
	assert_local(false, BYTES(0x48, 0x89, 0xe5));			/* mov %rsp,%rbp */
	assert_local(false, BYTES(0x48, 0x89, 0xec));			/* mov %rbp,%rsp */
	assert_local(false, BYTES(0x48, 0x83, 0xec, 0x10));		/* sub $16,%rsp */
	assert_local(false, BYTES(0x48, 0x83, 0xe4, 0xf0));		/* and $-16,%rsp */
	assert_local(false, BYTES(0x48, 0x8d, 0x44, 0x24, 0x08));	/* lea 8(%rsp),%rax */
	assert_local(false, BYTES(0x48, 0x8d, 0x64, 0x24, 0x08));	/* lea 8(%rsp),%rsp */
	assert_local(false, BYTES(0xbc, 1, 0, 0, 0));			/* mov $1,%esp */
	assert_local(false, BYTES(0x48, 0x94));				/* xchg %rax,%rsp */
	assert_local(false, BYTES(0x48, 0x0f, 0xcc));			/* bswap %rsp */
	assert_local(false, BYTES(0x48, 0xf7, 0xe4));			/* mul %rsp */
	assert_local(false, BYTES(0x48, 0x8b, 0x07));			/* mov (%rdi),%rax */
	assert_local(false, BYTES(0x50));				/* push %rax */
	assert_local(false, BYTES(0xc9));				/* leave */
	assert_local(false, BYTES(0x48, 0xf7, 0xf2));			/* div %rdx */
	assert_local(false, BYTES(0xf3, 0x0f, 0xb8, 0xc0));		/* popcnt %eax,%eax */
	assert_local(false, BYTES(0x0f, 0xc7, 0xf0));			/* rdrand %eax */
	assert_local(false, BYTES(0x9f));				/* lahf */
	assert_local(false, BYTES(0x0f, 0x58, 0xc0));			/* addps */
	assert_local(false, BYTES(0x90));				/* nop */
	assert_local(false, BYTES(0xeb, 0));				/* jmp */
	assert_local(false, BYTES(0xfa));				/* cli */
}

static void what_may_fault(void **state)
{
	(void)state;
	assert_may_fault(true, BYTES(0x8b, 0x00));			/* mov (%rax),%eax */
	assert_may_fault(true, BYTES(0x01, 0x00));			/* add %eax,(%rax) */
	assert_may_fault(true, BYTES(0x50));				/* push %rax */
	assert_may_fault(true, BYTES(0x58));				/* pop %rax */
	assert_may_fault(true, BYTES(0xff, 0xf0));			/* push %rax, the other */
	assert_may_fault(true, BYTES(0xc9));				/* leave */
	assert_may_fault(true, BYTES(0xa4));				/* movsb */
	assert_may_fault(true, BYTES(0xd7));				/* xlat */
	assert_may_fault(true, BYTES(0xf7, 0xf0));			/* div %eax */
	assert_may_fault(true, BYTES(0xf6, 0xf8));			/* idiv %al */
	assert_may_fault(true, BYTES(0xe8, 0, 0, 0, 0));		/* call */
	assert_may_fault(true, BYTES(0xc3));				/* ret */
	assert_may_fault(true, BYTES(0x9c));				/* pushf */
	assert_may_fault(true, BYTES(0x9d));				/* popf */
	assert_may_fault(true, BYTES(0xff, 0xd0));			/* call *%rax */
	/* jmp *%rax, not canonical */
	assert_may_fault(true, BYTES(0xff, 0xe0));
	assert_may_fault(true, BYTES(0x0f, 0x30));			/* wrmsr */
	assert_may_fault(true, BYTES(0x0f, 0x32));			/* rdmsr */
	assert_may_fault(true, BYTES(0x0f, 0xae, 0x28));		/* xrstor */
	assert_may_fault(true, BYTES(0x0f, 0x22, 0xc0));		/* mov %rax,%cr0 */
	assert_may_fault(true, BYTES(0x8e, 0xd8));			/* mov %eax,%ds */
	assert_may_fault(true, BYTES(0x0f, 0x58, 0xc0));		/* addps */
	assert_may_fault(true, BYTES(0xa1, 0, 0, 0, 0, 0, 0, 0, 0));	/* movabs */
	assert_may_fault(true, BYTES(0xc5, 0xf8, 0x58, 0xc0));		/* vaddps */
	assert_may_fault(true, BYTES(0x0f, 0xba, 0x28, 0x01));		/* bts */
}

static void what_cannot_fault(void **state)
{
	(void)state;
	assert_may_fault(false, BYTES(0x01, 0xc0));			/* add %eax,%eax */
	assert_may_fault(false, BYTES(0x89, 0xc0));			/* mov %eax,%eax */
	assert_may_fault(false, BYTES(0xb8, 0, 0, 0, 0));		/* mov $0,%eax */
	assert_may_fault(false, BYTES(0x8d, 0x00));			/* lea (%rax),%eax */
	assert_may_fault(false, BYTES(0x0f, 0x1f, 0x00));		/* nopl (%rax) */
	assert_may_fault(false, BYTES(0x0f, 0x18, 0x08));		/* prefetcht0 (%rax) */
	assert_may_fault(false, BYTES(0xf7, 0xd0));			/* not %eax */
	assert_may_fault(false, BYTES(0xf7, 0xe0));			/* mul %eax */
	assert_may_fault(false, BYTES(0xc1, 0xe0, 0x04));		/* shl $4,%eax */
	assert_may_fault(false, BYTES(0x0f, 0x44, 0xc1));		/* cmove */
	assert_may_fault(false, BYTES(0x0f, 0xb6, 0xc0));		/* movzbl */
	assert_may_fault(false, BYTES(0xff, 0xc0));			/* inc %eax */
	assert_may_fault(false, BYTES(0xeb, 0x00));			/* jmp */
	assert_may_fault(false, BYTES(0x74, 0x00));			/* je */
	assert_may_fault(false, BYTES(0xfa));				/* cli */
	assert_may_fault(false, BYTES(0x0f, 0xae, 0xf0));		/* mfence */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(direct_branches),
		cmocka_unit_test(indirect_branches),
		cmocka_unit_test(returns),
		cmocka_unit_test(prefixed_branches_are_ordinary),
		cmocka_unit_test(branches_of_16_bits_differ_between_processors),
		cmocka_unit_test(nops),
		cmocka_unit_test(what_looks_like_a_nop),
		cmocka_unit_test(flag_instructions),
		cmocka_unit_test(stack_instructions_go_to_the_slot),
		cmocka_unit_test(refused_instructions),
		cmocka_unit_test(near_relatives_of_refused_ones_are_not),
		cmocka_unit_test(every_reason_and_class_has_a_text),
		cmocka_unit_test(what_may_fault),
		cmocka_unit_test(what_is_local),
		cmocka_unit_test(what_is_not_local),
		cmocka_unit_test(what_cannot_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
