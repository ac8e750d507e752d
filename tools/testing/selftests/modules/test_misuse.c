// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients that go on after an error, or take a probe of one kind for one of another.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "kinds.h"
#include "optimize.h"
#include "test_kretprobe.h"

static int count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	calls += 100;
	return 0;
}

/* ---- each kind ---- */

static int add_kprobes(union probe **ps, int num)
{
	return register_kprobes((struct kprobe **)ps, num);
}

static int add_kretprobes(union probe **ps, int num)
{
	return register_kretprobes((struct kretprobe **)ps, num);
}

static int add_jprobes(union probe **ps, int num)
{
	return register_jprobes((struct jprobe **)ps, num);
}

static const struct kind {
	union probe given;
	int (*add)(union probe *p);
	int (*add_all)(union probe **ps, int num);
	void (*remove)(union probe *p);
} kinds[] = {
	{
		{ .kp = { .pre_handler = count } }, add_kprobe, add_kprobes, remove_kprobe,
	}, {
		{ .rp = { .handler = count_return } }, add_kretprobe, add_kretprobes,
		remove_kretprobe,
	}, {
		{ .jp = { .entry = count_call } }, add_jprobe, add_jprobes, remove_jprobe,
	},
};

#define for_each_kind(k)	for ((k) = kinds; (k) < kinds + ARRAY_SIZE(kinds); (k)++)

static union probe probe_at(const struct kind *kind, void *addr)
{
	union probe p = kind->given;

	p.kp.addr = addr;
	return p;
}

/* What the client of this kind has set, and may read. */
static bool is_as_given(const union probe *p, const struct kind *kind, void *addr)
{
	const union probe given = probe_at(kind, addr);

	return p->kp.addr == given.kp.addr && p->kp.pre_handler == given.kp.pre_handler &&
	       !p->kp.post_handler && !p->kp.fault_handler && !p->kp.flags && !p->kp.opcode &&
	       !p->kp.nmissed &&
	       !memcmp(&p->kp + 1, &given.kp + 1, offsetof(struct kretprobe, hook) -
							  sizeof(struct kprobe));
}

static bool is_refused_as(const union probe *p, const char *why)
{
	return kprobe_refusal(&p->kp) && !strcmp(kprobe_refusal(&p->kp), why);
}

/* One that has been of another kind.  Its client sets what is of this one, and clears what is not. */
static void expect_served_as(struct ktap *t, const struct kind *kind, union probe *p)
{
	int wanted = kind == kinds ? 0 : 1;

	p->kp.pre_handler = NULL;
	p->rp.handler = kind == kinds ? NULL : kind->given.rp.handler;
	if (!EXPECT_EQ(t, kind->add(p), 0))
		return;
	EXPECT_EQ(t, calls_of(lkp_traced_add), wanted);
	kind->remove(p);
	EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
}

/* ---- after an error ---- */

/* The client of the one that was good knows only that its array was refused. */
static void case_those_of_a_refused_array_can_be_of_another_kind(struct ktap *t)
{
	const struct kind *first, *then;

	for_each_kind(first) {
		for_each_kind(then) {
			union probe good = probe_at(first, lkp_traced_add);
			union probe bad = probe_at(first, &calls), *ps[] = { &good, &bad };

			EXPECT_EQ(t, first->add_all(ps, 2), -EINVAL);
			EXPECT(t, is_as_given(&good, first, lkp_traced_add));
			EXPECT(t, is_as_given(&bad, first, &calls));
			EXPECT(t, kprobe_refusal(&bad.kp));
			expect_served_as(t, then, &good);
		}
	}
}

static void case_one_that_was_refused_is_as_given(struct ktap *t)
{
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = probe_at(kind, &calls);

		EXPECT_EQ(t, kind->add(&p), -EINVAL);
		EXPECT(t, is_as_given(&p, kind, &calls));
		EXPECT(t, kprobe_refusal(&p.kp));
		/* Its client has not looked. */
		kind->remove(&p);
		EXPECT(t, !p.kp.addr);
		p.kp.addr = (void *)lkp_traced_add;
		if (!EXPECT_EQ(t, kind->add(&p), 0))
			continue;
		EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		kind->remove(&p);
	}
}

