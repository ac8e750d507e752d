/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86-64 instructions: decoding, and relocation to another address.  Pure code,
 * see ../pure.h.
 */
#ifndef LKP_X86_INSN_H
#define LKP_X86_INSN_H

#include "../pure.h"

#define INSN_MAX_LENGTH		15

/**
 * enum insn_status - how a decode or a relocation ended
 * @INSN_OK: the result is complete
 * @INSN_TRUNCATED: the bytes end inside the instruction; with more bytes it may be valid
 * @INSN_INVALID: no instruction begins with these bytes (#UD, or longer than 15)
 * @INSN_OUT_OF_RANGE: a relocated displacement does not fit in 32 bits
 */
enum insn_status {
	INSN_OK,
	INSN_TRUNCATED,
	INSN_INVALID,
	INSN_OUT_OF_RANGE,
};

/**
 * enum insn_class - how a probed instruction is executed
 * @INSN_SLOT: runs unchanged from an out-of-line slot (RIP-relative operand relocated)
 * @INSN_REFUSED: can't be probed, insn_refusal() says why
 * @INSN_NOP: does nothing (nop, long nop, endbr64, endbr32): skipped
 * @INSN_JMP: jmp rel8, rel32
 * @INSN_JCC: conditional jump rel8, rel32
 * @INSN_LOOP: loop, loope, loopne, jrcxz, jecxz
 * @INSN_CALL: call rel32
 * @INSN_RET: near ret, ret imm16
 * @INSN_JMP_IND: near jmp through a register or memory
 * @INSN_CALL_IND: near call through a register or memory
 * @INSN_PUSHF: pushf of 64 or 16 bits
 * @INSN_POPF: popf of 64 or 16 bits
 * @INSN_CLI: clears the interrupt flag
 * @INSN_STI: sets the interrupt flag
 *
 * All but the first two are emulated (emulate.h).
 */
enum insn_class {
	INSN_SLOT,
	INSN_REFUSED,
	INSN_NOP,
	INSN_JMP,
	INSN_JCC,
	INSN_LOOP,
	INSN_CALL,
	INSN_RET,
	INSN_JMP_IND,
	INSN_CALL_IND,
	INSN_PUSHF,
	INSN_POPF,
	INSN_CLI,
	INSN_STI,
	INSN_NR_CLASSES
};

/**
 * enum insn_refuse - why an instruction can't be probed
 *
 * insn_refusal() has the text for each.
 */
enum insn_refuse {
	INSN_REFUSE_NONE,
	INSN_REFUSE_BREAKPOINT,		/* int3, int1 */
	INSN_REFUSE_UNDEFINED,		/* ud0, ud1, ud2: a trap the kernel acts upon */
	INSN_REFUSE_SOFT_INTERRUPT,	/* int n */
	INSN_REFUSE_SYSCALL,		/* syscall, sysenter, sysret, sysexit */
	INSN_REFUSE_FAR_TRANSFER,	/* iret, far ret, far call, far jmp, rsm */
	INSN_REFUSE_SWAPGS,
	INSN_REFUSE_HALT,		/* hlt, mwait, mwaitx, umwait, tpause: wait for an event */
	INSN_REFUSE_STACK_SHADOW,	/* mov ss, pop ss: hold off traps for one instruction */
	INSN_REFUSE_VIRT,		/* enters or leaves a guest: vmlaunch, vmrun, ... */
	INSN_REFUSE_TRANSACTION,	/* xbegin, xabort, xend */
	INSN_REFUSE_USER_INTERRUPT,	/* uiret, senduipi: user mode only */
	INSN_REFUSE_BRANCH16,		/* near branch with 66: see insn_decode() */
	INSN_NR_REFUSES
};

/* Which encoding the opcode came in. */
enum insn_encoding {
	INSN_LEGACY,
	INSN_VEX,
	INSN_EVEX,
	INSN_XOP,
};

/* Opcode maps. */
enum insn_map {
	INSN_MAP_ONE_BYTE,
	INSN_MAP_0F,
	INSN_MAP_0F38,
	INSN_MAP_0F3A,
	INSN_MAP_3DNOW,
	INSN_MAP_EVEX5,
	INSN_MAP_EVEX6,
	INSN_MAP_XOP8,
	INSN_MAP_XOP9,
	INSN_MAP_XOPA,
};

/* struct insn's prefixes */
#define INSN_PFX_66	0x01
#define INSN_PFX_67	0x02
#define INSN_PFX_F0	0x04
#define INSN_PFX_F2	0x08
#define INSN_PFX_F3	0x10

/* struct insn's segment: the override that is in force */
enum insn_segment {
	INSN_SEG_DEFAULT,
	INSN_SEG_FS,
	INSN_SEG_GS,
};

