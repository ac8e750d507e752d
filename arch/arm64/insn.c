// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoder for A64: insn.h.  Pure code, see ../pure.h.
 */
#include "insn_tables.h"

/* How far apart a load-exclusive and its store may be. */
#define MONITOR_RANGE	128

/* Instruction words are little-endian, whatever the data is. */
static u32 word_at(const u8 *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (u32)bytes[3] << 24;
}

static u32 field(u32 word, unsigned int shift, unsigned int width)
{
	return word >> shift & ((1u << width) - 1);
}

static s64 signed_field(u32 word, unsigned int shift, unsigned int width)
{
	u64 sign = 1ull << (width - 1);

	return (s64)((field(word, shift, width) ^ sign) - sign);
}

static void refuse(struct insn *insn, enum insn_refuse why)
{
	insn->class = INSN_REFUSED;
	insn->refuse = why;
}

/* ---- operands ---- */

/*
 * A logical immediate repeats an element of 2 to 64 bits.  The bits above the run
 * of ones encode its size.  An element of ones only is not allowed.
 */
static bool is_bitmask(u32 word)
{
	u32 size_bits = field(word, 22, 1) << 6 | (~field(word, 10, 6) & 0x3f);
	u32 ones = field(word, 10, 6), element;

	for (element = 64; element > 1; element >>= 1)
		if (size_bits & element)
			return (ones & (element - 1)) != element - 1;
	return false;
}

static void read_adr(struct insn *insn, u32 word)
{
	insn->rd = field(word, 0, 5);
	insn->imm = signed_field(word, 5, 19) * 4 + field(word, 29, 2);
	if (insn->class == INSN_ADRP)
		insn->imm *= 4096;
}

static void read_literal(struct insn *insn, u32 word)
{
	unsigned int opc = field(word, 30, 2);

	insn->rd = field(word, 0, 5);
	insn->imm = signed_field(word, 5, 19) * 4;
	if (insn->flags & INSN_VECTOR)
		insn->size = 4 << opc;
	else
		insn->size = opc & 1 ? 8 : 4;
}

static void read_branch19(struct insn *insn, u32 word)
{
	insn->imm = signed_field(word, 5, 19) * 4;
	if (insn->class == INSN_BCOND) {
		insn->condition = field(word, 0, 4);
		return;
	}
	insn->rd = field(word, 0, 5);
	if (field(word, 31, 1))
		insn->flags |= INSN_WIDE;
}

static void read_branch14(struct insn *insn, u32 word)
{
	insn->imm = signed_field(word, 5, 14) * 4;
	insn->rd = field(word, 0, 5);
	insn->bit = field(word, 31, 1) << 5 | field(word, 19, 5);
}

/* What the three bits for the condition stand for, as b.cond has it; 4 and 5 are no instruction. */
static void read_branch9(struct insn *insn, u32 word)
{
	static const u8 with_register[8] = { 12, 10, 8, 2, 0, 0, 0, 1 };
	static const u8 with_immediate[8] = { 12, 11, 8, 3, 0, 0, 0, 1 };
	unsigned int condition = field(word, 21, 3), width = field(word, 14, 2);

	insn->imm = signed_field(word, 5, 9) * 4;
	insn->rd = field(word, 0, 5);
	insn->size = field(word, 31, 1) ? 8 : 4;
	if (insn->flags & INSN_IMMEDIATE) {
		insn->condition = with_immediate[condition];
		insn->bit = field(word, 15, 6);
		return;
	}
	insn->condition = with_register[condition];
	insn->rm = field(word, 16, 5);
	if (width > 1)
		insn->size = width - 1;
}

/* The registers of retaa and retab are implied: x30 and the stack pointer. */
static void read_register(struct insn *insn, u32 word)
{
	bool implied = insn->class == INSN_RET && insn->flags & INSN_AUTH;

	insn->rn = implied ? 30 : field(word, 5, 5);
	if (insn->flags & INSN_AUTH && !(insn->flags & INSN_NO_MODIFIER))
		insn->rm = field(word, 0, 5);
}

/* ---- system instructions ---- */

