// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emulation of the A64 instructions whose effect depends on their address, or
 * that read or change state saved by a trap: emulate.h.  Pure code, see
 * ../pure.h.
 */
#include "emulate.h"

#define LINK_REGISTER	30

/* Registers 0 to 30; 31 is the zero register, or for some operands the stack pointer. */

static u64 read_reg(const struct emulate_regs *regs, unsigned int nr)
{
	return nr == INSN_REG_31 ? 0 : regs->regs[nr];
}

static void write_reg(struct emulate_regs *regs, unsigned int nr, u64 value)
{
	if (nr != INSN_REG_31)
		regs->regs[nr] = value;
}

/* Every instruction except an indirect branch clears the branch type. */
static enum emulate_result go_to(struct emulate_regs *regs, u64 target)
{
	regs->pc = target;
	regs->pstate &= ~EMULATE_PSTATE_BTYPE;
	return EMULATE_DONE;
}

static enum emulate_result go_on(struct emulate_regs *regs)
{
	return go_to(regs, regs->pc + INSN_SIZE);
}

static enum emulate_result run_nop(const struct insn *insn, struct emulate_regs *regs)
{
	(void)insn;
	return go_on(regs);
}

/* ---- PC-relative instructions ---- */

static enum emulate_result run_adr(const struct insn *insn, struct emulate_regs *regs)
{
	write_reg(regs, insn->rd, insn_target(insn, regs->pc));
	return go_on(regs);
}

static enum emulate_result run_ldr_literal(const struct insn *insn, struct emulate_regs *regs)
{
	u64 addr = insn_target(insn, regs->pc), wide = 0;
	u32 narrow = 0;

	if (insn->flags & INSN_PREFETCH)
		return go_on(regs);
	if (insn->flags & INSN_VECTOR) {
		if (!emulate_load_vector(insn->rd, addr, insn->size))
			return EMULATE_FAULT;
		return go_on(regs);
	}
	if (!(insn->size == 8 ? emulate_load(addr, &wide, 8) : emulate_load(addr, &narrow, 4)))
		return EMULATE_FAULT;
	if (insn->size == 4)
		wide = insn->flags & INSN_SIGNED ? (u64)(s32)narrow : narrow;
	write_reg(regs, insn->rd, wide);
	return go_on(regs);
}

/* ---- direct branches ---- */

static enum emulate_result branch_if(const struct insn *insn, struct emulate_regs *regs, bool taken)
{
	return taken ? go_to(regs, insn_branch_target(insn, regs->pc)) : go_on(regs);
}

static enum emulate_result run_b(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(insn, regs, true);
}

static enum emulate_result run_bl(const struct insn *insn, struct emulate_regs *regs)
{
	regs->regs[LINK_REGISTER] = regs->pc + INSN_SIZE;
	return branch_if(insn, regs, true);
}

/* Conditions come in pairs: each odd one negates the one before it, except the last. */
static bool condition_holds(unsigned int condition, u64 pstate)
{
	bool n = pstate & EMULATE_PSTATE_N, z = pstate & EMULATE_PSTATE_Z;
	bool c = pstate & EMULATE_PSTATE_C, v = pstate & EMULATE_PSTATE_V;
	bool holds;

	switch (condition >> 1) {
	case 0:
		holds = z;
		break;
	case 1:
		holds = c;
		break;
	case 2:
		holds = n;
		break;
	case 3:
		holds = v;
		break;
	case 4:
		holds = c && !z;
		break;
	case 5:
		holds = n == v;
		break;
	case 6:
		holds = n == v && !z;
		break;
	default:
		return true;
	}
	return holds != (condition & 1);
}

static enum emulate_result run_bcond(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(insn, regs, condition_holds(insn->condition, regs->pstate));
}

static enum emulate_result run_cbz(const struct insn *insn, struct emulate_regs *regs)
{
	u64 value = read_reg(regs, insn->rd);
	bool zero = insn->flags & INSN_WIDE ? !value : !(u32)value;

	return branch_if(insn, regs, zero != !!(insn->flags & INSN_NEGATED));
}

static enum emulate_result run_tbz(const struct insn *insn, struct emulate_regs *regs)
{
	bool zero = !(read_reg(regs, insn->rd) >> insn->bit & 1);

	return branch_if(insn, regs, zero != !!(insn->flags & INSN_NEGATED));
}

/* Conditions as b.cond has them, of which each odd one negates the one before it. */
static bool compare_holds(unsigned int condition, u64 left, u64 right)
{
	bool holds;

	switch (condition >> 1) {
	case 0:
		holds = left == right;
		break;
	case 1:
		holds = left >= right;
		break;
	case 4:
		holds = left > right;
		break;
	case 5:
		holds = (s64)left >= (s64)right;
		break;
	default:
		holds = (s64)left > (s64)right;
	}
	return holds != (condition & 1);
}

