// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emulation of the x86-64 instructions whose effect depends on where they
 * are, or that change what a trap handler saved: branches, and those that
 * access flags that the trap itself has changed.
 *
 * All of it is for CPL 0 in 64-bit mode.
 */
#include "emulate.h"

#define FLAG_VM		0x20000ul
#define FLAG_RESERVED_1	0x2ul

/* What popf writes at CPL 0.  It leaves VM, VIF and VIP alone and clears RF. */
#define FLAGS_POPF	0x247fd5ul

struct row {
	const char *name;
	enum emulate_result (*run)(const struct insn *insn, struct emulate_regs *regs);
};

/* The order of the rows: emulate_row() computes an index, without a search. */
enum {
	ROW_NOP,
	ROW_LONG_NOP,
	ROW_ENDBR,
	ROW_JMP8,
	ROW_JMP32,
	ROW_JCC8,
	ROW_JCC32 = ROW_JCC8 + 16,
	ROW_LOOP = ROW_JCC32 + 16,
	ROW_LOOP_ECX = ROW_LOOP + 4,
	ROW_CALL = ROW_LOOP_ECX + 4,
	ROW_RET,
	ROW_RET_IMM,
	ROW_JMP_REG,
	ROW_JMP_MEM,
	ROW_CALL_REG,
	ROW_CALL_MEM,
	ROW_PUSHF,
	ROW_PUSHF16,
	ROW_POPF,
	ROW_POPF16,
	ROW_CLI,
	ROW_STI,
	NR_ROWS
};

static u64 *gpr(struct emulate_regs *regs, unsigned int nr)
{
	static const u8 offsets[16] = {
		offsetof(struct emulate_regs, ax), offsetof(struct emulate_regs, cx),
		offsetof(struct emulate_regs, dx), offsetof(struct emulate_regs, bx),
		offsetof(struct emulate_regs, sp), offsetof(struct emulate_regs, bp),
		offsetof(struct emulate_regs, si), offsetof(struct emulate_regs, di),
		offsetof(struct emulate_regs, r8), offsetof(struct emulate_regs, r9),
		offsetof(struct emulate_regs, r10), offsetof(struct emulate_regs, r11),
		offsetof(struct emulate_regs, r12), offsetof(struct emulate_regs, r13),
		offsetof(struct emulate_regs, r14), offsetof(struct emulate_regs, r15),
	};

	return (u64 *)((char *)regs + offsets[nr & 15]);
}

static u64 gpr_value(const struct emulate_regs *regs, unsigned int nr)
{
	return *gpr((struct emulate_regs *)regs, nr);
}

static u64 next_ip(const struct insn *insn, const struct emulate_regs *regs)
{
	return regs->ip + insn->length;
}

/*
 * A branch to a non-canonical address faults before it branches.  If it was taken to one, the
 * return from the trap would fault, as if the kernel had returned to user space.
 */
static bool is_canonical(u64 addr)
{
	unsigned int unused = 64 - emulate_address_bits();

	return (u64)((s64)(addr << unused) >> unused) == addr;
}

static enum emulate_result go_to(struct emulate_regs *regs, u64 target)
{
	if (!is_canonical(target))
		return EMULATE_FAULT;
	regs->ip = target;
	return EMULATE_DONE;
}

/* Memory operands */

static unsigned int modrm_rm(const struct insn *insn)
{
	return (insn->modrm & 7) | (insn->rex & INSN_REX_B ? 8 : 0);
}

static u64 sib_index(const struct insn *insn, const struct emulate_regs *regs)
{
	unsigned int index = (insn->sib >> 3 & 7) | (insn->rex & INSN_REX_X ? 8 : 0);

	if (index == 4)
		return 0;
	return gpr_value(regs, index) << (insn->sib >> 6);
}

static u64 sib_base(const struct insn *insn, const struct emulate_regs *regs)
{
	unsigned int base = insn->sib & 7;

	if (base == 5 && insn->modrm < 0x40)
		return 0;
	return gpr_value(regs, base | (insn->rex & INSN_REX_B ? 8 : 0));
}

