// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words, disassembled by binutils' libopcodes and decoded by
 * arch/arm64/insn.c: what they are, and with which operands, must agree, except
 * where a row of the table of explained words below says why it does not.
 *
 *	opcodes_oracle --random COUNT SEED
 *	opcodes_oracle file ...
 *
 * Of an ELF file it takes the sections that are code, of another each word.
 */
#define PACKAGE "opcodes_oracle" /* bfd.h wants to know */
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dis-asm.h>

#include "opcodes_names.h"

#define MAX_SHOWN	40
#define PROGRESS	10000000

/* The version that the decoder knows all of: 2.47.50. OPCODES_VERSION is that of the library. */
#define VERSION_KNOWN	24750

/* What libopcodes makes of a word. */
struct answer {
	u32 word;
	u64 addr;
	char text[256];		/* "mnemonic\toperands" */
	size_t len;
	char mnemonic[32];
	const char *operands;	/* in text */
};

/* ---- asking libopcodes ---- */

static int append(void *stream, const char *format, va_list args)
{
	struct answer *answer = stream;
	size_t room = sizeof(answer->text) - answer->len;
	int len = vsnprintf(answer->text + answer->len, room, format, args);

	if (len > 0)
		answer->len += (size_t)len < room ? (size_t)len : room - 1;
	return len;
}

static int print_plain(void *stream, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = append(stream, format, args);
	va_end(args);
	return len;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;
	int len;

	(void)style;
	va_start(args, format);
	len = append(stream, format, args);
	va_end(args);
	return len;
}

static int read_word(bfd_vma addr, bfd_byte *to, unsigned int len, disassemble_info *asked)
{
	const struct answer *answer = asked->stream;
	u64 offset = addr - answer->addr;
	unsigned int i;

	if (offset + len > 4)
		return -1;
	for (i = 0; i < len; i++)
		to[i] = answer->word >> (offset + i) * 8;
	return 0;
}

static void print_address(bfd_vma addr, disassemble_info *asked)
{
	print_plain(asked->stream, "0x%" PRIx64, (u64)addr);
}

static disassemble_info info;
static disassembler_ftype print;

static void prepare(void)
{
	init_disassemble_info(&info, NULL, print_plain, print_styled);
	info.arch = bfd_arch_aarch64;
	info.read_memory_func = read_word;
	info.print_address_func = print_address;
	disassemble_init_for_target(&info);
	print = disassembler(bfd_arch_aarch64, false, 0, NULL);
}

/* On what should have followed the word before. */
static void forget_notes(struct answer *answer)
{
	char *note = strstr(answer->text, "  // note: ");

	if (!note)
		return;
	*note = '\0';
	answer->len = note - answer->text;
}

static void ask(struct answer *answer, u32 word, u64 addr)
{
	const char *tab;

	info.stream = answer;
	answer->word = word;
	answer->addr = addr;
	answer->len = 0;
	answer->text[0] = '\0';
	print(addr, &info);
	forget_notes(answer);
	tab = strchr(answer->text, '\t');
	snprintf(answer->mnemonic, sizeof(answer->mnemonic), "%.*s",
		 (int)(tab ? (size_t)(tab - answer->text) : answer->len), answer->text);
	answer->operands = tab ? tab + 1 : "";
}

/* ---- what its text makes the class ---- */

