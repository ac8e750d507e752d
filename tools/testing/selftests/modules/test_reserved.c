// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that another part of the kernel patches or reads: each kind is refused with
 * its own reason, and still works.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#ifdef CONFIG_X86_64
#include <asm/alternative.h>
#endif

#include "ktap.h"
#include "target.h"

/* What register_kprobe() has said. */
static void expect_refusal(struct ktap *t, struct kprobe *p, int err, const char *reason)
{
	if (!EXPECT_EQ(t, err, -EINVAL)) {
		if (!err)
			unregister_kprobe(p);
		return;
	}
	if (EXPECT(t, kprobe_refusal(p)) && !strstr(kprobe_refusal(p), reason)) {
		seq_printf(t->m, "# refused: %s\n", kprobe_refusal(p));
		ktap_fail(t, __LINE__, reason);
	}
}

static void expect_reserved(struct ktap *t, struct kprobe *p, const char *reason)
{
	expect_refusal(t, p, register_kprobe(p), reason);
}

static void expect_address_reserved(struct ktap *t, unsigned long addr, const char *reason)
{
	struct kprobe p = { .addr = (void *)addr };

	if (EXPECT(t, addr))
		expect_reserved(t, &p, reason);
}

/* ---- operands in live patches ---- */

#ifdef CONFIG_LIVEPATCH

TARGET(patching, SLOT_ADD(patching));

/* As the kernel keeps of a live patch's file: a section whose relocations come later. */
static Elf_Rela late_relas[1];
static char names_of_sections[2][40] = { ".klp.rela.vmlinux..text", ".klp.rela.lkp_target..text" };
static Elf_Shdr late_sections[2] = {
	{ .sh_flags = SHF_RELA_LIVEPATCH, .sh_size = sizeof(late_relas), .sh_info = 1 },
};
static struct klp_modinfo late = {
	.hdr.e_shnum = 2, .sechdrs = late_sections, .secstrings = names_of_sections[0],
};

/* This module is a live patch from here on, with an operand in the target. */
static void become_a_live_patch(struct klp_modinfo *info, unsigned int name)
{
	late_sections[0].sh_name = name * sizeof(names_of_sections[0]);
	late_sections[0].sh_addr = (unsigned long)late_relas;
	late_sections[1].sh_addr = (unsigned long)patching.fn;
	late_relas[0].r_offset = patching.at + 1;
	THIS_MODULE->klp_info = info;
	THIS_MODULE->klp = true;
}

static void be_none_again(void)
{
	THIS_MODULE->klp = false;
	THIS_MODULE->klp_info = NULL;
}

static void case_an_operand_that_is_written_late_is_refused(struct ktap *t)
{
	const char *why = "operand that is written when";

	become_a_live_patch(&late, 1);
	expect_address_reserved(t, (unsigned long)target_at(&patching), why);
	be_none_again();
	become_a_live_patch(NULL, 1);
	expect_address_reserved(t, (unsigned long)target_at(&patching), why);
	be_none_again();
}

static void case_other_text_of_a_live_patch_is_probed(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&patching) }, before = { .addr = (void *)patching.fn };

	become_a_live_patch(&late, 0);
	if (EXPECT_EQ(t, register_kprobe(&p), 0))
		unregister_kprobe(&p);
	late_sections[0].sh_name = sizeof(names_of_sections[0]);
	late_relas[0].r_offset = patching.at + 64;
	if (EXPECT_EQ(t, register_kprobe(&before), 0))
		unregister_kprobe(&before);
	be_none_again();
}

#endif

/* ---- jump labels ---- */

static DEFINE_STATIC_KEY_FALSE(key);

static noinline int by_key(void)
{
	if (static_branch_unlikely(&key))
		return 1;
	return 0;
}

static unsigned long jump_label_site(void)
{
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_jump_entries; i++)
		if (jump_entry_key(&THIS_MODULE->jump_entries[i]) == &key.key)
			return jump_entry_code(&THIS_MODULE->jump_entries[i]);
	return 0;
}

