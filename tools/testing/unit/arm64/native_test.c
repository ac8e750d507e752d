// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulation of arch/arm64/emulate.c beside the processor: random
 * instructions of every kind that user mode may run, from random registers.
 * Built for arm64, and run by QEMU's user mode.  Prints TAP.
 *
 *	native_test [COUNT]
 */
#include <stdio.h>
#include <stdlib.h>

#include "native.h"

static struct native_state emulated;
static bool guarded;

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
	/* Small values and zeros, for those who ask for them. */
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

/* False if the processor does something else. */
static bool compare(const struct kind *kind, u32 word)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	struct native_state native;
	struct insn insn;

	if (insn_decode(&insn, bytes, sizeof(bytes)) != INSN_OK)
		return false;
	random_state(&native);
	if (kind->registers ? !aim(&insn, &native.regs) :
	    insn_is_relative(&insn) && !stays_inside(&insn))
		return true;
	emulated = native;
	if (emulate_insn(&insn, &emulated.regs) != EMULATE_DONE ||
	    !native_run(&word, 1, NATIVE_MIDDLE, &native))
		return false;
	if (memcmp(&native, &emulated, sizeof(native))) {
		show(kind->name, &native);
		return false;
	}
	return true;
}

static bool test_kind(const struct kind *kind, unsigned int count)
{
	unsigned int i;
	u32 word;

	for (i = 0; i < count; i++) {
		word = kind->value | (rnd() & kind->random);
		if (!compare(kind, word)) {
			printf("# %s %08x is different, or ends otherwise\n", kind->name, word);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1000, i, nr = 0, failed = 0;

	printf("TAP version 13\n1..%u\n", (unsigned int)NR_KINDS * 2);
	do {
		if (!native_init(guarded)) {
			printf("Bail out! no memory\n");
			return 1;
		}
		for (i = 0; i < NR_KINDS; i++) {
			bool ok = test_kind(&kinds[i], count);

			printf("%s %u - emulated and native are the same: %s, %s text\n",
			       ok ? "ok" : "not ok", ++nr, kinds[i].name,
			       guarded ? "guarded" : "open");
			failed += !ok;
		}
		guarded = !guarded;
	} while (guarded);
	return failed != 0;
}