#define HINT_NOP	0
#define HINT_WFE	2
#define HINT_WFI	3
#define HINT_PACIASP	25
#define HINT_PACIBSP	27
#define HINT_BTI	32
#define HINT_BTI_C	34
#define HINT_BTI_J	36
#define HINT_BTI_JC	38
#define HINT_PACM	39

/* An unallocated hint runs from the slot: a meaning that it gets later is kept. */
static void read_hint(struct insn *insn, u32 word)
{
	switch (field(word, 5, 7)) {
	case HINT_WFE:
	case HINT_WFI:
		refuse(insn, INSN_REFUSE_WAIT);
		break;
	case HINT_PACM:
		refuse(insn, INSN_REFUSE_OWN_ADDRESS);
		break;
	case HINT_PACIASP:
	case HINT_PACIBSP:
		insn->flags = INSN_LANDING;
		break;
	case HINT_BTI:
	case HINT_BTI_C:
	case HINT_BTI_J:
	case HINT_BTI_JC:
		insn->class = INSN_NOP;
		insn->flags = INSN_LANDING | INSN_STEADY;
		break;
	case HINT_NOP:
		insn->class = INSN_NOP;
		insn->flags = INSN_STEADY;
		break;
	}
}

/* The names of system registers as mrs and msr have them: op0, op1, CRn, CRm, op2. */
#define SYSTEM_REGISTER(op0, op1, n, m, op2) \
	((op0) << 14 | (op1) << 11 | (n) << 7 | (m) << 3 | (op2))

#define NZCV		SYSTEM_REGISTER(3, 3, 4, 2, 0)
#define DAIF		SYSTEM_REGISTER(3, 3, 4, 2, 1)
#define FPCR		SYSTEM_REGISTER(3, 3, 4, 4, 0)
#define FPSR		SYSTEM_REGISTER(3, 3, 4, 4, 1)
#define TPIDR_EL0	SYSTEM_REGISTER(3, 3, 13, 0, 2)
#define TPIDRRO_EL0	SYSTEM_REGISTER(3, 3, 13, 0, 3)
#define SPSR_EL1	SYSTEM_REGISTER(3, 0, 4, 0, 0)
#define ELR_EL1		SYSTEM_REGISTER(3, 0, 4, 0, 1)
#define ESR_EL1		SYSTEM_REGISTER(3, 0, 5, 2, 0)
#define FAR_EL1		SYSTEM_REGISTER(3, 0, 6, 0, 0)
/* op1 is 4 for those of EL2. */
#define AT_EL2		SYSTEM_REGISTER(0, 4, 0, 0, 0)

static u32 system_register(u32 word)
{
	return field(word, 5, 16);
}

/* Taking the trap changes these, or those of EL2 if the kernel runs there. */
static bool is_trap_state(u32 reg)
{
	switch (reg & ~AT_EL2) {
	case SPSR_EL1:
	case ELR_EL1:
	case ESR_EL1:
	case FAR_EL1:
		return true;
	default:
		return false;
	}
}

static void read_mrs(struct insn *insn, u32 word)
{
	u32 reg = system_register(word);

	if (reg == DAIF) {
		insn->class = INSN_MRS_DAIF;
		insn->flags |= INSN_STEADY;
		insn->rd = field(word, 0, 5);
	} else if (is_trap_state(reg)) {
		refuse(insn, INSN_REFUSE_TRAP_STATE);
	}
}

/* Only registers that have no effect on the system may be written. */
static void read_msr(struct insn *insn, u32 word)
{
	switch (system_register(word)) {
	case DAIF:
		insn->class = INSN_MSR_DAIF;
		insn->flags |= INSN_STEADY;
		insn->rd = field(word, 0, 5);
		break;
	case NZCV:
	case FPCR:
	case FPSR:
	case TPIDR_EL0:
	case TPIDRRO_EL0:
		break;
	default:
		refuse(insn, INSN_REFUSE_SYSTEM_REGISTER);
	}
}

