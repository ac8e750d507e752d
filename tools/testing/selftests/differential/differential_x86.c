// SPDX-License-Identifier: GPL-2.0-only
/*
 * States and registers of x86-64.
 */
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "differential.h"

#define FLAGS_ALWAYS	0x2ul
#define FLAGS_RANDOM	0xed5ul		/* CF PF AF ZF SF IF DF OF */
#define FLAGS_POPPED	(FLAGS_RANDOM | 0x200000ul)	/* and ID */

DEFINE_PER_CPU_ALIGNED(u64, diff_percpu[4]);

/* ---- hooks of the emulator, of which only the table is used ---- */

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	return false;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	return false;
}

u64 emulate_segment_base(enum insn_segment segment)
{
	return 0;
}

unsigned int emulate_address_bits(void)
{
	return 57;
}

/* ---- states ---- */

static void prepare_flags_on_stack(void)
{
	unsigned int i;

	for (i = 0; i < STACK_WORDS; i++)
		diff_stack[i] = (diff_stack[i] & FLAGS_POPPED) | FLAGS_ALWAYS;
}

void diff_prepare(u64 need)
{
	diff_in.special[SPECIAL_FLAGS] = (diff_random() & FLAGS_RANDOM) | FLAGS_ALWAYS;
	if (need & DIVIDE) {
		diff_in.gpr[NR_RDX] = 0;
		diff_in.gpr[NR_RAX] >>= 1;
		diff_in.gpr[NR_RBX] |= 0x10001;
	}
	if (need & STACK_FLAGS)
		prepare_flags_on_stack();
}

void diff_begin_run(u64 need)
{
	if (need & FPU)
		kernel_fpu_begin();
}

void diff_end_run(u64 need)
{
	if (need & FPU)
		kernel_fpu_end();
}

/* ---- what this kernel can run ---- */

/* XSAVE is there if the kernel has turned it on, whatever the CPU has. */
bool diff_case_runs(u64 need)
{
	return (!(need & OSXSAVE) || __read_cr4() & X86_CR4_OSXSAVE) &&
	       (!(need & SMAP) || boot_cpu_has(X86_FEATURE_SMAP)) &&
	       (!(need & BMI) || (boot_cpu_has(X86_FEATURE_BMI1) &&
				  boot_cpu_has(X86_FEATURE_BMI2))) &&
	       (!(need & ADX) || boot_cpu_has(X86_FEATURE_ADX)) &&
	       (!(need & MOVBE) || boot_cpu_has(X86_FEATURE_MOVBE)) &&
	       (!(need & AES) || boot_cpu_has(X86_FEATURE_AES));
}

/* Where such offsets are those of the kernel's text, 32 bits don't reach the data. */
unsigned int diff_nr_cases(void)
{
	bool low = !((unsigned long)diff_percpu >> 32);

	return (low ? diff_cases_end : diff_cases_low_percpu) - diff_cases;
}

/* ---- what a post handler was shown ---- */

bool diff_post_saw(const struct pt_regs *s, const struct diff_regs *regs)
{
	const u64 *g = regs->gpr;

	return s->flags == regs->special[SPECIAL_FLAGS] &&
	       s->ax == g[0] && s->cx == g[1] && s->dx == g[2] && s->bx == g[3] &&
	       s->sp == g[4] && s->bp == g[5] && s->si == g[6] && s->di == g[7] &&
	       s->r8 == g[8] && s->r9 == g[9] && s->r10 == g[10] && s->r11 == g[11] &&
	       s->r12 == g[12] && s->r13 == g[13] && s->r14 == g[14] && s->r15 == g[15];
}
