/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoding of A64 instructions, and how each can run at another address.  Pure
 * code, see ../pure.h.
 */
#ifndef LKP_ARM64_INSN_H
#define LKP_ARM64_INSN_H

#include "../pure.h"

/* Every instruction has this size and alignment. */
#define INSN_SIZE		4
#define INSN_MAX_LENGTH		INSN_SIZE

/**
 * enum insn_status - how a decode ended
 * @INSN_OK: the result is complete
 * @INSN_TRUNCATED: there are fewer than four bytes
 * @INSN_INVALID: not a known instruction: undefined, or of an extension whose
 *	instructions may depend on their address
 */
enum insn_status {
	INSN_OK,
	INSN_TRUNCATED,
	INSN_INVALID,
};

/**
 * enum insn_class - how a probed instruction is executed
 * @INSN_SLOT: runs unchanged from an out-of-line slot
 * @INSN_REFUSED: can't be probed, insn_refusal() says why
 * @INSN_NOP: does nothing (nop, bti): skipped
 * @INSN_ADR: adr
 * @INSN_ADRP: adrp
 * @INSN_LDR_LITERAL: ldr, ldrsw, prfm of a PC-relative literal
 * @INSN_B: b
 * @INSN_BL: bl
 * @INSN_BCOND: b.cond, bc.cond
 * @INSN_CBZ: cbz, cbnz
 * @INSN_TBZ: tbz, tbnz
 * @INSN_CB: cb<cond>, cbb<cond>, cbh<cond>: compare and branch
 * @INSN_BR: br, braa, brab, braaz, brabz
 * @INSN_BLR: blr, blraa, blrab, blraaz, blrabz
 * @INSN_RET: ret, retaa, retab
 * @INSN_MRS_DAIF: reads the interrupt masks
 * @INSN_MSR_DAIF: writes the interrupt masks
 * @INSN_DAIFSET: msr daifset, #imm
 * @INSN_DAIFCLR: msr daifclr, #imm
 *
 * All but the first two are emulated (emulate.h).
 */
enum insn_class {
	INSN_SLOT,
	INSN_REFUSED,
	INSN_NOP,
	INSN_ADR,
	INSN_ADRP,
	INSN_LDR_LITERAL,
	INSN_B,
	INSN_BL,
	INSN_BCOND,
	INSN_CBZ,
	INSN_TBZ,
	INSN_CB,
	INSN_BR,
	INSN_BLR,
	INSN_RET,
	INSN_MRS_DAIF,
	INSN_MSR_DAIF,
	INSN_DAIFSET,
	INSN_DAIFCLR,
	INSN_NR_CLASSES
};

/**
 * enum insn_refuse - why an instruction can't be probed
 *
 * insn_refusal() has the text for each.
 */
enum insn_refuse {
	INSN_REFUSE_NONE,
	INSN_REFUSE_BREAKPOINT,		/* brk */
	INSN_REFUSE_UNDEFINED,		/* udf: a trap that the kernel acts upon */
	INSN_REFUSE_CALL_UP,		/* svc, hvc, smc */
	INSN_REFUSE_DEBUG,		/* hlt, dcps1, dcps2, dcps3, drps */
	INSN_REFUSE_ERET,		/* eret, eretaa, eretab */
	INSN_REFUSE_WAIT,		/* wfe, wfi, wfet, wfit: wait for an event */
	INSN_REFUSE_EXCLUSIVE,		/* ldxr, stxr, ...: a trap clears the exclusive monitor */
	INSN_REFUSE_TRAP_STATE,		/* reads what the trap itself overwrites: esr_el1, ... */
	INSN_REFUSE_SYSTEM_REGISTER,	/* writes a system register or a field of PSTATE */
	INSN_REFUSE_TRANSACTION,	/* tstart, tcommit, tcancel, ttest */
	INSN_REFUSE_COPY_SEQUENCE,	/* second or third instruction of a memory copy */
	INSN_REFUSE_OWN_ADDRESS,	/* pacm: makes the next instruction sign with its address */
	INSN_REFUSE_SIGNED_ADDRESS,	/* paciasppc, autiasppc, ...: the address is a modifier */
	INSN_REFUSE_SIGNED_RETURN,	/* retaasppc, ...: returns, with such a modifier */
	INSN_REFUSE_PREFIX,		/* movprfx: part of the next instruction */
	INSN_REFUSE_CONTEXT,		/* tenter, texit, tchangef, tchangeb */
	INSN_NR_REFUSES
};

