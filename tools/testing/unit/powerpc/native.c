// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native runs: see native.h.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "native.h"

#define WORD_TRAP	0x7fe00008u

u64 native_seed;

u64 native_random(void)
{
	u64 z = native_seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* ---- runs ---- */

static volatile struct emulate_regs wanted, got;
static volatile int got_signal;
static mcontext_t saved;

static void load_registers(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned long *regs = uc->uc_mcontext.gp_regs;
	unsigned int i;

	(void)sig;
	(void)info;
	for (i = 0; i < NGREG; i++)
		saved.gp_regs[i] = regs[i];
	for (i = 0; i < 32; i++)
		regs[i] = wanted.gpr[i];
	regs[32] = wanted.nip;
	regs[35] = wanted.ctr;
	regs[36] = wanted.link;
	regs[37] = wanted.xer;
	regs[38] = wanted.ccr;
}

static void take_registers(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned long *regs = uc->uc_mcontext.gp_regs;
	unsigned int i;

	(void)info;
	got_signal = sig;
	for (i = 0; i < 32; i++)
		got.gpr[i] = regs[i];
	got.nip = regs[32];
	got.ctr = regs[35];
	got.link = regs[36];
	got.xer = regs[37];
	got.ccr = regs[38];
	for (i = 0; i < NGREG; i++)
		regs[i] = saved.gp_regs[i];
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_ONSTACK, .sa_sigaction = handler };

	if (sigaction(sig, &sa, NULL))
		abort();
}

