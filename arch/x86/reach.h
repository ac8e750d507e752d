/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which probe points can have a jump in place of the trap, and the copies of the
 * instructions that the jump overwrites.  Pure code, see ../pure.h: the module and
 * tools/kprobes share it.
 *
 * There are two steps.  reach_scan() reads each function once and reports its
 * targets: every address that execution may reach other than from the preceding
 * instruction.  reach_region() then judges one probe point by these targets.  Where
 * it finds no room, reach_short_region() and reach_pads() may find some for a shorter jump.
 */
#ifndef LKP_X86_REACH_H
#define LKP_X86_REACH_H

#include "../pure.h"
#include "insn.h"

/* The jump that replaces the first bytes. */
#define REACH_JUMP_SIZE		5

/*
 * A short jump, which reaches 127 bytes: to a relay, a jump of five bytes in padding that never
 * runs.
 */
#define REACH_SHORT_SIZE	2
#define REACH_RELAY_SIZE	REACH_JUMP_SIZE

/* Bytes of a region: the last instruction may begin on the jump's last byte. */
#define REACH_MAX_LENGTH	(REACH_JUMP_SIZE - 1 + INSN_MAX_LENGTH)
#define REACH_MAX_INSNS		REACH_JUMP_SIZE

/* Size of a buffer that reach_copy() never exceeds. */
#define REACH_MAX_COPY		96

/**
 * enum reach_reason - why a probe point stays a trap
 * @REACH_OK: it may become a jump
 * @REACH_END: the function, with the padding behind it, ends too soon
 * @REACH_UNDECODABLE: bytes in the region are not an instruction
 * @REACH_TARGET: something branches into the region
 * @REACH_CALL: a call in the region returns into it
 * @REACH_FIXUP: an instruction in the region has an exception table entry
 * @REACH_OWNED: another user patches or reads bytes in the region
 * @REACH_LANDING: the first instruction is an endbr64, which indirect branches need here
 * @REACH_REFUSED: an instruction in the region can't be probed, so it can't be copied
 * @REACH_NO_COPY: an instruction in the region has no copy with the same effect
 *	(a call through memory that is addressed by the stack pointer)
 */
enum reach_reason {
	REACH_OK,
	REACH_END,
	REACH_UNDECODABLE,
	REACH_TARGET,
	REACH_CALL,
	REACH_FIXUP,
	REACH_OWNED,
	REACH_LANDING,
	REACH_REFUSED,
	REACH_NO_COPY,
	REACH_NR_REASONS
};

/**
 * struct reach_facts - facts about the text that reach_region() needs
 * @data: passed to each
 * @is_target: may execution reach this address other than from the preceding
 *	instruction?  These are the targets of reach_scan(), exception fixups, jump
 *	label targets, and addresses kept in data.
 * @is_owned: does another user patch or read any byte from @start up to but not
 *	including @end (jump label, static call, call site of the tracer,
 *	alternative, BUG)?
 * @has_fixup: is there an exception table entry for the instruction at this address?
 * @is_stray: for reach_pads(): is this trap, which execution seems to reach, another tool's?  @avail
 *	bytes are there.  NULL: none is
 */
struct reach_facts {
	void *data;
	bool (*is_target)(void *data, u64 addr);
	bool (*is_owned)(void *data, u64 start, u64 end);
	bool (*has_fixup)(void *data, u64 addr);
	bool (*is_stray)(void *data, const u8 *bytes, size_t avail, u64 addr);
};

/*
 * reach_region(): padding (nops, int3, zeros) behind an instruction that ends the
 * flow (jmp, ret) may be overwritten if nothing branches there.  Anything else there
 * counts as a target.  So does ENDBR.  At the probe point itself it must stay: a processor that
 * enforces it takes a trap there, which comes before its own complaint, but no jump.  A call may be
 * the last instruction if it ends at or behind the jump's end, so that no call returns into the jump.
 */
#include "../reach_region.h"

/**
 * reach_short_region() - judge a probe point for a short jump
 *
 * As reach_region().  What branches behind the second byte does not matter, nor what is there.
 */
enum reach_reason reach_short_region(struct reach_region *region, const u8 *bytes, size_t avail,
				     u64 addr, const struct reach_facts *facts);

/**
 * reach_copy() - copy a region so that it has the same effect at another address
 * @region: from reach_region(), REACH_OK
 * @dst: written, at most REACH_MAX_COPY bytes
 * @bytes: the region's original instructions
 * @from: their address
 * @to: the address at which the copy will run
 *
 * Operands relative to RIP are adjusted, branches get 32-bit displacements.  The copy
 * of a call pushes the original return address and jumps, so no call returns to the
 * copy.  A branch to the region's first byte goes to the probe point.  The copy ends
 * with a jump to what follows the region if @region->flows_on (unless the last
 * instruction is a call, which returns there).
 *
 * Context: any; pure.
 * Return: bytes written; 0 if something is out of reach of 32 bits.
 */
unsigned int reach_copy(const struct reach_region *region, u8 *dst, const u8 *bytes,
			u64 from, u64 to);

/**
 * reach_copy_ends() - reach_copy(), for who wants to know what is where
 * @region: as there
 * @dst: as there
 * @ends: how many bytes the copies of the first instruction have, of the first two, and so on:
 *	@region->nr numbers are written
 * @bytes: as there
 * @from: as there
 * @to: as there
 *
 * Context: any; pure.
 * Return: as reach_copy().
 */
unsigned int reach_copy_ends(const struct reach_region *region, u8 *dst, u8 *ends, const u8 *bytes,
			     u64 from, u64 to);

/* Bytes between two addresses that reach_scan() reports as beginnings. */
#define REACH_STRIDE		64