/* struct insn's flags */
#define INSN_STEADY		0x0001	/* no fault is possible, see insn_may_fault() */
#define INSN_LANDING		0x0002	/* a landing pad for indirect branches in guarded text */
#define INSN_WIDE		0x0004	/* all 64 bits of the register are used */
#define INSN_NEGATED		0x0008	/* cbnz, tbnz */
#define INSN_SIGNED		0x0010	/* the load extends the sign */
#define INSN_VECTOR		0x0020	/* rd is a SIMD register */
#define INSN_PREFETCH		0x0040	/* the load is only a hint */
#define INSN_AUTH		0x0080	/* the branch authenticates its target first */
#define INSN_KEY_B		0x0100	/* with key B, not A */
#define INSN_NO_MODIFIER	0x0200	/* with a modifier of zero, not register rm */
#define INSN_MONITOR_SET	0x0400	/* a load-exclusive */
#define INSN_MONITOR_USE	0x0800	/* a store-exclusive */
#define INSN_UNCHECKED		0x1000	/* in the vector space, where words are not looked up */
#define INSN_IMMEDIATE		0x2000	/* of INSN_CB: compares with an immediate, not register rm */

/* The stack pointer where the encoding means that (rn, rm), otherwise the zero register. */
#define INSN_REG_31		31

/**
 * struct insn - one decoded instruction
 * @length: INSN_SIZE; 0 if the decode failed
 * @class: enum insn_class
 * @refuse: enum insn_refuse, INSN_REFUSE_NONE unless @class is INSN_REFUSED
 * @size: of INSN_LDR_LITERAL: bytes that are loaded, 4, 8 or 16; of INSN_CB: bytes that are
 *	compared, 1, 2, 4 or 8
 * @flags: INSN_STEADY, ...
 * @rd: register that is written, or tested
 * @rn: register that holds the target of an indirect branch
 * @rm: register that holds the modifier, with INSN_AUTH; of INSN_CB: that is compared with
 * @condition: of INSN_BCOND and INSN_CB, 0 to 15
 * @bit: of INSN_TBZ, 0 to 63; of INSN_CB with INSN_IMMEDIATE: the number to compare with
 * @imm: distance in bytes from the instruction (INSN_ADRP: from its page) to what it
 *	addresses; the masks of INSN_DAIFSET and INSN_DAIFCLR, 0 to 15
 * @word: the instruction
 *
 * Fields that @class does not use are zero.
 */
struct insn {
	u8 length;
	u8 class;
	u8 refuse;
	u8 size;
	u16 flags;
	u8 rd;
	u8 rn;
	u8 rm;
	u8 condition;
	u8 bit;
	s64 imm;
	u32 word;
};

/**
 * insn_decode() - decode the A64 instruction at @bytes
 * @insn: filled in; all zero if it fails
 * @bytes: the instruction as it is in memory: the least significant byte first
 * @avail: how many bytes may be read from there; never more than four are read
 *
 * Words in the spaces of immediate and register operands, branches, system
 * instructions, loads and stores are looked up.  An unknown one is INSN_INVALID, since
 * new instructions may be PC-relative.  Words in the vector space (floating point,
 * SIMD, SVE, SME) are not looked up: all run from the slot, with INSN_UNCHECKED, and an
 * undefined one is undefined there as well.
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
 * "instruction is a breakpoint"; NULL if the instruction can be probed.
 */
const char *insn_refusal(const struct insn *insn);

/**
 * insn_class_name() - the name of a class, for people and test output
 * @class: enum insn_class
 *
 * Return: such as "slot", "b-cond"; "?" if out of range.
 */
const char *insn_class_name(unsigned int class);

/**
 * insn_in_exclusive() - is an instruction between a load-exclusive and its store
 * @bytes: instructions
 * @size: of all of them in bytes
 * @at: offset of the instruction in question, a multiple of INSN_SIZE
 *
 * A trap there clears the exclusive monitor, so the store fails each time and the
 * loop around it never ends.  The architecture guarantees success only if at most
 * 128 bytes lie between the two, so the search goes that far, in the order of the text.
 *
 * Context: any; pure.
 */
bool insn_in_exclusive(const u8 *bytes, size_t size, size_t at);

/**
 * insn_before_wait() - is an instruction between a load-exclusive, or an event, and a wait
 * @bytes: instructions
 * @size: of all of them in bytes
 * @at: offset of the instruction in question, a multiple of INSN_SIZE
 *
 * The load has set the exclusive monitor, so that a write by another CPU to what it has read
 * ends the wait.  Whatever a handler does may clear the monitor.  The return from a trap is
 * an event itself: the wait ends at once, and the loop around it looks again.  Handlers that are
 * called without a trap leave no event, and the wait could go on for any time. They may also take
 * the one that was left for it.
 *
 * Context: any; pure.
 */
bool insn_before_wait(const u8 *bytes, size_t size, size_t at);

/**
 * insn_after_prefix() - does the instruction before this one belong to it
 * @bytes: instructions
 * @size: of all of them in bytes
 * @at: offset of the instruction in question, a multiple of INSN_SIZE
 *
 * A pacm makes the next instruction sign with its own address, which that of a copy is not.  A
 * movprfx may be followed by few others than the one that it is meant for, and no branch is among
 * them.
 *
 * Context: any; pure.
 */
