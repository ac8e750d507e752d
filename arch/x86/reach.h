/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which probe points can be reached by a jump in place of a trap, and what the
 * instructions that the jump overwrites look like elsewhere.  Pure code, see
 * ../pure.h: the module and tools/kprobes decide by the same lines.
 *
 * Two steps.  reach_scan() goes through each function once and names every
 * address that execution may come to by another way than from the instruction
 * before it.  reach_region() then judges one probe point, with those at hand.
 */
#ifndef LKP_X86_REACH_H
#define LKP_X86_REACH_H

#include "../pure.h"
#include "insn.h"

/* The jump that replaces the first bytes. */
#define REACH_JUMP_SIZE		5

/* Bytes of a region: the last instruction may begin on the jump's last byte. */
#define REACH_MAX_LENGTH	(REACH_JUMP_SIZE - 1 + INSN_MAX_LENGTH)
#define REACH_MAX_INSNS		REACH_JUMP_SIZE

/* Room that reach_copy() never exceeds. */
#define REACH_MAX_COPY		96

/**
 * enum reach_reason - why a probe point stays a trap
 * @REACH_OK: it does not
 * @REACH_END: the function, with the padding behind it, ends too soon
 * @REACH_UNDECODABLE: bytes in the region are no instruction
 * @REACH_TARGET: something branches into the region
 * @REACH_CALL: a call in the region returns into it
 * @REACH_FIXUP: an instruction in the region has an exception table entry
 * @REACH_OWNED: somebody else patches or reads bytes in the region
 * @REACH_REFUSED: an instruction in the region could not be probed, so not be copied
 * @REACH_NO_COPY: an instruction in the region has no copy that does the same
 *	elsewhere (a call through memory that is addressed by the stack pointer)
 */
enum reach_reason {
	REACH_OK,
	REACH_END,
	REACH_UNDECODABLE,
	REACH_TARGET,
	REACH_CALL,
	REACH_FIXUP,
	REACH_OWNED,
	REACH_REFUSED,
	REACH_NO_COPY,
	REACH_NR_REASONS
};

/**
 * struct reach_facts - what reach_region() must be told about the text
 * @data: passed to each
 * @is_target: may execution come to this address by another way than from the
 *	instruction before it?  As named by reach_scan(), and exception fixups,
 *	jump label targets, addresses kept in data.
 * @is_owned: does somebody else patch or read any byte from @start up to
 *	before @end (jump label, static call, call site of the tracer,
 *	alternative, BUG)?
 * @has_fixup: is there an exception table entry for the instruction at this address?
 */
struct reach_facts {
	void *data;
	bool (*is_target)(void *data, u64 addr);
	bool (*is_owned)(void *data, u64 start, u64 end);
	bool (*has_fixup)(void *data, u64 addr);
};

/**
 * struct reach_region - what a jump would overwrite
 * @reason: enum reach_reason; the rest is complete only if REACH_OK
 * @at: offset from the probe point of what @reason is about
 * @length: bytes of the instructions that the jump overwrites, padding not counted
 * @flows_on: execution can leave the region at its end, for what follows it
 * @nr: how many instructions
 * @insns: what they are
 */
struct reach_region {
	u8 reason;
	u8 at;
	u8 length;
	bool flows_on;
	u8 nr;
	struct insn insns[REACH_MAX_INSNS];
};

/**
 * reach_region() - judge a probe point
 * @region: filled in
 * @bytes: the original instructions from the probe point on
 * @avail: how many bytes up to the next function, padding included
 * @addr: the probe point
 * @facts: about the text
 *
 * Padding behind an instruction that never goes on (jmp, ret) may be overwritten
 * if nothing branches there: nops, int3, zeros.  Anything else there counts as a
 * target, and so does ENDBR but at the probe point itself (on a kernel that uses
 * IBT the caller must not let a jump replace that one).  A call may be the last
 * instruction if it ends at or behind the jump's end, so that nobody returns
 * into the jump.
 *
 * Context: any; pure.
 * Return: @region->reason.
 */
enum reach_reason reach_region(struct reach_region *region, const u8 *bytes, size_t avail,
			       u64 addr, const struct reach_facts *facts);

/**
 * reach_reason_text() - say why a probe point stays a trap
 * @reason: enum reach_reason
 *
 * Return: a phrase that stands alone; NULL for REACH_OK.
 */
const char *reach_reason_text(unsigned int reason);

/**
 * reach_copy() - assemble what does elsewhere what a region does
 * @region: from reach_region(), REACH_OK
 * @dst: written, at most REACH_MAX_COPY bytes
 * @bytes: the region's original instructions
 * @from: where they are
 * @to: the address at which the copy will run
 *
 * Operands relative to RIP are adjusted, branches get 32-bit displacements.  A
 * call pushes the address it would have pushed in its place and jumps: nobody
 * ever returns to the copy.  A branch to the region's first byte goes to the
 * probe point.  Ends with a jump to what follows the region if @region->flows_on
 * (and the last instruction is not a call, which goes on there by itself).
 *
 * Context: any; pure.
 * Return: bytes written; 0 if something is out of reach of 32 bits.
 */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, const u8 *bytes,
			u64 from, u64 to);

/**
 * struct reach_scan - who is told what about a function
 * @data: passed to each
 * @target: execution may come to this address, in this or another function, by
 *	a branch, or its address is taken in the code
 * @is_indirect_thunk: does a direct jump there go wherever a register says (a
 *	retpoline)?  Not so return thunks.
 * @base: the function takes this address and jumps to where a register says.
 *	If it is inside a function (and not its beginning), the sum of it and
 *	something else may be, too: every address of that function must then be
 *	taken for a target.  May be NULL.
 */
struct reach_scan {
	void *data;
	void (*target)(void *data, u64 addr);
	bool (*is_indirect_thunk)(void *data, u64 addr);
	void (*base)(void *data, u64 addr);
};

/**
 * reach_scan() - name all addresses that a function leads to, some more than once
 * @scan: who is told
 * @bytes: the function's original bytes
 * @size: how many, padding included
 * @addr: where it is
 *
 * Call returns are not named, nor is what follows a conditional branch.  An
 * indirect jump is taken to lead to the beginning of a function, or to an
 * address that is kept whole somewhere in data, which is the caller's to name;
 * if the function takes an address within itself, or loads table entries of
 * less than eight bytes, that is not proven.
 *
 * Context: any; pure.
 * Return: false if not all is known: a byte is no instruction, or an indirect
 * jump is not proven.  Every address of the function must then be taken for a
 * target.
 */
bool reach_scan(const struct reach_scan *scan, const u8 *bytes, size_t size, u64 addr);

#endif /* LKP_X86_REACH_H */
