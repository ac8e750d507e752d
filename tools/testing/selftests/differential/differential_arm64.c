// SPDX-License-Identifier: GPL-2.0-only
/*
 * States and registers of arm64, and what there is to be emulated.
 */
#include <linux/module.h>
#include <asm/cpufeature.h>
#include <asm/neon.h>
#include <asm/simd.h>
#include <asm/sysreg.h>

#include "differential.h"

#define MASKS	(PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT)
#define FLAGS	(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)

#define SYS_PAN	sys_reg(3, 0, 4, 2, 3)

/* As many words as the data has. */
#define NR_VECTORS	32

static struct {
	u64 words[2 * NR_VECTORS];
	u64 status;
} vectors;

/* ---- the forms of what is emulated ---- */

struct row {
	const char *name;
	u8 class;
	u8 size;
	u16 flags;
	s8 condition;
};

#define FORM_FLAGS	(INSN_WIDE | INSN_NEGATED | INSN_SIGNED | INSN_VECTOR | INSN_PREFETCH | \
			 INSN_AUTH | INSN_KEY_B | INSN_NO_MODIFIER)
#define ANY		(-1)

#define ROW(name, class, flags)		{ name, INSN_##class, 0, flags, ANY }
#define LOAD(name, size, flags)		{ name, INSN_LDR_LITERAL, size, flags, ANY }
#define COND(nr)			{ "b.cond " #nr, INSN_BCOND, 0, 0, nr }
#define AUTH_Z				(INSN_AUTH | INSN_NO_MODIFIER)

static const struct row rows[] = {
	ROW("nop", NOP, 0), ROW("adr", ADR, 0), ROW("adrp", ADRP, 0),
	LOAD("ldr w", 4, 0), LOAD("ldr x", 8, 0), LOAD("ldrsw", 4, INSN_SIGNED),
	LOAD("ldr s", 4, INSN_VECTOR), LOAD("ldr d", 8, INSN_VECTOR),
	LOAD("ldr q", 16, INSN_VECTOR), LOAD("prfm", 8, INSN_PREFETCH),
	ROW("b", B, 0), ROW("bl", BL, 0),
	COND(0), COND(1), COND(2), COND(3), COND(4), COND(5), COND(6), COND(7),
	COND(8), COND(9), COND(10), COND(11), COND(12), COND(13), COND(14), COND(15),
	ROW("cbz w", CBZ, 0), ROW("cbz x", CBZ, INSN_WIDE),
	ROW("cbnz w", CBZ, INSN_NEGATED), ROW("cbnz x", CBZ, INSN_NEGATED | INSN_WIDE),
	ROW("tbz", TBZ, 0), ROW("tbnz", TBZ, INSN_NEGATED),
	ROW("br", BR, 0), ROW("braa", BR, INSN_AUTH), ROW("brab", BR, INSN_AUTH | INSN_KEY_B),
	ROW("braaz", BR, AUTH_Z), ROW("brabz", BR, AUTH_Z | INSN_KEY_B),
	ROW("blr", BLR, 0), ROW("blraa", BLR, INSN_AUTH), ROW("blrab", BLR, INSN_AUTH | INSN_KEY_B),
	ROW("blraaz", BLR, AUTH_Z), ROW("blrabz", BLR, AUTH_Z | INSN_KEY_B),
	ROW("ret", RET, 0), ROW("retaa", RET, INSN_AUTH), ROW("retab", RET, INSN_AUTH | INSN_KEY_B),
	ROW("mrs daif", MRS_DAIF, 0), ROW("msr daif", MSR_DAIF, 0),
	ROW("msr daifset", DAIFSET, 0), ROW("msr daifclr", DAIFCLR, 0),
};

unsigned int emulate_nr_rows(void)
{
	return ARRAY_SIZE(rows);
}

const char *emulate_row_name(unsigned int row)
{
	return rows[row].name;
}

static bool is_of_row(const struct insn *insn, const struct row *row)
{
	return insn->class == row->class && insn->size == row->size &&
	       (insn->flags & FORM_FLAGS) == row->flags &&
	       (row->condition == ANY || insn->condition == row->condition);
}

