// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function tracer finds text at one of its sites that it has not left there, and shuts itself down:
 * in the midst of an unregistration (it tells nobody), or of a registration.  It changes no text any more,
 * so sites go on calling us.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/umh.h>
#include <linux/vmalloc.h>
#include <asm/sync_core.h>

#include "ktap.h"

static bool early;
module_param(early, bool, 0444);
MODULE_PARM_DESC(early, "the tracer dies when an fprobe is registered");

static bool crowd;
module_param(crowd, bool, 0444);
MODULE_PARM_DESC(crowd, "there are more fprobes than have trampolines of ours");

static char *enabled;
module_param(enabled, charp, 0444);
MODULE_PARM_DESC(enabled, "the tracer dies when all are turned off by this file");

#define FUNCTION(name, term)				\
	noinline __noclone long name(long a);		\
	noinline __noclone long name(long a)		\
	{						\
		barrier();				\
		return a + (term);			\
	}

FUNCTION(lkp_dies_one, 1)
FUNCTION(lkp_dies_two, 2)
FUNCTION(lkp_dies_three, 3)

static DECLARE_COMPLETION(wakes);
static DECLARE_COMPLETION(sleeps);

noinline __noclone long lkp_dies_asleep(long a);
noinline __noclone long lkp_dies_asleep(long a)
{
	complete(&sleeps);
	wait_for_completion(&wakes);
	return a + 4;
}

/* ---- text that the tracer has not left there ---- */

#define CALL		0xe8
#define CALL_SIZE	5

static const u8 strange[CALL_SIZE] = { 0x3e, 0x0f, 0x1f, 0x40, 0x00 };

static u8 *site_of(long (*fn)(long a))
{
	u8 *at = (u8 *)fn;

	/* objtool warns of addresses in text that are not valid targets of indirect branches. */
	OPTIMIZER_HIDE_VAR(at);
	/* Behind a landing pad. */
	return at[0] == 0xf3 && at[1] == 0x0f ? at + 4 : at;
}

static bool write_text(u8 *at, const u8 *bytes)
{
	struct page *page = vmalloc_to_page(at);
	u8 *alias = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;

	if (!alias)
		return false;
	memcpy(alias + offset_in_page(at), bytes, CALL_SIZE);
	sync_core();
	vunmap(alias);
	return true;
}

/* ---- who is called ---- */

static unsigned int entries, exits, hits;

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	entries++;
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	exits++;
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static struct fprobe *new_fprobe(struct ktap *t, const char *name, int want)
{
	struct fprobe *fp = kzalloc(sizeof(*fp), GFP_KERNEL);
	int err;

	if (!EXPECT(t, fp))
		return NULL;
	fp->entry_handler = on_entry;
	fp->exit_handler = on_exit;
	err = register_fprobe_syms(fp, &name, 1);
	if (EXPECT_EQ(t, err, want) && !err)
		return fp;
	if (!err)
		unregister_fprobe(fp);
	kfree(fp);
	return NULL;
}

/* What was freed is somebody else's. */
static void use_memory(void)
{
	static void *taken[64];
	unsigned int i, size;

	for (size = 64; size <= 4096; size *= 2) {
		for (i = 0; i < ARRAY_SIZE(taken); i++) {
			taken[i] = kmalloc(size, GFP_KERNEL);
			if (taken[i])
				memset(taken[i], 0xa5, size);
		}
		for (i = 0; i < ARRAY_SIZE(taken); i++)
			kfree(taken[i]);
	}
}

static void end_fprobe(struct ktap *t, struct fprobe *fp)
{
	EXPECT_EQ(t, unregister_fprobe(fp), 0);
	EXPECT(t, !fprobe_is_registered(fp));
	memset(fp, 0xa5, sizeof(*fp));
	kfree(fp);
	use_memory();
}

static void expect_calls(struct ktap *t, long (*fn)(long a), long term, unsigned int nr)
{
	unsigned int i, before = entries, left = exits;

	for (i = 0; i < 20; i++)
		EXPECT_EQ(t, fn(i), i + term);
	EXPECT_EQ(t, entries - before, nr);
	EXPECT_EQ(t, exits - left, nr);
}

static long slept;

static int call_asleep(void *unused)
{
	slept = lkp_dies_asleep(7);
	complete(&sleeps);
	return 0;
}