static void case_a_jump_label_is_refused(struct ktap *t)
{
	unsigned long site = jump_label_site();

	expect_address_reserved(t, site, "jump label");
	static_branch_enable(&key);
	EXPECT_EQ(t, by_key(), 1);
	expect_address_reserved(t, site, "jump label");
	static_branch_disable(&key);
	EXPECT_EQ(t, by_key(), 0);
}

/* ---- static calls ---- */

static int answer_1(void)
{
	return 1;
}

static int answer_2(void)
{
	return 2;
}

DEFINE_STATIC_CALL(lkp_test_call, answer_1);

static noinline int by_static_call(void)
{
	int answer = static_call(lkp_test_call)();

	barrier();
	return answer;
}

static void case_a_static_call_is_refused(struct ktap *t)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site = THIS_MODULE->static_call_sites;

	if (!EXPECT(t, THIS_MODULE->num_static_call_sites))
		return;
	expect_address_reserved(t, (unsigned long)&site->addr + site->addr, "static call");
#endif
	EXPECT_EQ(t, by_static_call(), 1);
	static_call_update(lkp_test_call, answer_2);
	EXPECT_EQ(t, by_static_call(), 2);
	static_call_update(lkp_test_call, answer_1);
}

#ifdef CONFIG_X86_64

static void case_a_static_calls_trampoline_is_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "__SCT__lkp_test_call" };
	struct kprobe kernels = { .symbol_name = "__SCT__cond_resched" };
	int err;

	expect_reserved(t, &p, "static call");
	err = register_kprobe(&kernels);
	if (err != -ENOENT)
		expect_refusal(t, &kernels, err, "static call");
}

/* ---- alternatives: lock prefixes, which go when only one CPU is left ---- */

TARGET(locked,
       "push %rsi\n"
       AT(locked) LOCK_PREFIX "addq %rdi, (%rsp)\n"
       NEXT(locked) "pop %rax\n");

static void case_a_lock_prefix_is_refused_while_it_may_change(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&locked) };

	/* Where no other CPU can come it has been changed for good. */
	if (*(u8 *)target_at(&locked) == 0xf0 || num_possible_cpus() == 1) {
		t->skip = "the kernel will not change it: not booted with one CPU of several";
		if (EXPECT_EQ(t, register_kprobe(&p), 0))
			unregister_kprobe(&p);
	} else {
		expect_reserved(t, &p, "alternative that is patched");
	}
	EXPECT_EQ(t, locked.fn(40, 2), 42);
}

#endif /* CONFIG_X86_64 */

/* ---- traps that mean something ---- */

static bool really;

static noinline bool warns(void)
{
	return WARN_ON(READ_ONCE(really));
}

static unsigned long bug_site(void)
{
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	struct bug_entry *bug = THIS_MODULE->bug_table;

	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return THIS_MODULE->bug_table->bug_addr;
#endif
}

static void case_a_warn_site_is_refused(struct ktap *t)
{
	EXPECT(t, !warns());
	if (EXPECT(t, THIS_MODULE->num_bugs))
		expect_address_reserved(t, bug_site(), "BUG or WARN site");
}

#if defined(CONFIG_X86_64) && defined(BUGFLAG_ARGS)

TARGET(warned, SLOT_ADD(warned));

/*
 * Where a warning has arguments, what follows the load of its entry's address has a place in the
 * table. Nobody looks for that.
 */
static void case_what_loads_a_warnings_entry_is_probed(struct ktap *t)
{
	struct bug_entry *bug = THIS_MODULE->bug_table, kept = *bug;
	struct kprobe p = { .addr = target_at(&warned) };

	bug->bug_addr_disp = target_at(&warned) - (void *)&bug->bug_addr_disp;
	expect_address_reserved(t, (unsigned long)p.addr, "BUG or WARN site");
	bug->flags |= BUGFLAG_ARGS;
	if (EXPECT_EQ(t, register_kprobe(&p), 0))
		unregister_kprobe(&p);
	*bug = kept;
}

