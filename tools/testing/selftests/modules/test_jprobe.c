// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jprobes: the handler sees the arguments, and has no effect on the probed
 * function.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/spinlock.h>

#include "ktap.h"
#include "registers.h"
#include "settled.h"
#include "target.h"
#include "test_jprobe.h"

/* ---- arguments ---- */

FUNCTION(args0, (void), 4711, (void)0)
FUNCTION(args3, (char a, short b, int c), a + b + c, (SEE(0, a), SEE(1, b), SEE(2, c)))
FUNCTION(args4, (u8 a, u16 b, u32 c, u64 d), a + b + c + d,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d)))
FUNCTION(args5, (long a, long b, long c, long d, long e), a + b + c + d + e,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d), SEE(4, e)))
FUNCTION(args9, (int a, long b, short c, long d, char e, long f, u8 g, u64 h, short i),
	 a + b + c + d + e + f + g + h + i,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d), SEE(4, e), SEE(5, f), SEE(6, g),
	  SEE(7, h), SEE(8, i)))
FUNCTION(args14,
	 (long a, long b, long c, long d, long e, long f, long g, int h, long i, char j, long k,
	  short l, long m, long n),
	 a + b + c + d + e + f + g + h + i + j + k + l + m + n,
	 (SEE(0, a), SEE(1, b), SEE(2, c), SEE(3, d), SEE(4, e), SEE(5, f), SEE(6, g),
	  SEE(7, h), SEE(8, i), SEE(9, j), SEE(10, k), SEE(11, l), SEE(12, m), SEE(13, n)))

static void expect_seen(struct ktap *t, int line, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (seen[i] != i + 1)
			seq_printf(t->m, "# line %d: argument %d is %ld\n", line, i, seen[i]);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(t, seen[i], i + 1);
}

#define EXPECT_ARGUMENTS(t, name, nr, arguments, sum) do {			\
	struct jprobe __jp;							\
										\
	if (!plant(t, &__jp, lkp_##name, see_##name))				\
		return;								\
	EXPECT_EQ(t, lkp_##name arguments, sum);				\
	EXPECT_EQ(t, lkp_##name arguments, sum);				\
	EXPECT_EQ(t, calls, 2);							\
	expect_seen(t, __LINE__, nr);						\
	EXPECT_EQ(t, __jp.kp.nmissed, 0);					\
	EXPECT(t, !kprobe_running());						\
	EXPECT(t, !irqs_disabled());						\
	unregister_jprobe(&__jp);						\
	EXPECT_EQ(t, lkp_##name arguments, sum);				\
	EXPECT_EQ(t, calls, 2);							\
} while (0)

static void case_the_handler_sees_arguments_in_registers(struct ktap *t)
{
	EXPECT_ARGUMENTS(t, args0, 0, (), 4711);
	EXPECT_ARGUMENTS(t, args1, 1, (1), 1);
	EXPECT_ARGUMENTS(t, args2, 2, (1, 2), 3);
	EXPECT_ARGUMENTS(t, args3, 3, (1, 2, 3), 6);
	EXPECT_ARGUMENTS(t, args4, 4, (1, 2, 3, 4), 10);
	EXPECT_ARGUMENTS(t, args5, 5, (1, 2, 3, 4, 5), 15);
	EXPECT_ARGUMENTS(t, args6, 6, (1, 2, 3, 4, 5, 6), 21);
}

static void case_the_handler_sees_arguments_on_the_stack(struct ktap *t)
{
	EXPECT_ARGUMENTS(t, args7, 7, (1, 2, 3, 4, 5, 6, 7), 28);
	EXPECT_ARGUMENTS(t, args9, 9, (1, 2, 3, 4, 5, 6, 7, 8, 9), 45);
	EXPECT_ARGUMENTS(t, args14, 14, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), 105);
}

/* ---- a struct by value, and varargs ---- */

struct big {
	long at[10];
};

noinline __noclone long lkp_struct(struct big big, long a);
noinline __noclone long lkp_struct(struct big big, long a)
{
	barrier();
	return big.at[0] + big.at[9] + a;
}

static long see_struct(struct big big, long a)
{
	calls++;
	SEE(0, big.at[0]);
	SEE(1, big.at[9]);
	SEE(2, a);
	jprobe_return();
	return -1;
}

static void case_the_handler_sees_a_struct_by_value(struct ktap *t)
{
	struct big big = { .at = { [0] = 1, [9] = 2 } };
	struct jprobe jp;

	if (!plant(t, &jp, lkp_struct, see_struct))
		return;
	EXPECT_EQ(t, lkp_struct(big, 3), 6);
	EXPECT_EQ(t, calls, 1);
	expect_seen(t, __LINE__, 3);
	unregister_jprobe(&jp);
}

noinline __noclone long lkp_varargs(int nr, ...);
noinline __noclone long lkp_varargs(int nr, ...)
{
	va_list args;
	long sum = 0;

	va_start(args, nr);
	while (nr--)
		sum += va_arg(args, long);
	va_end(args);
	return sum;
}

static long see_varargs(int nr, ...)
{
	va_list args;
	int i;

	calls++;
	va_start(args, nr);
	for (i = 0; i < nr; i++)
		SEE(i, va_arg(args, long));
	va_end(args);
	jprobe_return();
	return -1;
}

static void case_the_handler_sees_variable_arguments(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_varargs, see_varargs))
		return;
	EXPECT_EQ(t, lkp_varargs(10, 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l, 10l), 55);
	EXPECT_EQ(t, calls, 1);
	expect_seen(t, __LINE__, 10);
	unregister_jprobe(&jp);
}

/* ---- what the handler does has no effect ---- */

static long change_args14(long a, long b, long c, long d, long e, long f, long g, int h, long i,
			  char j, long k, short l, long m, long n)
{
	long *stack[] = { &a, &b, &c, &d, &e, &f, &g, &i, &k, &m, &n };
	unsigned int at;

	calls++;
	for (at = 0; at < ARRAY_SIZE(stack); at++)
		WRITE_ONCE(*stack[at], -1000);
	WRITE_ONCE(h, -1);
	WRITE_ONCE(j, -1);
	WRITE_ONCE(l, -1);
	jprobe_return();
	return a + h + j + l;
}

static void case_changing_arguments_has_no_effect(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args14, change_args14))
		return;
	EXPECT_EQ(t, lkp_args14(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), 105);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
}

