// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: registration, and what handlers see and may do.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"
#include "test_fprobe.h"

/* ---- the probed functions ---- */

noinline __noclone long lkp_fp_three(long a, long b);
noinline __noclone long lkp_fp_three(long a, long b)
{
	barrier();
	return a * b;
}

static void call_all(struct ktap *t)
{
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
	EXPECT_EQ(t, lkp_fp_three(21, 2), 42);
}

static bool within(unsigned long ip, void *function)
{
	/* objtool warns about constants close to a function's first byte. */
	OPTIMIZER_HIDE_VAR(function);
	return ip - (unsigned long)function < 16;
}

/* ---- which functions ---- */

static void expect_hit(struct ktap *t, struct client *client, int hits)
{
	client->entries = 0;
	client->exits = 0;
	call_all(t);
	EXPECT_EQ(t, client->entries, hits);
	EXPECT_EQ(t, client->exits, hits);
	EXPECT_EQ(t, client->fp.nmissed, 0);
}

static void case_patterns_say_which_functions(struct ktap *t)
{
	static const struct {
		const char *filter, *notfilter;
		int hits;
	} rows[] = {
		{ "lkp_fp_one", NULL, 1 },
		{ "lkp_fp_*", NULL, 3 },
		{ "lkp_fp_t*", NULL, 2 },
		{ "*kp_fp_o*", NULL, 1 },
		{ "lkp*_fp_two", NULL, 1 },
		{ "lkp_fp_?wo", NULL, 1 },
		{ "lkp_fp_one,lkp_fp_two", NULL, 2 },
		{ "no_such_function,lkp_fp_three", NULL, 1 },
		{ "lkp_fp_one,lkp_fp_*,lkp_fp_one", NULL, 3 },
		{ "lkp_fp_*", "lkp_fp_one", 2 },
		{ "lkp_fp_*", "lkp_fp_t*", 1 },
		{ "lkp_fp_*", "lkp_fp_two,*three", 1 },
	};
	struct client client = client_of_both();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!EXPECT_EQ(t, register_fprobe(&client.fp, rows[i].filter, rows[i].notfilter),
			       0))
			continue;
		expect_hit(t, &client, rows[i].hits);
		uproot(t, &client);
		expect_hit(t, &client, 0);
	}
}

static void case_names_say_which_functions(struct ktap *t)
{
	struct client client = client_of_both();
	const char **names = (const char *[]){
		"lkp_fp_two", "test_fprobe:lkp_fp_one", "lkp_fp_two",
	};

	if (!EXPECT_EQ(t, register_fprobe_syms(&client.fp, names, 3), 0))
		return;
	expect_hit(t, &client, 2);
	uproot(t, &client);
	expect_hit(t, &client, 0);
}

static void case_addresses_say_which_functions(struct ktap *t)
{
	unsigned long addrs[] = { (unsigned long)lkp_fp_one, (unsigned long)lkp_fp_three,
				  (unsigned long)lkp_fp_one };
	struct client client = client_of_both();

	if (!EXPECT_EQ(t, register_fprobe_ips(&client.fp, addrs, 3), 0))
		return;
	expect_hit(t, &client, 2);
	uproot(t, &client);
	/* What a handler was told is such an address, too. */
	addrs[0] = client.entry.entry_ip;
	EXPECT(t, within(addrs[0], lkp_fp_three));
	if (!EXPECT_EQ(t, register_fprobe_ips(&client.fp, addrs, 1), 0))
		return;
	expect_hit(t, &client, 1);
	uproot(t, &client);
}

/* Which bytes at the beginning of a function stand for it, a bit for each. */
static unsigned int places_of(struct ktap *t, struct client *client)
{
	unsigned long addr = (unsigned long)lkp_fp_one;
	unsigned int i, accepted = 0;

	for (i = 0; i < 16 && within(addr + i, lkp_fp_one); i++) {
		unsigned long at = addr + i;
		int err = register_fprobe_ips(&client->fp, &at, 1);

		if (err) {
			EXPECT_EQ(t, err, -EINVAL);
			continue;
		}
		accepted |= BIT(i);
		expect_hit(t, client, 1);
		uproot(t, client);
	}
	return accepted;
}