/* Selected by op1 and op2; writes to fields other than the masks are refused. */
static void read_pstate(struct insn *insn, u32 word)
{
	unsigned int which = field(word, 16, 3) << 3 | field(word, 5, 3);

	if (which != 036 && which != 037) {
		refuse(insn, INSN_REFUSE_SYSTEM_REGISTER);
		return;
	}
	insn->class = which == 036 ? INSN_DAIFSET : INSN_DAIFCLR;
	insn->flags |= INSN_STEADY;
	insn->imm = field(word, 8, 4);
}

/* ---- one instruction ---- */

static void read_branch26(struct insn *insn, u32 word)
{
	insn->imm = signed_field(word, 0, 26) * 4;
}

/* Readers of a form's operands; NULL: there are none, or read_operands() reads them. */
static void (* const readers[])(struct insn *insn, u32 word) = {
	[FORM_ADR] = read_adr,
	[FORM_LITERAL] = read_literal,
	[FORM_BRANCH26] = read_branch26,
	[FORM_BRANCH19] = read_branch19,
	[FORM_BRANCH14] = read_branch14,
	[FORM_BRANCH9] = read_branch9,
	[FORM_REGISTER] = read_register,
	[FORM_HINT] = read_hint,
	[FORM_PSTATE] = read_pstate,
	[FORM_MSR] = read_msr,
	[FORM_MRS] = read_mrs,
};

/* Returns false if the word is no instruction after all. */
static bool read_operands(struct insn *insn, const struct insn_row *row, u32 word)
{
	if (row->form == FORM_BITMASK)
		return is_bitmask(word);
	if (row->form == FORM_REFUSED)
		refuse(insn, row->class);
	else if (row->form == FORM_EXCLUSIVE)
		refuse(insn, INSN_REFUSE_EXCLUSIVE);
	else if (readers[row->form])
		readers[row->form](insn, word);
	return true;
}

static const struct insn_row *find_row(u32 word)
{
	const struct insn_table *table = &insn_tables[field(word, 25, 4)];
	const struct insn_row *row = table->rows, *end = row + table->nr;

	for (; row < end; row++)
		if ((word & row->mask) == row->value)
			return row;
	return NULL;
}

enum insn_status insn_decode(struct insn *insn, const void *bytes, size_t avail)
{
	const struct insn_row *row;
	u32 word;

	memset(insn, 0, sizeof(*insn));
	if (avail < INSN_SIZE)
		return INSN_TRUNCATED;
	word = word_at(bytes);
	row = find_row(word);
	if (!row)
		return INSN_INVALID;
	insn->class = row->class;
	insn->flags = row->flags;
	if (!read_operands(insn, row, word)) {
		memset(insn, 0, sizeof(*insn));
		return INSN_INVALID;
	}
	insn->length = INSN_SIZE;
	insn->word = word;
	return INSN_OK;
}

const char *insn_refusal(const struct insn *insn)
{
	static const char * const reasons[INSN_NR_REFUSES] = {
		[INSN_REFUSE_BREAKPOINT] = "instruction is a breakpoint",
		[INSN_REFUSE_UNDEFINED] =
			"instruction is undefined, and the kernel acts on its exception",
		[INSN_REFUSE_CALL_UP] = "instruction calls a higher exception level",
		[INSN_REFUSE_DEBUG] = "instruction is for debuggers",
		[INSN_REFUSE_ERET] = "instruction is an exception return",
		[INSN_REFUSE_WAIT] = "instruction waits for an interrupt or event",
		[INSN_REFUSE_EXCLUSIVE] = "instruction is an exclusive load or store",
		[INSN_REFUSE_TRAP_STATE] = "instruction reads a register that a trap overwrites",
		[INSN_REFUSE_SYSTEM_REGISTER] = "instruction writes a system register",
		[INSN_REFUSE_TRANSACTION] = "instruction is part of a memory transaction",
		[INSN_REFUSE_COPY_SEQUENCE] = "not the first instruction of a memory copy sequence",
		[INSN_REFUSE_OWN_ADDRESS] =
			"instruction makes the next one sign with its own address",
		[INSN_REFUSE_SIGNED_ADDRESS] =
			"instruction signs or authenticates with an address in the text",
		[INSN_REFUSE_SIGNED_RETURN] =
			"instruction is a return that authenticates with an address in the text",
		[INSN_REFUSE_PREFIX] = "instruction is a prefix of the next one",
		[INSN_REFUSE_CONTEXT] = "instruction changes the context of protection",
	};

	return insn->refuse < INSN_NR_REFUSES ? reasons[insn->refuse] : NULL;
}