static bool matches(const char *pattern, const char *word)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] == '*')
		return !strncmp(pattern, word, len - 1);
	return !strcmp(pattern, word);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static void expect_msr(struct insn *want, const char *operands)
{
	size_t i, len = strcspn(operands, ",");

	*want = (struct insn){ .class = INSN_REFUSED, .refuse = INSN_REFUSE_SYSTEM_REGISTER };
	for (i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		if (strlen(written[i].name) == len && !memcmp(written[i].name, operands, len))
			*want = (struct insn){ .class = written[i].class };
}

static void expect_mrs(struct insn *want, const char *operands)
{
	static const char * const overwritten[] = {
		", elr_el1", ", spsr_el1", ", esr_el1", ", far_el1",
		", elr_el2", ", spsr_el2", ", esr_el2", ", far_el2",
	};
	size_t i;

	if (ends_with(operands, ", daif"))
		want->class = INSN_MRS_DAIF;
	for (i = 0; i < sizeof(overwritten) / sizeof(overwritten[0]); i++)
		if (ends_with(operands, overwritten[i]))
			*want = (struct insn){ .class = INSN_REFUSED,
					       .refuse = INSN_REFUSE_TRAP_STATE };
}

/* Of loads and prefetches only a literal has an address, printed as such. */
static bool is_literal(const struct answer *answer)
{
	return (!strcmp(answer->mnemonic, "ldr") || !strcmp(answer->mnemonic, "ldrsw") ||
		!strcmp(answer->mnemonic, "prfm")) && strstr(answer->operands, ", 0x");
}

static void expect(struct insn *want, const struct answer *answer)
{
	size_t i;

	memset(want, 0, sizeof(*want));
	if (is_literal(answer) && !strchr(answer->operands, '['))
		want->class = INSN_LDR_LITERAL;
	if (!strcmp(answer->text, "hint\t#0x27"))
		*want = (struct insn){ .class = INSN_REFUSED, .refuse = INSN_REFUSE_OWN_ADDRESS };
	if (!strcmp(answer->mnemonic, "msr"))
		expect_msr(want, answer->operands);
	if (!strcmp(answer->mnemonic, "mrs"))
		expect_mrs(want, answer->operands);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (matches(names[i].pattern, answer->mnemonic))
			*want = (struct insn){ .class = names[i].class,
					       .refuse = names[i].refuse };
}

/* ---- what our fields make the operands ---- */

static const char *reg(unsigned int nr, char kind, const char *name_of_31)
{
	static char buffers[4][8];
	static unsigned int turn;
	char *buffer = buffers[turn++ % 4];

	if (nr == INSN_REG_31)
		return name_of_31;
	snprintf(buffer, sizeof(buffers[0]), "%c%u", kind, nr);
	return buffer;
}

static const char *general(unsigned int nr, bool wide)
{
	return reg(nr, wide ? 'x' : 'w', wide ? "xzr" : "wzr");
}

static const char *loaded(const struct insn *insn)
{
	if (insn->flags & INSN_VECTOR)
		return insn->size == 16 ? reg(insn->rd, 'q', "q31") :
		       insn->size == 8 ? reg(insn->rd, 'd', "d31") : reg(insn->rd, 's', "s31");
	return general(insn->rd, insn->size == 8 || insn->flags & INSN_SIGNED);
}

static void operands_of(char *text, size_t size, const struct insn *insn, u64 addr)
{
	u64 target = insn_is_relative(insn) ? insn_target(insn, addr) : 0;
	char number[8];

	text[0] = '\0';
	switch (insn->class) {
	case INSN_ADR:
	case INSN_ADRP:
		snprintf(text, size, "%s, 0x%" PRIx64, general(insn->rd, true), target);
		break;
	case INSN_LDR_LITERAL:
		snprintf(text, size, "%s, 0x%" PRIx64, loaded(insn), target);
		break;
	case INSN_B:
	case INSN_BL:
	case INSN_BCOND:
		snprintf(text, size, "0x%" PRIx64, target);
		break;
	case INSN_CBZ:
		snprintf(text, size, "%s, 0x%" PRIx64,
			 general(insn->rd, insn->flags & INSN_WIDE), target);
		break;
	case INSN_TBZ:
		snprintf(text, size, "%s, #%u, 0x%" PRIx64, general(insn->rd, insn->bit > 31),
			 insn->bit, target);
		break;
	case INSN_CB:
		snprintf(number, sizeof(number), "#%u", insn->bit);
		snprintf(text, size, "%s, %s, 0x%" PRIx64, general(insn->rd, insn->size == 8),
			 insn->flags & INSN_IMMEDIATE ? number :
			 general(insn->rm, insn->size == 8), target);
		break;
	case INSN_BR:
	case INSN_BLR:
		snprintf(text, size, "%s%s%s", general(insn->rn, true),
			 insn->flags & INSN_AUTH && !(insn->flags & INSN_NO_MODIFIER) ? ", " : "",
			 insn->flags & INSN_AUTH && !(insn->flags & INSN_NO_MODIFIER) ?
			 reg(insn->rm, 'x', "sp") : "");
		break;
	case INSN_RET:
		if (!(insn->flags & INSN_AUTH) && insn->rn != 30)
			snprintf(text, size, "%s", general(insn->rn, true));
		break;
	case INSN_MRS_DAIF:
		snprintf(text, size, "%s, daif", general(insn->rd, true));
		break;
	case INSN_MSR_DAIF:
		snprintf(text, size, "daif, %s", general(insn->rd, true));
		break;
	case INSN_DAIFSET:
	case INSN_DAIFCLR:
		snprintf(text, size, "daif%s, #0x%x",
			 insn->class == INSN_DAIFSET ? "set" : "clr", (unsigned int)insn->imm);
		break;
	}
}

static const char * const conditions[16] = {
	"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
	"hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
};

/* Two conditions have other names here: higher or same, lower. */
static bool same_comparison(const char *name, const struct insn *insn)
{
	const char *condition = insn->condition == 2 ? "hs" : insn->condition == 3 ? "lo" :
				conditions[insn->condition];
	const char *width = insn->size == 1 ? "b" : insn->size == 2 ? "h" : "";
	char text[16];

	snprintf(text, sizeof(text), "cb%s%s", width, condition);
	return !strcmp(name, text);
}

/* The parts of the mnemonic that fields stand for. */
static bool same_variant(const struct answer *answer, const struct insn *insn)
{
	const char *name = answer->mnemonic;
	size_t len = strlen(name);

	switch (insn->class) {
	case INSN_BCOND:
		return !strcmp(strchr(name, '.') + 1, conditions[insn->condition]);
	case INSN_CB:
		return same_comparison(name, insn);
	case INSN_CBZ:
	case INSN_TBZ:
		return (name[2] == 'n') == !!(insn->flags & INSN_NEGATED);
	case INSN_LDR_LITERAL:
		return (name[0] == 'p') == !!(insn->flags & INSN_PREFETCH) &&
		       !strcmp(name, "ldrsw") == !!(insn->flags & INSN_SIGNED);
	case INSN_BR:
	case INSN_BLR:
		if (!(insn->flags & INSN_AUTH))
			return name[len - 1] == 'r';
		if ((name[len - 1] == 'z') != !!(insn->flags & INSN_NO_MODIFIER))
			return false;
		return (name[insn->class == INSN_BR ? 3 : 4] == 'b') ==
		       !!(insn->flags & INSN_KEY_B);
	case INSN_RET:
		return !!(insn->flags & INSN_AUTH) == (len == 5) &&
		       (name[len - 1] == 'b') == !!(insn->flags & INSN_KEY_B);
	default:
		return true;
	}
}

/* Nothing that can't fault has an operand in memory. */
static bool steady_enough(const struct answer *answer, const struct insn *insn)
{
	return insn->class != INSN_SLOT || insn_may_fault(insn) ||
	       !strchr(answer->operands, '[');
}

/* A branch that is tagged by its name alone, and prfm whose hint is no register. */
static bool same_operands(const struct answer *answer, const struct insn *insn)
{
	char text[128];

	operands_of(text, sizeof(text), insn, answer->addr);
	if (insn->flags & INSN_PREFETCH)
		return !strcmp(strstr(text, ", ") + 2, strstr(answer->operands, ", ") + 2);
	return !text[0] || !strncmp(answer->operands, text, strlen(text));
}

static bool agree(const struct answer *answer, const struct insn *insn)
{
	struct insn want = { .class = INSN_SLOT };

	/* SVE has names in common with the rest: adr. */
	if (!(insn->flags & INSN_UNCHECKED))
		expect(&want, answer);
	return insn->length == 4 && insn->class == want.class && insn->refuse == want.refuse &&
	       same_variant(answer, insn) && same_operands(answer, insn) &&
	       steady_enough(answer, insn);
}

/* ---- explained words ---- */

static bool is_undefined(const struct answer *answer)
{
	return !strcmp(answer->mnemonic, ".inst");
}

static bool both_undefined(const struct answer *answer, const struct insn *insn)
{
	return is_undefined(answer) && !insn->length;
}

static bool vector_space(const struct answer *answer, const struct insn *insn)
{
	return is_undefined(answer) && insn->flags & INSN_UNCHECKED;
}

/*
 * Encodings that the architecture leaves to the processor, within bounds, but
 * libopcodes rejects.
 */

/* ldpsw of one register twice, or of the one that is written back. */
static bool same_register(u32 word)
{
	unsigned int first = word & 31, second = word >> 10 & 31, base = word >> 5 & 31;
	bool written_back = word >> 23 & 1;

	return (word & 0xfe400000) == 0x68400000 &&
	       (first == second || (written_back && (first == base || second == base)));
}

/* casp, caspt, rcwcasp of registers that are not even, sysp of one. */
static bool odd_pair(u32 word)
{
	if ((word & 0xfff80000) == 0xd5480000)
		return word & 1;
	return word & 0x00010001 && ((word & 0xbfa07c00) == 0x08207c00 ||
				     (word & 0xffa07c00) == 0x49807c00 ||
				     (word & 0xbf20fc00) == 0x19200c00);
}

/* ld64b, st64b, st64bv, st64bv0 of eight registers that are not there. */
static bool odd_eight(u32 word)
{
	return (word & 0xff208c00) == 0xf8208000 && (word & 1 || (word & 31) > 22);
}

/* ldar with something in the fields of the registers it does not have. */
static bool should_be_one(u32 word)
{
	return (word & 0x3fe08000) == 0x08c08000 && (word & 0x001f7c00) != 0x001f7c00;
}

/* cpy* and set* whose three registers are not three, or are the last. */
static bool overlapping(u32 word)
{
	unsigned int to = word & 31, from = word >> 16 & 31, count = word >> 5 & 31;

	if ((word & 0x3fff0c00) == 0x1ddf0000)
		return to == count || to == 31 || count == 31;
	return (word & 0xfb200c00) == 0x19000400 &&
	       (to == from || to == count || from == count || to == 31 || from == 31 ||
		count == 31);
}

static bool unpredictable(const struct answer *answer, const struct insn *insn)
{
	u32 word = answer->word;

	return is_undefined(answer) && insn->length &&
	       (same_register(word) || odd_pair(word) || odd_eight(word) ||
		should_be_one(word) || overlapping(word));
}

/* libopcodes takes op0 of mrs and msr to be of two bits, the architecture has one and a one. */
static bool no_register(const struct answer *answer, const struct insn *insn)
{
	return answer->mnemonic[0] == 'm' && (answer->word & 0xffd80000) == 0xd5000000 &&
	       !insn->length;
}

/* What has come into binutils since: the one that is older does not know it. */
static bool too_new(const struct answer *answer, const struct insn *insn)
{
	const unsigned int version = OPCODES_VERSION;

	if (version < VERSION_KNOWN)
		return insn->length && (is_undefined(answer) || !strcmp(answer->mnemonic, "sys"));
	return version > VERSION_KNOWN && !insn->length;
}

static struct explained {
	bool (*holds)(const struct answer *answer, const struct insn *insn);
	const char *name;
	const char *why;
	u64 count;
} explained[] = {
	{ both_undefined, "undefined", "neither takes it for an instruction", 0 },
	{ vector_space, "vector", "undefined in the slot as well as in its place", 0 },
	{ unpredictable, "unpredictable", "the slot does what its place would", 0 },
	{ too_new, "new", "libopcodes and the decoder are not of the same time", 0 },
	{ no_register, "op0", "libopcodes names a register that no encoding has", 0 },
};

#define NR_EXPLAINED	(sizeof(explained) / sizeof(explained[0]))

static bool explain(const struct answer *answer, const struct insn *insn)
{
	unsigned int i;

	for (i = 0; i < NR_EXPLAINED; i++) {
		if (explained[i].holds(answer, insn)) {
			explained[i].count++;
			return true;
		}
	}
	return false;
}

/* ---- comparing ---- */

struct tally {
	u64 words;
	u64 mismatches;
	u64 by_class[INSN_NR_CLASSES];
};

static void show(const struct answer *answer, const struct insn *insn)
{
	char operands[128];

	operands_of(operands, sizeof(operands), insn, answer->addr);
	printf("# %08x at 0x%" PRIx64 ": libopcodes %s; ours length %u class %s %s (%s)\n",
	       answer->word, answer->addr, answer->text, insn->length,
	       insn_class_name(insn->class), operands,
	       insn_refusal(insn) ? insn_refusal(insn) : "probed");
}

static void compare(struct tally *tally, u32 word, u64 addr)
{
	const u8 bytes[4] = { word, word >> 8, word >> 16, word >> 24 };
	struct answer answer;
	struct insn insn;

	ask(&answer, word, addr);
	insn_decode(&insn, bytes, sizeof(bytes));
	if (++tally->words % PROGRESS == 0)
		fprintf(stderr, "%" PRIu64 " words\n", tally->words);
	if (!is_undefined(&answer) && agree(&answer, &insn))
		tally->by_class[insn.class]++;
	else if (!explain(&answer, &insn) && tally->mismatches++ < MAX_SHOWN)
		show(&answer, &insn);
}

static void compare_bytes(struct tally *tally, const u8 *bytes, size_t size, u64 addr)
{
	size_t at;

	for (at = 0; at + 4 <= size; at += 4)
		compare(tally, bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 |
			(u32)bytes[at + 3] << 24, addr + at);
}

static void compare_elf(struct tally *tally, const u8 *bytes, size_t size)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *section = (const void *)(bytes + header->e_shoff);
	unsigned int i;

	if (header->e_machine != EM_AARCH64 ||
	    header->e_shoff + header->e_shnum * sizeof(*section) > size)
		return;
	for (i = 0; i < header->e_shnum; i++, section++)
		if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
		    section->sh_offset + section->sh_size <= size)
			compare_bytes(tally, bytes + section->sh_offset, section->sh_size,
				      section->sh_addr);
}