static void case_after_unregistering_it_can_be_of_another_kind(struct ktap *t)
{
	const struct kind *first, *then;

	for_each_kind(first) {
		for_each_kind(then) {
			union probe p = probe_at(first, lkp_traced_add);

			if (!EXPECT_EQ(t, first->add(&p), 0))
				continue;
			EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
			first->remove(&p);
			EXPECT(t, p.kp.pre_handler == first->given.kp.pre_handler);
			expect_served_as(t, then, &p);
		}
	}
}

static void case_a_kretprobe_again_with_other_values(struct ktap *t)
{
	struct kretprobe rp = probe_on(lkp_traced_add);

	rp.maxactive = 3;
	if (!plant(t, &rp))
		return;
	EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	EXPECT_EQ(t, nr_notes, 1);
	unregister_kretprobe(&rp);
	rp.kp.addr = (void *)asm_add.fn;
	rp.handler = count_return;
	rp.entry_handler = count_entry;
	rp.maxactive = 100;
	rp.data_size = 64;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	EXPECT_EQ(t, calls_of(asm_add.fn), 101);
	EXPECT_EQ(t, nr_notes, 1);
	EXPECT_EQ(t, rp.maxactive, 100);
	unregister_kretprobe(&rp);
	rp.entry_handler = NULL;
	rp.data_size = 0;
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	EXPECT_EQ(t, calls_of(asm_add.fn), 1);
	unregister_kretprobe(&rp);
}

static int on_fprobe(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		     struct pt_regs *regs, void *data)
{
	calls++;
	return 0;
}

static int other_on_fprobe(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			   struct pt_regs *regs, void *data)
{
	calls += 100;
	return 0;
}

static void case_flags_of_any_value_hide_no_error(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "no_such_function", .flags = ~KPROBE_FLAG_DISABLED };
	struct kretprobe rp = { .kp = p, .handler = count_return };

	EXPECT_EQ(t, register_kprobe(&p), -ENOENT);
	EXPECT_EQ(t, register_kretprobe(&rp), -ENOENT);
}

static void case_an_fprobe_after_an_error_and_with_other_values(struct ktap *t)
{
	const char *names[3] = { "lkp_traced_add", "lkp_traced_add", "no_such_function" };
	struct fprobe fp = { .entry_handler = on_fprobe, .nmissed = 4 }, before = fp;

	EXPECT_EQ(t, register_fprobe_syms(&fp, names, 3), -ENOENT);
	EXPECT(t, !memcmp(&fp, &before, sizeof(fp)));
	/* A function may be named twice. */
	if (!EXPECT_EQ(t, register_fprobe_syms(&fp, names, 2), 0))
		return;
	before = fp;
	EXPECT_EQ(t, register_fprobe_syms(&fp, names, 1), -EBUSY);
	EXPECT(t, !memcmp(&fp, &before, sizeof(fp)));
	EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
	fp.entry_handler = other_on_fprobe;
	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_inner", NULL), 0))
		return;
	EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	EXPECT_EQ(t, calls_of(lkp_inner), 100);
	EXPECT_EQ(t, unregister_fprobe(&fp), 0);
}

/* ---- one kind for another ---- */

static void case_a_registered_one_as_another_kind_is_einval(struct ktap *t)
{
	const struct kind *first, *then;

	for_each_kind(first) {
		union probe p = probe_at(first, lkp_traced_add), before;

		if (!EXPECT_EQ(t, first->add(&p), 0))
			continue;
		/* It sets a flag. */
		wait_for_kprobe_optimizer();
		for_each_kind(then) {
			before = p;
			EXPECT_EQ(t, then->add(&p), -EINVAL);
			EXPECT(t, is_refused_as(&p, "already registered"));
			before.kp.refusal = p.kp.refusal;
			EXPECT(t, !memcmp(&p, &before, sizeof(p)));
			EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		}
		first->remove(&p);
		EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	}
}

static void case_the_same_one_twice_in_an_array_is_einval(struct ktap *t)
{
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = probe_at(kind, lkp_traced_add), q = probe_at(kind, lkp_inner);
		union probe *ps[] = { &p, &q, &p };

		EXPECT_EQ(t, kind->add_all(ps, 3), -EINVAL);
		EXPECT(t, is_refused_as(&p, "already registered"));
		EXPECT(t, is_as_given(&p, kind, lkp_traced_add));
		EXPECT(t, is_as_given(&q, kind, lkp_inner));
		EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
		EXPECT(t, !get_kprobe(p.kp.addr));
		EXPECT_EQ(t, kind->add_all(ps, 2), 0);
		EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		EXPECT_EQ(t, calls_of(lkp_inner), 1);
		kind->remove(&p);
		kind->remove(&q);
	}
}

