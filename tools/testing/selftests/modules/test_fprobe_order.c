// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: the order in which the handlers of all kinds of probes on a function run, and
 * very many fprobes on one.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "ktap.h"
#include "target.h"
#include "test_fprobe.h"

/* ---- the order of all kinds ---- */

static char order[64];

static void add_to_order(char what)
{
	size_t len = strlen(order);

	if (len < sizeof(order) - 1)
		order[len] = what;
}

struct named {
	struct fprobe fp;
	char name;
};

static int order_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	add_to_order(container_of(fp, struct named, fp)->name);
	return 0;
}

static void order_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		       struct pt_regs *regs, void *data)
{
	add_to_order(container_of(fp, struct named, fp)->name);
}

static int order_pre(struct kprobe *p, struct pt_regs *regs)
{
	add_to_order('k');
	return 0;
}

static int order_ret_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	add_to_order('r');
	return 0;
}

static int order_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	add_to_order('r');
	return 0;
}

static long order_call(long a, long b)
{
	add_to_order('j');
	jprobe_return();
	return 0;
}

static struct named first, second;
static struct kprobe order_kprobe;
static struct kretprobe order_kretprobe;
static struct jprobe order_jprobe;

static int order_register(char what)
{
	const struct named named = { .fp = { .entry_handler = order_entry,
					     .exit_handler = order_exit }, .name = what };

	switch (what) {
	case 'k':
		order_kprobe = (struct kprobe){ .symbol_name = "lkp_fp_one", .pre_handler = order_pre };
		return register_kprobe(&order_kprobe);
	case 'r':
		order_kretprobe = (struct kretprobe){ .kp.symbol_name = "lkp_fp_one",
			.handler = order_ret, .entry_handler = order_ret_entry };
		return register_kretprobe(&order_kretprobe);
	case 'j':
		order_jprobe = (struct jprobe){ .kp.symbol_name = "lkp_fp_one", .entry = order_call };
		return register_jprobe(&order_jprobe);
	case '1':
		first = named;
		return register_named(&first.fp, "lkp_fp_one");
	default:
		second = named;
		return register_named(&second.fp, "lkp_fp_one");
	}
}

static void order_unregister(char what)
{
	switch (what) {
	case 'k':
		unregister_kprobe(&order_kprobe);
		break;
	case 'r':
		unregister_kretprobe(&order_kretprobe);
		break;
	case 'j':
		unregister_jprobe(&order_jprobe);
		break;
	case '1':
		unregister_fprobe(&first.fp);
		break;
	default:
		unregister_fprobe(&second.fp);
	}
}

/*
 * Entry: fprobes, the newest first; kprobes and kretprobes, the oldest first;
 * the jprobe.  Return: the other way round.
 */
static void case_all_kinds_on_a_function_run_in_the_documented_order(struct ktap *t)
{
	static const char * const rows[][2] = {
		{ "12krj", "21krjr12" }, { "jrk21", "12rkjr21" }, { "k1r2j", "21krjr12" },
		{ "j2k1r", "12krjr21" }, { "rj", "rjr" }, { "1j", "1j1" }, { "r1", "1rr1" },
		{ "1r", "1rr1" }, { "k1", "1k1" }, { "2r1", "12rr21" },
	};
	const char *what;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (what = rows[i][0]; *what; what++)
			EXPECT_EQ(t, order_register(*what), 0);
		memset(order, 0, sizeof(order));
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
		if (!EXPECT(t, !strcmp(order, rows[i][1])))
			seq_printf(t->m, "# %s: %s, not %s\n", rows[i][0], order, rows[i][1]);
		for (what = rows[i][0]; *what; what++)
			order_unregister(*what);
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	}
}

static int return_for_it(struct kprobe *p, struct pt_regs *regs)
{
	return_with(regs, 7);
	return 1;
}

/* With a post_handler it is no jump where it could not do so behind one. */
static void nothing(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static void case_a_kprobe_that_returns_for_the_function(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_fp_one", .pre_handler = return_for_it,
			    .post_handler = nothing };
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	if (EXPECT_EQ(t, register_kprobe(&p), 0)) {
		EXPECT_EQ(t, lkp_fp_one(40, 2), 7);
		EXPECT_EQ(t, client.entries, 1);
		EXPECT_EQ(t, client.exits, 1);
		EXPECT_EQ(t, client.exit.value, 7);
		unregister_kprobe(&p);
	}
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	uproot(t, &client);
}

/* More of them than there are trampolines of ours. */
#define MANY	34

static void case_very_many_on_one_function(struct ktap *t)
{
	struct client *clients = kvcalloc(MANY, sizeof(*clients), GFP_KERNEL);
	int i, planted;

	if (!EXPECT(t, clients))
		return;
	for (planted = 0; planted < MANY; planted++) {
		clients[planted] = client_of_both();
		if (!plant(t, &clients[planted]))
			break;
	}
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	for (i = 0; i < planted; i++) {
		EXPECT_EQ(t, clients[i].entries, 1);
		EXPECT_EQ(t, clients[i].exits, 1);
		EXPECT_EQ(t, clients[i].entry.ret_ip, clients[0].entry.ret_ip);
	}
	/* In an order of its own, and the last one has the function for itself. */
	for (i = 0; i < planted - 1; i++)
		uproot(t, &clients[(i * 7 + 3) % planted]);
	i = (i * 7 + 3) % planted;
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, clients[i].exits, 2);
	uproot(t, &clients[i]);
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, clients[i].exits, 2);
	kvfree(clients);
}

static const struct ktap_case cases[] = {
	CASE(all_kinds_on_a_function_run_in_the_documented_order),
	CASE(a_kprobe_that_returns_for_the_function),
	CASE(very_many_on_one_function),
};
KTAP_MODULE(cases);