static u64 base_and_index(const struct insn *insn, const struct emulate_regs *regs)
{
	if (insn->flags & INSN_RIP_RELATIVE)
		return next_ip(insn, regs);
	if (insn->flags & INSN_HAS_SIB)
		return sib_base(insn, regs) + sib_index(insn, regs);
	return gpr_value(regs, modrm_rm(insn));
}

u64 emulate_address(const struct insn *insn, const struct emulate_regs *regs)
{
	u64 addr = base_and_index(insn, regs) + (u64)insn->disp;

	if (insn->prefixes & INSN_PFX_67)
		addr = (u32)addr;
	if (insn->segment != INSN_SEG_DEFAULT)
		addr += emulate_segment_base(insn->segment);
	return addr;
}

/* The stack */

static bool push(struct emulate_regs *regs, u64 val, unsigned int size)
{
	if (!emulate_store(regs->sp - size, &val, size))
		return false;
	regs->sp -= size;
	return true;
}

static enum emulate_result call_to(const struct insn *insn, struct emulate_regs *regs, u64 target)
{
	if (!is_canonical(target) || !push(regs, next_ip(insn, regs), 8))
		return EMULATE_FAULT;
	regs->ip = target;
	return EMULATE_DONE;
}

/* Branches */

static enum emulate_result run_nop(const struct insn *insn, struct emulate_regs *regs)
{
	regs->ip = next_ip(insn, regs);
	return EMULATE_DONE;
}

static enum emulate_result run_jmp(const struct insn *insn, struct emulate_regs *regs)
{
	return go_to(regs, insn_branch_target(insn, regs->ip));
}

static enum emulate_result branch_if(const struct insn *insn, struct emulate_regs *regs, bool taken)
{
	return taken ? run_jmp(insn, regs) : run_nop(insn, regs);
}

/* The conditions of jcc in the order of their opcodes; each odd one negates the one before. */
static bool condition_holds(unsigned int condition, u64 flags)
{
	bool less = !(flags & EMULATE_FLAG_SF) != !(flags & EMULATE_FLAG_OF);
	bool holds;

	switch (condition >> 1 & 7) {
	case 0:
		holds = flags & EMULATE_FLAG_OF;
		break;
	case 1:
		holds = flags & EMULATE_FLAG_CF;
		break;
	case 2:
		holds = flags & EMULATE_FLAG_ZF;
		break;
	case 3:
		holds = flags & (EMULATE_FLAG_CF | EMULATE_FLAG_ZF);
		break;
	case 4:
		holds = flags & EMULATE_FLAG_SF;
		break;
	case 5:
		holds = flags & EMULATE_FLAG_PF;
		break;
	case 6:
		holds = less;
		break;
	default:
		holds = less || flags & EMULATE_FLAG_ZF;
		break;
	}
	return holds != (condition & 1);
}

static enum emulate_result run_jcc(const struct insn *insn, struct emulate_regs *regs)
{
	return branch_if(insn, regs, condition_holds(insn->opcode, regs->flags));
}

/* loopne, loope, loop, jrcxz in this order.  @count is decremented already, for all but jrcxz. */
static bool loop_is_taken(const struct insn *insn, u64 count, u64 flags)
{
	bool zero = flags & EMULATE_FLAG_ZF;

	switch (insn->opcode & 3) {
	case 0:
		return count && !zero;
	case 1:
		return count && zero;
	case 2:
		return count;
	default:
		return !count;
	}
}

static enum emulate_result run_loop(const struct insn *insn, struct emulate_regs *regs)
{
	bool jrcxz = insn->opcode == 0xe3;
	u64 count = jrcxz ? regs->cx : regs->cx - 1;
	enum emulate_result result;

	if (insn->prefixes & INSN_PFX_67)
		count = (u32)count;
	result = branch_if(insn, regs, loop_is_taken(insn, count, regs->flags));
	if (!jrcxz && result == EMULATE_DONE)
		regs->cx = count;
	return result;
}