/* The array ends long before: it is not gone through, nor is there memory for so many. */
static void case_a_count_that_is_far_too_large(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = on_fprobe };
	unsigned long addr = (unsigned long)lkp_traced_add;
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = probe_at(kind, NULL);
		union probe *ps[] = { &p, NULL };

		p.kp.symbol_name = "lkp_traced_add";
		EXPECT_EQ(t, kind->add_all(ps, INT_MAX), -EINVAL);
		EXPECT(t, is_as_given(&p, kind, NULL));
		EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	}
	EXPECT_EQ(t, register_fprobe_ips(&fp, &addr, INT_MAX), -ENOMEM);
}

/* As one that is registered in another array. */
static void case_a_registered_one_in_an_array_is_einval(struct ktap *t)
{
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = probe_at(kind, lkp_traced_add), q = probe_at(kind, lkp_inner);
		union probe *ps[] = { &q, &p };

		if (!EXPECT_EQ(t, kind->add(&p), 0))
			continue;
		EXPECT_EQ(t, kind->add_all(ps, 2), -EINVAL);
		EXPECT(t, is_refused_as(&p, "already registered"));
		EXPECT(t, is_as_given(&q, kind, lkp_inner));
		EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		EXPECT_EQ(t, calls_of(lkp_inner), 0);
		kind->remove(&p);
	}
}

static void case_a_jprobe_without_entry_is_told_so(struct ktap *t)
{
	union probe p = { .jp.kp.addr = (void *)lkp_traced_add };

	EXPECT_EQ(t, register_jprobe(&p.jp), -EINVAL);
	EXPECT(t, is_refused_as(&p, "no entry given"));
}

static void case_unregistered_as_another_kind(struct ktap *t)
{
	const struct kind *first, *then;

	for_each_kind(first) {
		for_each_kind(then) {
			union probe p = probe_at(first, lkp_traced_add);

			if (!EXPECT_EQ(t, first->add(&p), 0))
				continue;
			EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
			then->remove(&p);
			EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
			EXPECT(t, p.kp.pre_handler == first->given.kp.pre_handler);
			EXPECT(t, first != kinds + 1 || !p.rp.hook);
			if (!EXPECT_EQ(t, first->add(&p), 0))
				continue;
			EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
			first->remove(&p);
		}
	}
}

/* Process context: it may unregister probes. */
static noinline __noclone long lkp_unregisters(struct kretprobe *rp, struct kretprobe *twice)
{
	struct kprobe *kps[] = { &rp->kp, &twice->kp };

	unregister_kprobes(kps, 2);
	return 42;
}

/* The call that is inside would come to a handler that may be gone. */
static void case_a_kretprobe_unregistered_as_a_kprobe_follows_no_call(struct ktap *t)
{
	long (*fn)(struct kretprobe *rp, struct kretprobe *twice) = lkp_unregisters;
	struct kretprobe rp = { .kp.addr = (void *)fn, .handler = count_return };

	OPTIMIZER_HIDE_VAR(fn);
	if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
		return;
	calls = 0;
	EXPECT_EQ(t, fn(&rp, &rp), 42);
	EXPECT_EQ(t, READ_ONCE(calls), 0);
	EXPECT(t, !rp.hook);
	unregister_kretprobe(&rp);
	EXPECT(t, !rp.kp.addr);
}

/* ---- copies, and memory that was not cleared ---- */

static void case_a_copy_of_a_registered_one(struct ktap *t)
{
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = probe_at(kind, lkp_traced_add), copy;

		if (!EXPECT_EQ(t, kind->add(&p), 0))
			continue;
		copy = p;
		copy.kp.addr = (void *)lkp_inner;
		if (kind != kinds) {
			EXPECT_EQ(t, register_kprobe(&copy.kp), -EINVAL);
			EXPECT(t, is_refused_as(&copy,
						"copied from a registered kretprobe or jprobe"));
			EXPECT_EQ(t, calls_of(lkp_inner), 0);
		}
		if (EXPECT_EQ(t, kind->add(&copy), 0)) {
			EXPECT_EQ(t, calls_of(lkp_inner), 1);
			kind->remove(&copy);
		}
		EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		kind->remove(&p);
	}
}

