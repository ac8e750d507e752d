// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols of the kernel's own text, by address and by name, are those that the kernel prints.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ktap.h"

static unsigned long start, end;
module_param(start, ulong, 0600);
MODULE_PARM_DESC(start, "first byte of text: _stext of /proc/kallsyms");
module_param(end, ulong, 0600);
MODULE_PARM_DESC(end, "behind the last byte: _etext");

/* More than any kernel has that is tested. */
#define MAX_SYMBOLS	300000u

/* Many enough to be looked up together, however that is done. */
#define NR_PROBES	1000u

/* Where the probe of a function's entry is, behind its first byte, at most. */
#define MAX_PAD		16

struct symbol {
	u64 hash;
	unsigned long addr;
	unsigned long size;
};

static struct symbol *symbols;
static unsigned int nr_symbols;
static struct kprobe *probes;
static struct kprobe **list;

static u64 hash_of(const char *name)
{
	u64 hash = 0;

	while (*name)
		hash = hash * 0x9e3779b97f4a7c15ull + (u8)*name++;
	return hash;
}

/* "name+0x0/0xsize" */
static bool ask(unsigned long addr, char *name, unsigned long *size)
{
	unsigned long offset;
	char *plus;

	sprint_symbol(name, addr);
	plus = strchr(name, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, size) != 2 || offset)
		return false;
	*plus = '\0';
	return *size;
}

static bool read_symbols(struct ktap *t)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long addr, size;

	nr_symbols = 0;
	for (addr = start; addr < end && nr_symbols < MAX_SYMBOLS; addr += size) {
		if (!EXPECT(t, ask(addr, name, &size)))
			return false;
		symbols[nr_symbols++] = (struct symbol){ hash_of(name), addr, size };
		cond_resched();
	}
	return EXPECT(t, addr >= end);
}

static void free_all(void)
{
	unsigned int i;

	for (i = 0; probes && i < NR_PROBES; i++)
		kfree(probes[i].symbol_name);
	kvfree(symbols);
	kvfree(probes);
	kvfree(list);
	symbols = NULL;
	probes = NULL;
	list = NULL;
}

static bool begin(struct ktap *t)
{
	symbols = kvcalloc(MAX_SYMBOLS, sizeof(*symbols), GFP_KERNEL);
	probes = kvcalloc(NR_PROBES, sizeof(*probes), GFP_KERNEL);
	list = kvcalloc(NR_PROBES, sizeof(*list), GFP_KERNEL);
	if (EXPECT(t, symbols && probes && list) && read_symbols(t))
		return true;
	free_all();
	return false;
}

/* What is a function's entry depends on where its symbol begins, and on nothing else here. */
static void case_each_symbol_begins_and_ends_there(struct ktap *t)
{
	unsigned int i, wrong = 0;

	if (!begin(t))
		return;
	for (i = 0; i < nr_symbols && wrong < 10; i++) {
		const struct symbol *sym = &symbols[i];
		bool bad = kprobe_on_func_entry((void *)sym->addr, NULL, 0) ||
			   (sym->size > MAX_PAD &&
			    kprobe_on_func_entry((void *)sym->addr, NULL, sym->size - 1) != -EINVAL);

		if (bad)
			seq_printf(t->m, "# %pS, %lu bytes\n", (void *)sym->addr, sym->size);
		wrong += bad;
		cond_resched();
	}
	EXPECT(t, nr_symbols > 1000);
	EXPECT_EQ(t, wrong, 0);
	free_all();
}

/* Of several symbols with that name the first is meant. */
static unsigned long first_named(u64 hash)
{
	unsigned int i = 0;

	while (symbols[i].hash != hash)
		i++;
	return symbols[i].addr;
}

/* By a name that only something else has, which comes first, a probe is refused. */
static bool is_found(const struct kprobe *p, int err, unsigned long addr)
{
	if (err == -ENOENT)
		return false;
	return err || (unsigned long)p->addr - addr <= MAX_PAD;
}

static void as_new(struct kprobe *p)
{
	*p = (struct kprobe){ .symbol_name = p->symbol_name, .flags = KPROBE_FLAG_DISABLED };
}

static void forget(struct kprobe *p)
{
	kfree(p->symbol_name);
	p->symbol_name = NULL;
}

