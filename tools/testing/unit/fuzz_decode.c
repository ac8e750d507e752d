// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes: the decoder stays inside them and agrees with itself, and the
 * emulation of what it finds keeps its promises.
 */
#include "../../../arch/x86/emulate.h"
#include "fuzz.h"

/* The emulation's memory: some pages hold a constant, the others fault. */
static u64 memory_value;
static unsigned int stores;

static bool accessible(u64 addr)
{
	return (addr >> 12 & 3) != 3;
}

bool emulate_load(u64 addr, void *val, unsigned int size)
{
	CHECK(size == 2 || size == 8);
	if (!accessible(addr))
		return false;
	memcpy(val, &memory_value, size);
	return true;
}

bool emulate_store(u64 addr, const void *val, unsigned int size)
{
	u64 copy = 0;

	CHECK(size == 2 || size == 8);
	memcpy(&copy, val, size);
	if (!accessible(addr))
		return false;
	stores++;
	return true;
}

u64 emulate_segment_base(enum insn_segment segment)
{
	CHECK(segment == INSN_SEG_FS || segment == INSN_SEG_GS);
	return segment == INSN_SEG_GS ? 0xffff888000000000ull : 0x7f0000000000ull;
}

unsigned int emulate_address_bits(void)
{
	return 57;
}

/* Decode from a copy of exactly @len bytes, of which AddressSanitizer sees the ends. */
static enum insn_status decode_copy(struct insn *insn, const u8 *bytes, size_t len)
{
	u8 *copy = malloc(len + !len);
	enum insn_status status;

	CHECK(copy);
	memcpy(copy, bytes, len);
	status = insn_decode(insn, len ? copy : copy + 1, len);
	free(copy);
	return status;
}

static s64 number_at(const u8 *bytes, unsigned int size)
{
	u64 val = 0;

	memcpy(&val, bytes, size);
	if (size && size < 8 && val >> (8 * size - 1))
		val |= ~0ull << 8 * size;
	return (s64)val;
}

static void check_fields(const struct insn *insn, const u8 *bytes)
{
	CHECK(insn->class < INSN_NR_CLASSES);
	CHECK((insn->class == INSN_REFUSED) == (insn->refuse != INSN_REFUSE_NONE));
	CHECK((insn->class == INSN_REFUSED) == (insn_refusal(insn) != NULL));
	CHECK(!insn->disp_size == !insn->disp_offset);
	CHECK(!insn->imm_size == !insn->imm_offset);
	CHECK(insn->disp_offset + insn->disp_size <= insn->length);
	CHECK(insn->imm_offset + insn->imm_size <= insn->length);
	CHECK(insn->disp == number_at(bytes + insn->disp_offset, insn->disp_size));
	CHECK(insn->imm == number_at(bytes + insn->imm_offset, insn->imm_size));
	if (insn->flags & (INSN_HAS_SIB | INSN_RIP_RELATIVE))
		CHECK(insn->flags & INSN_HAS_MEM);
	if (insn->flags & INSN_HAS_MEM)
		CHECK(insn->flags & INSN_HAS_MODRM && insn->modrm < 0xc0);
	if (insn->flags & INSN_RIP_RELATIVE)
		CHECK(insn->disp_size == 4 && !(insn->flags & INSN_HAS_SIB));
}

/* Fewer bytes are too few; those behind it are no matter. */
static void check_length(const struct insn *insn, const u8 *bytes, size_t size)
{
	u8 other[INSN_MAX_LENGTH + 1];
	struct insn again;
	size_t len;

	CHECK(insn->length >= 1 && insn->length <= INSN_MAX_LENGTH && insn->length <= size);
	for (len = 0; len < insn->length; len++)
		CHECK(decode_copy(&again, bytes, len) == INSN_TRUNCATED);
	CHECK(decode_copy(&again, bytes, insn->length) == INSN_OK);
	CHECK(!memcmp(&again, insn, sizeof(again)));
	memset(other, 0x5a, sizeof(other));
	memcpy(other, bytes, insn->length);
	CHECK(decode_copy(&again, other, sizeof(other)) == INSN_OK);
	CHECK(!memcmp(&again, insn, sizeof(again)));
}

/* What is invalid stays so with more bytes, and only a short one can be truncated. */
static void check_failure(enum insn_status status, const struct insn *insn, const u8 *bytes,
			  size_t size)
{
	static const struct insn zero;
	u8 more[INSN_MAX_LENGTH];
	struct insn again;

	CHECK(!memcmp(insn, &zero, sizeof(zero)));
	if (status == INSN_TRUNCATED) {
		CHECK(size < INSN_MAX_LENGTH);
		return;
	}
	CHECK(status == INSN_INVALID);
	memset(more, 0x5a, sizeof(more));
	memcpy(more, bytes, size < sizeof(more) ? size : sizeof(more));
	CHECK(decode_copy(&again, more, sizeof(more)) == INSN_INVALID);
}

static void seed_regs(struct emulate_regs *regs, const u8 *bytes, size_t size)
{
	u64 state = 0x9e3779b97f4a7c15ull, *word = (u64 *)regs;
	size_t i;

	for (i = 0; i < size; i++)
		state = (state ^ bytes[i]) * 0x100000001b3ull;
	for (i = 0; i < sizeof(*regs) / 8; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		word[i] = state;
	}
	memory_value = (s64)(state << 10) >> 10;
}

static void check_emulation(const struct insn *insn, const u8 *bytes, size_t size)
{
	bool emulated = insn->class != INSN_SLOT && insn->class != INSN_REFUSED;
	struct emulate_regs regs, before;
	enum emulate_result result;

	CHECK(emulated == (emulate_row(insn) >= 0));
	CHECK(emulate_row(insn) < (int)emulate_nr_rows());
	seed_regs(&regs, bytes, size);
	before = regs;
	stores = 0;
	result = emulate_insn(insn, &regs);
	CHECK(emulated == (result != EMULATE_NONE));
	if (result == EMULATE_DONE) {
		CHECK(!(regs.flags & EMULATE_FLAG_RF));
		CHECK(stores <= 1);
	} else {
		CHECK(!memcmp(&regs, &before, sizeof(regs)));
		CHECK(!stores);
	}
	if (result == EMULATE_FAULT)
		CHECK(insn_may_fault(insn) || insn->class == INSN_JMP || insn->class == INSN_JCC ||
		      insn->class == INSN_LOOP);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	enum insn_status status;
	struct insn insn;

	status = insn_decode(&insn, data, size);
	if (status != INSN_OK) {
		check_failure(status, &insn, data, size);
		return 0;
	}
	check_length(&insn, data, size);
	check_fields(&insn, data);
	check_emulation(&insn, data, size);
	return 0;
}
