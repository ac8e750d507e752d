// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emulation of the instructions of 64-bit Power whose effect depends on their
 * address: branches, addpcis and PC-relative prefixed ones.  Moves from and to LR
 * and CTR are emulated, too, as they are frequent and simple.
 */
#include "emulate.h"

struct row {
	const char *name;
	enum emulate_result (*run)(const struct insn *insn, struct emulate_regs *regs);
};

/* The conditions that BO encodes, in the order of the rows. */
enum condition {
	DECREMENT_NONZERO_FALSE,
	DECREMENT_ZERO_FALSE,
	FALSE_ONLY,
	DECREMENT_NONZERO_TRUE,
	DECREMENT_ZERO_TRUE,
	TRUE_ONLY,
	DECREMENT_NONZERO,
	DECREMENT_ZERO,
	ALWAYS,
	NR_CONDITIONS
};

/* The order of the rows: emulate_row() finds one without a search. */
enum {
	ROW_NOP,
	ROW_PNOP,
	ROW_B,
	ROW_BL,
	ROW_BA,
	ROW_BLA,
	ROW_BC,
	ROW_BCLR = ROW_BC + NR_CONDITIONS,
	ROW_BCCTR_FALSE = ROW_BCLR + NR_CONDITIONS,
	ROW_BCCTR_TRUE,
	ROW_BCCTR_ALWAYS,
	ROW_ADDPCIS,
	ROW_MFLR,
	ROW_MTLR,
	ROW_MFCTR,
	ROW_MTCTR,
	ROW_PADDI,
	ROW_PLBZ,
	ROW_PLHZ,
	ROW_PLHA,
	ROW_PLWZ,
	ROW_PLWA,
	ROW_PLD,
	ROW_PSTB,
	ROW_PSTH,
	ROW_PSTW,
	ROW_PSTD,
	NR_ROWS
};

static u64 next_ip(const struct insn *insn, const struct emulate_regs *regs)
{
	return regs->nip + insn->length;
}

static enum emulate_result run_nop(const struct insn *insn, struct emulate_regs *regs)
{
	regs->nip = next_ip(insn, regs);
	return EMULATE_DONE;
}

/* ---- branches ---- */

/*
 * LR gets the next address whether the branch is taken or not.  Targets are
 * words: the low two bits of LR and CTR don't take part.
 */
static enum emulate_result branch_if(bool taken, u64 target, const struct insn *insn,
				     struct emulate_regs *regs)
{
	u64 next = next_ip(insn, regs);

	if (insn->flags & INSN_LINK)
		regs->link = next;
	regs->nip = taken ? target & ~3ull : next;
	return EMULATE_DONE;
}

/* Bit 0 is the leftmost of the 32. */
static bool condition_bit(const struct emulate_regs *regs, unsigned int bi)
{
	return regs->ccr >> (31 - bi) & 1;
}

/* Decrements CTR if BO says so. */
static bool is_taken(const struct insn *insn, struct emulate_regs *regs)
{
	unsigned int bo = insn->rt;
	bool ctr_holds = true;

	if (!(bo & INSN_BO_KEEP_CTR)) {
		regs->ctr--;
		ctr_holds = !regs->ctr == !!(bo & INSN_BO_CTR_ZERO);
	}
	if (bo & INSN_BO_NO_CONDITION)
		return ctr_holds;
	return ctr_holds && condition_bit(regs, insn->ra) == !!(bo & INSN_BO_TRUE);
}

static enum emulate_result run_b(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(true, insn_branch_target(insn, regs->nip), insn, regs);
}

static enum emulate_result run_bc(const struct insn *insn, struct emulate_regs *regs)
{
	u64 target = insn_branch_target(insn, regs->nip);

	return branch_if(is_taken(insn, regs), target, insn, regs);
}

static enum emulate_result run_bclr(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(is_taken(insn, regs), regs->link, insn, regs);
}

static enum emulate_result run_bcctr(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(is_taken(insn, regs), regs->ctr, insn, regs);
}

/* ---- PC-relative instructions ---- */