/* What is compared is moved to the upper end: its sign is where it is in 64 bits. */
static enum emulate_result run_cb(const struct insn *insn, struct emulate_regs *regs)
{
	unsigned int unused = 64 - 8 * insn->size;
	u64 right = insn->flags & INSN_IMMEDIATE ? insn->bit : read_reg(regs, insn->rm);

	return branch_if(insn, regs, compare_holds(insn->condition,
						   read_reg(regs, insn->rd) << unused,
						   right << unused));
}

/* ---- indirect branches ---- */

static bool find_target(const struct insn *insn, const struct emulate_regs *regs, u64 *target)
{
	u64 modifier = 0;

	*target = read_reg(regs, insn->rn);
	if (!(insn->flags & INSN_AUTH))
		return true;
	if (!(insn->flags & INSN_NO_MODIFIER))
		modifier = insn->rm == INSN_REG_31 ? regs->sp : regs->regs[insn->rm];
	return emulate_authenticate(target, modifier, insn->flags & INSN_KEY_B);
}

static enum emulate_result run_ret(const struct insn *insn, struct emulate_regs *regs)
{
	u64 target;

	if (!find_target(insn, regs, &target))
		return EMULATE_FAULT;
	return go_to(regs, target);
}

static u64 type_of_br(const struct insn *insn, enum emulate_guard guard)
{
	if (guard == EMULATE_GUARDED && insn->rn != 16 && insn->rn != 17)
		return EMULATE_BTYPE_BR;
	return EMULATE_BTYPE_BR_LINKER;
}

static enum emulate_result run_br(const struct insn *insn, struct emulate_regs *regs)
{
	enum emulate_guard guard = emulate_guard(regs->pc);
	u64 target;

	if (!find_target(insn, regs, &target))
		return EMULATE_FAULT;
	go_to(regs, target);
	if (guard != EMULATE_NO_TYPES)
		regs->pstate |= type_of_br(insn, guard);
	return EMULATE_DONE;
}

static enum emulate_result run_blr(const struct insn *insn, struct emulate_regs *regs)
{
	enum emulate_guard guard = emulate_guard(regs->pc);
	u64 target;

	if (!find_target(insn, regs, &target))
		return EMULATE_FAULT;
	regs->regs[LINK_REGISTER] = regs->pc + INSN_SIZE;
	go_to(regs, target);
	if (guard != EMULATE_NO_TYPES)
		regs->pstate |= EMULATE_BTYPE_BLR;
	return EMULATE_DONE;
}

/* ---- interrupt masks ---- */

static enum emulate_result set_masks(struct emulate_regs *regs, u64 masks)
{
	regs->pstate = (regs->pstate & ~EMULATE_PSTATE_DAIF) | (masks & EMULATE_PSTATE_DAIF);
	return go_on(regs);
}

static enum emulate_result run_mrs_daif(const struct insn *insn, struct emulate_regs *regs)
{
	write_reg(regs, insn->rd, regs->pstate & EMULATE_PSTATE_DAIF);
	return go_on(regs);
}

static enum emulate_result run_msr_daif(const struct insn *insn, struct emulate_regs *regs)
{
	return set_masks(regs, read_reg(regs, insn->rd));
}

static enum emulate_result run_daifset(const struct insn *insn, struct emulate_regs *regs)
{
	return set_masks(regs, regs->pstate | (u64)insn->imm << 6);
}

static enum emulate_result run_daifclr(const struct insn *insn, struct emulate_regs *regs)
{
	return set_masks(regs, regs->pstate & ~((u64)insn->imm << 6));
}

enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs)
{
	static enum emulate_result (* const run[INSN_NR_CLASSES])(const struct insn *insn,
								  struct emulate_regs *regs) = {
		[INSN_NOP] = run_nop,
		[INSN_ADR] = run_adr,
		[INSN_ADRP] = run_adr,
		[INSN_LDR_LITERAL] = run_ldr_literal,
		[INSN_B] = run_b,
		[INSN_BL] = run_bl,
		[INSN_BCOND] = run_bcond,
		[INSN_CBZ] = run_cbz,
		[INSN_TBZ] = run_tbz,
		[INSN_CB] = run_cb,
		[INSN_BR] = run_br,
		[INSN_BLR] = run_blr,
		[INSN_RET] = run_ret,
		[INSN_MRS_DAIF] = run_mrs_daif,
		[INSN_MSR_DAIF] = run_msr_daif,
		[INSN_DAIFSET] = run_daifset,
		[INSN_DAIFCLR] = run_daifclr,
	};

	if (insn->class >= INSN_NR_CLASSES || !run[insn->class])
		return EMULATE_NONE;
	return run[insn->class](insn, regs);
}
