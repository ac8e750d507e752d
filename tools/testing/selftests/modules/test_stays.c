// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module to be probed by others, at places that can be no jump, each for a
 * reason of its own.  debugfs: test_stays has a line for each place: its
 * symbol, its offset, a tab, and the reason.
 */
#include <linux/debugfs.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>

/* Without padding there are no short jumps. */
#define TARGET_ALIGN	"2"
#include "target.h"

/* Each returns a + b. */
TARGET(stays_not, PAIR_ADD(stays_not));

#ifdef CONFIG_X86_64

TARGET(stays_target,
       "test %rdi, %rdi\n"
       "mov $0, %eax\n"
       "je 1f\n"
       AT(stays_target) "mov %rdi, %rax\n"
       "1:\n" NEXT(stays_target) "add %rsi, %rax\n"
       "nop\n");
TARGET(stays_target_from_behind,
       "mov $1, %ecx\n"
       AT(stays_target_from_behind) "mov %rdi, %rax\n"
       "1:\n" NEXT(stays_target_from_behind) "add %rsi, %rax\n"
       "dec %ecx\n"
       "js 1b\n");

/*
 * No caller compares its type, but some want its landing pad.  The kernel would take that away: from what has
 * a hash before it, with FineIBT, and if nothing that can be relocated refers to it.
 */
asm(".pushsection .text\n"
    ".type stays_helper, @function\n"
    "stays_helper:\n"
    ASM_LANDING
    "lea (%rdi, %rsi), %rax\n"
    ASM_RET
    ".size stays_helper, . - stays_helper\n"
    ".popsection\n");
TARGET(stays_call,
       "push %rbx\n"
       "mov $stays_helper, %rax\n"
       ANNOTATE_RETPOLINE_SAFE "\n"
       AT(stays_call) "call *%rax\n"
       NEXT(stays_call) "pop %rbx\n"
       "nop\n"
       "nop\n"
       "nop\n");
TARGET(stays_indirect,
       "push %rbx\n"
       "mov $stays_helper, %rax\n"
       AT(stays_indirect) "mov %rdi, %rcx\n"
       NEXT(stays_indirect) ANNOTATE_RETPOLINE_SAFE "\n"
       "call *%rax\n"
       "pop %rbx\n");
TARGET(stays_fixup,
       "push %rsi\n"
       AT(stays_fixup) "mov %rdi, %rax\n"
       NEXT(stays_fixup) "add (%rsp), %rax\n"
       "jmp 1f\n"
       ".Lstays_fixup_fix: xor %eax, %eax\n"
       "1: add $8, %rsp\n"
       _ASM_EXTABLE(.Lstays_fixup_next, .Lstays_fixup_fix));

/* The fixup is elsewhere, as all of them were before 5.16, and branches back. */
TARGET(stays_fixup_apart,
       "push %rsi\n"
       ".Lstays_loads: mov (%rsp), %rcx\n"
       AT(stays_fixup_apart) "mov %rdi, %rax\n"
       ".Lstays_fixed:\n" NEXT(stays_fixup_apart) "add %rcx, %rax\n"
       "pop %rcx\n"
       ".pushsection .fixup, \"ax\"\n"
       ".Lstays_fixes: xor %ecx, %ecx\n"
       "jmp .Lstays_fixed\n"
       ".popsection\n"
       _ASM_EXTABLE(.Lstays_loads, .Lstays_fixes));

/* What a key turns into a jump, and that is what it is in none of our calls. */
static struct static_key stays_key __used = STATIC_KEY_INIT_FALSE;
TARGET(stays_label,
       "lea (%rdi, %rsi), %rax\n"
       AT(stays_label) "mov %rax, %rcx\n"
       NEXT(stays_label) ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
       "jmp 2f\n"
       "1: xor %eax, %eax\n"
       "2: nop\n"
       ".pushsection __jump_table, \"aw\"\n"
       ".balign 8\n"
       ".long .Lstays_label_next - ., 1b - .\n"
       ".quad stays_key - .\n"
       ".popsection\n");

/* Its last byte is a return, and another function follows at once. */
TARGET_IN(stays_end,
    ".balign " TARGET_ALIGN "\n"
    ASM_TYPE("stays_end_fn")
    ".type stays_end_fn, @function\n"
    "stays_end_fn:\n"
    ASM_LANDING
    "lea (%rdi, %rsi), %rax\n"
    ANNOTATE_RETPOLINE_SAFE "\n"
    AT(stays_end) "ret\n"
    ".size stays_end_fn, . - stays_end_fn\n"
    ".type stays_behind, @function\n"
    "stays_behind:\n"
    NEXT(stays_end) "int3\n"
    "lea (%rdi, %rsi), %rax\n"
    ASM_RET
    ".size stays_behind, . - stays_behind\n");