int emulate_row(const struct insn *insn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_of_row(insn, &rows[i]))
			return i;
	return -1;
}

/* ---- states ---- */

void diff_prepare(u64 need)
{
	diff_in.special[SPECIAL_NZCV] = diff_random() & FLAGS;
	diff_in.special[SPECIAL_DAIF] = diff_random() & MASKS;
}

static void load_vectors(void)
{
	const u64 *from = diff_data;

	BUILD_BUG_ON(sizeof(vectors.words) != sizeof(diff_data));
	asm volatile(".arch_extension fp\n.arch_extension simd\n"
		     "ld1 {v0.2d - v3.2d}, [%0], #64\n ld1 {v4.2d - v7.2d}, [%0], #64\n"
		     "ld1 {v8.2d - v11.2d}, [%0], #64\n ld1 {v12.2d - v15.2d}, [%0], #64\n"
		     "ld1 {v16.2d - v19.2d}, [%0], #64\n ld1 {v20.2d - v23.2d}, [%0], #64\n"
		     "ld1 {v24.2d - v27.2d}, [%0], #64\n ld1 {v28.2d - v31.2d}, [%0], #64\n"
		     "msr fpcr, xzr\n msr fpsr, xzr\n"
		     : "+r" (from) : : "memory");
}

static void store_vectors(void)
{
	u64 *to = vectors.words;

	asm volatile(".arch_extension fp\n.arch_extension simd\n"
		     "st1 {v0.2d - v3.2d}, [%0], #64\n st1 {v4.2d - v7.2d}, [%0], #64\n"
		     "st1 {v8.2d - v11.2d}, [%0], #64\n st1 {v12.2d - v15.2d}, [%0], #64\n"
		     "st1 {v16.2d - v19.2d}, [%0], #64\n st1 {v20.2d - v23.2d}, [%0], #64\n"
		     "st1 {v24.2d - v27.2d}, [%0], #64\n st1 {v28.2d - v31.2d}, [%0], #64\n"
		     "mrs %1, fpsr\n"
		     : "+r" (to), "=&r" (vectors.status) : : "memory");
}

/* Newer kernels want room for the vector registers, for when this task is preempted. */
#ifdef scoped_ksimd
static struct user_fpsimd_state preempted_vectors;
#define neon_begin()	kernel_neon_begin(&preempted_vectors)
#define neon_end()	kernel_neon_end(&preempted_vectors)
#else
#define neon_begin()	kernel_neon_begin()
#define neon_end()	kernel_neon_end()
#endif

void diff_begin_run(u64 need)
{
	if (!(need & FPU))
		return;
	neon_begin();
	load_vectors();
}

static u64 digest(void)
{
	u64 sum = vectors.status;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vectors.words); i++)
		sum = (sum ^ vectors.words[i]) * 0x9e3779b97f4a7c15ull + (sum >> 29);
	return sum;
}

void diff_end_run(u64 need)
{
	diff_out.special[SPECIAL_PAN] = cpus_have_cap(ARM64_HAS_PAN) ? read_sysreg_s(SYS_PAN) : 0;
	diff_out.special[SPECIAL_VECTORS] = 0;
	if (!(need & FPU))
		return;
	store_vectors();
	neon_end();
	diff_out.special[SPECIAL_VECTORS] = digest();
}

/* ---- what a post handler was shown ---- */

/* One register may be the kernel's own, see runner_arm64.S. */
static bool same_gprs(const u64 *seen, const u64 *gpr)
{
	unsigned int i;

	for (i = 0; i < NR_SP; i++)
		if (seen[i] != gpr[i] && !(i == 18 && IS_ENABLED(CONFIG_SHADOW_CALL_STACK)))
			return false;
	return true;
}

bool diff_post_saw(const struct pt_regs *seen, const struct diff_regs *regs)
{
	return same_gprs(seen->regs, regs->gpr) &&
	       seen->sp == regs->gpr[NR_SP] &&
	       (seen->pstate & FLAGS) == regs->special[SPECIAL_NZCV] &&
	       (seen->pstate & MASKS) == regs->special[SPECIAL_DAIF];
}
