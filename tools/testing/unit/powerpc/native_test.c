// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs every kind of instruction that arch/powerpc/emulate.c emulates, with
 * random registers, natively and emulated, and compares what it did. Built for
 * ppc64le; runs there, or in QEMU's user mode.
 *
 *	native_test RUNS SEED
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

#define MAX_ROWS	64
#define MAX_SHOWN	10

/* ---- emulation ---- */

static bool is_data(u64 addr, unsigned int size)
{
	return addr - NATIVE_DATA < NATIVE_DATA_SIZE &&
	       addr - NATIVE_DATA + size <= NATIVE_DATA_SIZE;
}

/* The code area too can be read and written. */
static bool is_memory(u64 addr, unsigned int size)
{
	return is_data(addr, size) || (addr - NATIVE_CODE < NATIVE_CODE_SIZE &&
				       addr - NATIVE_CODE + size <= NATIVE_CODE_SIZE);
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

	return access && nip + (u64)insn->imm - NATIVE_CODE + 8 < NATIVE_CODE_SIZE + 8;
}

static void run_one(void)
{
	struct emulate_regs before, native, emulated;
	u32 words[2] = { 0 };
	unsigned int nr;
	struct insn insn;
	int sig, row;

	native_choose_registers(&before);
	nr = native_choose_words(words, before.nip);
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
	native_write(before.nip, words, 4 * nr);
	sig = native_run(&native);
	native_erase(before.nip, 4 * nr);
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

	native_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	native_init();
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
