/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client that calls the API in many ways, right and wrong, and writes what it sees to a file in debugfs
 * that has the name of the module.  Errors, members that change, whose handlers run and in which order.
 *
 * Not what is registered twice, of which the built-in kprobes warn, nor kretprobes that are unregistered
 * twice, which they do not survive.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

/* ---- what is probed ---- */

static noinline __noclone int target(int a)
{
	barrier();
	return a + 1;
}

static noinline __noclone int other(int a)
{
	barrier();
	return a * 3;
}

static noinline __noclone int unprobed(int a)
{
	barrier();
	return a + 2;
}
NOKPROBE_SYMBOL(unprobed);

/* Compilers do not know what is called. */
static int call(int (*function)(int), int a)
{
	OPTIMIZER_HIDE_VAR(function);
	return function(a);
}

static int call_target(int a)
{
	return call(target, a);
}

static int call_other(int a)
{
	return call(other, a);
}

static noinline __noclone int recursive(int a)
{
	barrier();
	return a > 0 ? call(recursive, a - 1) + 1 : 0;
}

static int call_recursive(int a)
{
	return call(recursive, a);
}

/* An instruction of one byte, and behind it one of three. */
asm(".pushsection .text\n"
    ".balign 16\n"
    ".type api_middle, @function\n"
    "api_middle:\n"
    "	nopl 0(%rax,%rax,1)\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	mov $7, %eax\n"
    "	pop %rbp\n"
    "api_return:\n"
    "	" ASM_RET
    ".size api_middle, . - api_middle\n"
    ".popsection");
int api_middle(void);
void api_return(void);

/* In api_middle(). */
#define PUSH	5
#define MOVE	6
#define WITHIN	7

#define AT_PUSH	((unsigned long)api_middle + PUSH)

static int number = 5;

/* ---- handlers, which write a letter each ---- */

static char letters[64];
static unsigned int nr_letters;
static long ip_before, ip_after;
static unsigned long post_flags;
static bool in_trap;

static void write_letter(char letter)
{
	if (nr_letters < sizeof(letters) - 1)
		letters[nr_letters++] = letter;
}

/* What they wrote of a call. */
static const char *of_call(int (*function)(int), int *result)
{
	memset(letters, 0, sizeof(letters));
	nr_letters = 0;
	*result = function(5);
	return letters;
}

static int pre_a(struct kprobe *p, struct pt_regs *regs)
{
	write_letter('a');
	ip_before = instruction_pointer(regs) - (unsigned long)p->addr;
	in_trap = in_nmi();
	return 0;
}

static int pre_b(struct kprobe *p, struct pt_regs *regs)
{
	write_letter('b');
	return 0;
}

static void post_a(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	write_letter('A');
	ip_after = instruction_pointer(regs) - (unsigned long)p->addr;
	post_flags = flags;
}

static void post_b(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	write_letter('B');
}

static int pre_skips(struct kprobe *p, struct pt_regs *regs)
{
	write_letter('s');
	regs->ax = 99;
	regs->ip = (unsigned long)api_return;
	return 1;
}

static int pre_calls(struct kprobe *p, struct pt_regs *regs)
{
	write_letter('c');
	call_target(1);
	return 0;
}

static struct kretprobe *right_one;
static bool right;
static long value;

static int entry_e(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	write_letter('e');
	return 0;
}

static int entry_declines(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	write_letter('d');
	return 1;
}

static int return_r(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	write_letter('r');
	right = get_kretprobe(ri) == right_one &&
		get_kretprobe_retaddr(ri) == instruction_pointer(regs);
	value = regs_return_value(regs);
	return 1;
}

static int entry_f(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	write_letter('f');
	return 0;
}

static int return_q(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	write_letter('q');
	return 0;
}

/* Those that say only how hits arrive. */
#define ARRIVING	(KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE | KPROBE_FLAG_ON_FUNC_ENTRY)

static unsigned int flags_of(const struct kprobe *p)
{
	return p->flags & ~ARRIVING;
}

#include "api_kprobes.h"
#include "api_kretprobes.h"

static int api_show(struct seq_file *m, void *unused)
{
	show_places(m);
	show_life(m);
	show_handlers(m);
	show_several(m);
	show_arrays(m);
	show_return_requests(m);
	show_returns(m);
	show_several_returns(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(api);

static struct dentry *file;

static int __init api_init(void)
{
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &api_fops);
	return 0;
}

static void __exit api_exit(void)
{
	debugfs_remove(file);
}

module_init(api_init);
module_exit(api_exit);
MODULE_DESCRIPTION("What the API of kprobes does");
MODULE_LICENSE("GPL");
