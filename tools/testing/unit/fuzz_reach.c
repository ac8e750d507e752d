// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a probe point: a region that may become a jump keeps every rule
 * of reach.h, and its copy decodes again to the instructions that are
 * documented for it, with the same targets and operands.  A scan of the same
 * bytes names every target that the region's branches have.  Padding in them that
 * is found has none, and what is put in its place has the same boundaries.
 *
 * Input: what there is to know of the text (a byte: which offset is a target,
 * has a fixup, is owned), the distance of the copy, and the code.
 */
#include "../../../arch/x86/reach.h"
#include "fuzz.h"

#define FROM	0xffffffff90000000ull

/* Of the jump in question. */
static unsigned int jump_size;

/* As reach_copy() proves it. */
#define LONGEST_COPY	45

struct facts {
	u8 target;
	u8 fixup;
	u8 owned;
};

static bool is_target(void *data, u64 addr)
{
	struct facts *facts = data;

	CHECK(addr > FROM && addr < FROM + jump_size);
	return addr == FROM + facts->target;
}

static bool has_fixup(void *data, u64 addr)
{
	struct facts *facts = data;

	CHECK(addr >= FROM && addr < FROM + jump_size);
	return addr == FROM + facts->fixup;
}

static bool is_owned(void *data, u64 start, u64 end)
{
	struct facts *facts = data;

	CHECK(start == FROM && end >= FROM + jump_size && end <= FROM + REACH_MAX_LENGTH);
	return FROM + facts->owned < end;
}

static bool is_direct(const struct insn *insn)
{
	return insn->class == INSN_JMP || insn->class == INSN_JCC ||
	       insn->class == INSN_LOOP || insn->class == INSN_CALL;
}

static bool is_call(const struct insn *insn)
{
	return insn->class == INSN_CALL || insn->class == INSN_CALL_IND;
}

static bool is_end(const struct insn *insn)
{
	return insn->class == INSN_JMP || insn->class == INSN_JMP_IND || insn->class == INSN_RET;
}

static void check_insn(const struct insn *insn, const u8 *bytes, size_t size, unsigned int at,
		       const struct facts *facts)
{
	struct insn again;
	u64 target = insn_branch_target(insn, FROM + at);

	CHECK(insn_decode(&again, bytes + at, size - at) == INSN_OK);
	CHECK(!memcmp(&again, insn, sizeof(again)));
	CHECK(at < jump_size && insn->class != INSN_REFUSED && at != facts->fixup);
	CHECK(!is_direct(insn) || target <= FROM || target >= FROM + jump_size);
	CHECK(!is_call(insn) || at + insn->length >= jump_size);
}

static void check_region(const struct reach_region *region, const u8 *bytes, size_t size,
			 const struct facts *facts)
{
	unsigned int i, at = 0;
	struct insn next;

	CHECK(region->nr && region->nr <= REACH_MAX_INSNS);
	for (i = 0; i < region->nr; i++) {
		check_insn(&region->insns[i], bytes, size, at, facts);
		at += region->insns[i].length;
		CHECK(i + 1 == region->nr || !is_end(&region->insns[i]));
	}
	CHECK(at >= jump_size || bytes[at] == 0 || bytes[at] == 0xcc ||
	      (insn_decode(&next, bytes + at, size - at) == INSN_OK && next.class == INSN_NOP));
	CHECK(at == region->length && at <= REACH_MAX_LENGTH && at <= size);
	CHECK(region->flows_on == !is_end(&region->insns[i - 1]));
	CHECK(at >= jump_size || !region->flows_on);
	CHECK(size >= jump_size);
	CHECK(facts->target < 1 || facts->target >= jump_size);
	CHECK(facts->owned >= (at < jump_size ? jump_size : at));
}

/* ---- the copy, read back ---- */

struct reader {
	const u8 *bytes;
	unsigned int len;
	unsigned int at;
	u64 to;
	u64 ip;
	struct insn insn;
};

static void read_insn(struct reader *r, unsigned int class)
{
	r->ip = r->to + r->at;
	CHECK(insn_decode(&r->insn, r->bytes + r->at, r->len - r->at) == INSN_OK);
	CHECK(r->insn.class == class);
	r->at += r->insn.length;
}

static void expect_branch(struct reader *r, unsigned int class, u64 target)
{
	read_insn(r, class);
	CHECK(insn_branch_target(&r->insn, r->ip) == target);
}

static void expect_push(struct reader *r, u64 value)
{
	read_insn(r, INSN_SLOT);
	CHECK(r->insn.opcode == 0x68 && r->insn.length == 5 && (u64)r->insn.imm == value);
}

