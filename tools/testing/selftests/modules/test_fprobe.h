/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of fprobes share: functions to probe, and handlers that take notes.
 * Each module has its own copy of both.
 */
#ifndef LKP_TEST_FPROBE_H
#define LKP_TEST_FPROBE_H

#include <linux/fprobe.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

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

static inline void take_note(struct note *note, struct fprobe *fp, unsigned long entry_ip,
			     unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	*note = (struct note){
		.fp = fp, .entry_ip = entry_ip, .ret_ip = ret_ip, .ip = instruction_pointer(regs),
		.first = FIRST(regs), .second = SECOND(regs), .value = RETURNED(regs), .data = data,
		.irqs_off = irqs_disabled(), .running = kprobe_running(),
	};
}

static inline int note_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			     struct pt_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->entries++;
	take_note(&client->entry, fp, entry_ip, ret_ip, regs, data);
	if (data)
		*(long *)data = client->leave;
	return client->answer;
}

static inline void note_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			     struct pt_regs *regs, void *data)
{
	struct client *client = container_of(fp, struct client, fp);

	client->exits++;
	take_note(&client->exit, fp, entry_ip, ret_ip, regs, data);
	client->leave = data ? *(long *)data : 0;
}

static inline struct client client_of_both(void)
{
	return (struct client){ .fp = { .entry_handler = note_entry, .exit_handler = note_exit } };
}

static inline int register_named(struct fprobe *fp, const char *name)
{
	return register_fprobe_syms(fp, &name, 1);
}

static inline bool plant(struct ktap *t, struct client *client)
{
	return EXPECT_EQ(t, register_named(&client->fp, "lkp_fp_one"), 0);
}

static inline void uproot(struct ktap *t, struct client *client)
{
	EXPECT_EQ(t, unregister_fprobe(&client->fp), 0);
}

#endif /* LKP_TEST_FPROBE_H */
