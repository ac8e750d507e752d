// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/arm64/emulate.c, and the copies that reach.c makes,
 * beside the processor: random instructions of every kind that user mode may
 * run, from random registers.  Built for arm64, and run by QEMU's user mode.
 * Prints TAP.
 *
 *	native_test [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../../arch/arm64/reach.h"
#include "native.h"

static struct native_state emulated;
static bool guarded;

/* How often a kind was run, and not left out for where it leads to. */
static unsigned int runs;

/* ---- hooks ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	memcpy(val, (void *)addr, size);
	return true;
}

bool emulate_load_vector(unsigned int reg, u64 addr, unsigned int size)
{
	memset(emulated.vector[reg], 0, 16);
	memcpy(emulated.vector[reg], (void *)addr, size);
	return true;
}

static u64 sign(u64 addr, u64 modifier, bool key_b)
{
	if (key_b)
		asm(".arch armv8.3-a\n\tpacib %0, %1" : "+r" (addr) : "r" (modifier));
	else
		asm(".arch armv8.3-a\n\tpacia %0, %1" : "+r" (addr) : "r" (modifier));
	return addr;
}

static u64 strip(u64 addr)
{
	asm(".arch armv8.3-a\n\txpaci %0" : "+r" (addr));
	return addr;
}

bool emulate_authenticate(u64 *addr, u64 modifier, bool key_b)
{
	u64 stripped = strip(*addr);

	if (sign(stripped, modifier, key_b) != *addr)
		return false;
	*addr = stripped;
	return true;
}

enum emulate_guard emulate_guard(u64 addr)
{
	(void)addr;
	return guarded ? EMULATE_GUARDED : EMULATE_OPEN;
}

/* ---- random instructions ---- */

static u64 rnd_state = 0x243f6a8885a308d3ull;

static u64 rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

/* A kind: bits that are random, the value of the others, and how far it reaches. */
static const struct kind {
	const char *name;
	u32 random;
	u32 value;
	u8 registers;	/* whose targets it takes */
} kinds[] = {
	{ "nop", 0, 0xd503201f, 0 },
	{ "bti", 0x000000c0, 0xd503241f, 0 },
	{ "adr", 0x60ffffff, 0x10000000, 0 },
	{ "adrp", 0x60ffffff, 0x90000000, 0 },
	/* within 1 MB of the middle, whole words */
	{ "ldr w", 0x00ffffff, 0x18000000, 0 },
	{ "ldr x", 0x00ffffff, 0x58000000, 0 },
	{ "ldrsw", 0x00ffffff, 0x98000000, 0 },
	{ "prfm", 0x00ffffff, 0xd8000000, 0 },
	{ "ldr s", 0x00ffffff, 0x1c000000, 0 },
	{ "ldr d", 0x00ffffff, 0x5c000000, 0 },
	{ "ldr q", 0x00ffffff, 0x9c000000, 0 },
	{ "b forward", 0x0007ffff, 0x14000000, 0 },
	{ "b backward", 0x0007ffff, 0x17f80000, 0 },
	{ "bl forward", 0x0007ffff, 0x94000000, 0 },
	{ "bl backward", 0x0007ffff, 0x97f80000, 0 },
	{ "b.cond", 0x00ffffef, 0x54000000, 0 },
	{ "cbz w", 0x01ffffff, 0x34000000, 0 },
	{ "cbz x", 0x01ffffff, 0xb4000000, 0 },
	{ "tbz", 0x81ffffff, 0x36000000, 0 },
	{ "br", 0x000003e0, 0xd61f0000, 1 },
	{ "blr", 0x000003e0, 0xd63f0000, 1 },
	{ "ret", 0x000003e0, 0xd65f0000, 1 },
	{ "braaz", 0x000007e0, 0xd61f081f, 1 },
	{ "blraaz", 0x000007e0, 0xd63f081f, 1 },
	{ "braa", 0x000007ff, 0xd71f0800, 1 },
	{ "blraa", 0x000007ff, 0xd73f0800, 1 },
	{ "retaa", 0x00000400, 0xd65f0bff, 1 },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static void random_state(struct native_state *state)
{
	u64 *words = (u64 *)state;
	unsigned int i;

	for (i = 0; i < sizeof(*state) / 8; i++)
		words[i] = rnd();
	/* Small values and zeros, for instructions that need them. */
	for (i = 0; i < 31; i++)
		if (rnd() % 4 == 0)
			state->regs.regs[i] = rnd() % 2 ? 0 : state->regs.regs[i] << 32;
	state->regs.sp &= 0x0000fffffffffff0ull;
	state->regs.pc = NATIVE_MIDDLE;
	state->regs.pstate &= EMULATE_PSTATE_N | EMULATE_PSTATE_Z | EMULATE_PSTATE_C |
			      EMULATE_PSTATE_V;
}

/* An indirect branch must lead into the memory, signed if it says so. */
static bool aim(const struct insn *insn, struct emulate_regs *regs)
{
	u64 target = NATIVE_BASE + rnd() % (NATIVE_SIZE / 4) * 4, modifier = 0;

	if (target == NATIVE_MIDDLE || insn->rn == INSN_REG_31)
		return false;
	if (!(insn->flags & INSN_AUTH)) {
		regs->regs[insn->rn] = target;
		return true;
	}
	/* No register can hold what it is signed with. */
	if (!(insn->flags & INSN_NO_MODIFIER) && insn->rm == insn->rn)
		return false;
	if (!(insn->flags & INSN_NO_MODIFIER))
		modifier = insn->rm == INSN_REG_31 ? regs->sp : regs->regs[insn->rm];
	regs->regs[insn->rn] = sign(target, modifier, insn->flags & INSN_KEY_B);
	return true;
}

static bool stays_inside(const struct insn *insn)
{
	u64 target = insn_target(insn, NATIVE_MIDDLE);

	if (insn->class == INSN_ADR || insn->class == INSN_ADRP)
		return true;
	/* Itself it would overwrite, or run for ever. */
	return target != NATIVE_MIDDLE && target >= NATIVE_BASE + 16 &&
	       target < NATIVE_BASE + NATIVE_SIZE - 16 &&
	       !(insn->class == INSN_LDR_LITERAL && target - NATIVE_MIDDLE + 16 < 32);
}

static void show(const char *kind, const struct native_state *native)
{
	const u64 *a = (const u64 *)native, *b = (const u64 *)&emulated;
	unsigned int i;

	for (i = 0; i < sizeof(*native) / 8; i++)
		if (a[i] != b[i])
			printf("# %s: word %u: native %016llx emulated %016llx\n", kind, i,
			       (unsigned long long)a[i], (unsigned long long)b[i]);
}

/* Emulates a word from random registers; false if there is nothing to compare with. */
static bool emulate(const struct kind *kind, u32 word, struct insn *insn,
		    struct native_state *native)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };

	if (insn_decode(insn, bytes, sizeof(bytes)) != INSN_OK)
		return false;
	random_state(native);
	if (kind->registers ? !aim(insn, &native->regs) :
	    insn_is_relative(insn) && !stays_inside(insn))
		return false;
	emulated = *native;
	return emulate_insn(insn, &emulated.regs) == EMULATE_DONE;
}

