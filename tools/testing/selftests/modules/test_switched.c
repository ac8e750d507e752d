// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places that the kernel patches when a mitigation is switched, from its table:
 * each entry is an offset from its own address.
 */
#include <linux/kprobes.h>

#include "ktap.h"

static unsigned long start, end;
module_param(start, ulong, 0400);
MODULE_PARM_DESC(start, "where the table begins");
module_param(end, ulong, 0400);
MODULE_PARM_DESC(end, "where it ends");

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* Is a probe there refused for that reason?  0, or not for that one, or not at all: -1. */
static int refused_as_switched(unsigned long addr)
{
	struct kprobe p = { .addr = (void *)addr, .pre_handler = nothing };

	if (!register_kprobe(&p)) {
		unregister_kprobe(&p);
		return -1;
	}
	return kprobe_refusal(&p) && strstr(kprobe_refusal(&p), "when a mitigation is switched");
}

static unsigned long place_of(const long *entry)
{
	return (unsigned long)entry + *entry;
}

/* Some are refused since nothing may be probed in their function. */
static void case_each_place_is_refused(struct ktap *t)
{
	const long *entry;
	unsigned int switched = 0;

	for (entry = (long *)start; entry < (long *)end; entry++) {
		int refused = refused_as_switched(place_of(entry));

		if (refused < 0)
			seq_printf(t->m, "# %pS\n", (void *)place_of(entry));
		EXPECT(t, refused >= 0);
		switched += refused > 0;
	}
	EXPECT(t, switched > 10);
}

/* Some of them are on the blacklist or the tracer's: it is the reason that counts. */
static void case_what_is_before_it_is_not(struct ktap *t)
{
	const long *entry;
	unsigned int registered = 0;

	for (entry = (long *)start; entry < (long *)end; entry++) {
		int refused = refused_as_switched(place_of(entry) - sizeof(u32));

		EXPECT(t, refused <= 0);
		registered += refused < 0;
	}
	EXPECT(t, registered > 10);
}

static const struct ktap_case cases[] = {
	CASE(each_place_is_refused),
	CASE(what_is_before_it_is_not),
};
KTAP_MODULE(cases);