/* As what a client has from kmalloc(), if it sets all members that it knows of. */
static union probe uncleared(const struct kind *kind, void *addr)
{
	union probe p;

	memset(&p, 0xa5, sizeof(p));
	p.kp.nmissed = 0;
	p.kp.addr = addr;
	p.kp.symbol_name = NULL;
	p.kp.offset = 0;
	p.kp.pre_handler = kind->given.kp.pre_handler;
	p.kp.post_handler = NULL;
	p.kp.fault_handler = NULL;
	p.kp.opcode = 0;
	p.kp.flags = 0;
	if (kind->add == add_jprobe)
		p.jp.entry = kind->given.jp.entry;
	if (kind->add != add_kretprobe)
		return p;
	p.rp.handler = kind->given.rp.handler;
	p.rp.entry_handler = NULL;
	p.rp.maxactive = 0;
	p.rp.nmissed = 0;
	p.rp.data_size = 0;
	return p;
}

static void case_in_memory_that_was_not_cleared(struct ktap *t)
{
	const struct kind *kind;

	for_each_kind(kind) {
		union probe p = uncleared(kind, &calls);

		EXPECT_EQ(t, kind->add(&p), -EINVAL);
		kind->remove(&p);
		p = uncleared(kind, lkp_traced_add);
		kind->remove(&p);
		EXPECT(t, !p.kp.addr);
		EXPECT_EQ(t, disable_kprobe(&p.kp), -EINVAL);
		p = uncleared(kind, lkp_traced_add);
		if (!EXPECT_EQ(t, kind->add(&p), 0))
			continue;
		EXPECT_EQ(t, calls_of(lkp_traced_add), 1);
		kind->remove(&p);
		EXPECT_EQ(t, calls_of(lkp_traced_add), 0);
	}
}

/* ---- cleared, and not unregistered, when it is hit ---- */

static void case_an_entry_handler_is_cleared(struct ktap *t)
{
	long (*const *const *f)(long a, long b);

	for_each_function(f) {
		struct kretprobe rp = { .kp.addr = (void *)**f, .handler = count_return,
					.entry_handler = count_entry };

		if (!EXPECT_EQ(t, register_kretprobe(&rp), 0))
			continue;
		EXPECT_EQ(t, calls_of(**f), 101);
		rp.entry_handler = NULL;
		EXPECT_EQ(t, calls_of(**f), 1);
		wait_for_kprobe_optimizer();
		EXPECT_EQ(t, calls_of(**f), 1);
		unregister_kretprobe(&rp);
	}
}

/*
 * A jump leads to what was made for the handlers there were.  At a trap, at a site of the tracer, or
 * where hits are looked up, a hit goes along the links in what was cleared, and nobody can help.
 */
static void clear_behind_jump(struct ktap *t, const struct kind *kind, union probe *p)
{
	if (!EXPECT_EQ(t, kind->add(p), 0))
		return;
	wait_for_kprobe_optimizer();
	if (is_jump(&p->kp) && !IS_ENABLED(CONFIG_TRACE_IRQFLAGS)) {
		memset(p, 0, sizeof(*p));
		EXPECT_EQ(t, asm_add.fn(40, 2), 42);
		EXPECT_EQ(t, p->rp.nmissed, kind->add == add_kretprobe);
	} else if (kind == kinds) {
		t->skip = "no jump, or one whose hits are looked up";
	}
	kind->remove(p);
	EXPECT_EQ(t, calls_of(asm_add.fn), 0);
}

/* The only probe there: a hit follows no links. */
static void case_a_handler_is_cleared_at_a_trap(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&asm_add), .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (kprobe_optimized(&p))
		t->skip = "it is a jump already";
	WRITE_ONCE(p.pre_handler, NULL);
	EXPECT_EQ(t, asm_add.fn(40, 2), 42);
	unregister_kprobe(&p);
}