/* The first byte, what is behind a landing pad, and the tracer's call. */
static void case_places_of_an_entry_stand_for_the_function(struct ktap *t)
{
	struct client client = client_of_both();
	unsigned int accepted = places_of(t, &client), may_be = BIT(0) | BIT(4);

	if (IS_ENABLED(CONFIG_ARM64))
		may_be |= BIT(8);
	if (IS_ENABLED(CONFIG_PPC64))
		may_be |= BIT(8) | BIT(12);
	EXPECT_EQ(t, accepted & ~may_be, 0);
	EXPECT(t, accepted & BIT(0));
	if (accepted)
		EXPECT(t, accepted & BIT(client.entry.entry_ip - (unsigned long)lkp_fp_one));
	/* There the call is always behind an instruction that saves where to return to. */
	if (IS_ENABLED(CONFIG_ARM64) && IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		EXPECT(t, accepted & BIT(IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) ? 8 : 4));
}

/* ---- misuse ---- */

static void expect_refused(struct ktap *t, struct client *client, int err, int wanted)
{
	EXPECT_EQ(t, err, wanted);
	if (!err)
		unregister_fprobe(&client->fp);
	EXPECT(t, !fprobe_is_registered(&client->fp));
	EXPECT_EQ(t, unregister_fprobe(&client->fp), -EINVAL);
	expect_hit(t, client, 0);
}

static long some_data;

static void case_misuse_is_refused(struct ktap *t)
{
	unsigned long in_function = (unsigned long)lkp_fp_one;
	unsigned long data = (unsigned long)&some_data, user = 4096;
	const char **unknown = (const char *[]){ "lkp_fp_one", "no_such_function" };
	const char **null = (const char *[]){ "lkp_fp_one", NULL };
	const char **one = (const char *[]){ "lkp_fp_one" };
	unsigned long function = (unsigned long)lkp_fp_one;
	struct client c = client_of_both();

	OPTIMIZER_HIDE_VAR(in_function);
	in_function += 9;
#define REFUSED(call, wanted)	expect_refused(t, &c, call, wanted)
	EXPECT_EQ(t, register_fprobe(NULL, "lkp_fp_one", NULL), -EINVAL);
	EXPECT_EQ(t, register_fprobe_ips(NULL, &function, 1), -EINVAL);
	EXPECT_EQ(t, register_fprobe_syms(NULL, one, 1), -EINVAL);
	EXPECT_EQ(t, unregister_fprobe(NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, NULL, NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, NULL, "lkp_fp_one"), -EINVAL);
	REFUSED(register_fprobe(&c.fp, "", NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, ",", NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, "no_such_function", NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, "no_such_*", NULL), -EINVAL);
	REFUSED(register_fprobe(&c.fp, "lkp_fp_one", "no_such_function"), -EINVAL);
	REFUSED(register_fprobe(&c.fp, "lkp_fp_one", "lkp_*"), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, NULL, 1), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, &function, 0), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, &function, -1), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, &in_function, 1), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, &data, 1), -EINVAL);
	REFUSED(register_fprobe_ips(&c.fp, &user, 1), -EINVAL);
	REFUSED(register_fprobe_syms(&c.fp, NULL, 1), -EINVAL);
	REFUSED(register_fprobe_syms(&c.fp, one, 0), -EINVAL);
	REFUSED(register_fprobe_syms(&c.fp, one, -1), -EINVAL);
	REFUSED(register_fprobe_syms(&c.fp, null, 2), -EINVAL);
	REFUSED(register_fprobe_syms(&c.fp, unknown, 2), -ENOENT);
	c.fp.nr_maxactive = -1;
	REFUSED(register_fprobe_syms(&c.fp, one, 1), -EINVAL);
	c.fp.nr_maxactive = KRETPROBE_MAX_ACTIVE + 1;
	REFUSED(register_fprobe_syms(&c.fp, one, 1), -E2BIG);
	c.fp.nr_maxactive = 0;
	c.fp.entry_data_size = KRETPROBE_MAX_DATA_SIZE + 1;
	REFUSED(register_fprobe_syms(&c.fp, one, 1), -E2BIG);
	c.fp.entry_data_size = 0;
	c.fp.entry_handler = NULL;
	c.fp.exit_handler = NULL;
	REFUSED(register_fprobe_syms(&c.fp, one, 1), -EINVAL);
