/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which probe points can be reached by a branch in place of a trap, and what
 * the instruction that the branch replaces looks like elsewhere.  Pure code,
 * see ../pure.h: the module and tools/kprobes decide by the same lines.
 *
 * A branch replaces one word, which is an instruction or the prefix of one.
 * Where else execution may come to does not matter then, as nobody comes to
 * the middle of an instruction.
 */
#ifndef LKP_POWERPC_REACH_H
#define LKP_POWERPC_REACH_H

#include "../pure.h"
#include "insn.h"

/* The branch that replaces a word, and how far it goes either way. */
#define REACH_JUMP_SIZE		INSN_SIZE
#define REACH_JUMP_RANGE	0x2000000ll

/* Bytes and instructions of a region. */
#define REACH_MAX_LENGTH	INSN_MAX_LENGTH
#define REACH_MAX_INSNS		1

/* Room that reach_copy() never exceeds. */
#define REACH_MAX_COPY		(6 * INSN_SIZE)

/**
 * enum reach_reason - why a probe point stays a trap
 * @REACH_OK: it does not
 * @REACH_END: the function ends before the instruction does
 * @REACH_UNDECODABLE: it is no instruction
 * @REACH_FIXUP: the instruction has an exception table entry
 * @REACH_OWNED: somebody else patches or reads it
 * @REACH_REFUSED: the instruction could not be probed, so not be copied
 * @REACH_NO_COPY: no copy does the same elsewhere without a register to spare
 * @REACH_FAR: no branch goes as far as to where detours can be
 */
enum reach_reason {
	REACH_OK,
	REACH_END,
	REACH_UNDECODABLE,
	REACH_FIXUP,
	REACH_OWNED,
	REACH_REFUSED,
	REACH_NO_COPY,
	REACH_FAR,
	REACH_NR_REASONS
};

/**
 * struct reach_facts - what reach_region() must be told about the text
 * @data: passed to each
 * @is_owned: does somebody else patch or read any byte from @start up to
 *	before @end (jump label, call site of the tracer, feature section, BUG)?
 * @has_fixup: is there an exception table entry for the instruction at this address?
 * @detours, @detours_end: memory in which detours can be; equal if there is none
 */
struct reach_facts {
	void *data;
	bool (*is_owned)(void *data, u64 start, u64 end);
	bool (*has_fixup)(void *data, u64 addr);
	u64 detours, detours_end;
};

/**
 * struct reach_region - what a branch would make nobody run
 * @reason: enum reach_reason; the rest is complete only if REACH_OK
 * @at: offset from the probe point of what @reason is about: 0
 * @length: bytes of the instruction; of a prefixed one the branch overwrites half
 * @flows_on: execution can leave the region at its end, for what follows it
 * @links: it sets LR to what follows it.  Its copy does not: the detour has to,
 *	when it sets all registers before the copy runs.  (LR can be set from a
 *	general register only, and then there is none to spare.)
 * @nr: how many instructions: 1
 * @insns: what they are
 */
struct reach_region {
	u8 reason;
	u8 at;
	u8 length;
	bool flows_on;
	bool links;
	u8 nr;
	struct insn insns[REACH_MAX_INSNS];
};

/**
 * reach_region() - judge a probe point
 * @region: filled in
 * @bytes: the original instruction
 * @avail: how many bytes up to the next function
 * @addr: the probe point
 * @facts: about the text
 *
 * Whether the point lies between a load that reserves and its store, and so
 * can't be probed at all, is insn_in_reservation()'s to say.
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
 * reach_branch() - assemble a branch
 * @dst: written, INSN_SIZE bytes
 * @from: the address at which it will run
 * @target: where it goes
 *
 * Return: false if @target is out of reach; nothing is written then.
 */
bool reach_branch(u8 *dst, u64 from, u64 target);

/**
 * reach_copy_size() - how much room to make for what reach_copy() will assemble
 * @region: from reach_region(), REACH_OK
 * @from: the probe point
 *
 * Return: bytes, enough wherever that goes.
 */
unsigned int reach_copy_size(const struct reach_region *region, u64 from);

/**
 * reach_copy() - assemble what does elsewhere what a region does
 * @region: from reach_region(), REACH_OK
 * @dst: written, at most REACH_MAX_COPY bytes
 * @from: where the original instruction is
 * @to: the address at which the copy will run
 *
 * Addresses are computed, branches lead to where the original ones do, and
 * what reads LR finds there what the original would: see @region->links for
 * those that set it.  Ends with a branch to what follows the region, if
 * execution can go on there.
 *
 * Context: any; pure.
 * Return: bytes written; 0 if something is out of reach.
 */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, u64 from, u64 to);

#endif /* LKP_POWERPC_REACH_H */
