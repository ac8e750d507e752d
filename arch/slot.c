// SPDX-License-Identifier: GPL-2.0-only
/*
 * Out-of-line slots and the life of struct arch_point, for all architectures.
 * slot.h says what each of them provides.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../host/arch_host.h"
#include "slot.h"

static_assert(sizeof_field(struct text_edit, bytes) >= ARCH_SLOT_COPY_SIZE);

static int write_slot(const struct probe_point *pt, const char **why)
{
	struct text_edit edits[ARCH_SLOT_COPIES];
	unsigned int i;

	*why = "operand is out of reach of an out-of-line copy";
	for (i = 0; i < ARCH_SLOT_COPIES; i++) {
		edits[i].addr = slot_copy(pt, i);
		edits[i].len = ARCH_SLOT_COPY_SIZE;
		arch_fill_traps(edits[i].bytes, ARCH_SLOT_COPY_SIZE);
		if (!arch_build_copy(pt, i, edits[i].bytes))
			return -EINVAL;
	}
	memcpy(edits[SLOT_COPY_POST].bytes + ARCH_SLOT_COPY_SIZE - sizeof(pt), &pt, sizeof(pt));
	*why = "out-of-line copy could not be written";
	return host_text_write(edits, ARCH_SLOT_COPIES);
}

static int write_fixups(const struct probe_point *pt,
			const struct exception_table_entry *original)
{
	int err = 0;
	unsigned int i;

	for (i = 0; i < ARCH_SLOT_COPIES && original && !err; i++)
		err = host_slot_set_fixup(pt->arch.slot, i, original);
	return err;
}

static int fill_slot(struct probe_point *pt, const char **why)
{
	const struct exception_table_entry *original = host_exception_entry(pt->addr);
	int err;

	*why = "no out-of-line slot is left, unregister other probes";
	arch_judge_copies(pt, original);
	pt->arch.slot = host_slot_alloc(original, pt->addr);
	if (!pt->arch.slot)
		return -ENOMEM;
	err = write_slot(pt, why);
	if (!err)
		err = write_fixups(pt, original);
	if (err)
		host_slot_free(pt->arch.slot, NULL);
	return err;
}

static int decode_point(struct probe_point *pt, const u8 *bytes, size_t avail, const char **why)
{
	struct insn *insn = &pt->arch.insn;

	*why = "no valid instruction at this address";
	if (insn_decode(insn, bytes, avail) != INSN_OK)
		return -EILSEQ;
	*why = insn_refusal(insn) ?: arch_point_refusal(pt, bytes, avail);
	if (*why)
		return -EINVAL;
	memcpy(pt->arch.bytes, bytes, insn->length);
	return 0;
}

int arch_point_prepare(struct probe_point *pt, const u8 *bytes, size_t avail, const char **why)
{
	int err;

	might_sleep();
	lockdep_assert_held(&kprobe_mutex);
	err = decode_point(pt, bytes, avail, why);
	if (!err && arch_needs_slot(pt))
		err = fill_slot(pt, why);
	if (err)
		return err;
	pt->arch.resume = arch_resume_address(pt);
	return 0;
}

/*
 * A task may be in the slot for any time, and nobody knows: its memory stays, and our module
 * with it.  The module is in use here, also for probes of our own, which end with a client's.
 */
static bool is_stuck(const struct probe_point *pt)
{
	if (!pt->stuck || !pt->arch.slot)
		return false;
	__module_get(THIS_MODULE);
	pr_warn_once("a task that exits may be in a slot: the module can't be unloaded\n");
	return true;
}

static_assert(offsetof(struct probe_point, owner) == 0);

void arch_point_release(struct probe_point *pt)
{
	unsigned long stub = arch_post_stub(&pt->arch);

	if (is_stuck(pt))
		return;
	if (stub)
		host_slot_free(stub, NULL);
	if (pt->arch.slot)
		host_slot_free(pt->arch.slot, &pt->owner);
	else
		kfree(pt);
}

const u8 *arch_point_bytes(const struct probe_point *pt)
{
	return pt->arch.bytes;
}

bool arch_point_runs_at(const struct probe_point *pt, unsigned long addr)
{
	return pt->arch.slot && addr - pt->arch.slot < ARCH_SLOT_SIZE;
}

bool arch_point_runs_guarded(const struct probe_point *pt, unsigned long addr)
{
	return pt->arch.guarded && addr - slot_copy(pt, SLOT_COPY_POST) < ARCH_SLOT_COPY_SIZE;
}
