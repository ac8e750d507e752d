// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words, one after the other: what insn_decode() says must be consistent with
 * itself, and what reach_copy() makes of an instruction must end where the
 * emulation of the instruction ends, with the same registers.  Prints TAP.
 *
 *	every_word [STEP]	each STEPth of the 2^32 (1: all of them)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../../arch/arm64/emulate.h"
#include "../../../../arch/arm64/reach.h"

/* Some branches of the one go farther than a branch of the other could. */
#define TEXT		0xffff800008123458ull
#define COPY		(TEXT - 0x1234560)
#define MAX_SHOWN	20

/* ---- a processor that is not one ---- */

static u64 mixed(u64 value)
{
	return value * 0x9e3779b97f4a7c15ull;
}

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	u64 value = mixed(addr);

	memcpy(val, &value, size);
	return true;
}

bool emulate_load_vector(unsigned int reg, u64 addr, unsigned int size)
{
	(void)reg;
	(void)addr;
	(void)size;
	return true;
}

bool emulate_authenticate(u64 *addr, u64 modifier, bool key_b)
{
	*addr = mixed(*addr ^ modifier) + key_b;
	return true;
}

enum emulate_guard emulate_guard(u64 addr)
{
	(void)addr;
	return EMULATE_NO_TYPES;
}

static void some_regs(struct emulate_regs *regs, u64 pc)
{
	unsigned int i;

	for (i = 0; i < 31; i++)
		regs->regs[i] = 0xfff0000000000000ull | (u64)i << 32 | i << 4;
	regs->sp = 0xfff8000000000000ull;
	regs->pc = pc;
	regs->pstate = EMULATE_PSTATE_C;
}

static struct insn decode(u32 word)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	struct insn insn;

	insn_decode(&insn, bytes, sizeof(bytes));
	return insn;
}

/* What a copy has besides emulated instructions: add of a page's part, and loads. */
static bool run_plain(u32 word, struct emulate_regs *regs)
{
	unsigned int rd = word & 31, rn = word >> 5 & 31;
	u64 value = 0;

	if (rd == INSN_REG_31 || rn == INSN_REG_31)
		return false;
	switch (word & 0xffc00000) {
	case 0x91000000:
		value = regs->regs[rn] + (word >> 10 & 0xfff);
		break;
	case 0xf9400000:
		emulate_load(regs->regs[rn], &value, 8);
		break;
	case 0xb9400000:
		emulate_load(regs->regs[rn], &value, 4);
		break;
	case 0xb9800000:
		emulate_load(regs->regs[rn], &value, 4);
		value = (u64)(s32)value;
		break;
	default:
		return false;
	}
	regs->regs[rd] = value;
	regs->pc += INSN_SIZE;
	return true;
}

/* ---- the checks ---- */

static bool never_owned(void *data, u64 start, u64 end)
{
	(void)data;
	(void)start;
	(void)end;
	return false;
}

static bool never_fixed(void *data, u64 addr)
{
	(void)data;
	(void)addr;
	return false;
}

/* The instruction as it was, maybe behind a nop, and a branch behind it, unless it never goes on. */
static const char *check_verbatim(const struct insn *insn, const u32 *copy, unsigned int nr)
{
	unsigned int gap = copy[0] == 0xd503201f && nr == 3;
	struct insn back;

	if (copy[gap] != insn->word)
		return "its copy is something else";
	back = decode(copy[gap + 1]);
	if (nr != gap + 2 || back.class != INSN_B ||
	    insn_branch_target(&back, COPY + (gap + 1) * INSN_SIZE) != TEXT + INSN_SIZE)
		return "its copy does not lead back";
	return NULL;
}

static bool run_copy(const u32 *copy, unsigned int nr, struct emulate_regs *regs)
{
	unsigned int steps;
	struct insn insn;
	u32 word;

	for (steps = 0; regs->pc - COPY < nr * INSN_SIZE; steps++) {
		if (steps > nr)
			return false;
		word = copy[(regs->pc - COPY) / INSN_SIZE];
		insn = decode(word);
		if (!insn.length || insn.class == INSN_REFUSED)
			return false;
		if (emulate_insn(&insn, regs) != EMULATE_DONE && !run_plain(word, regs))
			return false;
	}
	return true;
}

/* Is what it names too far from the copy, give or take the words in front? */
static bool is_far(const struct insn *insn)
{
	s64 range = insn->class == INSN_ADRP ? 0x100000000ll - 0x1000 : REACH_JUMP_RANGE;
	s64 distance = (s64)(insn_target(insn, TEXT) - COPY);

	return insn_is_relative(insn) &&
	       (distance < -range + REACH_MAX_COPY || distance >= range - REACH_MAX_COPY);
}

static const char *check_copy(const struct insn *insn, const struct emulate_regs *want,
			      const struct reach_region *region)
{
	u32 copy[REACH_MAX_COPY / INSN_SIZE] = { 0 };
	unsigned int size = reach_copy(region, (u8 *)copy, TEXT, COPY);
	struct emulate_regs regs;

	if (!size)
		return is_far(insn) ? NULL : "it has no copy";
	if (size % INSN_SIZE || size > REACH_MAX_COPY)
		return "its copy has no size";
	/* Few branches of all lead into what is said to be their own copy: for ever. */
	if (insn_is_direct_branch(insn) && insn_branch_target(insn, TEXT) - COPY < size)
		return NULL;
	if (insn->class == INSN_SLOT)
		return check_verbatim(insn, copy, size / INSN_SIZE);
	some_regs(&regs, COPY);
	if (!run_copy(copy, size / INSN_SIZE, &regs))
		return "its copy can't be run";
	return memcmp(&regs, want, sizeof(regs)) ? "its copy does something else" : NULL;
}

static const char *check_decoded(const struct insn *insn)
{
	bool refused = insn->class == INSN_REFUSED;

	if (insn->length != INSN_SIZE || insn->class >= INSN_NR_CLASSES)
		return "it has no class";
	if (refused != !!insn_refusal(insn) || refused != (insn->refuse != INSN_REFUSE_NONE))
		return "it is refused and is not";
	if (insn_is_direct_branch(insn) && insn->imm % INSN_SIZE)
		return "it branches to a part of a word";
	return NULL;
}

static const char *check_word(u32 word)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	static const struct reach_facts facts = {
		NULL, never_owned, never_fixed, true, never_fixed
	};
	struct insn insn = decode(word);
	struct reach_region region;
	struct emulate_regs regs;
	const char *wrong;
	bool emulated;

	if (!insn.length)
		return NULL;
	wrong = check_decoded(&insn);
	if (wrong)
		return wrong;
	some_regs(&regs, TEXT);
	emulated = emulate_insn(&insn, &regs) == EMULATE_DONE;
	if (emulated != (insn.class != INSN_SLOT && insn.class != INSN_REFUSED))
		return "it is emulated and is not";
	if (reach_region(&region, bytes, sizeof(bytes), TEXT, &facts))
		return NULL;
	return check_copy(&insn, &regs, &region);
}

int main(int argc, char **argv)
{
	u64 step = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, word, words = 0, wrong = 0;
	const char *why;

	printf("TAP version 13\n1..1\n");
	for (word = 0; word >> 32 == 0 && step; word += step, words++) {
		why = check_word(word);
		if (why && wrong++ < MAX_SHOWN)
			printf("# %08" PRIx64 ": %s\n", word, why);
	}
	printf("%s 1 - every_word: %" PRIu64 " words, %" PRIu64 " wrong\n",
	       words && !wrong ? "ok" : "not ok", words, wrong);
	return !words || wrong;
}
