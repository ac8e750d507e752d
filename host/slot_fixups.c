// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where faults in slots go on: entries in the module's exception table, for the first pool only.
 * There are two for each slot, made by the assembler, since a slot holds two copies of its
 * instruction.  An unused entry names a byte at which no instruction begins.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "host.h"
#include "slots.h"

/* An offset in a slot for faults that can't be fixed up from the module directly. */
#ifndef ARCH_SLOT_LANDING
#define ARCH_SLOT_LANDING	0
#endif

static struct exception_table_entry *first_fixup;

/* For each slot of the first pool: the instruction that its fixups are for; 0 if it has none. */
static unsigned long originals[ARCH_NR_SLOTS];

/* The instruction that the slot is for, if it has fixups; 0 if not. */
unsigned long slot_original(const struct slot_pool *pool, unsigned int i)
{
	return pool->source == POOL_OWN_TEXT ? originals[i] : 0;
}

static struct exception_table_entry *fixup_of(unsigned long slot, unsigned int which)
{
	struct slot_pool *pool = slot_pool_of(slot);

	if (!pool || pool->source != POOL_OWN_TEXT)
		return NULL;
	return first_fixup + slot_index(pool, slot) * ARCH_SLOT_COPIES + which;
}

static int write_word(void *to, u32 value)
{
	struct text_edit edit = { .addr = (unsigned long)to, .len = sizeof(value) };

	memcpy(edit.bytes, &value, sizeof(value));
	return host_text_fill(&edit, 1);
}

/* The part of an entry after insn and fixup. */
static u32 kind_as_in(const struct exception_table_entry *original,
		      const struct exception_table_entry *e)
{
	u32 kind = *(u32 *)(&original->fixup + 1);

#ifdef ARCH_FIXUPS_ARE_MADE
	/* The distance from there to a function. */
	kind += (unsigned long)original - (unsigned long)e;
#endif
	return kind;
}

/* Writes that part, on architectures that have one. */
static int write_kind(struct exception_table_entry *e, const struct exception_table_entry *original)
{
	static_assert(sizeof(*e) - offsetofend(struct exception_table_entry, fixup) <= sizeof(u32));

	if (sizeof(*e) == offsetofend(struct exception_table_entry, fixup))
		return 0;
	return write_word(&e->fixup + 1, kind_as_in(original, e));
}

/* Where a fault in a copy at this address goes on. */
static unsigned long fixup_target(const struct exception_table_entry *original, unsigned long copy)
{
	unsigned long insn = (unsigned long)&original->insn + original->insn;
	unsigned long fixup = (unsigned long)&original->fixup + original->fixup;

	return arch_fixup_is_behind(original) ? copy + (fixup - insn) : fixup;
}

/*
 * The distance from the entry to that.  If it is too far, the distance to the slot's landing,
 * from where the architecture branches to the original's fixup.
 */
static bool fixup_distance(const struct exception_table_entry *e,
			   const struct exception_table_entry *original, unsigned long copy,
			   unsigned long slot, int *distance)
{
	long far = fixup_target(original, copy) - (unsigned long)&e->fixup;

	if (far != (int)far && ARCH_SLOT_LANDING)
		far = slot + ARCH_SLOT_LANDING - (unsigned long)&e->fixup;
	*distance = far;
	return far == (int)far;
}

/* Look-ups go by insn: it is written last when an entry is set, first when it is cleared. */
static int write_fixup(struct exception_table_entry *e, unsigned long insn, unsigned long slot,
		       const struct exception_table_entry *original)
{
	int err, distance;

	if (!original)
		return e->insn == (int)(insn - (unsigned long)&e->insn) ? 0 :
		       write_word(&e->insn, insn - (unsigned long)&e->insn);
	if (!fixup_distance(e, original, insn, slot, &distance))
		return -EINVAL;
	err = write_word(&e->fixup, distance);
	if (!err)
		err = write_kind(e, original);
	return err ?: write_word(&e->insn, insn - (unsigned long)&e->insn);
}

/**
 * host_slot_set_fixup() - set where a fault in a slot is fixed up
 * @slot: from host_slot_alloc(true)
 * @which: which copy of the instruction in it, from 0
 * @original: the entry of the instruction that was copied, whose kind and
 *	target are copied; NULL: faults are not fixed up
 *
 * Context: process context, may sleep.
 * Return: 0; -EINVAL if the slot can have no fixup there; an error of
 * host_text_write().
 */
int host_slot_set_fixup(unsigned long slot, unsigned int which,
			const struct exception_table_entry *original)
{
	unsigned long copy = slot + which * ARCH_SLOT_COPY_SIZE;
	struct exception_table_entry *e = fixup_of(slot, which);

	if (!e)
		return original ? -EINVAL : 0;
	originals[slot_index(slot_pool_of(slot), slot)] =
		original ? (unsigned long)&original->insn + original->insn : 0;
	return write_fixup(e, original ? copy : copy + ARCH_SLOT_COPY_SIZE - 1, slot, original);
}

int slot_drop_fixups(unsigned long slot)
{
	unsigned int which;
	int err = 0;

	for (which = 0; which < ARCH_SLOT_COPIES && !err; which++)
		err = host_slot_set_fixup(slot, which, NULL);
	return err;
}

int slot_fixups_init(unsigned long slots)
{
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_exentries; i++) {
		struct exception_table_entry *e = &THIS_MODULE->extable[i];

		if ((unsigned long)&e->insn + e->insn == slots + ARCH_SLOT_COPY_SIZE - 1) {
			first_fixup = e;
			return 0;
		}
	}
	pr_err("the module's exception table lacks the slots\n");
	return -ENOEXEC;
}
