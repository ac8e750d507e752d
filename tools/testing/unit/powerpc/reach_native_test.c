// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs instructions in their place, and then a branch in their place and the
 * copy that arch/powerpc/reach.c makes of them, from the same random registers:
 * what they did must be the same. Built for ppc64le; runs there, or in QEMU's
 * user mode.
 *
 *	reach_native_test RUNS SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "../../../../arch/powerpc/reach.h"

#define DETOURS		(NATIVE_CODE + 0x30000)
#define DETOURS_SIZE	0x1000
#define MAX_SHOWN	10

/* Emulation is not what is tested here. */
bool emulate_load(u64 addr, void *val, unsigned int size)
{
	(void)addr;
	memset(val, 0, size);
	return true;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	(void)addr;
	(void)val;
	(void)size;
	return true;
}

static bool nobody(void *data, u64 addr)
{
	(void)data;
	(void)addr;
	return false;
}

static bool nobody_owns(void *data, u64 start, u64 end)
{
	(void)data;
	(void)start;
	(void)end;
	return false;
}

/* ---- what is run ---- */

/* One word that changes registers and nothing else. */
static unsigned int choose_slot_word(u32 *words)
{
	static const u8 opcodes[] = { 7, 8, 10, 11, 12, 13, 14, 15, 19, 20, 21, 23, 24, 25, 26, 27,
				      28, 29, 30, 31, 31, 31, 31, 31 };
	struct insn insn;

	do {
		u64 r = native_random();

		words[0] = (u32)opcodes[r % sizeof(opcodes)] << 26 | (r >> 32 & 0x03ffffff);
	} while (insn_decode(&insn, words, 4) != INSN_OK || insn.class != INSN_SLOT ||
		 insn_may_fault(&insn));
	return 1;
}

/* paddi with a base, or a prefixed nop, wherever in a line the copy will be. */
static unsigned int choose_prefixed_word(u32 *words)
{
	u64 r = native_random();

	words[0] = 0x06000000 | (r & 0x0003ffff);
	words[1] = 0x38000000 | (r >> 32 & 0x03ffffff);
	return 2;
}

static unsigned int choose_words(u32 *words, u64 nip)
{
	switch (native_random() & 7) {
	case 0:
		return choose_slot_word(words);
	case 1:
		return choose_prefixed_word(words);
	default:
		return native_choose_words(words, nip);
	}
}

/* ---- comparing ---- */

static unsigned int class_runs[INSN_NR_CLASSES];
static u64 nr_runs, nr_faults, nr_mismatches;

struct outcome {
	struct emulate_regs regs;
	int sig;
	u64 stored;
};

static void complain(const struct insn *insn, const char *what, u64 there, u64 copied)
{
	if (nr_mismatches++ < MAX_SHOWN)
		printf("# %08x %08x %s: %s in its place %#llx, in a detour %#llx\n", insn->word,
		       insn->suffix, insn_name(insn), what, (unsigned long long)there,
		       (unsigned long long)copied);
}

static void compare(const struct insn *insn, const struct outcome *there,
		    const struct outcome *copied)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (there->regs.gpr[i] != copied->regs.gpr[i])
			complain(insn, "gpr", there->regs.gpr[i], copied->regs.gpr[i]);
	if (there->regs.nip != copied->regs.nip)
		complain(insn, "nip", there->regs.nip, copied->regs.nip);
	if (there->regs.ctr != copied->regs.ctr)
		complain(insn, "ctr", there->regs.ctr, copied->regs.ctr);
	if (there->regs.link != copied->regs.link)
		complain(insn, "link", there->regs.link, copied->regs.link);
	if (there->regs.xer != copied->regs.xer)
		complain(insn, "xer", there->regs.xer, copied->regs.xer);
	if (there->regs.ccr != copied->regs.ccr)
		complain(insn, "ccr", there->regs.ccr, copied->regs.ccr);
	if (there->sig != copied->sig)
		complain(insn, "signal", there->sig, copied->sig);
	if (there->stored != copied->stored)
		complain(insn, "stored", there->stored, copied->stored);
}

/* The double word that an access relative to the instruction is about, or the first there is. */
static u64 *data_of(const struct insn *insn, u64 nip)
{
	u64 addr = nip + (u64)insn->imm;

	if (!(insn->flags & INSN_PC_RELATIVE) || addr - NATIVE_DATA > NATIVE_DATA_SIZE - 8)
		addr = NATIVE_DATA;
	return (u64 *)addr;
}