const char *insn_class_name(unsigned int class)
{
	static const char * const names[INSN_NR_CLASSES] = {
		[INSN_SLOT] = "slot",
		[INSN_REFUSED] = "refused",
		[INSN_NOP] = "nop",
		[INSN_ADR] = "adr",
		[INSN_ADRP] = "adrp",
		[INSN_LDR_LITERAL] = "ldr-literal",
		[INSN_B] = "b",
		[INSN_BL] = "bl",
		[INSN_BCOND] = "b-cond",
		[INSN_CBZ] = "cbz",
		[INSN_TBZ] = "tbz",
		[INSN_CB] = "cb",
		[INSN_BR] = "br",
		[INSN_BLR] = "blr",
		[INSN_RET] = "ret",
		[INSN_MRS_DAIF] = "mrs-daif",
		[INSN_MSR_DAIF] = "msr-daif",
		[INSN_DAIFSET] = "daifset",
		[INSN_DAIFCLR] = "daifclr",
	};

	return class < INSN_NR_CLASSES ? names[class] : "?";
}

/* ---- exclusive sequences ---- */

static u16 monitor_flags(const u8 *bytes)
{
	struct insn insn;

	insn_decode(&insn, bytes, INSN_SIZE);
	return insn.flags & (INSN_MONITOR_SET | INSN_MONITOR_USE);
}

/* The nearest exclusive access before: is it a load? */
static bool load_is_before(const u8 *bytes, size_t at)
{
	size_t end = at > MONITOR_RANGE ? at - MONITOR_RANGE : 0;
	u16 flags;

	while (at > end) {
		at -= INSN_SIZE;
		flags = monitor_flags(bytes + at);
		if (flags)
			return flags & INSN_MONITOR_SET;
	}
	return false;
}

/* The nearest exclusive access after: is it a store? */
static bool store_is_behind(const u8 *bytes, size_t size, size_t at)
{
	size_t end = at + MONITOR_RANGE < size ? at + MONITOR_RANGE : size;
	u16 flags;

	for (; at + INSN_SIZE <= end; at += INSN_SIZE) {
		flags = monitor_flags(bytes + at);
		if (flags)
			return flags & INSN_MONITOR_USE;
	}
	return false;
}

bool insn_in_exclusive(const u8 *bytes, size_t size, size_t at)
{
	return load_is_before(bytes, at) && store_is_behind(bytes, size, at);
}

/* A wait before the next exclusive access? */
static bool wait_is_behind(const u8 *bytes, size_t size, size_t at)
{
	size_t end = at + MONITOR_RANGE < size ? at + MONITOR_RANGE : size;
	struct insn insn;

	for (; at + INSN_SIZE <= end; at += INSN_SIZE) {
		insn_decode(&insn, bytes + at, INSN_SIZE);
		if (insn.refuse == INSN_REFUSE_WAIT)
			return true;
		if (insn.flags & (INSN_MONITOR_SET | INSN_MONITOR_USE))
			return false;
	}
	return false;
}

/* sev and sevl leave an event, which the next wait takes. */
static bool leaves_event(const u8 *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return (word & ~0x20u) == 0xd503209f;
}

/* The instruction itself, or one before it, with no wait between. */
static bool event_is_left(const u8 *bytes, size_t at)
{
	size_t end = at > MONITOR_RANGE ? at - MONITOR_RANGE : 0;
	struct insn insn;

	while (!leaves_event(bytes + at)) {
		if (at == end)
			return false;
		at -= INSN_SIZE;
		insn_decode(&insn, bytes + at, INSN_SIZE);
		if (insn.refuse == INSN_REFUSE_WAIT)
			return false;
	}
	return true;
}

