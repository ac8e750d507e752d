// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers can't sleep, however they are reached: an access to a page of user memory
 * that is not there fails at once.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include "optimize.h"

TARGET(slot_add, SLOT_ADD(slot_add));
TARGET(jmp_add, JMP_ADD(jmp_add));
TARGET(load_add, SLOT_LOAD_ADD(load_add));
TARGET(pair_add, PAIR_ADD(pair_add));

noinline __noclone long lkp_atomic_sum(long a, long b);
noinline __noclone long lkp_atomic_sum(long a, long b)
{
	barrier();
	return a + b;
}

/* ---- handlers ---- */

/* Nobody has written to this page, so there is none yet. */
static unsigned long page;

static struct seen {
	int hits;
	int sleepy;	/* of these, nothing kept it from sleeping */
	int read;	/* of these, the page could be read */
} seen;

static void look(void)
{
	long word;

	seen.hits++;
	seen.sleepy += !preempt_count();
	seen.read += !__copy_from_user_inatomic(&word, (void __user *)page, sizeof(word));
}

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	look();
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look();
}

static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look();
	return 0;
}

static long on_jprobe(long a, long b)
{
	look();
	jprobe_return();
	return 0;
}

static int on_fprobe_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			   struct pt_regs *regs, void *data)
{
	look();
	return 0;
}

static void on_fprobe_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			   struct pt_regs *regs, void *data)
{
	look();
}

/* ---- one call, with a page that is not there ---- */

static bool map_page(struct ktap *t)
{
	page = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	return EXPECT(t, !IS_ERR_VALUE(page));
}

/* Calls @fn, which is to have @hits hits, with the preemption count as it is and raised. */
static void call(struct ktap *t, long (*fn)(long a, long b), int hits)
{
	int count = preempt_count();

	if (!map_page(t))
		return;
	seen = (struct seen){ };
	EXPECT_EQ(t, fn(40, 2), 42);
	EXPECT_EQ(t, preempt_count(), count);
	preempt_disable();
	EXPECT_EQ(t, fn(40, 2), 42);
	preempt_enable();
	EXPECT_EQ(t, preempt_count(), count);
	EXPECT_EQ(t, seen.hits, 2 * hits);
	EXPECT_EQ(t, seen.sleepy, 0);
	EXPECT_EQ(t, seen.read, 0);
	vm_munmap(page, PAGE_SIZE);
}

static void call_with(struct ktap *t, struct kprobe *p, const struct target *target, int hits)
{
	p->addr = target_at(target);
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	call(t, target->fn, hits);
	unregister_kprobe(p);
}

/* ---- without a probe ---- */

static void case_without_a_probe_the_page_can_be_read(struct ktap *t)
{
	if (!map_page(t))
		return;
	seen = (struct seen){ };
	look();
	EXPECT_EQ(t, seen.read, 1);
	vm_munmap(page, PAGE_SIZE);
}

/* ---- traps ---- */

static void case_in_a_trap(struct ktap *t)
{
	struct kprobe copied = { .pre_handler = on_pre }, emulated = { .pre_handler = on_pre };

	EXPECT_EQ(t, turn_optimization(false), 0);
	call_with(t, &copied, &slot_add, 1);
	call_with(t, &emulated, &jmp_add, 1);
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static void case_two_at_a_trap(struct ktap *t)
{
	struct kprobe other = { .pre_handler = on_pre, .addr = target_at(&slot_add) };
	struct kprobe p = { .pre_handler = on_pre };

	EXPECT_EQ(t, turn_optimization(false), 0);
	if (EXPECT_EQ(t, register_kprobe(&other), 0))
		call_with(t, &p, &slot_add, 2);
	unregister_kprobe(&other);
	EXPECT_EQ(t, turn_optimization(true), 0);
}

static void case_in_a_post_handler(struct ktap *t)
{
	static const struct target * const targets[] = { &slot_add, &jmp_add, &load_add };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		struct kprobe p = { .pre_handler = on_pre, .post_handler = on_post };
		struct kprobe alone = { .post_handler = on_post };

		call_with(t, &p, targets[i], 2);
		call_with(t, &alone, targets[i], 1);
	}
}