static enum emulate_result run_call(const struct insn *insn, struct emulate_regs *regs)
{
	return call_to(insn, regs, insn_branch_target(insn, regs->ip));
}

static enum emulate_result run_ret(const struct insn *insn, struct emulate_regs *regs)
{
	enum emulate_result result;
	u64 target;

	if (!emulate_load(regs->sp, &target, 8))
		return EMULATE_FAULT;
	result = go_to(regs, target);
	if (result == EMULATE_DONE)
		regs->sp += 8 + (u16)insn->imm;
	return result;
}

static enum emulate_result run_jmp_reg(const struct insn *insn, struct emulate_regs *regs)
{
	return go_to(regs, gpr_value(regs, modrm_rm(insn)));
}

static enum emulate_result run_jmp_mem(const struct insn *insn, struct emulate_regs *regs)
{
	u64 target;

	if (!emulate_load(emulate_address(insn, regs), &target, 8))
		return EMULATE_FAULT;
	return go_to(regs, target);
}

static enum emulate_result run_call_reg(const struct insn *insn, struct emulate_regs *regs)
{
	return call_to(insn, regs, gpr_value(regs, modrm_rm(insn)));
}

static enum emulate_result run_call_mem(const struct insn *insn, struct emulate_regs *regs)
{
	u64 target;

	if (!emulate_load(emulate_address(insn, regs), &target, 8))
		return EMULATE_FAULT;
	return call_to(insn, regs, target);
}

/* Flags */

static enum emulate_result run_pushf(const struct insn *insn, struct emulate_regs *regs)
{
	u64 image = regs->flags & ~(FLAG_VM | EMULATE_FLAG_RF);

	return push(regs, image, 8) ? run_nop(insn, regs) : EMULATE_FAULT;
}

static enum emulate_result run_pushf16(const struct insn *insn, struct emulate_regs *regs)
{
	return push(regs, regs->flags, 2) ? run_nop(insn, regs) : EMULATE_FAULT;
}

static enum emulate_result pop_flags(const struct insn *insn, struct emulate_regs *regs,
				     unsigned int size, u64 writable)
{
	u64 image = 0;

	if (!emulate_load(regs->sp, &image, size))
		return EMULATE_FAULT;
	regs->sp += size;
	regs->flags = (regs->flags & ~(writable | EMULATE_FLAG_RF)) | (image & writable) |
		      FLAG_RESERVED_1;
	return run_nop(insn, regs);
}

static enum emulate_result run_popf(const struct insn *insn, struct emulate_regs *regs)
{
	return pop_flags(insn, regs, 8, FLAGS_POPF);
}

static enum emulate_result run_popf16(const struct insn *insn, struct emulate_regs *regs)
{
	return pop_flags(insn, regs, 2, FLAGS_POPF & 0xffff);
}

static enum emulate_result run_cli(const struct insn *insn, struct emulate_regs *regs)
{
	regs->flags &= ~EMULATE_FLAG_IF;
	return run_nop(insn, regs);
}

/*
 * An iret opens no interrupt shadow: after an emulated sti an interrupt may
 * arrive before the next instruction, which matters for sti; hlt.
 */
static enum emulate_result run_sti(const struct insn *insn, struct emulate_regs *regs)
{
	regs->flags |= EMULATE_FLAG_IF;
	return run_nop(insn, regs);
}

/* The table */

#define JCC_ROWS(size)							\
	{ "jo " size, run_jcc }, { "jno " size, run_jcc },		\
	{ "jb " size, run_jcc }, { "jae " size, run_jcc },		\
	{ "je " size, run_jcc }, { "jne " size, run_jcc },		\
	{ "jbe " size, run_jcc }, { "ja " size, run_jcc },		\
	{ "js " size, run_jcc }, { "jns " size, run_jcc },		\
	{ "jp " size, run_jcc }, { "jnp " size, run_jcc },		\
	{ "jl " size, run_jcc }, { "jge " size, run_jcc },		\
	{ "jle " size, run_jcc }, { "jg " size, run_jcc }

