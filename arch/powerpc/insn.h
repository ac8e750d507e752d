/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding of 64-bit Power instructions, little-endian, and how each can run at
 * another address.  Pure code, see ../pure.h.
 */
#ifndef LKP_POWERPC_INSN_H
#define LKP_POWERPC_INSN_H

#include "../pure.h"

#define INSN_SIZE		4
#define INSN_MAX_LENGTH		8	/* a prefixed one: two words */

/* Both words of a prefixed instruction must lie in one such line. */
#define INSN_PREFIX_LINE	64

/**
 * enum insn_status - how a decode or a relocation ended
 * @INSN_OK: the result is complete
 * @INSN_TRUNCATED: the bytes end inside the instruction; with more it may be valid
 * @INSN_INVALID: no instruction of Power ISA 3.1 or before begins with these bytes
 * @INSN_OUT_OF_RANGE: a relocated displacement does not fit
 */
enum insn_status {
	INSN_OK,
	INSN_TRUNCATED,
	INSN_INVALID,
	INSN_OUT_OF_RANGE,
};

/**
 * enum insn_class - how a probed instruction is executed
 * @INSN_SLOT: runs unchanged from an out-of-line slot
 * @INSN_REFUSED: can't be probed, insn_refusal() says why
 * @INSN_NOP: does nothing (ori r0,r0,0; pnop): skipped
 * @INSN_BRANCH: b, ba, bl, bla
 * @INSN_BRANCH_COND: bc and its forms, which may decrement CTR
 * @INSN_BRANCH_LR: bclr, bclrl: to the address in LR
 * @INSN_BRANCH_CTR: bcctr, bcctrl: to the address in CTR
 * @INSN_ADDPCIS: adds to the address of the next instruction
 * @INSN_MFLR: a move from LR
 * @INSN_MTLR: a move to LR
 * @INSN_MFCTR: a move from CTR
 * @INSN_MTCTR: a move to CTR
 * @INSN_PADDI_PC: paddi relative to its own address
 * @INSN_LOAD_PC: a prefixed load of a general register, relative to its own address
 * @INSN_STORE_PC: a prefixed store of one
 *
 * All but the first two are emulated (emulate.h).
 */
enum insn_class {
	INSN_SLOT,
	INSN_REFUSED,
	INSN_NOP,
	INSN_BRANCH,
	INSN_BRANCH_COND,
	INSN_BRANCH_LR,
	INSN_BRANCH_CTR,
	INSN_ADDPCIS,
	INSN_MFLR,
	INSN_MTLR,
	INSN_MFCTR,
	INSN_MTCTR,
	INSN_PADDI_PC,
	INSN_LOAD_PC,
	INSN_STORE_PC,
	INSN_NR_CLASSES
};

/**
 * enum insn_refuse - why an instruction can't be probed
 *
 * insn_refusal() has the text for each.
 */
enum insn_refuse {
	INSN_REFUSE_NONE,
	INSN_REFUSE_BREAKPOINT,		/* tw, twi, td, tdi: BUG, WARN, a foreign probe */
	INSN_REFUSE_SYSCALL,		/* sc, scv */
	INSN_REFUSE_RETURN,		/* rfid, hrfid, rfscv, ... */
	INSN_REFUSE_MSR,		/* mtmsr, mtmsrd */
	INSN_REFUSE_SAVED,		/* moves of SRR0, SPRG2, ... */
	INSN_REFUSE_RESERVE,		/* lwarx, ... */
	INSN_REFUSE_CONDITIONAL,	/* stwcx., ... */
	INSN_REFUSE_HALT,		/* wait, stop, attn */
	INSN_REFUSE_TRANSACTION,	/* tbegin., treclaim., ... */
	INSN_REFUSE_TAR,		/* bctar: TAR is not in struct pt_regs */
	INSN_REFUSE_FLUSH,		/* bcctr that decrements CTR, an invalid form */
	INSN_REFUSE_PC_VECTOR,		/* PC-relative access of a vector register */
	INSN_NR_REFUSES
};