/* ---- jumps ---- */

static void case_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, 1, on_pre, call);
}

static void case_two_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, 2, on_pre, call);
}

static void case_many_behind_a_jump(struct ktap *t)
{
	call_jump(t, &pair_add, MANY_PROBES, on_pre, call);
}

/* ---- entries and returns ---- */

static void call_entry(struct ktap *t, struct kprobe *p, int hits)
{
	p->symbol_name = "lkp_atomic_sum";
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	call(t, lkp_atomic_sum, hits);
	unregister_kprobe(p);
}

static void case_at_an_entry(struct ktap *t)
{
	struct kprobe p = { .pre_handler = on_pre };
	struct kprobe both = { .pre_handler = on_pre, .post_handler = on_post };

	call_entry(t, &p, 1);
	call_entry(t, &both, 2);
}

static void case_two_at_an_entry(struct ktap *t)
{
	struct kprobe other = { .pre_handler = on_pre, .symbol_name = "lkp_atomic_sum" };
	struct kprobe p = { .pre_handler = on_pre };

	if (EXPECT_EQ(t, register_kprobe(&other), 0))
		call_entry(t, &p, 2);
	unregister_kprobe(&other);
}

static void call_kretprobe(struct ktap *t, void *addr, long (*fn)(long a, long b))
{
	struct kretprobe rp = {
		.kp.addr = addr, .entry_handler = on_call, .handler = on_call, .maxactive = 4,
	};

	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	call(t, fn, 2);
	EXPECT_EQ(t, rp.nmissed, 0);
	unregister_kretprobe(&rp);
}

static void case_in_a_kretprobe(struct ktap *t)
{
	call_kretprobe(t, lkp_atomic_sum, lkp_atomic_sum);
	call_kretprobe(t, pair_add.fn, pair_add.fn);
}

/* Two stubs, one behind the other. */
static void case_in_two_kretprobes(struct ktap *t)
{
	struct kretprobe a = {
		.kp.addr = (void *)lkp_atomic_sum, .handler = on_call, .maxactive = 4,
	};
	struct kretprobe b = a;

	if (!EXPECT_EQ(t, register_kretprobe(&a), 0))
		return;
	if (EXPECT_EQ(t, register_kretprobe(&b), 0))
		call(t, lkp_atomic_sum, 2);
	unregister_kretprobe(&b);
	unregister_kretprobe(&a);
}

static void case_in_an_fprobe(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = on_fprobe_entry, .exit_handler = on_fprobe_exit };

	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_atomic_sum", NULL), 0))
		return;
	call(t, lkp_atomic_sum, 2);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
}

static void call_jprobe(struct ktap *t, void *addr, long (*fn)(long a, long b))
{
	struct jprobe jp = { .kp.addr = addr, .entry = on_jprobe };

	if (!EXPECT_EQ(t, register_jprobe(&jp), 0))
		return;
	call(t, fn, 1);
	EXPECT_EQ(t, jp.kp.nmissed, 0);
	unregister_jprobe(&jp);
}

static void case_in_a_jprobe(struct ktap *t)
{
	call_jprobe(t, lkp_atomic_sum, lkp_atomic_sum);
	call_jprobe(t, pair_add.fn, pair_add.fn);
}

static const struct ktap_case cases[] = {
	CASE(without_a_probe_the_page_can_be_read),
	CASE(in_a_trap),
	CASE(two_at_a_trap),
	CASE(in_a_post_handler),
	CASE(behind_a_jump),
	CASE(two_behind_a_jump),
	CASE(many_behind_a_jump),
	CASE(at_an_entry),
	CASE(two_at_an_entry),
	CASE(in_a_kretprobe),
	CASE(in_two_kretprobes),
	CASE(in_an_fprobe),
	CASE(in_a_jprobe),
};

KTAP_MODULE(cases);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("handlers can't sleep");