/* The tracer finds it when it is about to put a nop there; the call is to an fprobe that is gone. */
static void kill_tracer_by(struct ktap *t, struct fprobe *fp)
{
	u8 call[CALL_SIZE], *site = site_of(lkp_dies_one);

	memcpy(call, site, CALL_SIZE);
	if (EXPECT_EQ(t, call[0], CALL) && EXPECT(t, write_text(site, strange))) {
		end_fprobe(t, fp);
		EXPECT(t, !memcmp(site, strange, CALL_SIZE));
		EXPECT(t, write_text(site, call));
	} else {
		end_fprobe(t, fp);
	}
}

/* Disabled or not, its site goes on calling us; or does not, where it was changed at last. */
static void expect_it_can_be_ended(struct ktap *t, struct kprobe *kp)
{
	EXPECT_EQ(t, disable_kprobe(kp), 0);
	EXPECT_EQ(t, lkp_dies_three(0), 3);
	EXPECT_EQ(t, hits, 1);
	EXPECT_EQ(t, enable_kprobe(kp), -ENODEV);
	EXPECT(t, kprobe_disabled(kp));
	unregister_kprobe(kp);
	use_memory();
	EXPECT_EQ(t, lkp_dies_three(0), 3);
	EXPECT_EQ(t, hits, 1);
	*kp = (struct kprobe){ .symbol_name = "lkp_dies_three", .pre_handler = on_hit };
	EXPECT_EQ(t, register_kprobe(kp), -ENODEV);
}

static void case_it_dies_while_an_fprobe_is_unregistered(struct ktap *t)
{
	struct kprobe kp = { .symbol_name = "lkp_dies_three", .pre_handler = on_hit };
	struct fprobe *one, *two, *asleep;

	if (early || crowd || enabled) {
		t->skip = "it dies early, or with a crowd, or when all are turned off";
		return;
	}
	one = new_fprobe(t, "lkp_dies_one", 0);
	two = new_fprobe(t, "lkp_dies_two", 0);
	asleep = new_fprobe(t, "lkp_dies_asleep", 0);
	if (!one || !two || !asleep || !EXPECT_EQ(t, register_kprobe(&kp), 0))
		return;
	expect_calls(t, lkp_dies_one, 1, 20);
	expect_calls(t, lkp_dies_two, 2, 20);
	if (EXPECT(t, !IS_ERR(kthread_run(call_asleep, NULL, "lkp_dies"))))
		wait_for_completion(&sleeps);

	kill_tracer_by(t, one);
	expect_calls(t, lkp_dies_one, 1, 0);
	/* It is dead already. */
	expect_calls(t, lkp_dies_two, 2, 20);
	end_fprobe(t, two);
	expect_calls(t, lkp_dies_two, 2, 0);
	exits = 0;
	end_fprobe(t, asleep);
	complete(&wakes);
	wait_for_completion(&sleeps);
	EXPECT_EQ(t, slept, 7 + 4);
	EXPECT_EQ(t, exits, 0);

	lkp_dies_three(0);
	EXPECT_EQ(t, hits, 1);
	expect_it_can_be_ended(t, &kp);
	new_fprobe(t, "lkp_dies_two", -ENODEV);
	kp = (struct kprobe){ .symbol_name = "lkp_dies_one", .pre_handler = on_hit };
	EXPECT_EQ(t, register_kprobe(&kp), -ENODEV);
	/* What is tried again does not keep others. */
	msleep(1500);
	wait_for_kprobe_optimizer();
}

static void case_it_dies_while_an_fprobe_is_registered(struct ktap *t)
{
	u8 nop[CALL_SIZE], *site = site_of(lkp_dies_one);

	if (!early) {
		t->skip = "it dies late";
		return;
	}
	memcpy(nop, site, CALL_SIZE);
	if (!EXPECT(t, write_text(site, strange)))
		return;
	new_fprobe(t, "lkp_dies_one", -ENODEV);
	EXPECT(t, write_text(site, nop));
	use_memory();
	expect_calls(t, lkp_dies_one, 1, 0);
	new_fprobe(t, "lkp_dies_two", -ENODEV);
	expect_calls(t, lkp_dies_two, 2, 0);
}