static u8 *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	u8 *bytes = NULL;
	long end;

	if (file && !fseek(file, 0, SEEK_END)) {
		end = ftell(file);
		rewind(file);
		bytes = malloc(end + 1);
		*size = bytes ? fread(bytes, 1, end, file) : 0;
	}
	if (file)
		fclose(file);
	return bytes;
}

static void compare_file(struct tally *tally, const char *path)
{
	size_t size = 0;
	u8 *bytes = read_file(path, &size);

	if (size > sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG))
		compare_elf(tally, bytes, size);
	else if (bytes)
		compare_bytes(tally, bytes, size, 0xffff800008000000ull);
	free(bytes);
}

static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Few random words are of these spaces, and much depends on them. */
static const struct {
	u32 random;	/* bits */
	u32 value;	/* of the others */
} aims[] = {
	{ 0x00ffffff, 0xd4000000 },	/* exceptions */
	{ 0x003fffff, 0xd5000000 },	/* system */
	{ 0x00000fff, 0xd503201f },	/* hints */
	{ 0x00000fff, 0xd503301f },	/* barriers */
	{ 0x0007ffe0, 0xd500401f },	/* fields of PSTATE */
	{ 0x0020001f, 0xd51b4220 },	/* interrupt masks */
	{ 0x00e01fff, 0xd61f0000 },	/* indirect branches */
	{ 0x01e01fff, 0xd61f0000 },
};

