// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text of the hypervisor in a module, as Android's kernels have it: once the module is loaded the kernel can't
 * read it any more.  So what looks around in a module's text stays away from it.  For pages of 4 KiB.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

static unsigned long set_memory_valid_at;
module_param(set_memory_valid_at, ulong, 0600);
MODULE_PARM_DESC(set_memory_valid_at, "its address");

/* What is probed is reached by a register only: it might be data, so it is looked for who reads it. */
TARGET(reached,
       "adr	x16, 1f\n"
       "br	x16\n"
       "1:\n" AT(reached)
       "add	x0, x0, x1\n" NEXT(reached));

TARGET_IN(at_el2,
	  ".pushsection .hyp.text, \"ax\"\n"
	  ".balign 4096\n"
	  ".type at_el2_fn, @function\n"
	  "at_el2_fn:\n"
	  AT(at_el2)
	  "add	x0, x0, x1\n"
	  NEXT(at_el2)
	  "ret\n"
	  ".size at_el2_fn, . - at_el2_fn\n"
	  ".balign 4096\n"
	  ".popsection\n");

static int nr_hits;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static int set_valid(int enable)
{
	int (*set_memory_valid)(unsigned long addr, int pages, int enable) = (void *)set_memory_valid_at;

	return set_memory_valid((unsigned long)at_el2.fn, 1, enable);
}

static void case_probes_beside_it(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&reached), .pre_handler = count_hit };
	u32 word;

	EXPECT(t, abs((long)p.addr - (long)at_el2.fn) < SZ_8K);
	if (!EXPECT_EQ(t, set_valid(0), 0))
		return;
	EXPECT_EQ(t, copy_from_kernel_nofault(&word, at_el2.fn, sizeof(word)), -EFAULT);
	nr_hits = 0;
	if (EXPECT_EQ(t, register_kprobe(&p), 0)) {
		EXPECT_EQ(t, reached.fn(40, 2), 42);
		EXPECT_EQ(t, nr_hits, 1);
		unregister_kprobe(&p);
	}
	EXPECT_EQ(t, set_valid(1), 0);
}

static void case_a_probe_in_it(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)at_el2.fn, .pre_handler = count_hit };

	if (!EXPECT_EQ(t, set_valid(0), 0))
		return;
	EXPECT_EQ(t, register_kprobe(&p), -EINVAL);
	EXPECT(t, kprobe_refusal(&p) && strstr(kprobe_refusal(&p), "hyp"));
	EXPECT_EQ(t, set_valid(1), 0);
}

static const struct ktap_case cases[] = {
	CASE(probes_beside_it),
	CASE(a_probe_in_it),
};
KTAP_MODULE(cases);