static long just_return(long a, long b, long c, long d, long e, long f, char g)
{
	calls++;
	return 4711;
}

static void case_a_handler_that_forgets_jprobe_return_is_the_same(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args7, just_return))
		return;
	EXPECT_EQ(t, lkp_args7(1, 2, 3, 4, 5, 6, 7), 28);
	EXPECT_EQ(t, lkp_args7(1, 2, 3, 4, 5, 6, 7), 28);
	EXPECT_EQ(t, calls, 2);
	EXPECT(t, !irqs_disabled());
	EXPECT(t, !kprobe_running());
	unregister_jprobe(&jp);
}

static noinline void leave_from_below(int depth)
{
	char room[256];

	WRITE_ONCE(room[0], depth);
	if (depth)
		leave_from_below(depth - 1);
	else
		jprobe_return();
	room[1] = room[0];
	calls += 100;
}

static long leave_deep(long a, long b)
{
	calls++;
	leave_from_below(5);
	return 0;
}

static void case_jprobe_return_in_a_function_that_the_handler_calls(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args2, leave_deep))
		return;
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
}

static int mistake(struct kprobe *p, struct pt_regs *regs)
{
	jprobe_return();
	return 0;
}

static int ignore(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* What it says about that is printed behind the hit. */
static void expect_harmless_in_a_hit(struct ktap *t)
{
	struct kprobe printing = { .symbol_name = "vprintk_emit", .pre_handler = ignore };
	struct kprobe p = { .addr = (void *)lkp_args2, .pre_handler = mistake };

	if (!EXPECT_EQ(t, register_kprobe(&printing), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&p), 0)) {
		EXPECT_EQ(t, lkp_args2(1, 2), 3);
		EXPECT_EQ(t, printing.nmissed, 0);
		unregister_kprobe(&p);
	}
	unregister_kprobe(&printing);
}

static void case_jprobe_return_outside_a_handler_is_harmless(struct ktap *t)
{
	unsigned long flags;

	expect_harmless_in_a_hit(t);
	jprobe_return();
	local_irq_save(flags);
	jprobe_return();
	local_irq_restore(flags);
	EXPECT(t, !irqs_disabled());
	EXPECT(t, !kprobe_running());
}

/* ---- registers, flags and stack ---- */

TARGET(asm_jumps, JUMPS(asm_jumps));

static const struct target * const untouching[] = { &asm_nothing, &asm_pushes, &asm_jumps };

static noinline long clobber(long a, long b, long c, long d, long e, long f)
{
	calls++;
	CLOBBER_ALL();
	jprobe_return();
	return 0;
}

