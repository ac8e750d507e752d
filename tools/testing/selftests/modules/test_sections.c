// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module whose functions are in sections that must not be probed, as some of the kernel's
 * own are, and one that may be probed.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "ktap.h"

/* They are in the same pattern: lkp_in_*. */
#define DEFINE(name, where)							\
where int lkp_in_##name(int a);							\
where int lkp_in_##name(int a)							\
{										\
	barrier();								\
	return a + 1;								\
}

DEFINE(text, noinline)
DEFINE(noinstr, noinstr)
DEFINE(kprobes, noinline notrace __kprobes)
DEFINE(kprobes_too, noinline notrace __section(".kprobes.text"))
DEFINE(entry, noinline notrace __section(".entry.text"))
DEFINE(irqentry, noinline notrace __section(".irqentry.text"))
DEFINE(cpuidle, noinline notrace __section(".cpuidle.text"))

static const struct {
	const char *name;
	int (*fn)(int a);
	const char *why;
} rows[] = {
	{ "lkp_in_noinstr", lkp_in_noinstr, "in noinstr text" },
	{ "lkp_in_kprobes", lkp_in_kprobes, "function is marked __kprobes" },
	{ "lkp_in_kprobes_too", lkp_in_kprobes_too, "function is marked __kprobes" },
	{ "lkp_in_entry", lkp_in_entry, "in entry text" },
	{ "lkp_in_irqentry", lkp_in_irqentry, "in interrupt entry text" },
	{ "lkp_in_cpuidle", lkp_in_cpuidle, "in cpuidle text" },
};

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void check_reason(struct ktap *t, const struct kprobe *p, const char *why)
{
	const char *got = kprobe_refusal(p);

	if (EXPECT(t, got) && !strstr(got, why)) {
		seq_printf(t->m, "# %pS: %s\n", p->addr, got);
		ktap_fail(t, __LINE__, why);
	}
}

static void case_kprobes_are_refused(struct ktap *t)
{
	unsigned int i, offset;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(t, rows[i].fn(1), 2);
		for (offset = 0; offset < 8; offset += sizeof(kprobe_opcode_t)) {
			struct kprobe p = { .symbol_name = rows[i].name, .offset = offset,
					    .pre_handler = count };

			if (EXPECT_EQ(t, register_kprobe(&p), -EINVAL))
				check_reason(t, &p, rows[i].why);
			else if (p.addr)
				unregister_kprobe(&p);
		}
		EXPECT(t, within_kprobe_blacklist((unsigned long)rows[i].fn));
	}
}

static void case_kretprobes_are_refused(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kretprobe rp = { .kp.symbol_name = rows[i].name, .handler = count_call };

		if (EXPECT_EQ(t, register_kretprobe(&rp), -EINVAL))
			check_reason(t, &rp.kp, rows[i].why);
		else
			unregister_kretprobe(&rp);
	}
}

static int count_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	hits++;
	return 0;
}

static void case_a_pattern_leaves_them_out(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = count_entry };
	unsigned int i;

	hits = 0;
	if (!EXPECT_EQ(t, register_fprobe(&fp, "lkp_in_*", NULL), 0))
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_EQ(t, rows[i].fn(1), 2);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, lkp_in_text(1), 2);
	EXPECT_EQ(t, hits, 1);
	unregister_fprobe(&fp);
}

static void case_fprobes_by_name_are_refused(struct ktap *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fprobe fp = { .entry_handler = count_entry };
		const char *name = rows[i].name;

		if (!EXPECT_EQ(t, register_fprobe_syms(&fp, &name, 1), -EINVAL))
			unregister_fprobe(&fp);
	}
}

static void case_other_text_is_not_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_in_text", .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, lkp_in_text(1), 2);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
	EXPECT(t, !within_kprobe_blacklist((unsigned long)lkp_in_text));
}

static const struct ktap_case cases[] = {
	CASE(kprobes_are_refused),
	CASE(kretprobes_are_refused),
	CASE(a_pattern_leaves_them_out),
	CASE(fprobes_by_name_are_refused),
	CASE(other_text_is_not_refused),
};
KTAP_MODULE(cases);