/* struct insn's flags */
#define INSN_STEADY		0x01	/* no fault is possible, see insn_may_fault() */
#define INSN_LINK		0x02	/* a branch that sets LR */
#define INSN_ABSOLUTE		0x04	/* a direct branch whose target is imm itself */
#define INSN_PC_RELATIVE	0x08	/* prefixed, with R set */
#define INSN_LARX		0x10	/* load-reserve */
#define INSN_STCX		0x20	/* conditional store */

/* BO of a conditional branch */
#define INSN_BO_NO_CONDITION	0x10	/* CR is ignored */
#define INSN_BO_TRUE		0x08	/* the required value of the CR bit */
#define INSN_BO_KEEP_CTR	0x04	/* CTR is neither decremented nor tested */
#define INSN_BO_CTR_ZERO	0x02	/* CTR must be zero after the decrement, not nonzero */

#define INSN_BO_ALWAYS		(INSN_BO_NO_CONDITION | INSN_BO_KEEP_CTR)

/**
 * struct insn - one decoded instruction
 * @length: bytes, 4 or 8; 0 if the decode failed
 * @class: enum insn_class
 * @refuse: enum insn_refuse, INSN_REFUSE_NONE unless @class is INSN_REFUSED
 * @flags: INSN_STEADY, ...
 * @rt: the register in the first operand field; of a conditional branch BO
 * @ra: the one in the second; of a conditional branch BI
 * @word: the instruction; of a prefixed one the prefix
 * @suffix: the second word of a prefixed one
 * @imm: of a direct branch, addpcis or a prefixed instruction that is relative
 *	to its address, what is added (addpcis: shifted already)
 */
struct insn {
	u8 length;
	u8 class;
	u8 refuse;
	u8 flags;
	u8 rt;
	u8 ra;
	u32 word;
	u32 suffix;
	s64 imm;
};

/**
 * insn_decode() - decode the instruction at @bytes
 * @insn: filled in; all zero if it fails
 * @bytes: the first byte
 * @avail: how many bytes may be read from there; never more are read
 *
 * Bits that the architecture reserves must be 0, and invalid forms are
 * INSN_INVALID: no assembler makes such words, so they are data.
 *
 * The position of a prefixed instruction is not checked: see insn_crosses_line().
 *
 * Context: any; pure.
 * Return: INSN_OK, INSN_TRUNCATED or INSN_INVALID.
 */
enum insn_status insn_decode(struct insn *insn, const void *bytes, size_t avail);

/**
 * insn_refusal() - say why an instruction can't be probed
 * @insn: from insn_decode()
 *
 * Return: a phrase that stands alone, such as
 * "instruction is a system call"; NULL if the instruction can be probed.
 */
const char *insn_refusal(const struct insn *insn);

/**
 * insn_class_name() - the name of a class, for people and test output
 * @class: enum insn_class
 *
 * Return: such as "slot", "branch-lr"; "?" if out of range.
 */
const char *insn_class_name(unsigned int class);

#ifndef __KERNEL__
/**
 * insn_name() - what the Power ISA calls an instruction
 * @insn: from insn_decode()
 *
 * Return: the basic mnemonic, such as "bclr" or "or"; a dot, and l or a for
 * the forms of a branch, left out.
 */
const char *insn_name(const struct insn *insn);
#endif

/**
 * insn_relocate() - copy an instruction so that it does at @to what it does at @from
 * @insn: decoded from the bytes at @src
 * @dst: where the copy is written, insn->length bytes; may not overlap @src
 * @src: the original bytes
 * @from: the address of the original
 * @to: the address at which the copy will run (not necessarily @dst: that may be an alias)
 *
 * Adjusts the displacement of a direct branch that is relative, and of a
 * prefixed instruction relative to its address.  A branch that sets LR sets it
 * to what follows the copy; addpcis has no copy: INSN_INVALID.
 *
 * Return: INSN_OK; INSN_OUT_OF_RANGE, or INSN_INVALID, with @dst unchanged.
 */