static void expect_untouched(struct ktap *t, const struct target *target, u64 flags)
{
	struct registers in, out = { };
	int i;

	for (i = 0; i < FLAGS; i++)
		in.reg[i] = 0x0123456789abcdefull * (i + 1) ^ flags;
	in.reg[FLAGS] = flags | FLAGS_ALWAYS;
	lkp_call_with(target->fn, &in, &out);
	for (i = 0; i < FLAGS; i++)
		if (i != NOT_TRIED && !EXPECT_EQ(t, out.reg[i], in.reg[i]))
			seq_printf(t->m, "# register %d\n", i);
	EXPECT_EQ(t, out.reg[FLAGS] & FLAGS_TRIED, flags & FLAGS_TRIED);
	EXPECT_EQ(t, out.reg[FLAGS] & FLAGS_ALWAYS, FLAGS_ALWAYS);
}

static void expect_all_untouched(struct ktap *t, const struct target *target)
{
	static const u64 flags[] = FLAGS_SETS;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		expect_untouched(t, target, flags[i]);
}

static void case_registers_and_flags_are_as_without_a_jprobe(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(untouching); i++) {
		struct jprobe jp;

		expect_all_untouched(t, untouching[i]);
		if (!plant(t, &jp, untouching[i]->fn, clobber))
			return;
		expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, calls, 8);
		unregister_jprobe(&jp);
		expect_all_untouched(t, untouching[i]);
	}
}

static void case_registers_and_flags_are_as_without_a_kretprobe(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(untouching); i++) {
		struct kretprobe rp = { .kp.addr = (void *)untouching[i]->fn,
					.handler = nothing_on_return };
		struct kretprobe rq = rp;

		calls = 0;
		if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
			return;
		expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, calls, 8);
		if (!EXPECT_EQ(t, register_kretprobe(&rq), 0))
			return;
		expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, calls, 24);
		unregister_kretprobe(&rp);
		unregister_kretprobe(&rq);
	}
}

static void case_registers_with_everything_on_one_function(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(untouching); i++) {
		void *fn = untouching[i]->fn;
		struct kprobe p = { .addr = fn, .post_handler = after };
		struct kretprobe rp = { .kp.addr = fn, .handler = nothing_on_return };
		struct jprobe jp;

		post_calls = 0;
		if (!plant(t, &jp, fn, clobber) || !EXPECT_EQ(t, register_kprobe(&p), 0) ||
		    !EXPECT_EQ(t, register_kretprobe(&rp), 0))
			return;
		settle(&p);
		expect_all_untouched(t, untouching[i]);
		EXPECT_EQ(t, calls, 16);
		EXPECT_EQ(t, post_calls, 8);
		unregister_kprobe(&p);
		unregister_jprobe(&jp);
		unregister_kretprobe(&rp);
	}
}

static bool irqs_were_off, was_running;
static struct jprobe *running_one;

static long look_around(long a, long b)
{
	calls++;
	irqs_were_off = irqs_disabled();
	was_running = kprobe_running() == &running_one->kp;
	jprobe_return();
	return 0;
}

static void case_the_handler_runs_with_interrupts_off(struct ktap *t)
{
	void *fns[] = { lkp_args2, asm_pushes.fn };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct jprobe jp;

		running_one = &jp;
		if (!plant(t, &jp, fns[i], look_around))
			return;
		((long (*)(long, long))fns[i])(1, 2);
		EXPECT_EQ(t, calls, 1);
		EXPECT(t, irqs_were_off);
		EXPECT(t, was_running);
		EXPECT(t, !irqs_disabled());
		local_irq_disable();
		((long (*)(long, long))fns[i])(1, 2);
		EXPECT(t, irqs_disabled());
		local_irq_enable();
		unregister_jprobe(&jp);
	}
}

static DEFINE_SPINLOCK(some_lock);

static bool lockdep_was_told = true;

static long take_a_lock(long a, long b)
{
	unsigned long flags;

	spin_lock_irqsave(&some_lock, flags);
	calls++;
#ifdef CONFIG_TRACE_IRQFLAGS
	lockdep_was_told = !lockdep_hardirqs_enabled();
#endif
	spin_unlock_irqrestore(&some_lock, flags);
	pr_debug("a jprobe's function that prints and locks\n");
	jprobe_return();
	return 0;
}

