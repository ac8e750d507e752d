// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces at each instruction that kprobes.ko adds to a call: a task steps through calls of
 * probed functions, and each of its traces names all callers, each once.
 *
 * Where the compiler's code has no frame record yet, the kernel itself does not find the caller:
 * there nothing is expected.
 */
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <asm/debug-monitors.h>

#include "ktap.h"

#ifdef LKP_HAVE_STEP_HOOK

#include "optimize.h"
#include "target.h"
#include "trace.h"

/* Functions that are not exported; 0 where there is none. */
#define ADDRESS_OF(function)								\
	static unsigned long function##_at;						\
	module_param(function##_at, ulong, 0600);					\
	MODULE_PARM_DESC(function##_at, "the address of " #function "()")

ADDRESS_OF(register_kernel_step_hook);
ADDRESS_OF(unregister_kernel_step_hook);
ADDRESS_OF(kernel_enable_single_step);
ADDRESS_OF(kernel_disable_single_step);
ADDRESS_OF(stack_trace_save_regs);

/* ---- what is stepped through ---- */

#define SMALL	64

noinline __noclone __aligned(SMALL) long lkp_step_inner(long (*fn)(long a, long b));
noinline __noclone long lkp_step_inner(long (*fn)(long a, long b))
{
	long sum = fn(40, 2);

	barrier();
	return sum;
}

noinline __noclone __aligned(SMALL) long lkp_step_outer(long (*fn)(long a, long b));
noinline __noclone long lkp_step_outer(long (*fn)(long a, long b))
{
	long sum = lkp_step_inner(fn);

	barrier();
	return sum;
}

TARGET(with_frame, FRAME_ADD(with_frame));

static noinline __noclone long step_through(long (*fn)(long a, long b))
{
	void (*enable)(struct pt_regs *regs) = (void *)kernel_enable_single_step_at;
	void (*disable)(void) = (void *)kernel_disable_single_step_at;
	struct pt_regs unused = { };
	unsigned long flags;
	long sum;

	local_irq_save(flags);
	enable(&unused);
	sum = lkp_step_outer(fn);
	disable();
	local_irq_restore(flags);
	return sum;
}

/* ---- each step ---- */

static long (*target_fn)(long a, long b);
static unsigned int steps, ours, wrong;
static struct trace got, first_wrong;

static bool name_begins(unsigned long addr, const char *prefix)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%ps", (void *)addr);
	return strstarts(name, prefix);
}

static bool any_begins(const struct trace *trace, unsigned int from, const char *prefix)
{
	unsigned int i;

	for (i = from; i < trace->nr; i++)
		if (name_begins(trace->at[i], prefix))
			return true;
	return false;
}

/* A detour that has called a handler is named, and then the function: it may lack a record. */
static bool may_lack_one(const struct trace *trace)
{
	return any_begins(trace, 0, "arm64_detour") || any_begins(trace, 1, "el1h_64_sync");
}

/* From the outermost in: who is there has all callers, and who comes after another is its callee. */
static bool is_whole(const struct trace *trace)
{
	const unsigned int nr[] = {
		count_in(trace, step_through, 4 * SMALL),
		count_in(trace, lkp_step_outer, SMALL),
		count_in(trace, lkp_step_inner, SMALL),
		count_in(trace, target_fn, SMALL),
	};
	unsigned int i, missing = 0, inside = 0;

	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		if (nr[i] > 1)
			return false;
		if (nr[i])
			inside = i;
	}
	for (i = 0; i < inside; i++)
		missing += !nr[i];
	return nr[inside] && (!missing || (missing == 1 && may_lack_one(trace))) &&
	       !any_begins(trace, 0, "0x") && !any_begins(trace, 1, "arch_return_stubs") &&
	       (ends_in(trace, "el0t_") || ends_in(trace, "el0_sync"));
}

/* In a slot or a detour, or on the way of a return. */
static bool is_ours(unsigned long pc)
{
	return name_begins(pc, "0x") || name_begins(pc, "arch_slots") ||
	       name_begins(pc, "arch_return_stubs") || name_begins(pc, "return_trampoline") ||
	       name_begins(pc, "arm64_return");
}