bool insn_before_wait(const u8 *bytes, size_t size, size_t at)
{
	if (at + INSN_SIZE > size || !wait_is_behind(bytes, size, at))
		return false;
	return load_is_before(bytes, at) || event_is_left(bytes, at);
}

/* ---- prefixes ---- */

bool insn_after_prefix(const u8 *bytes, size_t size, size_t at)
{
	struct insn insn;

	if (at < INSN_SIZE || at > size)
		return false;
	insn_decode(&insn, bytes + at - INSN_SIZE, INSN_SIZE);
	return insn.refuse == INSN_REFUSE_PREFIX || insn.refuse == INSN_REFUSE_OWN_ADDRESS;
}

/* ---- switches of the address space ---- */

/* How far the two writes may be apart. */
#define SWITCH_RANGE	64

#define MSR_MASK	0xffffffe0u
#define MSR_TTBR0_EL1	0xd5182000u
#define MSR_TTBR1_EL1	0xd5182020u

/* Which of the two an instruction writes, or 0. */
static u32 written_ttbr(const u8 *bytes)
{
	u32 word = word_at(bytes) & MSR_MASK;

	return word == MSR_TTBR0_EL1 || word == MSR_TTBR1_EL1 ? word : 0;
}

static u32 ttbr_before(const u8 *bytes, size_t at)
{
	size_t end = at > SWITCH_RANGE ? at - SWITCH_RANGE : 0;
	u32 written = 0;

	while (at > end && !written) {
		at -= INSN_SIZE;
		written = written_ttbr(bytes + at);
	}
	return written;
}

static u32 ttbr_behind(const u8 *bytes, size_t size, size_t at)
{
	size_t end = at + SWITCH_RANGE < size ? at + SWITCH_RANGE : size;
	u32 written = 0;

	for (; at + INSN_SIZE <= end && !written; at += INSN_SIZE)
		written = written_ttbr(bytes + at);
	return written;
}

bool insn_in_switch(const u8 *bytes, size_t size, size_t at)
{
	return ttbr_before(bytes, at) == MSR_TTBR1_EL1 &&
	       ttbr_behind(bytes, size, at) == MSR_TTBR0_EL1;
}

/* ---- constants ---- */

bool insn_is_pointer(u64 addr, u32 next)
{
	return addr % sizeof(u64) == 0 && next >> 24 == 0xff;
}

/* How far from a constant the instruction that loads it may be. */
#define LITERAL_RANGE	0x4000

/* How an instruction leads away from the next one. */
struct flow {
	bool ends;		/* execution does not continue behind it */
	bool indirect;		/* a branch to an address in a register */
	u64 target;		/* of a direct branch; 0 if it is none */
};

static bool is_pointer(const struct insn_text *text, u64 addr)
{
	return addr + INSN_SIZE < text->end &&
	       insn_is_pointer(addr, text->word(text->data, addr + INSN_SIZE));
}

/* Only the main group of branches is looked up: others, undefined instructions too, are data. */
static struct flow flow_at(const struct insn_text *text, u64 addr)
{
	u32 word = text->word(text->data, addr);
	struct flow flow = { };
	struct insn insn;
	u8 bytes[INSN_SIZE];

	if ((word & 0x1c000000) != 0x14000000)
		return flow;
	memcpy(bytes, &word, sizeof(word));
	if (insn_decode(&insn, bytes, sizeof(bytes)) != INSN_OK)
		return flow;
	flow.ends = insn_ends_flow(&insn);
	flow.indirect = insn.class == INSN_BR;
	/* An end is one all the same: what looks like a pointer may be that and a constant behind it. */
	if (insn_is_direct_branch(&insn) && !is_pointer(text, addr))
		flow.target = insn_branch_target(&insn, addr);
	return flow;
}

/* Behind the nearest instruction before an address that ends the flow; 0: there is none. */
static u64 behind_end(const struct insn_text *text, u64 addr)
{
	for (; addr > text->function; addr -= INSN_SIZE)
		if (flow_at(text, addr - INSN_SIZE).ends)
			return addr;
	return 0;
}