static enum emulate_result run_addpcis(const struct insn *insn, struct emulate_regs *regs)
{
	regs->gpr[insn->rt] = next_ip(insn, regs) + (u64)insn->imm;
	return run_nop(insn, regs);
}

static enum emulate_result run_paddi(const struct insn *insn, struct emulate_regs *regs)
{
	regs->gpr[insn->rt] = regs->nip + (u64)insn->imm;
	return run_nop(insn, regs);
}

static enum emulate_result load(const struct insn *insn, struct emulate_regs *regs,
				unsigned int size, bool extends_sign)
{
	unsigned int unused = 64 - 8 * size;
	u64 val = 0;

	if (!emulate_load(regs->nip + (u64)insn->imm, &val, size))
		return EMULATE_FAULT;
	if (extends_sign)
		val = (u64)((s64)(val << unused) >> unused);
	regs->gpr[insn->rt] = val;
	return run_nop(insn, regs);
}

static enum emulate_result store(const struct insn *insn, struct emulate_regs *regs,
				 unsigned int size)
{
	if (!emulate_store(regs->nip + (u64)insn->imm, &regs->gpr[insn->rt], size))
		return EMULATE_FAULT;
	return run_nop(insn, regs);
}

static enum emulate_result run_plbz(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 1, false);
}

static enum emulate_result run_plhz(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 2, false);
}

static enum emulate_result run_plha(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 2, true);
}

static enum emulate_result run_plwz(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 4, false);
}

static enum emulate_result run_plwa(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 4, true);
}

static enum emulate_result run_pld(const struct insn *insn, struct emulate_regs *regs)
{
	return load(insn, regs, 8, false);
}

static enum emulate_result run_pstb(const struct insn *insn, struct emulate_regs *regs)
{
	return store(insn, regs, 1);
}

static enum emulate_result run_psth(const struct insn *insn, struct emulate_regs *regs)
{
	return store(insn, regs, 2);
}

static enum emulate_result run_pstw(const struct insn *insn, struct emulate_regs *regs)
{
	return store(insn, regs, 4);
}

static enum emulate_result run_pstd(const struct insn *insn, struct emulate_regs *regs)
{
	return store(insn, regs, 8);
}

/* ---- moves ---- */

static enum emulate_result run_mflr(const struct insn *insn, struct emulate_regs *regs)
{
	regs->gpr[insn->rt] = regs->link;
	return run_nop(insn, regs);
}

static enum emulate_result run_mtlr(const struct insn *insn, struct emulate_regs *regs)
{
	regs->link = regs->gpr[insn->rt];
	return run_nop(insn, regs);
}

static enum emulate_result run_mfctr(const struct insn *insn, struct emulate_regs *regs)
{
	regs->gpr[insn->rt] = regs->ctr;
	return run_nop(insn, regs);
}

static enum emulate_result run_mtctr(const struct insn *insn, struct emulate_regs *regs)
{
	regs->ctr = regs->gpr[insn->rt];
	return run_nop(insn, regs);
}

/* ---- the table ---- */

#define CONDITION_ROWS(str, fn)							\
	{ str " dnzf", fn }, { str " dzf", fn }, { str " f", fn },		\
	{ str " dnzt", fn }, { str " dzt", fn }, { str " t", fn },		\
	{ str " dnz", fn }, { str " dz", fn }, { str " always", fn }