#endif

#if ASM_TYPE_SIZE

/* The kernel rewrites what has such a name, with FineIBT, and what is a landing pad behind that. */
#define PREAMBLE	"__cfi_preambled_fn"

#else

#define PREAMBLE	"__cfi_preambled"

/* Callers of another kind of kernel compare the number with what they expect. */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type __cfi_preambled, %function\n"
    "__cfi_preambled:\n"
    ASM_PREAMBLE
    ".size __cfi_preambled, . - __cfi_preambled\n"
    ".popsection\n");

#endif

TARGET(preambled, FIRST_ADD(preambled));

/* The name of what may be patched for processors that have calls counted; the return is for objtool. */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type __pfx_padded_before, %function\n"
    "__pfx_padded_before:\n"
    "nop\n"
    ASM_RETURN
    ".size __pfx_padded_before, . - __pfx_padded_before\n"
    ".popsection\n");
TARGET(padded_before, FIRST_ADD(padded_before));

static void case_padding_before_a_function_is_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "__pfx_padded_before" };

	expect_reserved(t, &p, "padding before a function");
	EXPECT_EQ(t, padded_before.fn(40, 2), 42);
}

static void case_a_cfi_preamble_is_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = PREAMBLE };

	expect_reserved(t, &p, "CFI preamble");
	EXPECT_EQ(t, preambled.fn(40, 2), 42);
}

#if defined(CONFIG_ARM64) && (defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI))

noinline long lkp_test_typed(long a, long b);
noinline long lkp_test_typed(long a, long b)
{
	barrier();
	return a + b;
}

/* Here it has no symbol. */
static void case_the_type_of_a_function_is_refused(struct ktap *t)
{
	long (*typed)(long a, long b) = READ_ONCE(really) ? NULL : lkp_test_typed;

	expect_address_reserved(t, (unsigned long)lkp_test_typed - 4, "CFI preamble");
	EXPECT_EQ(t, typed(40, 2), 42);
}

#endif

/* ---- foreign breakpoints, and padding that looks like them ---- */

#ifdef CONFIG_X86_64

TARGET(padded,
       "lea (%rdi, %rsi), %rax\n"
       "test %rax, %rax\n"
       "jns 1f\n"
       "jmp 2f\n"
       "int3\n"
       "int3\n"
       "1:\n" AT(padded) "mov %rax, %rdi\n"
       "2:\n" NEXT(padded) "nop\n");
TARGET(broken,
       "lea (%rdi, %rsi), %rax\n"
       "test %rax, %rax\n"
       "jns 1f\n"
       "int3\n"
       "1:\n" AT(broken) "mov %rax, %rdi\n"
       NEXT(broken) "nop\n");

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void case_behind_padding_of_int3_works(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&padded), .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, padded.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_behind_a_strange_int3_is_eilseq(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&broken) };

	if (EXPECT_EQ(t, register_kprobe(&p), -EILSEQ))
		EXPECT(t, strstr(kprobe_refusal(&p), "a foreign breakpoint"));
}

#endif /* CONFIG_X86_64 */

TARGET(breakpoint, NEVER_RUN(breakpoint, ASM_BREAKPOINT));

static void case_a_strange_breakpoint_is_refused(struct ktap *t)
{
	expect_address_reserved(t, (unsigned long)target_at(&breakpoint), "breakpoint");
}

/* ---- instructions that can't be probed ---- */

#ifdef CONFIG_X86_64
TARGET(halting, NEVER_RUN(halting, "hlt\n"));
TARGET(soft_interrupt, NEVER_RUN(soft_interrupt, "int $0x80\n"));
TARGET(stack_shadow, NEVER_RUN(stack_shadow, "mov %eax, %ss\n"));
TARGET(sti_wait, NEVER_RUN(sti_wait, "sti\n hlt\n"));

