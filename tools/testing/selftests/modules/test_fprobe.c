// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobes: registration, what handlers see and may do, the order in which the
 * handlers of all kinds of probes run, and the count of missed calls.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "contexts.h"
#include "ktap.h"
#include "target.h"

/* Then the other kinds come first, and may keep the function from getting there. */
#define TRACER_IS_BEHIND_ENTRY	(!ENTRY_IS_SITE && IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS))

/* ---- the probed functions ---- */

noinline __noclone long lkp_fp_one(long a, long b);
noinline __noclone long lkp_fp_one(long a, long b)
{
	barrier();
	return a + b;
}

noinline __noclone long lkp_fp_two(long a, long b);
noinline __noclone long lkp_fp_two(long a, long b)
{
	barrier();
	return a - b;
}

noinline __noclone long lkp_fp_three(long a, long b);
noinline __noclone long lkp_fp_three(long a, long b)
{
	barrier();
	return a * b;
}

/* The sum of depth and all below it. */
noinline __noclone long lkp_fp_recurse(long depth, long unused);
noinline __noclone long lkp_fp_recurse(long depth, long unused)
{
	long below = depth > 1 ? lkp_fp_recurse(depth - 1, unused) : 0;

	barrier();
	return below + depth;
}

static DECLARE_COMPLETION(wake);
static atomic_t inside = ATOMIC_INIT(0);

noinline __noclone long lkp_fp_asleep(long a, long b);
noinline __noclone long lkp_fp_asleep(long a, long b)
{
	atomic_inc(&inside);
	wait_for_completion(&wake);
	return a + b;
}

static void call_all(struct ktap *t)
{
	EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
	EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
	EXPECT_EQ(t, lkp_fp_three(21, 2), 42);
}

/* ---- handlers that take notes ---- */

struct note {
	struct fprobe *fp;
	unsigned long entry_ip;
	unsigned long ret_ip;
	unsigned long ip;
	unsigned long first, second;
	unsigned long value;
	void *data;
	bool irqs_off;
	bool running;
};

/* Embedded as a client's would be. */
struct client {
	struct fprobe fp;
	int entries, exits;
	struct note entry, exit;
	int answer;
	long leave;
};

static void take_note(struct note *note, struct fprobe *fp, unsigned long entry_ip,
		      unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	*note = (struct note){
		.fp = fp, .entry_ip = entry_ip, .ret_ip = ret_ip, .ip = instruction_pointer(regs),
		.first = FIRST(regs), .second = SECOND(regs), .value = RETURNED(regs), .data = data,
		.irqs_off = irqs_disabled(), .running = kprobe_running(),
	};
}

static int note_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		      struct pt_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->entries++;
	take_note(&client->entry, fp, entry_ip, ret_ip, regs, data);
	if (data)
		*(long *)data = client->leave;
	return client->answer;
}

static void note_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		      struct pt_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->exits++;
	take_note(&client->exit, fp, entry_ip, ret_ip, regs, data);
	client->leave = data ? *(long *)data : 0;
}

static struct client client_of_both(void)
{
	return (struct client){ .fp = { .entry_handler = note_entry, .exit_handler = note_exit } };
}

static int register_named(struct fprobe *fp, const char *name)
{
	return register_fprobe_syms(fp, &name, 1);
}

static bool plant(struct ktap *t, struct client *client)
{
	return EXPECT_EQ(t, register_named(&client->fp, "lkp_fp_one"), 0);
}

