// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fprobe handlers of mainline 6.14 and newer, which get struct ftrace_regs.
 */
#define FPROBE_API_6_14
#include <linux/fprobe.h>

#include "ktap.h"
#include "target.h"

/* older.h has it for callbacks of the tracer. */
#undef ftrace_regs

noinline __noclone long lkp_fa_one(long a, long b);
noinline __noclone long lkp_fa_one(long a, long b)
{
	barrier();
	return a + b;
}

/* ---- what clients ask of struct ftrace_regs ---- */

#ifdef arch_ftrace_regs
static long first(struct ftrace_regs *regs)
{
	return ftrace_regs_get_argument(regs, 0);
}

static long returned(struct ftrace_regs *regs)
{
	return ftrace_regs_get_return_value(regs);
}

static void set_returned(struct ftrace_regs *regs, long value)
{
	ftrace_regs_set_return_value(regs, value);
}

static unsigned long place(struct ftrace_regs *regs)
{
	return ftrace_regs_get_instruction_pointer(regs);
}
#elif defined(CONFIG_ARM64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
static long first(struct ftrace_regs *regs)
{
	return regs->regs[0];
}

static long returned(struct ftrace_regs *regs)
{
	return regs->regs[0];
}

static void set_returned(struct ftrace_regs *regs, long value)
{
	regs->regs[0] = value;
}

static unsigned long place(struct ftrace_regs *regs)
{
	return regs->pc;
}
#else
/* Older kernels have no such functions. */
static long first(struct ftrace_regs *regs)
{
	return FIRST((struct pt_regs *)regs);
}

static long returned(struct ftrace_regs *regs)
{
	return RETURNED((struct pt_regs *)regs);
}

static void set_returned(struct ftrace_regs *regs, long value)
{
	RETURNED((struct pt_regs *)regs) = value;
}

static unsigned long place(struct ftrace_regs *regs)
{
	return instruction_pointer((struct pt_regs *)regs);
}
#endif

/* ---- a client ---- */

struct client {
	struct fprobe fp;
	int entries, exits, answer;
	long argument, value;
	unsigned long entry_ip, ret_ip, ip;
	bool data_came;
};

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->entries++;
	client->argument = first(regs);
	client->entry_ip = entry_ip;
	if (data)
		*(long *)data = client->argument;
	return client->answer;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->exits++;
	client->value = returned(regs);
	client->ret_ip = ret_ip;
	client->ip = place(regs);
	client->data_came = data && *(long *)data == client->argument;
	set_returned(regs, client->value + 100);
}

static bool plant(struct ktap *t, struct client *client)
{
	const char *name = "lkp_fa_one";

	return EXPECT_EQ(t, register_fprobe_syms(&client->fp, &name, 1), 0);
}

static void case_both_handlers_get_registers(struct ktap *t)
{
	struct client client = {
		.fp = { .entry_handler = on_entry, .exit_handler = on_exit,
			.entry_data_size = sizeof(long) },
	};

	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fa_one(40, 2), 142);
	EXPECT_EQ(t, client.entries, 1);
	EXPECT_EQ(t, client.exits, 1);
	EXPECT_EQ(t, client.argument, 40);
	EXPECT_EQ(t, client.value, 42);
	EXPECT_EQ(t, client.ip, client.ret_ip);
	EXPECT(t, client.data_came);
	EXPECT(t, fprobe_is_registered(&client.fp));
	EXPECT_EQ(t, unregister_fprobe(&client.fp), 0);
	EXPECT_EQ(t, lkp_fa_one(40, 2), 42);
	EXPECT_EQ(t, client.entries, 1);
}

static void case_nonzero_entry_handler_means_no_exit_handler(struct ktap *t)
{
	struct client client = {
		.fp = { .entry_handler = on_entry, .exit_handler = on_exit }, .answer = 1,
	};

	if (!plant(t, &client))
		return;
	EXPECT_EQ(t, lkp_fa_one(40, 2), 42);
	EXPECT_EQ(t, client.entries, 1);
	EXPECT_EQ(t, client.exits, 0);
	EXPECT_EQ(t, unregister_fprobe(&client.fp), 0);
}

static void case_either_handler_alone(struct ktap *t)
{
	struct client entry = { .fp.entry_handler = on_entry }, exit = { .fp.exit_handler = on_exit };
	unsigned long addr = (unsigned long)lkp_fa_one;

	if (!EXPECT_EQ(t, register_fprobe(&entry.fp, "lkp_fa_*", NULL), 0))
		return;
	if (EXPECT_EQ(t, register_fprobe_ips(&exit.fp, &addr, 1), 0)) {
		EXPECT_EQ(t, lkp_fa_one(40, 2), 142);
		EXPECT_EQ(t, unregister_fprobe(&exit.fp), 0);
	}
	EXPECT_EQ(t, unregister_fprobe(&entry.fp), 0);
	EXPECT_EQ(t, entry.entries, 1);
	EXPECT_EQ(t, exit.exits, 1);
}

static void case_misuse_is_refused(struct ktap *t)
{
	struct client client = { };

	EXPECT_EQ(t, register_fprobe(NULL, "lkp_fa_*", NULL), -EINVAL);
	EXPECT_EQ(t, register_fprobe(&client.fp, "lkp_fa_*", NULL), -EINVAL);
	client.fp.entry_handler = on_entry;
	client.fp.entry_data_size = MAX_FPROBE_DATA_SIZE + 1;
	EXPECT_EQ(t, register_fprobe(&client.fp, "lkp_fa_*", NULL), -E2BIG);
	client.fp.entry_data_size = MAX_FPROBE_DATA_SIZE;
	if (EXPECT_EQ(t, register_fprobe(&client.fp, "lkp_fa_*", NULL), 0))
		EXPECT_EQ(t, unregister_fprobe(&client.fp), 0);
}

static void case_there_may_be_no_fprobe_to_ask(struct ktap *t)
{
	EXPECT(t, !fprobe_disabled(NULL));
	EXPECT(t, !fprobe_shared_with_kprobes(NULL));
	EXPECT(t, !fprobe_is_registered(NULL));
	EXPECT_EQ(t, unregister_fprobe(NULL), -EINVAL);
}

static const struct ktap_case cases[] = {
	CASE(both_handlers_get_registers),
	CASE(nonzero_entry_handler_means_no_exit_handler),
	CASE(either_handler_alone),
	CASE(misuse_is_refused),
	CASE(there_may_be_no_fprobe_to_ask),
};
KTAP_MODULE(cases);