/* In a field for a register: what is often all that is allowed there. */
static u32 with_fixed(u32 word, u64 value)
{
	static const u32 fixed[] = { 31, 0, 30 };
	static const unsigned int shifts[] = { 0, 5, 10, 16 };
	unsigned int i, which;

	for (i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++, value >>= 2) {
		which = value & 3;
		if (which < 3)
			word = (word & ~(31u << shifts[i])) | fixed[which] << shifts[i];
	}
	return word;
}

/* One word in four is aimed, and one in four has fields of the usual values. */
static u32 random_word(u64 value)
{
	unsigned int i = value >> 32 & 31;

	if (i >= 24)
		return with_fixed(value, value >> 37);
	if (i >= sizeof(aims) / sizeof(aims[0]))
		return value;
	return (value & aims[i].random) | (aims[i].value & ~aims[i].random);
}

static void compare_random(struct tally *tally, u64 count, u64 seed)
{
	u64 value, i;

	for (i = 0; i < count; i++) {
		value = next_random(&seed);
		compare(tally, random_word(value), 0xffff800008000000ull + (value >> 38 << 2));
	}
}

static bool report(unsigned int nr, const char *name, const struct tally *tally)
{
	printf("%s %u - opcodes_oracle: %s: %" PRIu64 " words, %" PRIu64 " mismatches%s\n",
	       tally->mismatches ? "not ok" : "ok", nr, name, tally->words, tally->mismatches,
	       tally->words ? "" : " # SKIP no code");
	fflush(stdout);
	return !tally->mismatches;
}