static void uproot(struct ktap *t, struct client *client)
{
	EXPECT_EQ(t, unregister_fprobe(&client->fp), 0);
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

static void case_misuse_is_refused(struct ktap *t)
{
	unsigned long in_function = (unsigned long)lkp_fp_one;
	unsigned long data = (unsigned long)&wake, user = 4096;
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

/* ---- misses ---- */

static void case_each_level_of_a_recursion_returns(struct ktap *t)
{
	struct client client = client_of_both();

	client.fp.nr_maxactive = 30;
	if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_recurse"), 0))
		return;
	EXPECT_EQ(t, lkp_fp_recurse(30, 0), 465);
	EXPECT_EQ(t, client.entries, 30);
	EXPECT_EQ(t, client.exits, 30);
	EXPECT_EQ(t, client.fp.nmissed, 0);
	uproot(t, &client);
}

/* If it asks for no data the entry_handler runs; otherwise neither handler does. */
static void case_what_cannot_be_followed_is_counted(struct ktap *t)
{
	int size;

	for (size = 0; size <= 8; size += 8) {
		struct client client = client_of_both();

		client.fp.nr_maxactive = 10;
		client.fp.entry_data_size = size;
		if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_recurse"), 0))
			return;
		EXPECT_EQ(t, lkp_fp_recurse(30, 0), 465);
		EXPECT_EQ(t, client.entries, size ? 10 : 30);
		EXPECT_EQ(t, client.exits, 10);
		EXPECT_EQ(t, client.fp.nmissed, 20);
		EXPECT_EQ(t, lkp_fp_recurse(10, 0), 55);
		EXPECT_EQ(t, client.exits, 20);
		EXPECT_EQ(t, client.fp.nmissed, 20);
		uproot(t, &client);
	}
}

static int call_two(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	return lkp_fp_two(44, 2) + lkp_fp_one(1, 1) - 44;
}

static void call_two_on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			     struct pt_regs *regs, void *data)
{
	lkp_fp_two(44, 2);
	RETURNED(regs) += lkp_fp_one(0, 0);
}

static int count_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* Its own function, and another one that has probes of both kinds. */
static void case_a_handler_that_calls_probed_functions(struct ktap *t)
{
	struct fprobe fp = { .entry_handler = call_two, .exit_handler = call_two_on_exit };
	struct kprobe p = { .symbol_name = "lkp_fp_two", .pre_handler = count_kprobe };
	struct client other = client_of_both();

	if (!EXPECT_EQ(t, register_named(&other.fp, "lkp_fp_two"), 0))
		return;
	EXPECT_EQ(t, register_kprobe(&p), 0);
	if (EXPECT_EQ(t, register_named(&fp, "lkp_fp_one"), 0)) {
		EXPECT_EQ(t, lkp_fp_one(40, 2), 42);
		EXPECT_EQ(t, fp.nmissed, 2);
		EXPECT_EQ(t, other.fp.nmissed, 2);
		EXPECT_EQ(t, p.nmissed, 2);
		EXPECT_EQ(t, other.entries + other.exits, 0);
		EXPECT_EQ(t, unregister_fprobe(&fp), 0);
	}
	EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
	EXPECT_EQ(t, other.entries + other.exits, 2);
	EXPECT_EQ(t, p.nmissed, 2);
	unregister_kprobe(&p);
	EXPECT_EQ(t, unregister_fprobe(&other.fp), 0);
}

static int call_one(struct kprobe *p, struct pt_regs *regs)
{
	lkp_fp_one(1, 1);
	return 0;
}

static void case_hits_of_a_kprobes_handler_are_counted_as_missed(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_fp_two", .pre_handler = call_one };
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	if (EXPECT_EQ(t, register_kprobe(&p), 0)) {
		EXPECT_EQ(t, lkp_fp_two(44, 2), 42);
		EXPECT_EQ(t, client.entries, 0);
		EXPECT_EQ(t, client.fp.nmissed, 1);
		unregister_kprobe(&p);
	}
	uproot(t, &client);
}

/* ---- contexts ---- */

static long result_in_irq;

static void call_in_irq(void)
{
	result_in_irq = in_hardirq() ? lkp_fp_one(40, 2) : 0;
}

static void case_hit_in_an_interrupt(struct ktap *t)
{
	struct client client = client_of_both();

	if (!plant(t, &client))
		return;
	run_in_interrupt(call_in_irq);
	EXPECT_EQ(t, result_in_irq, 42);
	EXPECT_EQ(t, client.entries, 1);
	EXPECT_EQ(t, client.exits, 1);
	uproot(t, &client);
}

#ifdef CONFIG_X86_64

static atomic_t nmis;
static long nmi_result;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (atomic_read(&nmis) <= 0)
		return NMI_DONE;
	nmi_result = in_nmi() ? lkp_fp_one(40, 2) : 0;
	atomic_dec_return(&nmis);
	return NMI_HANDLED;
}