ALONE(stays_alone);

#else

TARGET(stays_fixup, FIXED_LOAD_ADD(stays_fixup));

#endif

#ifdef CONFIG_ARM64

/* A copy has no register to compute the address in. */
TARGET(stays_no_copy,
       "add x0, x0, x1\n"
       AT(stays_no_copy) "ldr xzr, 1f\n"
       NEXT(stays_no_copy) "b 2f\n"
       ".balign 8\n"
       "1: .quad 0\n"
       "2:\n");

#endif

#define PLACE(name, why)	{ &name, #name "_fn", why }

static const struct place {
	const struct target *target;
	const char *symbol;
	const char *why;
} places[] = {
#ifdef CONFIG_X86_64
	PLACE(stays_target, "execution may enter the middle of a jump"),
	PLACE(stays_target_from_behind, "execution may enter the middle of a jump"),
	PLACE(stays_call, "a call would return into the middle of a jump"),
	PLACE(stays_fixup,
	      "an instruction that a jump would overwrite has an exception table entry"),
	PLACE(stays_fixup_apart, "execution may enter the middle of a jump"),
	PLACE(stays_label, "bytes that a jump would overwrite are patched or read by others"),
	PLACE(stays_end, "too close to the function's end for a jump"),
#else
	PLACE(stays_fixup, "the instruction has an exception table entry"),
#endif
#ifdef CONFIG_ARM64
	PLACE(stays_no_copy,
	      "the instruction's out-of-line copy has no register to spare"),
#endif
#ifdef CONFIG_X86_64
	PLACE(stays_indirect, ""),
#endif
	PLACE(stays_not, ""),
};

static int places_show(struct seq_file *m, void *unused)
{
	const struct place *place;

	for (place = places; place < places + ARRAY_SIZE(places); place++)
		seq_printf(m, "%s 0x%lx\t%s\n", place->symbol, place->target->at, place->why);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(places);

static int call(const char *val, const struct kernel_param *param)
{
	const struct place *place;

	for (place = places; place < places + ARRAY_SIZE(places); place++)
		if (place->target->fn(40, 2) != 42)
			return -EIO;
	return 0;
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: calls its functions, -EIO if a result is wrong");

#ifdef X86_FEATURE_INDIRECT_THUNK_ITS

/* As the kernel finds at boot; it patches no branch of ours afterwards. */
static int set_its(const char *val, const struct kernel_param *param)
{
	unsigned long *flags = (unsigned long *)boot_cpu_data.x86_capability;
	bool want;
	int err = kstrtobool(val, &want);

	if (err)
		return err;
	if (want)
		set_bit(X86_FEATURE_INDIRECT_THUNK_ITS, flags);
	else
		clear_bit(X86_FEATURE_INDIRECT_THUNK_ITS, flags);
	return 0;
}

static const struct kernel_param_ops its_ops = { .set = set_its };
module_param_cb(its, &its_ops, NULL, 0200);
MODULE_PARM_DESC(its, "the processor has the flaw ITS, and the kernel mitigates it");

#endif

static unsigned long neighbour_hits;
module_param(neighbour_hits, ulong, 0400);

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	neighbour_hits++;
	return 0;
}

static struct kprobe neighbour = { .pre_handler = on_hit };

static int set_neighbour(const char *val, const struct kernel_param *param)
{
	bool want;
	int err = kstrtobool(val, &want);

	if (err)
		return err;
	if (!want) {
		unregister_kprobe(&neighbour);
		return 0;
	}
	neighbour.addr = target_next(&stays_not);
	return register_kprobe(&neighbour);
}

static const struct kernel_param_ops neighbour_ops = { .set = set_neighbour };
module_param_cb(neighbour, &neighbour_ops, NULL, 0200);
MODULE_PARM_DESC(neighbour, "a kprobe amid what a jump in stays_not would overwrite");

static struct dentry *file;

static int __init stays_init(void)
{
	file = debugfs_create_file("test_stays", 0400, NULL, NULL, &places_fops);
	return 0;
}
module_init(stays_init);

static void __exit stays_exit(void)
{
	debugfs_remove(file);
}
module_exit(stays_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