static void case_all_is_cleared_behind_a_jump(struct ktap *t)
{
	const struct kind *kind;
	union probe p;

	for_each_kind(kind) {
		/* Only the others are led behind a landing pad. */
		p = probe_at(kind, kind == kinds ? target_at(&asm_add) : (void *)asm_add.fn);
		clear_behind_jump(t, kind, &p);
		if (kind->add != add_kretprobe)
			continue;
		p = probe_at(kind, asm_add.fn);
		p.rp.entry_handler = count_entry;
		clear_behind_jump(t, kind, &p);
	}
}

/* Its client may do so; the next call of ours that meets it gives it back. */
static void case_the_handler_of_its_kind_is_cleared(struct ktap *t)
{
	long (*const *const *f)(long a, long b);
	const struct kind *kind;

	for_each_function(f) {
		for (kind = kinds + 1; kind < kinds + ARRAY_SIZE(kinds); kind++) {
			union probe p = probe_at(kind, (void *)**f);

			if (!EXPECT_EQ(t, kind->add(&p), 0))
				continue;
			WRITE_ONCE(p.kp.pre_handler, NULL);
			calls_of(**f);
			EXPECT_EQ(t, disable_kprobe(&p.kp), 0);
			EXPECT_EQ(t, enable_kprobe(&p.kp), 0);
			EXPECT_EQ(t, calls_of(**f), 1);
			WRITE_ONCE(p.kp.pre_handler, NULL);
			kind->remove(&p);
			EXPECT_EQ(t, calls_of(**f), 0);
		}
	}
}

/* A jump calls the handler that it was made for until we have seen that there is none. */
static void case_a_handler_is_cleared_behind_a_jump(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&asm_add), .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	wait_for_kprobe_optimizer();
	WRITE_ONCE(p.pre_handler, NULL);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT_EQ(t, calls_of(asm_add.fn), 0);
	unregister_kprobe(&p);
}

/* Each between two that are as they were.  Those behind it may miss hits, until it is mended. */
static void case_one_of_several_is_cleared(struct ktap *t)
{
	long (*const *const *f)(long a, long b);
	const struct kind *kind;

	for_each_function(f) {
		for_each_kind(kind) {
			union probe p = probe_at(kind, (void *)**f);
			struct kprobe before = { .addr = (void *)**f, .pre_handler = count };
			struct kprobe behind = before;

			EXPECT_EQ(t, register_kprobe(&before), 0);
			EXPECT_EQ(t, kind->add(&p), 0);
			EXPECT_EQ(t, register_kprobe(&behind), 0);
			memset(&p.kp, 0, sizeof(p.kp));
			EXPECT(t, calls_of(**f) > 0);
			memset(&p, 0, sizeof(p));
			EXPECT(t, calls_of(**f) > 0);
			unregister_kprobe(&before);
			EXPECT(t, calls_of(**f) > 0);
			memset(&p, 0, sizeof(p));
			kind->remove(&p);
			EXPECT_EQ(t, calls_of(**f), 1);
			unregister_kprobe(&behind);
			EXPECT_EQ(t, calls_of(**f), 0);
			EXPECT(t, !get_kprobe((void *)**f));
		}
	}
}

static const struct ktap_case cases[] = {
	CASE(those_of_a_refused_array_can_be_of_another_kind),
	CASE(one_that_was_refused_is_as_given),
	CASE(after_unregistering_it_can_be_of_another_kind),
	CASE(a_kretprobe_again_with_other_values),
	CASE(flags_of_any_value_hide_no_error),
	CASE(an_fprobe_after_an_error_and_with_other_values),
	CASE(a_registered_one_as_another_kind_is_einval),
	CASE(the_same_one_twice_in_an_array_is_einval),
	CASE(a_count_that_is_far_too_large),
	CASE(a_registered_one_in_an_array_is_einval),
	CASE(a_jprobe_without_entry_is_told_so),
	CASE(unregistered_as_another_kind),
	CASE(a_kretprobe_unregistered_as_a_kprobe_follows_no_call),
	CASE(a_copy_of_a_registered_one),
	CASE(in_memory_that_was_not_cleared),
	CASE(an_entry_handler_is_cleared),
	CASE(a_handler_is_cleared_at_a_trap),
	CASE(all_is_cleared_behind_a_jump),
	CASE(the_handler_of_its_kind_is_cleared),
	CASE(a_handler_is_cleared_behind_a_jump),
	CASE(one_of_several_is_cleared),
};
KTAP_MODULE(cases);
