/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the tests of optimised probes: checks for a jump, waits for one, and
 * the sysctl.
 */
#ifndef OPTIMIZE_H
#define OPTIMIZE_H

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>

#include "ktap.h"
#include "target.h"

/* The optimiser is delayed on purpose, and slower on a busy machine. */
#define PATIENCE	(60 * HZ)

/* Longer than the optimiser needs for a probe that can be a jump. */
#define A_WHILE_MS	400

#define SWITCH		"/proc/sys/debug/" KPROBES_SYSCTL_NAME

static inline text_unit unit_at(const void *addr)
{
	return READ_ONCE(*(text_unit *)addr);
}

/* The flag and the text must say the same. */
static inline bool is_jump(const struct kprobe *p)
{
	return kprobe_optimized(p) && IS_JUMP(unit_at(p->addr));
}

static inline bool is_trap(const struct kprobe *p)
{
	return !kprobe_optimized(p) && IS_TRAP(unit_at(p->addr));
}

static inline bool becomes_jump(const struct kprobe *p)
{
	unsigned long until = jiffies + PATIENCE;

	while (!is_jump(p) && time_before(jiffies, until))
		msleep(20);
	return is_jump(p);
}

static inline bool stays_trap(const struct kprobe *p)
{
	msleep(A_WHILE_MS);
	return is_trap(p);
}

/* More than one detour calls directly. */
#define MANY_PROBES	12

/* Has a target called while it is a jump of @nr probes, so that each call has @nr hits. */
static inline void call_jump(struct ktap *t, const struct target *target, unsigned int nr,
			     kprobe_pre_handler_t pre_handler,
			     void (*call)(struct ktap *t, long (*fn)(long a, long b), int hits))
{
	static struct kprobe probes[MANY_PROBES];
	unsigned int i;

	memset(probes, 0, sizeof(probes));
	for (i = 0; i < nr; i++) {
		probes[i].addr = target_at(target);
		probes[i].pre_handler = pre_handler;
		EXPECT_EQ(t, register_kprobe(&probes[i]), 0);
	}
	if (EXPECT(t, becomes_jump(&probes[0])))
		call(t, target->fn, nr);
	for (i = 0; i < nr; i++)
		unregister_kprobe(&probes[i]);
}

/* As by sysctl; 0 or an error. */
static inline int turn_optimization(bool on)
{
	struct file *file = filp_open(SWITCH, O_WRONLY, 0);
	loff_t pos = 0;
	ssize_t ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = kernel_write(file, on ? "1" : "0", 1, &pos);
	filp_close(file, NULL);
	return ret == 1 ? 0 : ret ?: -EIO;
}

/* More than a jump overwrites, and not what lies behind the shortest TARGET(). */
#define SAVED_TEXT	16

struct saved_text {
	u8 bytes[SAVED_TEXT];
};

static inline struct saved_text text_of(const struct target *target)
{
	struct saved_text text;

	memcpy(text.bytes, target->fn, sizeof(text.bytes));
	return text;
}

static inline bool text_is(const struct target *target, const struct saved_text *text)
{
	return !memcmp(target->fn, text->bytes, sizeof(text->bytes));
}

#endif /* OPTIMIZE_H */