static void send_nmi(int cpu)
{
	int i;

	atomic_inc(&nmis);
	apic->send_IPI(cpu, NMI_VECTOR);
	for (i = 0; i < 1000 && atomic_read(&nmis); i++)
		udelay(1000);
}

static void case_hit_in_an_nmi(struct ktap *t)
{
	struct client client = client_of_both();
	int i;

	if (!EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_test_fprobe"), 0))
		return;
	if (plant(t, &client)) {
		for (i = 1; i <= 5; i++) {
			nmi_result = 0;
			send_nmi(raw_smp_processor_id());
			EXPECT_EQ(t, nmi_result, 42);
			EXPECT_EQ(t, client.entries, i);
			EXPECT_EQ(t, client.exits, i);
		}
		uproot(t, &client);
	}
	unregister_nmi_handler(NMI_LOCAL, "lkp_test_fprobe");
}

#endif /* CONFIG_X86_64 */

/* ---- tasks inside ---- */

static int sleeper(void *result)
{
	*(long *)result = lkp_fp_asleep(40, 2);
	atomic_dec(&inside);
	return 0;
}

static bool becomes(atomic_t *what, int value)
{
	int i;

	for (i = 0; i < 1000 && atomic_read(what) != value; i++)
		msleep(20);
	return atomic_read(what) == value;
}

#define NR_SLEEPERS	3

static void case_unregistered_while_tasks_sleep_inside(struct ktap *t)
{
	struct client client = client_of_both();
	long results[NR_SLEEPERS] = { };
	int i;

	reinit_completion(&wake);
	if (!EXPECT_EQ(t, register_named(&client.fp, "lkp_fp_asleep"), 0))
		return;
	for (i = 0; i < NR_SLEEPERS; i++)
		EXPECT(t, !IS_ERR(kthread_run(sleeper, &results[i], "lkp_fprobe")));
	EXPECT(t, becomes(&inside, NR_SLEEPERS));
	EXPECT_EQ(t, client.entries, NR_SLEEPERS);
	uproot(t, &client);
	memset(&client.fp, 0x6b, sizeof(client.fp));
	complete_all(&wake);
	EXPECT(t, becomes(&inside, 0));
	EXPECT_EQ(t, client.exits, 0);
	for (i = 0; i < NR_SLEEPERS; i++)
		EXPECT_EQ(t, results[i], 42);
	msleep(100);
}

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

	if (TRACER_IS_BEHIND_ENTRY) {
		t->skip = "fprobes are behind the entry, where the other kinds are";
		return;
	}
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

/* With a post_handler it never becomes a jump, behind which it could not. */
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
		EXPECT_EQ(t, client.entries, !TRACER_IS_BEHIND_ENTRY);
		EXPECT_EQ(t, client.exits, !TRACER_IS_BEHIND_ENTRY);
		if (!TRACER_IS_BEHIND_ENTRY)
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
	CASE(patterns_say_which_functions),
	CASE(names_say_which_functions),
	CASE(addresses_say_which_functions),
	CASE(misuse_is_refused),
	CASE(registered_twice_is_ebusy),
	CASE(handlers_see_the_call),
	CASE(data_goes_from_entry_to_exit),
	CASE(nonzero_entry_handler_means_no_exit_handler),
	CASE(either_handler_alone),
	CASE(handlers_change_arguments_and_value),
	CASE(disabled_and_enabled_again),
	CASE(text_is_as_before),
	CASE(each_level_of_a_recursion_returns),
	CASE(what_cannot_be_followed_is_counted),
	CASE(a_handler_that_calls_probed_functions),
	CASE(hits_of_a_kprobes_handler_are_counted_as_missed),
	CASE(hit_in_an_interrupt),
#ifdef CONFIG_X86_64
	CASE(hit_in_an_nmi),
#endif
	CASE(unregistered_while_tasks_sleep_inside),
	CASE(all_kinds_on_a_function_run_in_the_documented_order),
	CASE(a_kprobe_that_returns_for_the_function),
	CASE(very_many_on_one_function),
};
KTAP_MODULE(cases);