static void *map_at(u64 addr, u64 size, int prot)
{
	void *mem = mmap((void *)addr, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (mem == MAP_FAILED) {
		perror("no memory where native runs need it");
		abort();
	}
	return mem;
}

void native_init(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	u32 *word = map_at(NATIVE_CODE, NATIVE_CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned int i;

	for (i = 0; i < NATIVE_CODE_SIZE / 4; i++)
		word[i] = WORD_TRAP;
	map_at(NATIVE_DATA, NATIVE_DATA_SIZE, PROT_READ | PROT_WRITE);
	if (sigaltstack(&ss, NULL))
		abort();
	handle(SIGUSR1, load_registers);
	handle(SIGTRAP, take_registers);
	handle(SIGSEGV, take_registers);
	handle(SIGILL, take_registers);
}

static void fill(u64 addr, const void *bytes, unsigned int size)
{
	volatile u32 *code = (volatile u32 *)addr;
	unsigned int i;

	for (i = 0; i < size / 4; i++)
		code[i] = bytes ? ((const u32 *)bytes)[i] : WORD_TRAP;
	__builtin___clear_cache((char *)addr, (char *)addr + size);
}

void native_write(u64 addr, const void *bytes, unsigned int size)
{
	fill(addr, bytes, size);
}

void native_erase(u64 addr, unsigned int size)
{
	fill(addr, NULL, size);
}

int native_run(struct emulate_regs *regs)
{
	memcpy((void *)&wanted, regs, sizeof(wanted));
	raise(SIGUSR1);
	memcpy(regs->gpr, (void *)got.gpr, sizeof(regs->gpr));
	regs->nip = got.nip;
	regs->ctr = got.ctr;
	regs->link = got.link;
	regs->xer = got.xer;
	regs->ccr = got.ccr;
	return got_signal;
}

/* ---- what is run ---- */

/* Where a process may have memory; beyond, QEMU does not tell a fault's address. */
#define LOWER_HALF	0x00003fffffffffffull

/* One word or two; the bits of @fields are random. */
static const struct template {
	u32 word, fields;
	u32 suffix, suffix_fields;
} templates[] = {
	{ 0x60000000, 0, 0, 0 },		/* nop */
	{ 0x07000000, 0, 0, 0 },		/* pnop */
	{ 0x48000000, 0x03ffffff, 0, 0 },	/* b */
	{ 0x40000000, 0x03ffffff, 0, 0 },	/* bc */
	{ 0x40000000, 0x03ffffff, 0, 0 },
	{ 0x4c000020, 0x03ff1801, 0, 0 },	/* bclr */
	{ 0x4c000020, 0x03ff1801, 0, 0 },
	{ 0x4c000420, 0x03ff1801, 0, 0 },	/* bcctr */
	{ 0x4c000004, 0x03ffffc1, 0, 0 },	/* addpcis */
	{ 0x7c0802a6, 0x03e00000, 0, 0 },	/* mflr */
	{ 0x7c0803a6, 0x03e00000, 0, 0 },	/* mtlr */
	{ 0x7c0902a6, 0x03e00000, 0, 0 },	/* mfctr */
	{ 0x7c0903a6, 0x03e00000, 0, 0 },	/* mtctr */
	{ 0x06100000, 0x0003ffff, 0x38000000, 0x03e0ffff },	/* paddi */
	{ 0x06100000, 0x0003ffff, 0x80000000, 0x03e0ffff },	/* plwz */
	{ 0x06100000, 0x0003ffff, 0x88000000, 0x03e0ffff },	/* plbz */
	{ 0x06100000, 0x0003ffff, 0x90000000, 0x03e0ffff },	/* pstw */
	{ 0x06100000, 0x0003ffff, 0x98000000, 0x03e0ffff },	/* pstb */
	{ 0x06100000, 0x0003ffff, 0xa0000000, 0x03e0ffff },	/* plhz */
	{ 0x06100000, 0x0003ffff, 0xa8000000, 0x03e0ffff },	/* plha */
	{ 0x06100000, 0x0003ffff, 0xb0000000, 0x03e0ffff },	/* psth */
	{ 0x04100000, 0x0003ffff, 0xa4000000, 0x03e0ffff },	/* plwa */
	{ 0x04100000, 0x0003ffff, 0xe4000000, 0x03e0ffff },	/* pld */
	{ 0x04100000, 0x0003ffff, 0xf4000000, 0x03e0ffff },	/* pstd */
};

#define NR_TEMPLATES	(sizeof(templates) / sizeof(templates[0]))

/* Makes a prefixed access reach the data, or their edges, for three of four. */
static void aim(u32 *words, u64 nip)
{
	u64 disp = NATIVE_DATA - nip + native_random() % (NATIVE_DATA_SIZE + 16) - 8;

	if (words[0] >> 26 != 1 || !(words[0] & 0x00100000) || !(native_random() & 3))
		return;
	words[0] = (words[0] & ~0x0003ffffu) | (disp >> 16 & 0x0003ffff);
	words[1] = (words[1] & ~0xffffu) | (disp & 0xffff);
}

unsigned int native_choose_words(u32 *words, u64 nip)
{
	const struct template *t = &templates[native_random() % NR_TEMPLATES];
	u64 r = native_random();

	words[0] = t->word | (r & t->fields);
	words[1] = t->suffix | (r >> 32 & t->suffix_fields);
	aim(words, nip);
	return words[0] >> 26 == 1 ? 2 : 1;
}

/* An address to go to: among the traps, or anywhere. */
static u64 choose_target(void)
{
	u64 r = native_random();

	return r & 1 ? NATIVE_CODE + r % NATIVE_CODE_SIZE : r & LOWER_HALF;
}

void native_choose_registers(struct emulate_regs *regs)
{
	unsigned int i;
	u64 r;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < 32; i++)
		regs->gpr[i] = native_random();
	r = native_random();
	regs->nip = NATIVE_CODE_MIDDLE + (r & 0xff) * 4;
	regs->link = choose_target();
	/* CTR is a counter as often as it is a target. */
	regs->ctr = r & 0x100 ? r >> 9 & 3 : choose_target();
	regs->ccr = (u32)native_random();
	regs->xer = r >> 32 & 0xe0000000;
}