enum insn_status insn_relocate(const struct insn *insn, void *dst, const void *src,
			       u64 from, u64 to);

/* Turns a b into a bl. */
#define INSN_CALL_BIT	1u

/**
 * insn_is_call() - is it a direct call
 * @insn: from insn_decode()
 */
static inline bool insn_is_call(const struct insn *insn)
{
	return insn->class == INSN_BRANCH && insn->flags & INSN_LINK;
}

/**
 * insn_branch_target() - where a direct branch goes
 * @insn: of class INSN_BRANCH or INSN_BRANCH_COND
 * @ip: the address of the instruction
 */
static inline u64 insn_branch_target(const struct insn *insn, u64 ip)
{
	return (insn->flags & INSN_ABSOLUTE ? 0 : ip) + (u64)insn->imm;
}

/**
 * insn_is_always() - is a conditional branch taken whatever CTR and CR hold
 * @insn: of class INSN_BRANCH_COND, INSN_BRANCH_LR or INSN_BRANCH_CTR
 */
static inline bool insn_is_always(const struct insn *insn)
{
	return (insn->rt & INSN_BO_ALWAYS) == INSN_BO_ALWAYS;
}

/**
 * insn_is_prefix() - is this word the first one of a prefixed instruction
 * @word: the word before an address
 *
 * If so there can be no probe at that address: it would be in the middle.
 */
static inline bool insn_is_prefix(u32 word)
{
	return word >> 26 == 1;
}

/**
 * insn_crosses_line() - would an instruction cross a line, where it can't be executed
 * @insn: from insn_decode()
 * @addr: its address, or the one that a copy is to have
 */
static inline bool insn_crosses_line(const struct insn *insn, u64 addr)
{
	return insn->length == INSN_MAX_LENGTH &&
	       addr % INSN_PREFIX_LINE == INSN_PREFIX_LINE - INSN_SIZE;
}

/**
 * insn_may_fault() - may this instruction raise a fault that an exception table could fix up
 * @insn: from insn_decode()
 *
 * True for every access to memory, and for instructions that need a facility
 * which may be off (floating point, vectors, special registers).  False only
 * where no fault is possible.
 */
static inline bool insn_may_fault(const struct insn *insn)
{
	return !(insn->flags & INSN_STEADY);
}

/* A load-reserve and its store are never farther apart. */
#define INSN_MAX_RESERVATION	64	/* instructions */

/**
 * insn_in_reservation() - is an instruction between a load-reserve and its conditional store
 * @bytes: a function's original bytes
 * @size: how many
 * @at: offset of an instruction in it
 *
 * A trap there would lose the reservation, and the loop around the two would
 * never end.  The two themselves are refused by insn_refusal().  They are paired by
 * their order in the text: both come from one piece of assembly.
 *
 * Context: any; pure.
 */
bool insn_in_reservation(const u8 *bytes, size_t size, size_t at);

/**
 * insn_table_begin() - where the distances begin that a word is among
 * @bytes: text, from a function's beginning on
 * @at: offset of the word
 *
 * The table of a switch is in the text, behind the branch that jumps by it: see
 * insn_jumps_by_table().  It has a distance to each case, a small number.  A negative one may look like
 * an instruction of the floating-point unit, such as fmsub f31,f31,f31,f28.
 *
 * Context: any; pure.
 * Return: offset of the first word of a row of such numbers that ends with this one; 0 if it is none,
 * or the row is all that is before it.
 */
size_t insn_table_begin(const u8 *bytes, size_t at);

/**
 * insn_jumps_by_table() - may a table begin behind an instruction
 * @bytes: it
 *
 * Context: any; pure.
 */
bool insn_jumps_by_table(const u8 *bytes);

#endif /* LKP_POWERPC_INSN_H */