/* Where a compiler guards variables on the stack it does so here. */
static long leave_variables_behind(long a, long b)
{
	char small[24], large[120];

	OPTIMIZER_HIDE_VAR(a);
	memset(small, a, sizeof(small));
	memset(large, b, sizeof(large));
	barrier_data(small);
	barrier_data(large);
	calls++;
	jprobe_return();
	return 0;
}

static noinline void use_the_stack(void)
{
	char all[1024];

	memset(all, 0, sizeof(all));
	barrier_data(all);
}

/* The debug kernel's KASAN reports the guards of a function that never returned. */
static void case_a_handlers_variables_leave_nothing_on_the_stack(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_args2, leave_variables_behind))
		return;
	EXPECT_EQ(t, lkp_args2(1, 2), 3);
	use_the_stack();
	EXPECT_EQ(t, calls, 1);
	unregister_jprobe(&jp);
}

/* The debug kernel's lockdep must know that interrupts are off. */
static void case_the_handler_may_take_a_spinlock(struct ktap *t)
{
	void *fns[] = { lkp_args2, asm_nothing.fn, asm_pushes.fn };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct jprobe jp;

		if (!plant(t, &jp, fns[i], take_a_lock))
			return;
		((long (*)(long, long))fns[i])(1, 2);
		EXPECT_EQ(t, calls, 1);
		EXPECT(t, lockdep_was_told);
		/* And that they are on again. */
		spin_lock_irq(&some_lock);
		spin_unlock_irq(&some_lock);
#ifdef CONFIG_TRACE_IRQFLAGS
		EXPECT(t, lockdep_hardirqs_enabled());
#endif
		unregister_jprobe(&jp);
	}
}

/* ---- near the beginning of a stack ---- */

static int see_thread(void *data)
{
	calls++;
	SEE(0, data);
	jprobe_return();
	return 0;
}

noinline __noclone int lkp_thread(void *data);
static bool thread_has_begun;

noinline __noclone int lkp_thread(void *data)
{
	WRITE_ONCE(thread_has_begun, true);
	return (long)data + 40;
}

static int see_kthread(void *data)
{
	calls++;
	jprobe_return();
	return 0;
}

static void run_thread(struct ktap *t)
{
	struct task_struct *task;

	thread_has_begun = false;
	task = kthread_create(lkp_thread, (void *)2, "lkp_jprobe");
	if (!EXPECT(t, !IS_ERR(task)))
		return;
	get_task_struct(task);
	wake_up_process(task);
	while (!READ_ONCE(thread_has_begun))
		schedule_timeout_interruptible(1);
	EXPECT_EQ(t, kthread_stop(task), 42);
	put_task_struct(task);
}

static void case_the_first_function_of_a_kthread(struct ktap *t)
{
	struct jprobe jp;

	if (!plant(t, &jp, lkp_thread, see_thread))
		return;
	run_thread(t);
	EXPECT_EQ(t, calls, 1);
	EXPECT_EQ(t, seen[0], 2);
	unregister_jprobe(&jp);
}

/* Called by ret_from_fork: above it on the stack is nothing but its registers. */
static void case_the_function_at_the_very_top_of_the_stack(struct ktap *t)
{
	struct jprobe jp = { .kp.symbol_name = "kthread", .entry = see_kthread };

	calls = 0;
	if (register_jprobe(&jp)) {
		t->skip = kprobe_refusal(&jp.kp);
		return;
	}
	run_thread(t);
	EXPECT(t, calls >= 1);
	unregister_jprobe(&jp);
}

static const struct ktap_case cases[] = {
	CASE(the_handler_sees_arguments_in_registers),
	CASE(the_handler_sees_arguments_on_the_stack),
	CASE(the_handler_sees_a_struct_by_value),
	CASE(the_handler_sees_variable_arguments),
	CASE(changing_arguments_has_no_effect),
	CASE(a_handler_that_forgets_jprobe_return_is_the_same),
	CASE(jprobe_return_in_a_function_that_the_handler_calls),
	CASE(jprobe_return_outside_a_handler_is_harmless),
	CASE(registers_and_flags_are_as_without_a_jprobe),
	CASE(registers_and_flags_are_as_without_a_kretprobe),
	CASE(registers_with_everything_on_one_function),
	CASE(the_handler_runs_with_interrupts_off),
	CASE(a_handlers_variables_leave_nothing_on_the_stack),
	CASE(the_handler_may_take_a_spinlock),
	CASE(the_first_function_of_a_kthread),
	CASE(the_function_at_the_very_top_of_the_stack),
	CASE(where_there_should_be_jumps_there_were),
};
KTAP_MODULE(cases);
