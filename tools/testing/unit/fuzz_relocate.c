// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any instruction, moved between any two addresses: the copy goes to and
 * refers to the same addresses, the way back restores it, and a failure
 * leaves the copy alone and is true.
 *
 * Input: the address it comes from, the distance, how far to shift that, and
 * the instruction.
 */
#include "../../../arch/x86/emulate.h"
#include "fuzz.h"

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	(void)addr;
	(void)val;
	(void)size;
	return false;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	(void)addr;
	(void)val;
	(void)size;
	return false;
}

u64 emulate_segment_base(enum insn_segment segment)
{
	return segment == INSN_SEG_GS ? 0xffff888000000000ull : 0x7f0000000000ull;
}

unsigned int emulate_address_bits(void)
{
	return 57;
}

static bool is_direct(const struct insn *insn)
{
	return insn->class == INSN_JMP || insn->class == INSN_JCC || insn->class == INSN_CALL;
}

static bool is_relative(const struct insn *insn)
{
	return is_direct(insn) || insn->flags & INSN_RIP_RELATIVE;
}

/* Some registers: they are no part of what is relative. */
static u64 address_at(const struct insn *insn, u64 ip)
{
	struct emulate_regs regs;

	memset(&regs, 0x5a, sizeof(regs));
	regs.ip = ip;
	return emulate_address(insn, &regs);
}

static void check_copy(const struct insn *insn, const u8 *src, u64 from, u64 to, const u8 *dst)
{
	u8 back[INSN_MAX_LENGTH];
	struct insn copy;

	CHECK(insn_decode(&copy, dst, insn->length) == INSN_OK);
	CHECK(copy.length == insn->length && copy.class == insn->class);
	CHECK(copy.opcode == insn->opcode && copy.flags == insn->flags);
	if (is_direct(insn))
		CHECK(insn_branch_target(&copy, to) == insn_branch_target(insn, from));
	if (insn->flags & INSN_HAS_MEM)
		CHECK(address_at(&copy, to) == address_at(insn, from));
	if (!is_relative(insn))
		CHECK(!memcmp(dst, src, insn->length));
	CHECK(insn_relocate(&copy, back, dst, to, from) == INSN_OK);
	CHECK(!memcmp(back, src, insn->length));
}

/* A displacement that would have to be wider than 32 bits. */
static bool is_out_of_range(const struct insn *insn, u64 from, u64 to)
{
	s64 rel = (s64)((u64)(is_direct(insn) ? insn->imm : insn->disp) + from - to);

	return is_relative(insn) && (rel > INT32_MAX || rel < INT32_MIN);
}

static bool is_short(const struct insn *insn)
{
	return insn->class == INSN_LOOP || (is_direct(insn) && insn->imm_size == 1) ||
	       insn->refuse == INSN_REFUSE_TRANSACTION || insn->refuse == INSN_REFUSE_BRANCH16;
}

static void check_relocation(const struct insn *insn, const u8 *src, u64 from, u64 to)
{
	u8 dst[INSN_MAX_LENGTH], untouched[INSN_MAX_LENGTH];
	enum insn_status status;

	memset(dst, 0xaa, sizeof(dst));
	memset(untouched, 0xaa, sizeof(untouched));
	status = insn_relocate(insn, dst, src, from, to);
	CHECK((status == INSN_INVALID) == is_short(insn));
	if (status == INSN_OK) {
		check_copy(insn, src, from, to, dst);
		CHECK(!memcmp(dst + insn->length, untouched, sizeof(dst) - insn->length));
		return;
	}
	CHECK(status == INSN_INVALID || status == INSN_OUT_OF_RANGE);
	CHECK(!memcmp(dst, untouched, sizeof(dst)));
	if (status == INSN_OUT_OF_RANGE)
		CHECK(is_out_of_range(insn, from, to));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct insn insn;
	u64 from;
	s64 distance;

	if (size < 18)
		return 0;
	memcpy(&from, data, 8);
	memcpy(&distance, data + 8, 8);
	distance >>= data[16] & 63;
	data += 17;
	size -= 17;
	if (insn_decode(&insn, data, size) != INSN_OK)
		return 0;
	check_relocation(&insn, data, from, from + (u64)distance);
	return 0;
}