/* Returns how many of the list are registered; they stay so. */
static unsigned int register_one_by_one(struct ktap *t)
{
	unsigned int i, nr = 0, step = max(nr_symbols / NR_PROBES, 1u);
	char name[KSYM_SYMBOL_LEN];
	unsigned long size;
	struct kprobe *p;
	int err;

	for (i = 0; i < nr_symbols && nr < NR_PROBES; i += step) {
		ask(symbols[i].addr, name, &size);
		p = &probes[nr];
		p->symbol_name = kstrdup(name, GFP_KERNEL);
		as_new(p);
		err = register_kprobe(p);
		if (!EXPECT(t, is_found(p, err, first_named(symbols[i].hash))))
			seq_printf(t->m, "# %s: %d, %pS\n", name, err, p->addr);
		if (!err)
			list[nr++] = p;
		else
			forget(p);
		cond_resched();
	}
	return nr;
}

static void case_names_are_found_singly_and_together(struct ktap *t)
{
	unsigned int i, nr, differ = 0;
	void **addrs;

	if (!begin(t))
		return;
	nr = register_one_by_one(t);
	/* Half of 6.12's names are those of padding. */
	EXPECT(t, nr > NR_PROBES / 4);
	addrs = kvcalloc(NR_PROBES, sizeof(*addrs), GFP_KERNEL);
	for (i = 0; addrs && i < nr; i++)
		addrs[i] = probes[i].addr;
	unregister_kprobes(list, nr);
	for (i = 0; i < nr; i++)
		as_new(&probes[i]);
	if (EXPECT(t, addrs) && EXPECT_EQ(t, register_kprobes(list, nr), 0)) {
		for (i = 0; i < nr; i++)
			differ += probes[i].addr != addrs[i];
		EXPECT_EQ(t, differ, 0);
		unregister_kprobes(list, nr);
	}
	kvfree(addrs);
	free_all();
}

noinline int lkp_test_own(int a);
noinline int lkp_test_own(int a)
{
	barrier();
	return a + 1;
}

/* The kernel has a function of that name; its address is not exported. */
static int our_sync(int a) asm("ksys_sync");
static noinline __noclone int our_sync(int a)
{
	barrier();
	return a + 3;
}

static bool is_own(const struct kprobe *p)
{
	return within_module((unsigned long)p->addr, THIS_MODULE);
}

static void case_a_batch_has_names_of_modules_too(struct ktap *t)
{
	struct kprobe p[] = {
		{ .symbol_name = "lkp_test_own" }, { .symbol_name = "ksys_sync" },
		{ .symbol_name = "test_symbols:ksys_sync" }, { .symbol_name = "vmlinux:ksys_sync" },
		{ .symbol_name = "test_symbols:lkp_test_own" },
	};
	struct kprobe *pointers[] = { &p[0], &p[1], &p[2], &p[3], &p[4] };

	EXPECT_EQ(t, lkp_test_own(1) + our_sync(1), 6);
	if (!EXPECT_EQ(t, register_kprobes(pointers, ARRAY_SIZE(p)), 0))
		return;
	EXPECT(t, is_own(&p[0]) && !is_own(&p[1]) && is_own(&p[2]) && !is_own(&p[3]));
	EXPECT(t, p[1].addr == p[3].addr && p[0].addr == p[4].addr);
	unregister_kprobes(pointers, ARRAY_SIZE(p));
	p[4] = (struct kprobe){ .symbol_name = "vmlinux:lkp_test_own" };
	EXPECT_EQ(t, register_kprobes(pointers + 4, 1), -ENOENT);
}

/* Modules that no name says are not gone through. */
static void case_a_batch_of_names_that_say_their_modules(struct ktap *t)
{
	struct kprobe p[] = {
		{ .symbol_name = "vmlinux:ksys_sync" }, { .symbol_name = "test_symbols:ksys_sync" },
		{ .symbol_name = "test_symbols:lkp_test_own" }, { .symbol_name = "vmlinux:ksys_sync" },
	};
	struct kprobe *pointers[] = { &p[0], &p[1], &p[2], &p[3] };

	if (!EXPECT_EQ(t, register_kprobes(pointers, ARRAY_SIZE(p)), 0))
		return;
	EXPECT(t, !is_own(&p[0]) && is_own(&p[1]) && is_own(&p[2]) && p[3].addr == p[0].addr);
	unregister_kprobes(pointers, ARRAY_SIZE(p));
	p[0] = (struct kprobe){ .symbol_name = "kprobes:ksys_sync" };
	EXPECT_EQ(t, register_kprobes(pointers, 1), -ENOENT);
	p[1] = p[2] = p[3] = p[0];
	EXPECT_EQ(t, register_kprobes(pointers, ARRAY_SIZE(p)), -ENOENT);
}

static const struct ktap_case cases[] = {
	CASE(each_symbol_begins_and_ends_there),
	CASE(names_are_found_singly_and_together),
	CASE(a_batch_has_names_of_modules_too),
	CASE(a_batch_of_names_that_say_their_modules),
};
KTAP_MODULE(cases);