/**
 * struct reach_scan - callbacks of a scan of a function
 * @data: passed to each
 * @target: called for an address, in this or another function, that a branch goes to
 * @taken: called for an address that is taken in the code, and for constants, which may
 *	look like one
 * @is_indirect_thunk: is this the address of a thunk that jumps to the address in a
 *	register (a retpoline)?  Return thunks are not meant.
 * @base: called for an address that is taken by a function that also jumps to an
 *	address in a register.  If it is inside a function (not its beginning), its
 *	sum with an offset may be a target: every address of that function must then
 *	be taken for a target.  May be NULL.
 * @is_stray: is this trap another tool's, of those that execution seems to reach? Given all of
 *	the code from there on.  Then the scan ends, as what the trap covers is not known.  May
 *	be NULL
 * @begins: called for some addresses, REACH_STRIDE apart or more, at which an instruction begins: who
 *	steps from the function's first byte over one instruction after the other gets there, and
 *	execution goes on there from the one before.  May be NULL
 * @fillers: may there be what insn_filler() finds
 * @from: where taken addresses are of interest; the function is there, too
 * @to: behind that; or both are 0: anywhere
 */
struct reach_scan {
	void *data;
	void (*target)(void *data, u64 addr);
	void (*taken)(void *data, u64 addr);
	bool (*is_indirect_thunk)(void *data, u64 addr);
	void (*base)(void *data, u64 addr);
	bool (*is_stray)(void *data, const u8 *bytes, size_t avail, u64 addr);
	void (*begins)(void *data, u64 addr);
	bool fillers;
	u64 from;
	u64 to;
};

/**
 * reach_scan() - report all targets of a function, some more than once
 * @scan: the callbacks
 * @bytes: the function's original bytes
 * @size: their number, padding included
 * @addr: the function's address
 *
 * Return addresses of calls and what follows a conditional branch are not reported.
 * An indirect jump is assumed to go to the beginning of a function, or to a complete
 * address that is stored in data and is known to the caller.  This is not proven if
 * the function takes an address within itself, or loads table entries of less than
 * eight bytes.
 *
 * Context: any; pure.
 * Return: false if not all targets are known: a byte is not an instruction, a trap is stray, or an
 * indirect jump is not proven.  Every address of the function must then be taken for
 * a target.
 */
bool reach_scan(const struct reach_scan *scan, const u8 *bytes, size_t size, u64 addr);

/* ---- padding ---- */

/* Bytes of a pad; a nop has no more. */
#define REACH_PAD_MAX		16
#define REACH_PAD_CELLS		(REACH_PAD_MAX / REACH_RELAY_SIZE)

/**
 * struct reach_pad - padding that never runs, with room for a relay or more
 * @addr: its address; one of its instructions begins there
 * @length: in bytes; one of its instructions ends there
 * @bytes: what is there
 *
 * It is divided into cells of REACH_RELAY_SIZE bytes, from the first byte on.
 */
struct reach_pad {
	u64 addr;
	u8 length;
	u8 bytes[REACH_PAD_MAX];
};

static inline unsigned int reach_pad_cells(const struct reach_pad *pad)
{
	return pad->length / REACH_RELAY_SIZE;
}

static inline u64 reach_pad_cell(const struct reach_pad *pad, unsigned int cell)
{
	return pad->addr + cell * REACH_RELAY_SIZE;
}

/* Does a short jump at @from lead as far as a relay at @to, which has none of its bytes? */
static inline bool reach_short_reaches(u64 from, u64 to)
{
	return to - (from + REACH_SHORT_SIZE) + 128 < 256 &&
	       to - from + REACH_RELAY_SIZE - 1 >= REACH_RELAY_SIZE + REACH_SHORT_SIZE - 1;
}

/* The addresses of pads that it can reach: at or above the first, below the second. */
static inline u64 reach_pads_from(u64 from)
{
	return from + REACH_SHORT_SIZE - 128;
}

static inline u64 reach_pads_to(u64 from)
{
	return from + REACH_SHORT_SIZE + 128;
}

/**
 * reach_may_be_pad() - may this be a piece of padding
 * @bytes: an instruction
 * @avail: number of bytes that may be read
 *
 * Context: any; pure.
 */
bool reach_may_be_pad(const u8 *bytes, size_t avail);

/**
 * reach_pads() - find the pads of a function
 * @facts: about the text; @facts->is_target is asked about its bytes, @facts->is_owned about pads
 *	and about the jump or return that is before one
 * @bytes: the function's original bytes, or those from an instruction of it on that is no piece of
 *	padding: what is before does not matter then
 * @size: their number, up to the function's end, padding included
 * @addr: their address
 * @from: pads that end at or below this address do not matter
 * @to: nor do those that begin at or above this one
 * @each: called for each pad, with @data; it returns false to end the search
 * @data: passed to @each
 *
 * Context: any; pure, but for what it calls.
 */
void reach_pads(const struct reach_facts *facts, const u8 *bytes, size_t size, u64 addr, u64 from,
		u64 to, bool (*each)(void *data, const struct reach_pad *pad), void *data);

/**
 * reach_pad_fill() - what is in a pad when some of its cells are in use
 * @pad: the pad
 * @used: a bit for each cell that is
 * @to: written, @pad->length bytes; of cells in use it is what is there without
 *
 * What is left of a nop, of which a cell has a part, becomes nops of one byte.  So who decodes the
 * function from its beginning, as the built-in kprobes do, finds the same instructions behind it.
 */
void reach_pad_fill(const struct reach_pad *pad, unsigned int used, u8 *to);

#endif /* LKP_X86_REACH_H */
