// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs every kind of instruction that arch/powerpc/emulate.c emulates, with
 * random registers, natively and emulated, and compares what it did. Built for
 * ppc64le; runs there, or in QEMU's user mode.
 *
 *	native_test RUNS SEED
 *
 * A native run is two signals: one whose handler loads the registers, and
 * SIGTRAP or SIGSEGV from wherever the instruction went, whose handler takes
 * them out again. Between the two no register is ours, so the handlers touch
 * nothing but static memory.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../../../../arch/powerpc/emulate.h"

/* Code is run in the middle of an area full of traps, data are within 34 bits of it. */
#define CODE_AREA	0x500000000ull
#define CODE_SIZE	0x40000ull
#define CODE		(CODE_AREA + CODE_SIZE / 2)
#define DATA		(CODE_AREA + 0x10000000ull)
#define DATA_SIZE	0x10000ull

#define WORD_TRAP	0x7fe00008u

/* Where a process may have memory; beyond, QEMU does not tell a fault's address. */
#define LOWER_HALF	0x00003fffffffffffull

#define MAX_ROWS	64
#define MAX_SHOWN	10

static u64 random_state;

static u64 next_random(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* ---- native runs ---- */

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

	if (mem == MAP_FAILED)
		abort();
	return mem;
}

static void set_up(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	u32 *word = map_at(CODE_AREA, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	unsigned int i;

	for (i = 0; i < CODE_SIZE / 4; i++)
		word[i] = WORD_TRAP;
	map_at(DATA, DATA_SIZE, PROT_READ | PROT_WRITE);
	if (sigaltstack(&ss, NULL))
		abort();
	handle(SIGUSR1, load_registers);
	handle(SIGTRAP, take_registers);
	handle(SIGSEGV, take_registers);
	handle(SIGILL, take_registers);
}

/* Returns the signal that it ended with. */
static int run_native(const u32 *words, unsigned int nr, struct emulate_regs *regs)
{
	volatile u32 *code = (volatile u32 *)regs->nip;
	unsigned int i;

	for (i = 0; i < nr; i++)
		code[i] = words[i];
	__builtin___clear_cache((char *)regs->nip, (char *)regs->nip + 4 * nr);
	memcpy((void *)&wanted, regs, sizeof(wanted));
	raise(SIGUSR1);
	memcpy(regs->gpr, (void *)got.gpr, sizeof(regs->gpr));
	regs->nip = got.nip;
	regs->ctr = got.ctr;
	regs->link = got.link;
	regs->xer = got.xer;
	regs->ccr = got.ccr;
	for (i = 0; i < nr; i++)
		code[i] = WORD_TRAP;
	return got_signal;
}

/* ---- emulation ---- */

static bool is_data(u64 addr, unsigned int size)
{
	return addr - DATA < DATA_SIZE && addr - DATA + size <= DATA_SIZE;
}

/* The code area too can be read and written. */
static bool is_memory(u64 addr, unsigned int size)
{
	return is_data(addr, size) ||
	       (addr - CODE_AREA < CODE_SIZE && addr - CODE_AREA + size <= CODE_SIZE);
}

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	if (!is_memory(addr, size))
		return false;
	memcpy(val, (void *)addr, size);
	return true;
}

/* The native run has done so already, or has not. */
static struct {
	u64 addr;
	u64 val;
	unsigned int size;
} stored;

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	if (!is_memory(addr, size))
		return false;
	stored.addr = addr;
	stored.val = 0;
	memcpy(&stored.val, val, size);
	stored.size = size;
	return true;
}

/* ---- what is run ---- */

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
	u64 disp = DATA - nip + next_random() % (DATA_SIZE + 16) - 8;

	if (words[0] >> 26 != 1 || !(words[0] & 0x00100000) || !(next_random() & 3))
		return;
	words[0] = (words[0] & ~0x0003ffffu) | (disp >> 16 & 0x0003ffff);
	words[1] = (words[1] & ~0xffffu) | (disp & 0xffff);
}

static unsigned int choose_words(u32 *words, u64 nip)
{
	const struct template *t = &templates[next_random() % NR_TEMPLATES];
	u64 r = next_random();

	words[0] = t->word | (r & t->fields);
	words[1] = t->suffix | (r >> 32 & t->suffix_fields);
	aim(words, nip);
	return words[0] >> 26 == 1 ? 2 : 1;
}

/* An address to go to: among the traps, or anywhere. */
static u64 choose_target(void)
{
	u64 r = next_random();

	return r & 1 ? CODE_AREA + r % CODE_SIZE : r & LOWER_HALF;
}