/* Where a RIP-relative operand is: with an address size, in the low 4 GB. */
static u64 operand(const struct insn *insn, u64 ip)
{
	u64 addr = ip + insn->length + (u64)insn->disp;

	return insn->prefixes & INSN_PFX_67 ? (u32)addr : addr;
}

static void expect_same_operand(struct reader *r, const struct insn *insn, u64 ip)
{
	CHECK(r->insn.length == insn->length && r->insn.opcode == insn->opcode);
	CHECK(r->insn.flags == insn->flags && r->insn.imm == insn->imm);
	CHECK(r->insn.sib == insn->sib && r->insn.prefixes == insn->prefixes);
	CHECK(r->insn.rex == insn->rex && r->insn.segment == insn->segment);
	if (insn->flags & INSN_RIP_RELATIVE)
		CHECK(operand(&r->insn, r->ip) == operand(insn, ip));
	else
		CHECK(r->insn.disp == insn->disp);
}

static void expect_loop(struct reader *r, const struct insn *insn, u64 ip)
{
	u64 taken, behind;

	read_insn(r, INSN_LOOP);
	CHECK(r->insn.opcode == insn->opcode);
	CHECK((r->insn.prefixes & INSN_PFX_67) == (insn->prefixes & INSN_PFX_67));
	taken = insn_branch_target(&r->insn, r->ip);
	read_insn(r, INSN_JMP);
	behind = insn_branch_target(&r->insn, r->ip);
	CHECK(taken == r->to + r->at);
	expect_branch(r, INSN_JMP, insn_branch_target(insn, ip));
	CHECK(behind == r->to + r->at);
}

static void expect_insn(struct reader *r, const struct insn *insn, u64 ip)
{
	switch (insn->class) {
	case INSN_NOP:
		break;
	case INSN_JMP:
		expect_branch(r, INSN_JMP, insn_branch_target(insn, ip));
		break;
	case INSN_JCC:
		expect_branch(r, INSN_JCC, insn_branch_target(insn, ip));
		CHECK((r->insn.opcode & 15) == (insn->opcode & 15));
		break;
	case INSN_LOOP:
		expect_loop(r, insn, ip);
		break;
	case INSN_CALL:
		expect_push(r, ip + insn->length);
		expect_branch(r, INSN_JMP, insn_branch_target(insn, ip));
		break;
	case INSN_CALL_IND:
		expect_push(r, ip + insn->length);
		read_insn(r, INSN_JMP_IND);
		expect_same_operand(r, insn, ip);
		CHECK(r->insn.modrm == (insn->modrm ^ (0x10 | 0x20)));
		break;
	default:
		read_insn(r, insn->class);
		expect_same_operand(r, insn, ip);
		CHECK(r->insn.modrm == insn->modrm);
	}
}

static void check_copy(const struct reach_region *region, const u8 *copy, unsigned int len, u64 to)
{
	struct reader r = { .bytes = copy, .len = len, .to = to };
	unsigned int i, at = 0;

	for (i = 0; i < region->nr; i++) {
		/* One byte keeps the shadow of sti, which a nop there was in. */
		if (i && region->insns[i].class == INSN_NOP &&
		    region->insns[i - 1].class == INSN_STI)
			read_insn(&r, INSN_NOP);
		else
			expect_insn(&r, &region->insns[i], FROM + at);
		at += region->insns[i].length;
	}
	if (region->flows_on && !is_call(&region->insns[i - 1]))
		expect_branch(&r, INSN_JMP, FROM + at);
	CHECK(r.at == len);
}

/* ---- why there is none ---- */

static bool is_far(u64 target, u64 to)
{
	s64 distance = (s64)(target - to);

	return distance > INT32_MAX - 2 * REACH_MAX_COPY || distance < INT32_MIN + 2 * REACH_MAX_COPY;
}

static bool has_far_target(const struct reach_region *region, u64 to)
{
	unsigned int i, at = 0;

	for (i = 0; i < region->nr; i++) {
		const struct insn *insn = &region->insns[i];
		u64 ip = FROM + at;

		if (is_direct(insn) && is_far(insn_branch_target(insn, ip), to))
			return true;
		if (insn->flags & INSN_RIP_RELATIVE &&
		    is_far(ip + insn->length + (u64)insn->disp, to))
			return true;
		at += insn->length;
	}
	return is_far(FROM + at, to);
}

/* ---- the scan ---- */

static u64 wanted;
static bool was_named;

static void note_target(void *data, u64 addr)
{
	(void)data;
	if (addr == wanted)
		was_named = true;
}

static void ignore(void *data, u64 addr)
{
	(void)data;
	(void)addr;
}

static bool is_indirect_thunk(void *data, u64 addr)
{
	(void)data;
	return addr & 1;
}