/* struct insn's rex: the four bits, wherever the encoding keeps them */
#define INSN_REX_B	0x1
#define INSN_REX_X	0x2
#define INSN_REX_R	0x4
#define INSN_REX_W	0x8

/* struct insn's flags */
#define INSN_HAS_MODRM		0x01
#define INSN_HAS_SIB		0x02
#define INSN_HAS_MEM		0x04	/* modrm names memory, accessed or not (lea, nop) */
#define INSN_RIP_RELATIVE	0x08	/* the operand is relative to the next instruction */
#define INSN_REX_PRESENT	0x10
#define INSN_STEADY		0x20	/* no fault is possible, see insn_may_fault() */

/**
 * struct insn - one decoded instruction
 * @length: bytes, 1 to 15; 0 if the decode failed
 * @class: enum insn_class
 * @refuse: enum insn_refuse, INSN_REFUSE_NONE unless @class is INSN_REFUSED
 * @encoding: enum insn_encoding
 * @map: enum insn_map
 * @opcode: the opcode byte within @map
 * @prefixes: INSN_PFX_*
 * @segment: enum insn_segment
 * @rex: INSN_REX_*
 * @flags: INSN_HAS_*, INSN_RIP_RELATIVE, INSN_REX_PRESENT, INSN_STEADY
 * @modrm: if INSN_HAS_MODRM
 * @sib: if INSN_HAS_SIB
 * @disp_offset: of the displacement of the memory operand from the first byte; 0: none
 * @disp_size: 0, 1, 2, 4 or 8 (moffs) bytes
 * @imm_offset: of the first immediate (a branch's rel8, rel32 too); 0: none
 * @imm_size: bytes of all immediates together: 0, 1, 2, 3 (enter), 4 or 8
 * @disp: the displacement, sign extended (an EVEX disp8 is not scaled)
 * @imm: the immediates, sign extended from @imm_size
 */
struct insn {
	u8 length;
	u8 class;
	u8 refuse;
	u8 encoding;
	u8 map;
	u8 opcode;
	u8 prefixes;
	u8 segment;
	u8 rex;
	u8 flags;
	u8 modrm;
	u8 sib;
	u8 disp_offset;
	u8 disp_size;
	u8 imm_offset;
	u8 imm_size;
	s64 disp;
	s64 imm;
};

/**
 * insn_decode() - decode the 64-bit mode instruction at @bytes
 * @insn: filled in; all zero but for @insn->length == 0 if it fails
 * @bytes: the first byte
 * @avail: number of bytes that may be read from there; never more are read
 *
 * The meaning of a near branch with an operand-size prefix and no REX.W depends on the
 * processor: Intel's ignore the prefix, AMD's cut the target to 16 bits and shorten a
 * rel32 to rel16.  If the length depends on that, it is INSN_INVALID; the others (rel8,
 * ret, through a register or memory) are refused as INSN_REFUSE_BRANCH16.
 *
 * Context: any; pure.
 * Return: INSN_OK, INSN_TRUNCATED or INSN_INVALID.
 */
enum insn_status insn_decode(struct insn *insn, const void *bytes, size_t avail);

/**
 * insn_plain_length() - quickly find the length of a plain instruction
 * @bytes: the first byte
 * @avail: as for insn_decode()
 *
 * Several times faster than insn_decode(), for callers that only step over it.
 *
 * Context: any; pure.
 * Return: the @length that insn_decode() gives, for an instruction whose class
 * is INSN_SLOT; 0: call insn_decode().
 */
unsigned int insn_plain_length(const void *bytes, size_t avail);

/**
 * insn_filler() - what stands behind an indirect jump in place of the rest of a direct one
 * @insn: an instruction
 * @behind: the bytes behind it
 * @avail: number of bytes that may be read
 *
 * Compilers make an indirect jump one to a thunk, of 5 or 6 bytes.  Where the processor needs no
 * thunks, the kernel writes ``jmp *%reg``, an int3, and nops for the rest of the bytes.  None of it
 * runs.  Gcc puts an int3 of its own behind each jump if the kernel wants that (CONFIG_SLS): only
 * then may this be asked.  Elsewhere what is behind the nops may run, and an int3 there is
 * somebody's breakpoint.
 *
 * Context: any; pure.
 * Return: the number of these bytes, without the last int3; 0 if they are not there.
 */
unsigned int insn_filler(const struct insn *insn, const void *behind, size_t avail);

/**
 * insn_check_off() - a check of where an indirect call goes that the kernel has switched off
 * @bytes: code
 * @avail: number of bytes that may be read
 *
 * Clang's kCFI puts one before each: an instruction with a hash in it, and three more.  With
 * ``cfi=off`` the kernel makes the beginning of the first one a jump over all of it.  The hash stays,
 * and who decodes it loses the way.
 *
 * Context: any; pure.
 * Return: how many bytes it has, the jump included; 0 if there is none.
 */
