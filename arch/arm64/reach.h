/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which probe points can have a branch in place of the trap, and the out-of-line
 * copy of the instruction that the branch replaces.  Pure code, see ../pure.h: the
 * module and tools/kprobes use the same code.
 *
 * A branch replaces exactly one instruction.  Branch targets in the function need not
 * be known, as none is in the middle of an instruction.
 */
#ifndef LKP_ARM64_REACH_H
#define LKP_ARM64_REACH_H

#include "../pure.h"
#include "insn.h"

/* The branch that replaces the instruction, and its range in either direction. */
#define REACH_JUMP_SIZE		INSN_SIZE
#define REACH_JUMP_RANGE	0x8000000ll

/* Bytes and instructions of a region. */
#define REACH_MAX_LENGTH	INSN_SIZE
#define REACH_MAX_INSNS		1

/* Room that reach_copy() never exceeds. */
#define REACH_MAX_COPY		(4 * INSN_SIZE)

/**
 * enum reach_reason - why a probe point stays a trap
 * @REACH_OK: it does not
 * @REACH_END: the function ends before the instruction does
 * @REACH_UNDECODABLE: it is not a valid instruction
 * @REACH_FIXUP: the instruction has an exception table entry
 * @REACH_OWNED: other code patches or reads it
 * @REACH_REFUSED: the instruction can't be probed, hence can't be copied
 * @REACH_LANDING: it is a landing pad, which must not be a branch
 * @REACH_NO_COPY: a copy would need a spare register
 * @REACH_WAIT: a wait follows that only the return from a trap is sure to end
 */
enum reach_reason {
	REACH_OK,
	REACH_END,
	REACH_UNDECODABLE,
	REACH_FIXUP,
	REACH_OWNED,
	REACH_REFUSED,
	REACH_LANDING,
	REACH_NO_COPY,
	REACH_WAIT,
	REACH_NR_REASONS
};

/**
 * struct reach_facts - what reach_region() must be told about the text
 * @data: passed to the callbacks
 * @is_owned: does other code patch or read any byte from @start up to
 *	before @end (jump label, call site of the tracer, alternative, BUG)?
 * @has_fixup: is there an exception table entry for the instruction at this address?
 * @guarded: must indirect branches into this text hit a landing pad (BTI)?
 * @waits: does insn_before_wait() hold for the instruction at this address?
 */
struct reach_facts {
	void *data;
	bool (*is_owned)(void *data, u64 start, u64 end);
	bool (*has_fixup)(void *data, u64 addr);
	bool guarded;
	bool (*waits)(void *data, u64 addr);
};

/*
 * reach_region() does not check whether the point is inside an exclusive sequence, and
 * so can't be probed at all: insn_in_exclusive() does.
 */
#include "../reach_region.h"

/**
 * reach_branch() - assemble a branch
 * @dst: written, INSN_SIZE bytes
 * @from: the address at which it will run
 * @target: its target
 *
 * Return: false if @target is out of reach; nothing is written then.
 */
bool reach_branch(u8 *dst, u64 from, u64 target);

/**
 * reach_copy() - assemble code that does out of line what a region does
 * @region: from reach_region(), REACH_OK
 * @dst: written, at most REACH_MAX_COPY bytes
 * @from: where the original instruction is
 * @to: the address at which the copy will run
 *
 * Addresses are computed, branches go to the original targets.  A call becomes a write
 * of the original return address and a branch: nothing ever returns to the copy.  The
 * code ends with a branch to what follows the region, if execution can continue there.
 *
 * The copy of a call through a register is a branch through that register.  Where
 * landing pads are required, @to must be in memory that is not guarded: only a branch
 * from there may land where a call may.
 *
 * Context: any; pure.
 * Return: bytes written; 0 if something is out of reach.
 */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, u64 from, u64 to);

#endif /* LKP_ARM64_REACH_H */