static void check_scan(const struct reach_region *region, const u8 *bytes, size_t size)
{
	const struct reach_scan scan = {
		.target = note_target,
		.taken = ignore,
		.is_indirect_thunk = is_indirect_thunk,
		.base = ignore,
	};
	unsigned int i, at = 0;

	for (i = 0; i < region->nr; i++) {
		wanted = insn_branch_target(&region->insns[i], FROM + at);
		was_named = false;
		reach_scan(&scan, bytes, size, FROM);
		CHECK(!is_direct(&region->insns[i]) || was_named);
		at += region->insns[i].length;
	}
}

/* ---- padding ---- */

static bool is_target_anywhere(void *data, u64 addr)
{
	return addr == FROM + ((struct facts *)data)->target;
}

static bool is_owned_anywhere(void *data, u64 start, u64 end)
{
	u64 owned = FROM + ((struct facts *)data)->owned;

	return start <= owned && owned < end;
}

struct text {
	const u8 *bytes;
	size_t size;
	const struct facts *facts;
	u64 behind;
};

static bool is_used(const struct reach_pad *pad, unsigned int used, unsigned int at)
{
	unsigned int cell = at / REACH_RELAY_SIZE;

	return cell < reach_pad_cells(pad) && used >> cell & 1;
}

/* What is not a relay decodes to instructions that end where the pad does. */
static void check_fill(const struct reach_pad *pad, unsigned int used)
{
	u8 to[REACH_PAD_MAX];
	struct insn insn;
	unsigned int at;

	reach_pad_fill(pad, used, to);
	for (at = 0; at < pad->length; at += insn.length) {
		if (is_used(pad, used, at)) {
			CHECK(at % REACH_RELAY_SIZE == 0);
			insn.length = REACH_RELAY_SIZE;
			continue;
		}
		CHECK(to[at] == 0x90 || to[at] == pad->bytes[at]);
		CHECK(insn_decode(&insn, to + at, pad->length - at) == INSN_OK);
		CHECK(insn.class == INSN_NOP || to[at] == 0xcc);
	}
	CHECK(at == pad->length);
}

static bool check_pad(void *data, const struct reach_pad *pad)
{
	struct text *text = data;
	unsigned int used;

	CHECK(pad->addr >= text->behind && pad->addr + pad->length <= FROM + text->size);
	CHECK(pad->length >= REACH_RELAY_SIZE && pad->length <= REACH_PAD_MAX);
	CHECK(!memcmp(pad->bytes, text->bytes + (pad->addr - FROM), pad->length));
	CHECK(FROM + text->facts->target - pad->addr >= pad->length);
	CHECK(FROM + text->facts->owned - pad->addr >= pad->length);
	for (used = 0; used < 1u << reach_pad_cells(pad); used++)
		check_fill(pad, used);
	text->behind = pad->addr + pad->length;
	return true;
}

static void try_pads(const u8 *bytes, size_t size, struct facts *facts)
{
	const struct reach_facts callbacks = {
		.data = facts,
		.is_target = is_target_anywhere,
		.is_owned = is_owned_anywhere,
	};
	struct text text = { bytes, size, facts, FROM + 1 };

	reach_pads(&callbacks, bytes, size, FROM, FROM, FROM + size, check_pad, &text);
}

/* ---- all of it ---- */

typedef enum reach_reason (*judge_fn)(struct reach_region *region, const u8 *bytes, size_t avail,
				      u64 addr, const struct reach_facts *facts);

static void try_region(judge_fn judge, const u8 *data, size_t size, struct facts *facts, u64 to)
{
	const struct reach_facts callbacks = { facts, is_target, is_owned, has_fixup, NULL };
	struct reach_region region;
	u8 copy[LONGEST_COPY];
	unsigned int len;

	if (judge(&region, data, size, FROM, &callbacks) != REACH_OK) {
		CHECK(reach_reason_text(region.reason));
		return;
	}
	check_region(&region, data, size, facts);
	check_scan(&region, data, size);
	/* The sanitizer sees a byte too many. */
	len = reach_copy(&region, copy, data, FROM, to);
	CHECK(len <= LONGEST_COPY);
	if (len)
		check_copy(&region, copy, len, to);
	else
		CHECK(has_far_target(&region, to));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct facts facts;
	s32 distance;

	if (size < 7)
		return 0;
	facts = (struct facts){ data[0], data[1], data[2] };
	memcpy(&distance, data + 3, 4);
	data += 7;
	size -= 7;
	jump_size = REACH_JUMP_SIZE;
	try_region(reach_region, data, size, &facts, FROM + (u64)distance);
	jump_size = REACH_SHORT_SIZE;
	try_region(reach_short_region, data, size, &facts, FROM + (u64)distance);
	try_pads(data, size, &facts);
	return 0;
}
