// SPDX-License-Identifier: GPL-2.0-only
/*
 * A batch of thousands of kprobes by name has the same result as single registrations.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ktap.h"

/* Enough for the names to be looked up together on every kernel. */
#define CROWD		3000
#define NAME_LEN	(KSYM_NAME_LEN + 16)

static noinline __used int lkp_crowd_one(int a)
{
	barrier();
	return a + 1;
}

/* The kernel has a function of that name; its address is not exported. */
static int our_sync(int a) asm("ksys_sync");
static noinline __used int our_sync(int a)
{
	barrier();
	return a + 3;
}

/* Beside those that are found by walking over the kernel's text. */
static const char * const chosen[] = {
	"lkp_crowd_one", "test_crowd:lkp_crowd_one",
	"ksys_sync", "vmlinux:ksys_sync", "test_crowd:ksys_sync",
};

/**
 * struct member - one of the crowd
 * @kp: the probe, never enabled
 * @addr: where it is if it is registered alone
 * @name: what its symbol_name points at
 */
struct member {
	struct kprobe kp;
	void *addr;
	char name[NAME_LEN];
};

static struct member *members;
static struct kprobe **list;
static unsigned int nr;

static void as_new(struct member *m)
{
	m->kp = (struct kprobe){ .symbol_name = m->name, .flags = KPROBE_FLAG_DISABLED };
}

/* Registers each alone; those that are refused are left out of the batch. */
static void add_member(const char *prefix, const char *name)
{
	struct member *m = &members[nr];

	if (nr == CROWD)
		return;
	snprintf(m->name, sizeof(m->name), "%s%s", prefix, name);
	as_new(m);
	if (!strcmp(m->name, "ksys_sync"))
		pr_info("test_crowd: singly ksys_sync\n");
	if (register_kprobe(&m->kp))
		return;
	m->addr = m->kp.addr;
	list[nr++] = &m->kp;
}

/* "name+0xoffset/0xsize"; false at the end of the symbols. */
static bool name_symbol(unsigned long addr, char *name, unsigned long *size)
{
	unsigned long offset;
	char *plus;

	sprint_symbol(name, addr);
	plus = strchr(name, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, size) != 2 || offset || !*size)
		return false;
	*plus = '\0';
	return true;
}

/* From one function to the next; every name a second time, narrowed, now and then. */
static void add_neighbours(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long size;

	for (; nr < CROWD && name_symbol(addr, name, &size); addr += size) {
		/*
		 * The log's lines about that one are counted.  The symbols of what is before
		 * functions would fill the log, since each is refused.
		 */
		if (!strcmp(name, "ksys_sync") || strstarts(name, "__pfx_") ||
		    strstarts(name, "__cfi_"))
			continue;
		add_member("", name);
		if (nr % 4 == 0)
			add_member("vmlinux:", name);
	}
}

static void take_back(void)
{
	unsigned int i;

	unregister_kprobes(list, nr);
	for (i = 0; i < nr; i++)
		as_new(container_of(list[i], struct member, kp));
}

static bool gather(struct ktap *t)
{
	unsigned int i;

	members = kvcalloc(CROWD, sizeof(*members), GFP_KERNEL);
	list = kvcalloc(CROWD, sizeof(*list), GFP_KERNEL);
	nr = 0;
	if (!EXPECT(t, members && list))
		return false;
	for (i = 0; i < ARRAY_SIZE(chosen); i++)
		add_member("", chosen[i]);
	EXPECT_EQ(t, nr, ARRAY_SIZE(chosen));
	add_neighbours((unsigned long)kfree);
	add_neighbours((unsigned long)sprint_symbol);
	take_back();
	seq_printf(t->m, "# %u names\n", nr);
	return EXPECT(t, nr > 2000);
}

static void disperse(void)
{
	kvfree(members);
	kvfree(list);
}

static void reverse(void)
{
	unsigned int i;

	for (i = 0; i < nr / 2; i++)
		swap(list[i], list[nr - 1 - i]);
}

static int register_all(void)
{
	pr_info("test_crowd: together ksys_sync\n");
	return register_kprobes(list, nr);
}

/* ---- cases ---- */