static void run(struct outcome *outcome, const struct insn *insn, u64 nip)
{
	u64 *data = data_of(insn, nip), val = 0x8182838485868788;

	memcpy(data, &val, sizeof(val));
	outcome->sig = native_run(&outcome->regs);
	memcpy(&outcome->stored, data, sizeof(val));
}

/* What faults in its place, in the detour does so there. */
static void put_back(struct outcome *copied, u64 from, u64 to, unsigned int length)
{
	if (copied->regs.nip - to < length)
		copied->regs.nip = from;
}

static void compare_copy(const u32 *words, unsigned int nr, const struct reach_region *region,
			 const struct emulate_regs *before)
{
	u64 from = before->nip, to = DETOURS + native_random() % (DETOURS_SIZE / 4) * 4;
	struct outcome there = { .regs = *before }, copied = there;
	const struct insn *insn = &region->insns[0];
	u8 copy[REACH_MAX_COPY], jump[INSN_SIZE];
	unsigned int length = reach_copy(region, copy, from, to);

	if (length > reach_copy_size(region, from) || !reach_branch(jump, from, to)) {
		complain(insn, "length", 0, length);
		return;
	}
	/* A target of the original that the detour is too far from. */
	if (!length)
		return;
	native_write(from, words, 4 * nr);
	run(&there, insn, from);
	native_erase(from, 4 * nr);
	/* Only the branch goes to the detour. */
	if (there.regs.nip - to < length)
		return;
	native_write(from, jump, sizeof(jump));
	native_write(to, copy, length);
	if (region->links)
		copied.regs.link = from + INSN_SIZE;
	run(&copied, insn, from);
	native_erase(to, length);
	native_erase(from, sizeof(jump));
	nr_faults += there.regs.nip == from;
	put_back(&copied, from, to, length);
	compare(insn, &there, &copied);
	nr_runs++;
	class_runs[insn->class]++;
}

/* A branch to itself never ends, and no data are kept among the code. */
static bool is_out_of_hand(const struct insn *insn, const struct emulate_regs *before)
{
	struct emulate_regs after = *before;

	if (insn->class == INSN_LOAD_PC || insn->class == INSN_STORE_PC)
		return before->nip + (u64)insn->imm - NATIVE_CODE + 8 < NATIVE_CODE_SIZE + 8;
	return emulate_insn(insn, &after) == EMULATE_DONE && after.nip == before->nip;
}

static void run_one(void)
{
	struct reach_facts facts = {
		.is_owned = nobody_owns, .has_fixup = nobody,
		.detours = DETOURS, .detours_end = DETOURS + DETOURS_SIZE,
	};
	struct reach_region region;
	struct emulate_regs before;
	u32 words[2] = { 0 };
	unsigned int nr;

	native_choose_registers(&before);
	nr = choose_words(words, before.nip);
	if (reach_region(&region, (const u8 *)words, 4 * nr, before.nip, &facts) == REACH_OK &&
	    !is_out_of_hand(&region.insns[0], &before))
		compare_copy(words, nr, &region, &before);
}

static unsigned int classes_never_run(void)
{
	unsigned int i, missing = 0;

	for (i = 0; i < INSN_NR_CLASSES; i++) {
		if (class_runs[i] || i == INSN_REFUSED)
			continue;
		printf("# never run: %s\n", insn_class_name(i));
		missing++;
	}
	return missing;
}

static int result(unsigned int nr, const char *name, bool ok)
{
	printf("%s %u - reach_native_test: %s\n", ok ? "ok" : "not ok", nr, name);
	return !ok;
}

int main(int argc, char **argv)
{
	u64 runs = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000, i;
	int failed = 0;

	native_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	native_init();
	printf("TAP version 13\n1..3\n");
	for (i = 0; i < runs; i++)
		run_one();
	failed += result(1, "a copy does what was there", !nr_mismatches && nr_runs);
	failed += result(2, "every class was run", !classes_never_run());
	failed += result(3, "faults were among them", nr_faults);
	printf("# %llu runs, %llu faults, %llu mismatches\n", (unsigned long long)nr_runs,
	       (unsigned long long)nr_faults, (unsigned long long)nr_mismatches);
	return failed != 0;
}