/* Beyond those that have a trampoline of ours each has one that the tracer has made, and frees. */
#define CROWD	40

static void case_it_dies_while_one_of_a_crowd_is_unregistered(struct ktap *t)
{
	static struct fprobe *others[CROWD];
	struct fprobe *one;
	unsigned int i;

	if (!crowd) {
		t->skip = "there is no crowd";
		return;
	}
	for (i = 0; i < CROWD; i++) {
		others[i] = new_fprobe(t, "lkp_dies_two", 0);
		if (!others[i])
			return;
	}
	one = new_fprobe(t, "lkp_dies_one", 0);
	if (!one)
		return;
	expect_calls(t, lkp_dies_one, 1, 20);
	kill_tracer_by(t, one);
	/* Its site goes on leading to that trampoline. */
	expect_calls(t, lkp_dies_one, 1, 0);
	for (i = 0; i < CROWD; i++)
		end_fprobe(t, others[i]);
	expect_calls(t, lkp_dies_two, 2, 0);
}

/* Returns whether all of it could be done. */
static bool turn(const char *how)
{
	char *command = kasprintf(GFP_KERNEL, "echo %s >%s", how, enabled);
	char *argv[4] = { "/bin/sh", "-c", command, NULL };
	char *envp[2] = { "PATH=/bin", NULL };
	bool done = command && !call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);

	kfree(command);
	return done;
}

static unsigned int traps;

static int on_trap(struct kprobe *p, struct pt_regs *regs)
{
	traps++;
	return 0;
}

static void turn_off_and_on(struct ktap *t)
{
	u8 call[CALL_SIZE], *site = site_of(lkp_dies_one);

	memcpy(call, site, CALL_SIZE);
	if (!EXPECT_EQ(t, call[0], CALL) || !EXPECT(t, write_text(site, strange)))
		return;
	EXPECT(t, turn("0"));
	EXPECT(t, !memcmp(site, strange, CALL_SIZE));
	EXPECT(t, write_text(site, call));
	expect_calls(t, lkp_dies_one, 1, 0);
	expect_calls(t, lkp_dies_two, 2, 0);
	EXPECT_EQ(t, lkp_dies_three(0), 3);
	EXPECT_EQ(t, traps + hits, 0);

	/* All but what needs the tracer. */
	EXPECT(t, !turn("1"));
	EXPECT_EQ(t, lkp_dies_three(0), 3);
	EXPECT_EQ(t, traps, 1);
	expect_calls(t, lkp_dies_one, 1, 0);
	EXPECT(t, turn("0"));
	EXPECT_EQ(t, lkp_dies_three(0), 3);
	EXPECT_EQ(t, traps, 1);
	expect_calls(t, lkp_dies_two, 2, 0);
	EXPECT(t, !turn("1"));
}

static void case_it_dies_while_all_are_turned_off(struct ktap *t)
{
	struct kprobe kp = { .symbol_name = "lkp_dies_three", .pre_handler = on_hit };
	struct kprobe trap = { .pre_handler = on_trap };
	struct fprobe *one, *two;

	if (!enabled) {
		t->skip = "there is no file";
		return;
	}
	trap.addr = (kprobe_opcode_t *)site_of(lkp_dies_three) + CALL_SIZE;
	one = new_fprobe(t, "lkp_dies_one", 0);
	two = new_fprobe(t, "lkp_dies_two", 0);
	if (!one || !two || !EXPECT_EQ(t, register_kprobe(&kp), 0) ||
	    !EXPECT_EQ(t, register_kprobe(&trap), 0))
		return;
	expect_calls(t, lkp_dies_one, 1, 20);
	turn_off_and_on(t);
	end_fprobe(t, one);
	end_fprobe(t, two);
	unregister_kprobe(&kp);
	unregister_kprobe(&trap);
	use_memory();
	expect_calls(t, lkp_dies_one, 1, 0);
	expect_calls(t, lkp_dies_two, 2, 0);
}

static const struct ktap_case cases[] = {
	CASE(it_dies_while_an_fprobe_is_unregistered),
	CASE(it_dies_while_an_fprobe_is_registered),
	CASE(it_dies_while_one_of_a_crowd_is_unregistered),
	CASE(it_dies_while_all_are_turned_off),
};
KTAP_MODULE(cases);