static void expect_same(struct ktap *t)
{
	unsigned int i, others = 0;

	if (!EXPECT_EQ(t, register_all(), 0))
		return;
	for (i = 0; i < nr; i++) {
		struct member *m = container_of(list[i], struct member, kp);

		if (m->kp.addr == m->addr)
			continue;
		others++;
		seq_printf(t->m, "# %s at %pS, alone at %pS\n", m->name, m->kp.addr, m->addr);
	}
	EXPECT_EQ(t, others, 0);
	take_back();
}

static void case_each_is_where_it_is_alone(struct ktap *t)
{
	if (gather(t))
		expect_same(t);
	disperse();
}

static void case_in_any_order(struct ktap *t)
{
	if (gather(t)) {
		reverse();
		expect_same(t);
	}
	disperse();
}

/* Nothing of the batch is left, and each kprobe is as it was given. */
static void expect_none(struct ktap *t, const struct kprobe *except)
{
	unsigned int i, left = 0;

	for (i = 0; i < nr; i++) {
		const struct member *m = container_of(list[i], struct member, kp);

		if (list[i] == except)
			continue;
		left += m->kp.addr || m->kp.flags != KPROBE_FLAG_DISABLED ||
			kprobe_refusal(&m->kp) || get_kprobe(m->addr);
	}
	EXPECT_EQ(t, left, 0);
}

static void expect_refused(struct ktap *t, unsigned int bad, int err, const char *why)
{
	EXPECT_EQ(t, register_all(), err);
	EXPECT(t, kprobe_refusal(list[bad]) && strstr(kprobe_refusal(list[bad]), why));
	expect_none(t, list[bad]);
	as_new(container_of(list[bad], struct member, kp));
}

static void case_the_first_bad_name_undoes_all(struct ktap *t)
{
	if (gather(t)) {
		list[nr / 2]->symbol_name = "no_such_function";
		list[nr / 2 + 1]->offset = 1 << 30;
		expect_refused(t, nr / 2, -ENOENT, "no such symbol");
		expect_refused(t, nr / 2 + 1, -EINVAL, "not kernel or module text");
		expect_same(t);
	}
	disperse();
}

static void case_an_unknown_module_is_a_bad_name(struct ktap *t)
{
	if (gather(t)) {
		list[nr / 2]->symbol_name = "no_such_module:ksys_sync";
		expect_refused(t, nr / 2, -ENOENT, "no such symbol");
		list[nr / 2]->symbol_name = "vmlinux:lkp_crowd_one";
		expect_refused(t, nr / 2, -ENOENT, "no such symbol");
		list[nr / 2]->symbol_name = "test_crowd:kfree";
		expect_refused(t, nr / 2, -ENOENT, "no such symbol");
	}
	disperse();
}

static void case_one_that_is_in_it_twice_undoes_all(struct ktap *t)
{
	struct kprobe *other;

	if (gather(t)) {
		other = list[nr - 1];
		list[nr - 1] = list[0];
		EXPECT_EQ(t, register_all(), -EINVAL);
		expect_none(t, list[0]);
		EXPECT(t, !list[0]->addr);
		as_new(container_of(list[0], struct member, kp));
		list[nr - 1] = other;
		expect_same(t);
	}
	disperse();
}

static void case_nothing_behind_a_null_is_looked_at(struct ktap *t)
{
	struct kprobe *null, *behind;

	if (gather(t)) {
		null = list[nr - 2];
		behind = list[nr - 1];
		list[nr - 2] = NULL;
		list[nr - 1] = (struct kprobe *)1;
		EXPECT_EQ(t, register_all(), -EINVAL);
		list[nr - 2] = null;
		list[nr - 1] = behind;
		expect_none(t, NULL);
	}
	disperse();
}

static const struct ktap_case cases[] = {
	CASE(each_is_where_it_is_alone),
	CASE(in_any_order),
	CASE(the_first_bad_name_undoes_all),
	CASE(an_unknown_module_is_a_bad_name),
	CASE(one_that_is_in_it_twice_undoes_all),
	CASE(nothing_behind_a_null_is_looked_at),
};
KTAP_MODULE(cases);