static void judge(void)
{
	if (!is_whole(&got) && !wrong++)
		first_wrong = got;
}

/* The traces of who has registers, and of who finds them on the stack. */
static int on_step(struct pt_regs *regs, syndrome_t esr)
{
	unsigned int (*save_regs)(struct pt_regs *regs, unsigned long *store, unsigned int size,
				  unsigned int skip) = (void *)stack_trace_save_regs_at;

	steps++;
	if (is_ours(regs->pc)) {
		ours++;
		got.nr = save_regs(regs, got.at, MAX_TRACE, 0);
		judge();
		got.nr = stack_trace_save(got.at, MAX_TRACE, 0);
		judge();
	}
	regs->pstate |= DBG_SPSR_SS;
	return DBG_HOOK_HANDLED;
}

static struct step_hook hook = { .fn = on_step };

static bool can_step(struct ktap *t)
{
	bool can = register_kernel_step_hook_at && unregister_kernel_step_hook_at &&
		   kernel_enable_single_step_at && kernel_disable_single_step_at &&
		   stack_trace_save_regs_at;

	if (!can)
		t->skip = "this kernel has no hooks for steps";
	return can;
}

/* ---- cases ---- */

static int nothing_before(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void nothing_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int just_follow(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe kp;
static struct kretprobe rps[4];

static void step(struct ktap *t, const struct target *target)
{
	void (*register_hook)(struct step_hook *hook) = (void *)register_kernel_step_hook_at;
	void (*unregister_hook)(struct step_hook *hook) = (void *)unregister_kernel_step_hook_at;

	target_fn = target->fn;
	steps = ours = wrong = 0;
	register_hook(&hook);
	EXPECT_EQ(t, step_through(target->fn), 42);
	unregister_hook(&hook);
	synchronize_rcu();
	seq_printf(t->m, "# %u steps, %u in what kprobes.ko adds\n", steps, ours);
	EXPECT(t, ours > 10);
	if (!EXPECT_EQ(t, wrong, 0))
		show(t, "got", &first_wrong);
}

static unsigned int follow(struct ktap *t, const struct target *target)
{
	void *const followed[] = { lkp_step_inner, lkp_step_outer, lkp_step_outer, target->fn };
	unsigned int nr;

	for (nr = 0; nr < ARRAY_SIZE(rps); nr++) {
		rps[nr] = (struct kretprobe){ .kp.addr = followed[nr], .handler = just_follow };
		if (!EXPECT_EQ(t, register_kretprobe(&rps[nr]), 0))
			break;
	}
	return nr;
}

static bool become_jumps(struct ktap *t, bool post)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rps); i++)
		if (!EXPECT(t, becomes_jump(&rps[i].kp)))
			return false;
	return post || EXPECT(t, becomes_jump(&kp));
}

static void step_with(struct ktap *t, const struct target *target, bool jump, bool post)
{
	unsigned int nr;

	if (!can_step(t))
		return;
	kp = (struct kprobe){
		.addr = target_at(target),
		.pre_handler = nothing_before,
		.post_handler = post ? nothing_behind : NULL,
	};
	nr = follow(t, target);
	if (EXPECT_EQ(t, register_kprobe(&kp), 0) && nr == ARRAY_SIZE(rps) &&
	    (!jump || become_jumps(t, post)))
		step(t, target);
	unregister_kprobe(&kp);
	while (nr--)
		unregister_kretprobe(&rps[nr]);
}

static void case_by_jumps(struct ktap *t)
{
	step_with(t, &with_frame, true, false);
}

static void case_by_traps(struct ktap *t)
{
	EXPECT_EQ(t, turn_optimization(false), 0);
	step_with(t, &with_frame, false, false);
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static void case_with_a_post_handler(struct ktap *t)
{
	step_with(t, &with_frame, true, true);
}

static const struct ktap_case cases[] = {
	CASE(by_jumps),
	CASE(by_traps),
	CASE(with_a_post_handler),
};

#else

static void case_at_each_instruction(struct ktap *t)
{
	t->skip = "a module can't step on this kernel";
}

static const struct ktap_case cases[] = {
	CASE(at_each_instruction),
};

#endif

KTAP_MODULE(cases);