/* Does any direct branch between these two addresses lead to one between those two? */
static bool is_branched_to(const struct insn_text *text, u64 from, u64 to, u64 first, u64 last)
{
	u64 target;

	for (; from < to; from += INSN_SIZE) {
		target = flow_at(text, from).target;
		if (target >= first && target <= last)
			return true;
	}
	return false;
}

/* What has no end at all, has no beginning either. */
static bool ends_nowhere(const struct insn_text *text)
{
	return !behind_end(text, text->function_end);
}

static bool may_be_data(const struct insn_text *text, u64 addr)
{
	u64 first = behind_end(text, addr);

	if (!first)
		return ends_nowhere(text);
	return !is_branched_to(text, text->function, first, first, addr) &&
	       !is_branched_to(text, addr + INSN_SIZE, text->function_end, first, addr);
}

/* ldr or ldrsw of a literal that has this word; not prfm. */
static bool loads(u32 word, u64 ip, u64 addr)
{
	unsigned int opc = field(word, 30, 2), size = opc == 1 ? 8 : 4;

	if ((word & 0x3b000000) != 0x18000000 || opc == 3)
		return false;
	if (word & 0x04000000)
		size = 4 << opc;
	return addr - (ip + (u64)signed_field(word, 5, 19) * 4) < size;
}

static bool is_loaded(const struct insn_text *text, u64 addr)
{
	u64 from = addr - text->start > LITERAL_RANGE ? addr - LITERAL_RANGE : text->start;
	u64 to = text->end - addr > LITERAL_RANGE ? addr + LITERAL_RANGE : text->end;

	for (; from < to; from += INSN_SIZE)
		if (loads(text->word(text->data, from), from, addr) && !is_pointer(text, from))
			return true;
	return false;
}

/* Does a table begin here that is not reached, and has this word? */
static bool is_table(const struct insn_text *text, u64 start, u64 addr)
{
	u64 first = behind_end(text, start), at;

	if (!first || is_branched_to(text, text->function, start, first, addr))
		return false;
	for (at = text->function; at < start; at += INSN_SIZE)
		if (flow_at(text, at).indirect)
			return false;
	return true;
}

/* adr, in the same function */
static bool is_in_table(const struct insn_text *text, u64 addr)
{
	u64 at, start;
	u32 word;

	for (at = text->function; at < addr; at += INSN_SIZE) {
		word = text->word(text->data, at);
		if ((word & 0x9f000000) != 0x10000000 || is_pointer(text, at))
			continue;
		start = at + (u64)(signed_field(word, 5, 19) * 4);
		if (start > at && start <= addr && is_table(text, start, addr))
			return true;
	}
	return false;
}

/* Strings end anywhere, and symbols may be there: only whole words are looked at. */
bool insn_is_data(const struct insn_text *text, u64 addr)
{
	const u64 last = INSN_SIZE - 1;
	struct insn_text words = *text;

	words.start = (text->start + last) & ~last;
	words.function = (text->function + last) & ~last;
	words.end &= ~last;
	words.function_end &= ~last;
	return is_in_table(&words, addr) || (may_be_data(&words, addr) && is_loaded(&words, addr));
}

/* ---- types of functions ---- */

static bool is_nop(const u8 *bytes)
{
	return word_at(bytes) == 0xd503201f;
}

/* It may never return, if it is a call or a breakpoint. */
static bool may_end_flow(const u8 *bytes)
{
	struct insn insn;

	return insn_decode(&insn, bytes, INSN_SIZE) != INSN_OK || insn_ends_flow(&insn) ||
	       insn.class == INSN_BL || insn.class == INSN_BLR ||
	       insn.refuse == INSN_REFUSE_BREAKPOINT;
}

bool insn_ends_in_type(const u8 *bytes, size_t size)
{
	size_t at = size;

	if (size < 2 * INSN_SIZE || is_nop(bytes + size - INSN_SIZE))
		return false;
	for (at -= 2 * INSN_SIZE; at && is_nop(bytes + at); at -= INSN_SIZE)
		;
	return may_end_flow(bytes + at);
}