static void choose_registers(struct emulate_regs *regs)
{
	unsigned int i;
	u64 r;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < 32; i++)
		regs->gpr[i] = next_random();
	r = next_random();
	regs->nip = CODE + (r & 0xff) * 4;
	regs->link = choose_target();
	/* CTR is a counter as often as it is a target. */
	regs->ctr = r & 0x100 ? r >> 9 & 3 : choose_target();
	regs->ccr = (u32)next_random();
	regs->xer = r >> 32 & 0xe0000000;
}

/* ---- comparing ---- */

static unsigned int row_runs[MAX_ROWS];
static u64 nr_runs, nr_faults, nr_mismatches;

static void complain(const struct insn *insn, const char *what, u64 native, u64 emulated)
{
	if (nr_mismatches++ < MAX_SHOWN)
		printf("# %08x %08x %s: %s natively %#llx, emulated %#llx\n", insn->word,
		       insn->suffix, emulate_row_name(emulate_row(insn)), what,
		       (unsigned long long)native, (unsigned long long)emulated);
}

static void compare_regs(const struct insn *insn, const struct emulate_regs *native,
			 const struct emulate_regs *emulated)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		if (native->gpr[i] != emulated->gpr[i])
			complain(insn, "gpr", native->gpr[i], emulated->gpr[i]);
	if (native->nip != emulated->nip)
		complain(insn, "nip", native->nip, emulated->nip);
	if (native->ctr != emulated->ctr)
		complain(insn, "ctr", native->ctr, emulated->ctr);
	if (native->link != emulated->link)
		complain(insn, "link", native->link, emulated->link);
	if (native->xer != emulated->xer)
		complain(insn, "xer", native->xer, emulated->xer);
	if (native->ccr != emulated->ccr)
		complain(insn, "ccr", native->ccr, emulated->ccr);
}

static void compare_memory(const struct insn *insn)
{
	u64 val = 0;

	if (insn->class != INSN_STORE_PC)
		return;
	memcpy(&val, (void *)stored.addr, stored.size);
	if (val != stored.val)
		complain(insn, "stored", val, stored.val);
}

static bool reaches_own_code(const struct insn *insn, u64 nip)
{
	bool access = insn->class == INSN_LOAD_PC || insn->class == INSN_STORE_PC;

	return access && nip + (u64)insn->imm - CODE_AREA + 8 < CODE_SIZE + 8;
}

static void run_one(void)
{
	struct emulate_regs before, native, emulated;
	u32 words[2] = { 0 };
	unsigned int nr;
	struct insn insn;
	int sig, row;

	choose_registers(&before);
	nr = choose_words(words, before.nip);
	/* Not all values of BO exist, and what crosses a line makes QEMU give up. */
	if (insn_decode(&insn, words, 4 * nr) != INSN_OK || insn_crosses_line(&insn, before.nip))
		return;
	row = emulate_row(&insn);
	/* A branch to itself would never end, and what is stored to code is not compared. */
	if (row < 0 || reaches_own_code(&insn, before.nip))
		return;
	emulated = before;
	if (emulate_insn(&insn, &emulated) == EMULATE_DONE && emulated.nip == before.nip)
		return;
	native = before;
	emulated = before;
	sig = run_native(words, nr, &native);
	nr_runs++;
	row_runs[row]++;
	if (emulate_insn(&insn, &emulated) == EMULATE_FAULT)
		nr_faults++;
	else
		compare_memory(&insn);
	if (sig != SIGTRAP && sig != SIGSEGV)
		complain(&insn, "signal", sig, SIGTRAP);
	compare_regs(&insn, &native, &emulated);
}

static unsigned int rows_never_run(void)
{
	unsigned int i, missing = 0;

	for (i = 0; i < emulate_nr_rows(); i++) {
		if (row_runs[i])
			continue;
		printf("# row never run: %s\n", emulate_row_name(i));
		missing++;
	}
	return missing;
}

static int result(unsigned int nr, const char *name, bool ok)
{
	printf("%s %u - native_test: %s\n", ok ? "ok" : "not ok", nr, name);
	return !ok;
}

int main(int argc, char **argv)
{
	u64 runs = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000, i;
	int failed = 0;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	set_up();
	printf("TAP version 13\n1..3\n");
	for (i = 0; i < runs; i++)
		run_one();
	failed += result(1, "what it does is what was emulated", !nr_mismatches && nr_runs);
	failed += result(2, "every row was run", !rows_never_run());
	failed += result(3, "faults were among them", nr_faults);
	printf("# %llu runs, %llu faults, %llu mismatches\n", (unsigned long long)nr_runs,
	       (unsigned long long)nr_faults, (unsigned long long)nr_mismatches);
	return failed != 0;
}