static const struct row rows[NR_ROWS] = {
	[ROW_NOP] = { "nop", run_nop },
	[ROW_LONG_NOP] = { "nop r/m", run_nop },
	[ROW_ENDBR] = { "endbr", run_nop },
	[ROW_JMP8] = { "jmp rel8", run_jmp },
	[ROW_JMP32] = { "jmp rel32", run_jmp },
	[ROW_JCC8] = JCC_ROWS("rel8"),
	[ROW_JCC32] = JCC_ROWS("rel32"),
	[ROW_LOOP] = { "loopne", run_loop }, { "loope", run_loop },
	{ "loop", run_loop }, { "jrcxz", run_loop },
	[ROW_LOOP_ECX] = { "loopne ecx", run_loop }, { "loope ecx", run_loop },
	{ "loop ecx", run_loop }, { "jecxz", run_loop },
	[ROW_CALL] = { "call rel32", run_call },
	[ROW_RET] = { "ret", run_ret },
	[ROW_RET_IMM] = { "ret imm16", run_ret },
	[ROW_JMP_REG] = { "jmp r64", run_jmp_reg },
	[ROW_JMP_MEM] = { "jmp m64", run_jmp_mem },
	[ROW_CALL_REG] = { "call r64", run_call_reg },
	[ROW_CALL_MEM] = { "call m64", run_call_mem },
	[ROW_PUSHF] = { "pushfq", run_pushf },
	[ROW_PUSHF16] = { "pushfw", run_pushf16 },
	[ROW_POPF] = { "popfq", run_popf },
	[ROW_POPF16] = { "popfw", run_popf16 },
	[ROW_CLI] = { "cli", run_cli },
	[ROW_STI] = { "sti", run_sti },
};

unsigned int emulate_nr_rows(void)
{
	return NR_ROWS;
}

const char *emulate_row_name(unsigned int row)
{
	return row < NR_ROWS ? rows[row].name : "?";
}

static int nop_row(const struct insn *insn)
{
	if (insn->map == INSN_MAP_ONE_BYTE)
		return ROW_NOP;
	return insn->opcode == 0x1e ? ROW_ENDBR : ROW_LONG_NOP;
}

static bool is_word(const struct insn *insn)
{
	return insn->prefixes & INSN_PFX_66 && !(insn->rex & INSN_REX_W);
}

int emulate_row(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_NOP:
		return nop_row(insn);
	case INSN_JMP:
		return insn->imm_size == 1 ? ROW_JMP8 : ROW_JMP32;
	case INSN_JCC:
		return (insn->imm_size == 1 ? ROW_JCC8 : ROW_JCC32) + (insn->opcode & 15);
	case INSN_LOOP:
		return (insn->prefixes & INSN_PFX_67 ? ROW_LOOP_ECX : ROW_LOOP) +
		       (insn->opcode & 3);
	case INSN_CALL:
		return ROW_CALL;
	case INSN_RET:
		return insn->imm_size ? ROW_RET_IMM : ROW_RET;
	case INSN_JMP_IND:
		return insn->flags & INSN_HAS_MEM ? ROW_JMP_MEM : ROW_JMP_REG;
	case INSN_CALL_IND:
		return insn->flags & INSN_HAS_MEM ? ROW_CALL_MEM : ROW_CALL_REG;
	case INSN_PUSHF:
		return is_word(insn) ? ROW_PUSHF16 : ROW_PUSHF;
	case INSN_POPF:
		return is_word(insn) ? ROW_POPF16 : ROW_POPF;
	case INSN_CLI:
		return ROW_CLI;
	case INSN_STI:
		return ROW_STI;
	default:
		return -1;
	}
}

enum emulate_result emulate_insn(const struct insn *insn, struct emulate_regs *regs)
{
	enum emulate_result result;
	int row = emulate_row(insn);

	if (row < 0)
		return EMULATE_NONE;
	result = rows[row].run(insn, regs);
	/* An instruction that completes clears the resume flag. */
	if (result == EMULATE_DONE)
		regs->flags &= ~EMULATE_FLAG_RF;
	return result;
}