static void report_all(const struct tally *all)
{
	unsigned int i;

	for (i = 0; i < INSN_NR_CLASSES; i++)
		printf("# class %10" PRIu64 " %s\n", all->by_class[i], insn_class_name(i));
	for (i = 0; i < NR_EXPLAINED; i++)
		printf("# explained %10" PRIu64 " %s: %s\n", explained[i].count,
		       explained[i].name, explained[i].why);
}

static void add(struct tally *all, const struct tally *tally)
{
	unsigned int i;

	all->words += tally->words;
	all->mismatches += tally->mismatches;
	for (i = 0; i < INSN_NR_CLASSES; i++)
		all->by_class[i] += tally->by_class[i];
}

int main(int argc, char **argv)
{
	bool random = argc == 4 && !strcmp(argv[1], "--random");
	int i, tests = random ? 1 : argc - 1, failed = 0;
	struct tally all = { 0 };

	if (argc < 2) {
		fprintf(stderr, "usage: opcodes_oracle --random COUNT SEED | file ...\n");
		return 2;
	}
	prepare();
	printf("TAP version 13\n1..%d\n", tests);
	printf("# libopcodes %u, the decoder knows all of %u\n", OPCODES_VERSION, VERSION_KNOWN);
	for (i = 1; i <= tests; i++) {
		struct tally tally = { 0 };

		if (random)
			compare_random(&tally, strtoull(argv[2], NULL, 0),
				       strtoull(argv[3], NULL, 0));
		else
			compare_file(&tally, argv[i]);
		failed += !report(i, random ? "random words" : argv[i], &tally);
		add(&all, &tally);
	}
	report_all(&all);
	return failed || !all.words;
}