#undef REFUSED
}

static void case_registered_twice_is_ebusy(struct ktap *t)
{
	unsigned long function = (unsigned long)lkp_fp_two;
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	EXPECT(t, fprobe_is_registered(&client.fp));
	EXPECT_EQ(t, register_fprobe(&client.fp, "lkp_fp_one", NULL), -EBUSY);
	EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_one"), -EBUSY);
	EXPECT_EQ(t, register_fprobe_ips(&client.fp, &function, 1), -EBUSY);
	expect_hit(t, &client, 1);
	uproot(t, &client);
	EXPECT_EQ(t, unregister_fprobe(&client.fp), -EINVAL);
	expect_hit(t, &client, 0);
}

/* ---- functions on the blacklist ---- */

/* Handlers would run on a CPU that nobody waits for, or that the kernel is leaving. */
static const char * const never_called[] = {
#ifdef CONFIG_X86_64
	"play_dead_common", "hlt_play_dead", "cpu_report_death", "cpuhp_ap_report_dead",
	"cpuidle_get_cpu_driver", "default_idle", "save_processor_state",
#endif
	/* That of powerpc is called long before the kernel is left. */
#ifndef CONFIG_PPC64
	"machine_kexec",
#endif
	"default_machine_kexec", "cpu_suspend",
};

static void case_what_must_not_call_handlers_is_refused(struct ktap *t)
{
	struct client client = client_of_both();
	char pattern[64];
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(never_called); i++) {
		err = register_named(&client.fp, never_called[i]);
		EXPECT(t, err == -EINVAL || err == -ENOENT);
		if (!err)
			unregister_fprobe(&client.fp);
		err = register_fprobe(&client.fp, never_called[i], NULL);
		EXPECT_EQ(t, err, -EINVAL);
		if (!err)
			unregister_fprobe(&client.fp);
		scnprintf(pattern, sizeof(pattern), "lkp_fp_one,%s", never_called[i]);
		if (!EXPECT_EQ(t, register_fprobe(&client.fp, pattern, NULL), 0))
			continue;
		expect_hit(t, &client, 1);
		uproot(t, &client);
	}
}

/* A trap there would recurse; a call of the tracer finds the guard. */
static void case_what_must_not_trap_can_be_traced(struct ktap *t)
{
	bool traced = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS);
	struct client client = client_of_both();
	int err = register_named(&client.fp, "search_exception_tables");

	EXPECT_EQ(t, err, traced ? 0 : -EINVAL);
	if (!err)
		uproot(t, &client);
}

/* ---- what handlers see and may do ---- */

static void case_handlers_see_the_call(struct ktap *t)
{
	struct client client = client_of_both();
	const struct note *entry = &client.entry, *exit = &client.exit;

	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT(t, !irqs_disabled());
	EXPECT(t, entry->fp == &client.fp && exit->fp == &client.fp);
	EXPECT(t, within(entry->entry_ip, lkp_fp_one));
	EXPECT_EQ(t, exit->entry_ip, entry->entry_ip);
	EXPECT(t, within_module(entry->ret_ip, THIS_MODULE));
	EXPECT_EQ(t, exit->ret_ip, entry->ret_ip);
	EXPECT_EQ(t, exit->ip, entry->ret_ip);
	EXPECT_EQ(t, entry->first, 40);
	EXPECT_EQ(t, entry->second, 2);
	EXPECT_EQ(t, exit->value, 42);
	EXPECT(t, !entry->data && !exit->data);
	EXPECT(t, entry->irqs_off && exit->irqs_off);
	EXPECT(t, entry->running && exit->running);
	EXPECT(t, !kprobe_running());
	uproot(t, &client);
}