static bool same(const struct kind *kind, u32 word, const struct native_state *native)
{
	if (!memcmp(native, &emulated, sizeof(*native)))
		return true;
	printf("# %s %08x is different\n", kind->name, word);
	show(kind->name, native);
	return false;
}

/* False if the processor does something else. */
static bool compare(const struct kind *kind, u32 word)
{
	struct native_state native;
	struct insn insn;

	if (!emulate(kind, word, &insn, &native))
		return true;
	runs++;
	return native_run(&word, 1, NATIVE_MIDDLE, &native) && same(kind, word, &native);
}

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

/* Somewhere in the memory, out of the way of targets. */
static u64 place_of_copy(void)
{
	return rnd() % 2 ? NATIVE_BASE + 0x1000 + rnd() % 0x1000 * 4 :
			   NATIVE_BASE + NATIVE_SIZE - 0x8000 + rnd() % 0x1000 * 4;
}

/* The copy has the effect that the instruction has at its own place. */
static bool compare_copy(const struct kind *kind, u32 word)
{
	static const struct reach_facts facts = {
		NULL, never_owned, never_fixed, false, never_fixed
	};
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	u32 copy[REACH_MAX_COPY / INSN_SIZE];
	struct native_state native;
	struct reach_region region;
	u64 to = place_of_copy();
	unsigned int size;
	struct insn insn;

	if (!emulate(kind, word, &insn, &native) ||
	    reach_region(&region, bytes, sizeof(bytes), NATIVE_MIDDLE, &facts))
		return true;
	size = reach_copy(&region, (u8 *)copy, NATIVE_MIDDLE, to);
	/* What is 4 GB away from one may be out of reach of the other. */
	if (!size)
		return insn.class == INSN_ADRP;
	if (emulated.regs.pc - to < size)
		return true;
	runs++;
	native.regs.pc = to;
	if (!native_run(copy, size / INSN_SIZE, to, &native))
		return false;
	/* A call through a register is not one in the copy. */
	native.regs.pstate &= ~EMULATE_PSTATE_BTYPE;
	emulated.regs.pstate &= ~EMULATE_PSTATE_BTYPE;
	return same(kind, word, &native);
}

static bool test_kind(const struct kind *kind, unsigned int count,
		      bool (*does_the_same)(const struct kind *kind, u32 word))
{
	unsigned int i;

	runs = 0;
	for (i = 0; i < count; i++)
		if (!does_the_same(kind, kind->value | (rnd() & kind->random)))
			return false;
	return true;
}

/* Vector registers are no place to keep an address in. */
static bool has_copies(const struct kind *kind)
{
	return (kind->value & 0x3f000000) != 0x1c000000;
}

static unsigned int nr_results, nr_failed;

static void result(bool ok, const char *what, const char *kind)
{
	printf("%s %u - %s: %s\n", ok ? "ok" : "not ok", ++nr_results, what, kind);
	nr_failed += !ok;
}

static void test_all(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++) {
		bool ok = test_kind(&kinds[i], count, compare);

		result(ok && runs, guarded ? "emulated in guarded text" : "emulated in open text",
		       kinds[i].name);
	}
}

static void test_copies(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++) {
		bool ok = test_kind(&kinds[i], count, compare_copy);

		result(ok && !!runs == has_copies(&kinds[i]), "copied", kinds[i].name);
	}
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1000;

	printf("TAP version 13\n1..%u\n", (unsigned int)NR_KINDS * 3);
	for (; nr_results < NR_KINDS * 3; guarded = !guarded) {
		if (!native_init(guarded)) {
			printf("Bail out! no memory\n");
			return 1;
		}
		test_all(count);
		if (!guarded)
			test_copies(count);
	}
	return nr_failed != 0;
}
