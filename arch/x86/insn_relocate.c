// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be derived from a decoded instruction: its class name, why it is refused,
 * and a copy with the same effect at another address.
 */
#include "insn.h"

const char *insn_refusal(const struct insn *insn)
{
	static const char *const why[INSN_NR_REFUSES] = {
		[INSN_REFUSE_BREAKPOINT] = "instruction is a breakpoint",
		[INSN_REFUSE_UNDEFINED] =
			"instruction is undefined, and the kernel acts on its exception",
		[INSN_REFUSE_SOFT_INTERRUPT] = "instruction is a software interrupt",
		[INSN_REFUSE_SYSCALL] = "instruction enters or leaves a system call",
		[INSN_REFUSE_FAR_TRANSFER] = "instruction is a far call, jump or return",
		[INSN_REFUSE_SWAPGS] = "instruction swaps the GS base, which the trap path needs",
		[INSN_REFUSE_HALT] = "instruction waits for an interrupt or event",
		[INSN_REFUSE_STACK_SHADOW] =
			"instruction loads SS, which delays traps by one instruction",
		[INSN_REFUSE_VIRT] = "instruction enters or leaves a guest",
		[INSN_REFUSE_TRANSACTION] = "instruction is part of a memory transaction",
		[INSN_REFUSE_USER_INTERRUPT] = "instruction is for user interrupts",
		[INSN_REFUSE_BRANCH16] =
			"branch with an operand-size prefix, whose meaning depends on the CPU",
	};

	if (insn->class != INSN_REFUSED || insn->refuse >= INSN_NR_REFUSES)
		return NULL;
	return why[insn->refuse];
}

const char *insn_class_name(unsigned int class)
{
	static const char *const names[INSN_NR_CLASSES] = {
		[INSN_SLOT] = "slot",
		[INSN_REFUSED] = "refused",
		[INSN_NOP] = "nop",
		[INSN_JMP] = "jump",
		[INSN_JCC] = "jump-conditional",
		[INSN_LOOP] = "loop",
		[INSN_CALL] = "call",
		[INSN_RET] = "return",
		[INSN_JMP_IND] = "jump-indirect",
		[INSN_CALL_IND] = "call-indirect",
		[INSN_PUSHF] = "push-flags",
		[INSN_POPF] = "pop-flags",
		[INSN_CLI] = "cli",
		[INSN_STI] = "sti",
	};

	return class < INSN_NR_CLASSES ? names[class] : "?";
}

/* The offset of the 32 bits that depend on the address; 0 if there are none. */
static unsigned int relative_offset(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_CALL:
		return insn->imm_offset;
	default:
		return insn->flags & INSN_RIP_RELATIVE ? insn->disp_offset : 0;
	}
}

/* All but displacements of 8 bits, xbegin, and branches whose meaning depends on the CPU. */
static bool can_relocate(const struct insn *insn)
{
	switch (insn->class) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_CALL:
		return insn->imm_size == 4;
	case INSN_LOOP:
		return false;
	case INSN_REFUSED:
		return insn->refuse != INSN_REFUSE_TRANSACTION &&
		       insn->refuse != INSN_REFUSE_BRANCH16;
	default:
		return true;
	}
}

/*
 * With an address-size prefix a RIP-relative operand's address is cut to 32
 * bits, so any distance fits.
 */
static bool rel32_fits(const struct insn *insn, s64 rel)
{
	if (insn->flags & INSN_RIP_RELATIVE && insn->prefixes & INSN_PFX_67)
		return true;
	return rel == (s32)rel;
}

enum insn_status insn_relocate(const struct insn *insn, void *dst, const void *src,
			       u64 from, u64 to)
{
	unsigned int offset = relative_offset(insn);
	s64 rel;
	s32 rel32;

	if (!can_relocate(insn))
		return INSN_INVALID;
	if (!offset) {
		memcpy(dst, src, insn->length);
		return INSN_OK;
	}
	memcpy(&rel32, (const u8 *)src + offset, sizeof(rel32));
	rel = (s64)((u64)(s64)rel32 + from - to);
	if (!rel32_fits(insn, rel))
		return INSN_OUT_OF_RANGE;
	rel32 = (s32)rel;
	memcpy(dst, src, insn->length);
	memcpy((u8 *)dst + offset, &rel32, sizeof(rel32));
	return INSN_OK;
}

bool insn_may_fault(const struct insn *insn)
{
	return !(insn->flags & INSN_STEADY);
}

/* Do the bits of modrm.reg extend the opcode? */
static bool is_group(const struct insn *insn)
{
	if (insn->map != INSN_MAP_ONE_BYTE)
		return insn->opcode == 0xba;
	return (insn->opcode & 0xfc) == 0x80 || (insn->opcode & 0xfe) == 0xc0 ||
	       (insn->opcode & 0xfc) == 0xd0 || (insn->opcode & 0xf6) == 0xc6 ||
	       (insn->opcode & 0xf6) == 0xf6;
}

/* Is it rsp that these bits and that of REX name?  Without REX it may be ah, which is no loss. */
static bool is_sp(unsigned int bits, const struct insn *insn, unsigned int rex)
{
	return (bits & 7) == 4 && !(insn->rex & rex);
}

/* Of an instruction that accesses no memory. */
static bool names_sp(const struct insn *insn)
{
	if (!(insn->flags & INSN_HAS_MODRM))
		return is_sp(insn->opcode, insn, INSN_REX_B);
	if (!is_group(insn) && is_sp(insn->modrm >> 3, insn, INSN_REX_R))
		return true;
	if (insn->flags & INSN_HAS_SIB)
		return is_sp(insn->sib, insn, INSN_REX_B);
	return is_sp(insn->modrm, insn, INSN_REX_B);
}

/*
 * Some are not on every processor: lahf and sahf in this mode, rdrand and rdseed, and those with
 * F3, as popcnt.  What is a hint on one may be more on another, as prefetches and those of MPX.
 */
static bool is_old(const struct insn *insn)
{
	if (insn->map == INSN_MAP_ONE_BYTE)
		return insn->opcode != 0x9e && insn->opcode != 0x9f;
	return insn->map == INSN_MAP_0F && insn->opcode != 0xc7 && insn->opcode != 0x0d &&
	       (insn->opcode & 0xf8) != 0x18 && !(insn->prefixes & INSN_PFX_F3);
}

bool insn_is_local(const struct insn *insn)
{
	return insn->class == INSN_SLOT && insn->encoding == INSN_LEGACY &&
	       insn->flags & INSN_STEADY && is_old(insn) && !names_sp(insn);
}