static void case_data_goes_from_entry_to_exit(struct ktap *t)
{
	static const size_t sizes[] = { sizeof(long), 100, KRETPROBE_MAX_DATA_SIZE };
	struct client client = client_of_both();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		client.fp.entry_data_size = sizes[i];
		client.leave = 4711 + i;
		if (!plant(t, &client))
			return;
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
		EXPECT(t, client.entry.data && client.exit.data == client.entry.data);
		EXPECT(t, IS_ALIGNED((unsigned long)client.entry.data, sizeof(long)));
		EXPECT_EQ(t, client.leave, 4711 + i);
		uproot(t, &client);
	}
}

static void case_nonzero_entry_handler_means_no_exit_handler(struct ktap *t)
{
	struct client client = client_of_both();
	int i;

	client.answer = 1;
	client.fp.nr_maxactive = 2;
	if (!plant(t, &client))
		return;
	for (i = 0; i < 10; i++)
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, client.entries, 10);
	EXPECT_EQ(t, client.exits, 0);
	EXPECT_EQ(t, client.fp.nmissed, 0);
	uproot(t, &client);
}

static void case_either_handler_alone(struct ktap *t)
{
	struct client client = client_of_both();

	client.fp.exit_handler = NULL;
	client.fp.entry_data_size = 8;
	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, client.entries, 1);
	EXPECT(t, !client.entry.data);
	uproot(t, &client);

	client = client_of_both();
	client.fp.entry_handler = NULL;
	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, client.entries, 0);
	EXPECT_EQ(t, client.exits, 1);
	uproot(t, &client);
}

static int change_arguments(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			    struct pt_regs *regs, void *data)
{
	SECOND(regs) = 100;
	instruction_pointer_set(regs, 0);
	return 0;
}

static void change_value(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			 struct pt_regs *regs, void *data)
{
	RETURNED(regs)++;
}

static void case_handlers_change_arguments_and_value(struct ktap *t)
{
	struct client client = { .fp = { .entry_handler = change_arguments,
					 .exit_handler = change_value } };

	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fp_one(40, 2), 141);
	uproot(t, &client);
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
}

static void case_disabled_and_enabled_again(struct ktap *t)
{
	struct client client = client_of_both();

	client.fp.flags = FPROBE_FL_DISABLED | FPROBE_FL_KPROBE_SHARED;
	if (!plant(t, &client))
		return;
	EXPECT(t, fprobe_disabled(&client.fp) && fprobe_shared_with_kprobes(&client.fp));
	expect_hit(t, &client, 0);
	enable_fprobe(&client.fp);
	EXPECT(t, !fprobe_disabled(&client.fp) && fprobe_shared_with_kprobes(&client.fp));
	expect_hit(t, &client, 1);
	disable_fprobe(&client.fp);
	expect_hit(t, &client, 0);
	enable_fprobe(&client.fp);
	expect_hit(t, &client, 1);
	uproot(t, &client);
	disable_fprobe(NULL);
	enable_fprobe(NULL);
}

static void case_text_is_as_before(struct ktap *t)
{
	void *text = lkp_fp_one;
	struct client client = client_of_both();
	u8 before[16];

	OPTIMIZER_HIDE_VAR(text);
	memcpy(before, text, sizeof(before));
	if (!plant(t, &client))
		return;
	EXPECT(t, memcmp(before, text, sizeof(before)));
	uproot(t, &client);
	EXPECT(t, !memcmp(before, text, sizeof(before)));
}

static const struct ktap_case cases[] = {
	CASE(patterns_say_which_functions),
	CASE(names_say_which_functions),
	CASE(addresses_say_which_functions),
	CASE(places_of_an_entry_stand_for_the_function),
	CASE(misuse_is_refused),
	CASE(registered_twice_is_ebusy),
	CASE(what_must_not_call_handlers_is_refused),
	CASE(what_must_not_trap_can_be_traced),
	CASE(handlers_see_the_call),
	CASE(data_goes_from_entry_to_exit),
	CASE(nonzero_entry_handler_means_no_exit_handler),
	CASE(either_handler_alone),
	CASE(handlers_change_arguments_and_value),
	CASE(disabled_and_enabled_again),
	CASE(text_is_as_before),
};
KTAP_MODULE(cases);