unsigned int insn_check_off(const void *bytes, size_t avail);

/**
 * insn_skip_flowing() - step over instructions behind which execution goes on
 * @bytes: code
 * @size: number of bytes that may be read
 * @at: offset in @bytes where an instruction begins
 * @end: instructions that begin there or behind are not stepped over
 *
 * Their class is INSN_SLOT, INSN_NOP, INSN_JCC or INSN_CALL.
 *
 * Context: any; pure.
 * Return: the offset of the next instruction that may be another one.
 */
size_t insn_skip_flowing(const void *bytes, size_t size, size_t at, size_t end);

/**
 * struct insn_range - the addresses that count
 * @at: address of the code
 * @from: the first address that counts
 * @more: how many count behind it
 */
struct insn_range {
	u64 at;
	u64 from;
	u64 more;
};

/**
 * insn_skip_dull() - step over instructions that lead nowhere and name no address
 * @bytes: code
 * @size: number of bytes that may be read
 * @at: offset in @bytes where an instruction begins
 * @last: set to the offset of the last one that was stepped over, if any was
 * @range: which addresses count
 *
 * Their class is INSN_SLOT or INSN_NOP.  They have no immediate of four or eight bytes that counts,
 * are no lea of an address that does, and load no entry of less than eight bytes by an index
 * that is scaled by its size.
 *
 * Context: any; pure.
 * Return: the offset of the next instruction that may be another one.
 */
size_t insn_skip_dull(const void *bytes, size_t size, size_t at, size_t *last,
		      const struct insn_range *range);

/**
 * struct insn_branch - a jump, conditional or not, or a call, to an address that is part of it
 * @length: of the instruction
 * @class: INSN_JMP, INSN_JCC or INSN_CALL
 * @distance: from its end to where it goes
 */
struct insn_branch {
	u8 length;
	u8 class;
	s32 distance;
};

/**
 * insn_direct_branch() - quickly decode a direct branch without prefixes
 * @branch: filled in, if it is one
 * @bytes: the first byte
 * @avail: as for insn_decode()
 *
 * Context: any; pure.
 * Return: false if it is not one, or less bytes are there than the longest instruction has: call
 * insn_decode().
 */
bool insn_direct_branch(struct insn_branch *branch, const void *bytes, size_t avail);

/**
 * insn_refusal() - say why an instruction can't be probed
 * @insn: from insn_decode()
 *
 * Return: a phrase that stands alone, such as
 * "instruction is a software interrupt"; NULL if the instruction can be probed.
 */
const char *insn_refusal(const struct insn *insn);

/**
 * insn_class_name() - the name of a class, for people and test output
 * @class: enum insn_class
 *
 * Return: such as "slot", "call-indirect"; "?" if out of range.
 */
const char *insn_class_name(unsigned int class);

/**
 * insn_relocate() - copy an instruction so that it has the same effect at another address
 * @insn: decoded from the bytes at @src
 * @dst: receives the copy, insn->length bytes; must not overlap @src
 * @src: the original bytes
 * @from: the original address
 * @to: the address at which the copy will run (not necessarily @dst: that may be an alias)
 *
 * Adjusts the displacement of a RIP-relative memory operand, and that of a direct
 * branch if it is 32 bits wide (INSN_JMP, INSN_JCC, INSN_CALL with rel32).  A branch
 * with a displacement of 8 bits is INSN_INVALID.
 *
 * Return: INSN_OK; INSN_OUT_OF_RANGE, or INSN_INVALID, with @dst unchanged.
 */
enum insn_status insn_relocate(const struct insn *insn, void *dst, const void *src,
			       u64 from, u64 to);

/**
 * insn_branch_target() - the target of a direct branch
 * @insn: of class INSN_JMP, INSN_JCC, INSN_LOOP or INSN_CALL
 * @ip: the address of the instruction
 */
static inline u64 insn_branch_target(const struct insn *insn, u64 ip)
{
	return ip + insn->length + (u64)insn->imm;
}

/**
 * insn_may_fault() - may this instruction raise a fault that an exception table could fix up
 * @insn: from insn_decode()
 *
 * True for every access to memory, including stack and string instructions, and for
 * instructions that fault on the values of their operands (div, wrmsr, xrstor, ...).
 * False only where no fault is possible.
 */
bool insn_may_fault(const struct insn *insn);

/**
 * insn_is_local() - does this instruction touch nothing but general registers and flags
 * @insn: from insn_decode()
 *
 * It accesses no memory, does not know its stack pointer, and faults on no processor.
 *
 * Return: true; false also for some of which it is true.
 */
bool insn_is_local(const struct insn *insn);

#endif /* LKP_X86_INSN_H */
