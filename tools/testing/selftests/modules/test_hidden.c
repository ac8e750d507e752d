// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module to be probed by us and by the built-in kprobes, each in a function of
 * two places: one that a jump of ours may be at, and one behind it.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/stringify.h>
#include <asm/nospec-branch.h>

/* Without padding there are no short jumps. */
#define TARGET_ALIGN	"2"
#include "target.h"

/* kprobe_events has no probes in functions that the tracer does not know. */
#ifdef CONFIG_FUNCTION_TRACER
#define TRACED									\
       "3: call __fentry__\n"							\
       ".pushsection __mcount_loc, \"a\", @progbits\n"				\
       ".quad 3b\n"								\
       ".popsection\n"
#else
#define TRACED
#endif

/*
 * Each returns a + b.  In the first the back edge, which is taken once, leads to the
 * middle of a jump at AT().
 */
TARGET(hidden_back,
       TRACED
       "xor %ecx, %ecx\n"
       AT(hidden_back) "mov %rdi, %rax\n"
       "1: lea (%rax, %rsi), %rdx\n"
       "inc %ecx\n"
       "cmp $2, %ecx\n"
       NEXT(hidden_back) "jne 1b\n"
       "mov %rdx, %rax\n");
TARGET(hidden_else,
       TRACED
       AT(hidden_else) "mov %rdi, %rax\n"
       "add %rsi, %rax\n"
       "nop\n"
       "nop\n"
       NEXT(hidden_else) "lea 1(%rax), %rax\n"
       "lea -1(%rax), %rax\n");
ALONE(hidden_alone);
/*
 * A jump at AT() reaches into the padding that there is for a short jump at NEXT().  The return is
 * of one byte on every kernel.
 */
TARGET(hidden_padded,
       TRACED
       "mov $2, %ecx\n"
       "lea (%rdi, %rsi), %rax\n"
       "test %rdi, %rdi\n"
       "jns 2f\n"
       AT(hidden_padded) "nop\n"
       ANNOTATE_RETPOLINE_SAFE "\n"
       ".byte 0xc3\n"
       NOP9
       "2:\n" NEXT(hidden_padded) "xor %edx, %edx\n"
       "1: nop\n"
       "dec %ecx\n"
       "jnz 1b\n");
/* Where the kernel pads functions, as much before the next one is that one's. */
#ifdef CONFIG_FUNCTION_PADDING_BYTES
asm(".pushsection .text\n"
    ".skip " __stringify(CONFIG_FUNCTION_PADDING_BYTES) ", 0x90\n"
    ".popsection\n");
#endif
ALONE(hidden_behind);

static int call(const char *val, const struct kernel_param *param)
{
	if (hidden_back.fn(40, 2) != 42 || hidden_else.fn(40, 2) != 42 ||
	    hidden_padded.fn(40, 2) != 42 || hidden_padded.fn(-44, 2) != -42)
		return -EIO;
	return 0;
}

static const struct kernel_param_ops call_ops = { .set = call };
module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "written: calls its functions, -EIO if a result is wrong");

static int places(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "back %lu %lu\nelse %lu %lu\npadded %lu %lu\n", hidden_back.at,
		       hidden_back.next, hidden_else.at, hidden_else.next, hidden_padded.at,
		       hidden_padded.next);
}

static const struct kernel_param_ops places_ops = { .get = places };
module_param_cb(places, &places_ops, NULL, 0400);
MODULE_PARM_DESC(places, "for each function its name, hidden_NAME_fn, and both offsets");

MODULE_LICENSE("GPL");