static const struct target * const unprobeable[] = {
	&halting, &soft_interrupt, &stack_shadow, &sti_wait,
};
#endif

#ifdef CONFIG_ARM64
TARGET(halting, NEVER_RUN(halting, "wfi\n"));
TARGET(supervisor_call, NEVER_RUN(supervisor_call, "svc #0\n"));
TARGET(exception_return, NEVER_RUN(exception_return, "eret\n"));
TARGET(system_register, NEVER_RUN(system_register, "msr spsel, #0\n"));
TARGET(load_exclusive, NEVER_RUN(load_exclusive, "ldxr x3, [x0]\n stxr w4, x3, [x0]\n"));
TARGET(in_exclusive,
       "sub sp, sp, #16\n"
       "1: ldxr x3, [sp]\n"
       AT(in_exclusive) "add x3, x0, x1\n"
       NEXT(in_exclusive) "stxr w4, x3, [sp]\n"
       "cbnz w4, 1b\n"
       "ldr x0, [sp], #16\n");

static const struct target * const unprobeable[] = {
	&halting, &supervisor_call, &exception_return, &system_register, &load_exclusive,
	&in_exclusive,
};
#endif

#ifdef CONFIG_PPC64
TARGET(system_call, NEVER_RUN(system_call, "sc\n"));
TARGET(exception_return, NEVER_RUN(exception_return, "rfid\n"));
TARGET(move_to_msr, NEVER_RUN(move_to_msr, "mtmsrd 5\n"));
TARGET(load_reserve, NEVER_RUN(load_reserve, "ldarx 5, 0, 1\n stdcx. 5, 0, 1\n"));
TARGET(in_reservation,
       "stdu 1, -64(1)\n"
       "addi 6, 1, 40\n"
       "1: ldarx 5, 0, 6\n"
       AT(in_reservation) "add 5, 3, 4\n"
       NEXT(in_reservation) "stdcx. 5, 0, 6\n"
       "bne- 1b\n"
       "ld 3, 40(1)\n"
       "addi 1, 1, 64\n");

static const struct target * const unprobeable[] = {
	&system_call, &exception_return, &move_to_msr, &load_reserve, &in_reservation,
};
#endif

static void case_instructions_that_cannot_be_probed_are_refused(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(unprobeable); i++) {
		expect_address_reserved(t, (unsigned long)target_at(unprobeable[i]), "");
		EXPECT_EQ(t, unprobeable[i]->fn(40, 2), 42);
	}
}

static const struct ktap_case cases[] = {
#ifdef CONFIG_LIVEPATCH
	CASE(an_operand_that_is_written_late_is_refused),
	CASE(other_text_of_a_live_patch_is_probed),
#endif
	CASE(a_jump_label_is_refused),
	CASE(a_static_call_is_refused),
	CASE(a_warn_site_is_refused),
#if defined(CONFIG_X86_64) && defined(BUGFLAG_ARGS)
	CASE(what_loads_a_warnings_entry_is_probed),
#endif
	CASE(a_cfi_preamble_is_refused),
	CASE(padding_before_a_function_is_refused),
#if defined(CONFIG_ARM64) && (defined(CONFIG_CFI_CLANG) || defined(CONFIG_CFI))
	CASE(the_type_of_a_function_is_refused),
#endif
	CASE(a_strange_breakpoint_is_refused),
	CASE(instructions_that_cannot_be_probed_are_refused),
#ifdef CONFIG_X86_64
	CASE(a_static_calls_trampoline_is_refused),
	CASE(a_lock_prefix_is_refused_while_it_may_change),
	CASE(behind_padding_of_int3_works),
	CASE(behind_a_strange_int3_is_eilseq),
#endif
};
KTAP_MODULE(cases);