static const struct row rows[NR_ROWS] = {
	[ROW_NOP] = { "nop", run_nop },
	[ROW_PNOP] = { "pnop", run_nop },
	[ROW_B] = { "b", run_b },
	[ROW_BL] = { "bl", run_b },
	[ROW_BA] = { "ba", run_b },
	[ROW_BLA] = { "bla", run_b },
	[ROW_BC] = CONDITION_ROWS("bc", run_bc),
	[ROW_BCLR] = CONDITION_ROWS("bclr", run_bclr),
	[ROW_BCCTR_FALSE] = { "bcctr f", run_bcctr },
	[ROW_BCCTR_TRUE] = { "bcctr t", run_bcctr },
	[ROW_BCCTR_ALWAYS] = { "bcctr always", run_bcctr },
	[ROW_ADDPCIS] = { "addpcis", run_addpcis },
	[ROW_MFLR] = { "mflr", run_mflr },
	[ROW_MTLR] = { "mtlr", run_mtlr },
	[ROW_MFCTR] = { "mfctr", run_mfctr },
	[ROW_MTCTR] = { "mtctr", run_mtctr },
	[ROW_PADDI] = { "paddi", run_paddi },
	[ROW_PLBZ] = { "plbz", run_plbz },
	[ROW_PLHZ] = { "plhz", run_plhz },
	[ROW_PLHA] = { "plha", run_plha },
	[ROW_PLWZ] = { "plwz", run_plwz },
	[ROW_PLWA] = { "plwa", run_plwa },
	[ROW_PLD] = { "pld", run_pld },
	[ROW_PSTB] = { "pstb", run_pstb },
	[ROW_PSTH] = { "psth", run_psth },
	[ROW_PSTW] = { "pstw", run_pstw },
	[ROW_PSTD] = { "pstd", run_pstd },
};

unsigned int emulate_nr_rows(void)
{
	return NR_ROWS;
}

const char *emulate_row_name(unsigned int row)
{
	return row < NR_ROWS ? rows[row].name : "?";
}

static enum condition condition_of(const struct insn *insn)
{
	unsigned int bo = insn->rt, kind;

	if (bo & INSN_BO_KEEP_CTR)
		kind = 2;
	else
		kind = bo & INSN_BO_CTR_ZERO ? 1 : 0;
	if (bo & INSN_BO_NO_CONDITION)
		return DECREMENT_NONZERO + kind;
	return (bo & INSN_BO_TRUE ? DECREMENT_NONZERO_TRUE : DECREMENT_NONZERO_FALSE) + kind;
}

static int bcctr_row(const struct insn *insn)
{
	switch (condition_of(insn)) {
	case FALSE_ONLY:
		return ROW_BCCTR_FALSE;
	case TRUE_ONLY:
		return ROW_BCCTR_TRUE;
	case ALWAYS:
		return ROW_BCCTR_ALWAYS;
	default:
		return -1;
	}
}

static int b_row(const struct insn *insn)
{
	return ROW_B + (insn->flags & INSN_LINK ? 1 : 0) + (insn->flags & INSN_ABSOLUTE ? 2 : 0);
}

/* Selected by the opcode of the second word. */
static int access_row(const struct insn *insn)
{
	switch (insn->suffix >> 26) {
	case 32:
		return ROW_PLWZ;
	case 34:
		return ROW_PLBZ;
	case 36:
		return ROW_PSTW;
	case 38:
		return ROW_PSTB;
	case 40:
		return ROW_PLHZ;
	case 41:
		return ROW_PLWA;
	case 42:
		return ROW_PLHA;
	case 44:
		return ROW_PSTH;
	case 57:
		return ROW_PLD;
	case 61:
		return ROW_PSTD;
	default:
		return -1;
	}
}

static int branch_row(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_BRANCH:
		return b_row(insn);
	case INSN_BRANCH_COND:
		return ROW_BC + condition_of(insn);
	case INSN_BRANCH_LR:
		return ROW_BCLR + condition_of(insn);
	case INSN_BRANCH_CTR:
		return bcctr_row(insn);
	default:
		return -1;
	}
}

int emulate_row(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_NOP:
		return insn->length == INSN_SIZE ? ROW_NOP : ROW_PNOP;
	case INSN_ADDPCIS:
		return ROW_ADDPCIS;
	case INSN_MFLR:
		return ROW_MFLR;
	case INSN_MTLR:
		return ROW_MTLR;
	case INSN_MFCTR:
		return ROW_MFCTR;
	case INSN_MTCTR:
		return ROW_MTCTR;
	case INSN_PADDI_PC:
		return ROW_PADDI;
	case INSN_LOAD_PC:
	case INSN_STORE_PC:
		return access_row(insn);
	default:
		return branch_row(insn);
	}
}

enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs)
{
	int row = emulate_row(insn);

	return row < 0 ? EMULATE_NONE : rows[row].run(insn, regs);
}