bool insn_after_prefix(const u8 *bytes, size_t size, size_t at);

/**
 * insn_in_switch() - is an instruction between a write of TTBR1_EL1 and one of TTBR0_EL1
 * @bytes: instructions
 * @size: of all of them in bytes
 * @at: offset of the instruction in question, a multiple of INSN_SIZE
 *
 * The first sets the number of a user's address space, the second its tables.  Where user memory
 * is opened so, a handler that reads user memory opens and shuts it, which undoes the first: what
 * is read by way of the tables then stays in TLBs without the number.
 *
 * Context: any; pure.
 */
bool insn_in_switch(const u8 *bytes, size_t size, size_t at);

/**
 * insn_is_pointer() - is a word of text no instruction, but the first half of a kernel pointer
 * @addr: its address
 * @next: the word behind it
 *
 * Where each function has a tracer of its own, the pointer to that is before the function, and within
 * what the symbol before it covers.  Its first half is what the kernel's place in memory makes of it:
 * a branch or a load, perhaps.  No instruction is like its other half, unless KASAN has put a tag there.
 *
 * Context: any; pure.
 */
bool insn_is_pointer(u64 addr, u32 next);

/**
 * struct insn_text - text around an address
 * @word: reads the instruction at an address, as it was before anybody changed it
 * @data: passed to @word
 * @start: where the text begins
 * @end: its end
 * @function: where the function begins, or what is between two symbols
 * @function_end: its end
 */
struct insn_text {
	u32 (*word)(void *data, u64 addr);
	void *data;
	u64 start;
	u64 end;
	u64 function;
	u64 function_end;
};

/**
 * insn_is_data() - is a word of text no instruction, but a constant
 * @text: what is around it
 * @addr: its address, a multiple of INSN_SIZE
 *
 * Hand-written assembly has tables of constants among its instructions.  Nothing tells them from
 * these, but how they are used: an instruction loads from there, or takes the address of the
 * table's beginning, and execution does not get there from the function's beginning.  Where
 * a function has an indirect branch, it may lead to the address that it takes, so that is code.
 *
 * Context: any; pure.
 */
bool insn_is_data(const struct insn_text *text, u64 addr);

/**
 * insn_ends_in_type() - is the last word of a function's text the type of the next function
 * @bytes: the end of the text; at least the function's last instruction should be there
 * @size: of that in bytes
 *
 * Only where the kernel has been built with such types (kCFI): each function whose address is
 * taken has one in the word before it, any number, which callers compare.  No symbol covers it, so
 * it looks like the end of the function before.  It comes behind padding, or behind an
 * instruction behind which execution does not continue.  A call may be such an instruction, so the
 * one that follows a call and ends a function is taken for a type, too.
 *
 * Context: any; pure.
 */
bool insn_ends_in_type(const u8 *bytes, size_t size);

/* Does the instruction name a PC-relative address? */
static inline bool insn_is_relative(const struct insn *insn)
{
	return insn->class >= INSN_ADR && insn->class <= INSN_CB;
}

/* Is it a direct branch, conditional or not? */
static inline bool insn_is_direct_branch(const struct insn *insn)
{
	return insn->class >= INSN_B && insn->class <= INSN_CB;
}

/**
 * insn_target() - the address that an instruction names
 * @insn: one for which insn_is_relative() holds
 * @ip: the address of the instruction
 */
static inline u64 insn_target(const struct insn *insn, u64 ip)
{
	if (insn->class == INSN_ADRP)
		ip &= ~0xfffull;
	return ip + (u64)insn->imm;
}

/* Turns a b into a bl. */
#define INSN_CALL_BIT	0x80000000u

/**
 * insn_is_call() - is it a direct call
 * @insn: from insn_decode()
 */
static inline bool insn_is_call(const struct insn *insn)
{
	return insn->class == INSN_BL;
}

/* Does execution never continue behind it? */
static inline bool insn_ends_flow(const struct insn *insn)
{
	return insn->class == INSN_B || insn->class == INSN_BR || insn->class == INSN_RET ||
	       insn->refuse == INSN_REFUSE_UNDEFINED || insn->refuse == INSN_REFUSE_ERET ||
	       insn->refuse == INSN_REFUSE_SIGNED_RETURN;
}

/**
 * insn_branch_target() - where a direct branch goes
 * @insn: one for which insn_is_direct_branch() holds
 * @ip: the address of the instruction
 */
static inline u64 insn_branch_target(const struct insn *insn, u64 ip)
{
	return ip + (u64)insn->imm;
}

/**
 * insn_may_fault() - may this instruction raise a fault that an exception table could fix up
 * @insn: from insn_decode()
 *
 * True for every access to memory, and for whatever depends on the configuration of
 * the system.  False only where no fault is possible.
 */
static inline bool insn_may_fault(const struct insn *insn)
{
	return !(insn->flags & INSN_STEADY);
}

#endif /* LKP_ARM64_INSN_H */
