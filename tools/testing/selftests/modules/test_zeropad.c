// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads of a word that reach into a page that is not there: the kernel takes the missing bytes
 * as 0.
 */
#include <linux/extable.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/word-at-a-time.h>

#include "ktap.h"

static int hits, post_hits;

static int before(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	post_hits++;
}

noinline __noclone unsigned long lkp_load_word(const void *from);
noinline __noclone unsigned long lkp_load_word(const void *from)
{
	return load_unaligned_zeropad(from);
}

/* The instruction that may fault is the first of that function that has an entry. */
static unsigned long loading_instruction(void)
{
	unsigned long fn = (unsigned long)dereference_function_descriptor(lkp_load_word);
	unsigned long at, best = 0;
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_exentries; i++) {
		const struct exception_table_entry *e = &THIS_MODULE->extable[i];

		at = (unsigned long)&e->insn + e->insn;
		if (at >= fn && (!best || at < best))
			best = at;
	}
	return best;
}

/* Returns how many of the words at the end of a page are read as without a probe. */
static unsigned int right_words(const char *page, struct kprobe *p, struct ktap *t)
{
	unsigned long plain[sizeof(long)];
	unsigned int i, right = 0;

	for (i = 0; i < sizeof(long); i++)
		plain[i] = lkp_load_word(page + PAGE_SIZE - 1 - i);
	EXPECT_EQ(t, hits, 0);
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return 0;
	for (i = 0; i < sizeof(long); i++)
		right += lkp_load_word(page + PAGE_SIZE - 1 - i) == plain[i];
	unregister_kprobe(p);
	EXPECT_EQ(t, p->nmissed, 0);
	return right;
}

static void expect_words(struct ktap *t, struct kprobe *p)
{
	char *page = vmalloc(PAGE_SIZE);

	hits = 0;
	post_hits = 0;
	p->addr = (kprobe_opcode_t *)loading_instruction();
	if (!EXPECT(t, page) || !EXPECT(t, p->addr))
		return;
	memset(page, 0xa5, PAGE_SIZE);
	EXPECT_EQ(t, right_words(page, p, t), sizeof(long));
	EXPECT_EQ(t, hits, sizeof(long));
	vfree(page);
}

static void case_words_at_the_end_of_memory_as_without_a_probe(struct ktap *t)
{
	struct kprobe p = { .pre_handler = before };

	expect_words(t, &p);
}

static void case_the_same_with_a_post_handler(struct ktap *t)
{
	struct kprobe p = { .pre_handler = before, .post_handler = after };

	expect_words(t, &p);
	/* Of those that fault the kernel may go on elsewhere; the last has all its bytes. */
	EXPECT(t, post_hits >= 1 && post_hits <= sizeof(long));
}

static const struct ktap_case cases[] = {
	CASE(words_at_the_end_of_memory_as_without_a_probe),
	CASE(the_same_with_a_post_handler),
};
KTAP_MODULE(cases);
