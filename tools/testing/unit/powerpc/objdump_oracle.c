// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executables or random words, disassembled by binutils and decoded by
 * arch/powerpc/insn.c: whether there is an instruction, how long it is, its
 * name and class, and the operands of all that is emulated must agree, except
 * where the table of explained lines below says why they don't.
 *
 *	objdump_oracle file ...
 *	objdump_oracle --random WORDS SEED
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../arch/powerpc/insn_tables.h"

#define OBJDUMP		"powerpc64le-linux-gnu-objdump"
#define MAX_SHOWN	20
#define PROGRESS	1000000

/* A line of objdump's: "address:\tbytes\tmnemonic operands". */
struct line {
	u64 addr;
	u8 bytes[INSN_MAX_LENGTH];
	unsigned int nr_bytes;
	char mnemonic[32];
	char operands[128];
};

/* ---- parsing ---- */

static const char *parse_bytes(struct line *line, const char *p)
{
	char *end;

	line->nr_bytes = 0;
	while (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1])) {
		if (line->nr_bytes == sizeof(line->bytes))
			return NULL;
		line->bytes[line->nr_bytes++] = strtoul(p, &end, 16);
		p = end;
		while (*p == ' ')
			p++;
	}
	return p;
}

/* Returns false for what is not a line of disassembly: titles, "...". */
static bool parse_line(struct line *line, const char *p)
{
	char *end;

	p += strspn(p, " ");
	if (!isxdigit((unsigned char)*p))
		return false;
	line->addr = strtoull(p, &end, 16);
	if (end[0] != ':' || end[1] != '\t')
		return false;
	p = parse_bytes(line, end + 2);
	if (!p || !line->nr_bytes)
		return false;
	p += strspn(p, " \t");
	snprintf(line->mnemonic, sizeof(line->mnemonic), "%.*s", (int)strcspn(p, " \t\n"), p);
	p += strcspn(p, " \t\n");
	p += strspn(p, " \t");
	snprintf(line->operands, sizeof(line->operands), "%.*s", (int)strcspn(p, "\t\n"), p);
	return true;
}

static bool is_data(const struct line *line)
{
	return line->mnemonic[0] == '.';
}

/* ---- names ---- */

/* Where objdump has another name for a word than the ISA. */
static const char *plain_name(const char *mnemonic)
{
	static const char * const synonyms[][2] = {
		{ "dstt", "dst" }, { "dststt", "dstst" }, { "dssall", "dss" },
		{ "dmxxmfacc", "xxmfacc" }, { "dmxxmtacc", "xxmtacc" },
		{ "dmsetaccz", "xxsetaccz" }, { "tendall.", "tend." },
	};
	static char name[32];
	unsigned int i;

	for (i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (!strcmp(mnemonic, synonyms[i][0]))
			return synonyms[i][1];
	if (!strncmp(mnemonic, "dmxv", 4))
		return mnemonic + 2;
	if (strncmp(mnemonic, "pmdmxv", 6))
		return mnemonic;
	snprintf(name, sizeof(name), "pm%s", mnemonic + 4);
	return name;
}

/* Is the rest of a mnemonic one of the letters that bits of the word add? */
static bool is_suffix(const struct insn *insn, const char *rest)
{
	static const char * const of_branch[] = { "", "l", "a", "la" };
	unsigned int form = (insn->flags & INSN_LINK ? 1 : 0) |
			    (insn->flags & INSN_ABSOLUTE ? 2 : 0);

	switch (insn->class) {
	case INSN_BRANCH:
	case INSN_BRANCH_COND:
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		return !strcmp(rest, of_branch[form]);
	}
	if (insn->refuse == INSN_REFUSE_TAR || insn->refuse == INSN_REFUSE_FLUSH)
		return !strcmp(rest, insn->word & 1 ? "l" : "");
	return !*rest || !strcmp(rest, ".") || !strcmp(rest, "o") || !strcmp(rest, "o.");
}

static bool same_name(const struct line *line, const struct insn *insn)
{
	const char *theirs = plain_name(line->mnemonic), *ours = insn_name(insn);
	size_t len = strlen(ours);

	return !strncmp(theirs, ours, len) && is_suffix(insn, theirs + len);
}

/* ---- classes and operands ---- */

static const struct {
	const char *name;
	enum insn_class class;
} classes[] = {
	{ "b", INSN_BRANCH }, { "bc", INSN_BRANCH_COND }, { "bclr", INSN_BRANCH_LR },
	{ "bcctr", INSN_BRANCH_CTR }, { "addpcis", INSN_ADDPCIS }, { "pnop", INSN_NOP },
};

static const char * const refused[] = {
	"tw", "td", "twi", "tdi", "sc", "scv", "rfid", "rfi", "hrfid", "rfscv", "urfid", "rfebb",
	"mtmsr", "mtmsrd", "lwarx", "lbarx", "lharx", "ldarx", "lqarx", "stwcx.", "stbcx.",
	"sthcx.", "stdcx.", "stqcx.", "wait", "stop", "attn", "tbegin.", "tend.", "tabort.",
	"tabortwc.", "tabortwci.", "tabortdc.", "tabortdci.", "treclaim.", "trechkpt.", "tsr.",
	"bctar",
};

static const char * const relative_loads[] = { "plwz", "plbz", "plhz", "plha", "plwa", "pld" };
static const char * const relative_stores[] = { "pstw", "pstb", "psth", "pstd" };

#define ONE_OF(name, list)	one_of(name, list, sizeof(list) / sizeof((list)[0]))

static bool one_of(const char *name, const char * const *list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static long last_number(const char *operands)
{
	const char *comma = strrchr(operands, ',');

	return strtol(comma ? comma + 1 : operands, NULL, 0);
}

static long first_number(const char *operands)
{
	return strtol(operands, NULL, 0);
}

static enum insn_class class_of_spr(bool to, long spr)
{
	switch (spr) {
	case 8:
		return to ? INSN_MTLR : INSN_MFLR;
	case 9:
		return to ? INSN_MTCTR : INSN_MFCTR;
	case 26:
	case 27:
	case 274:
	case 305:
	case 314:
	case 315:
		return INSN_REFUSED;
	default:
		return INSN_SLOT;
	}
}

/* Prefixed: its last operand is R. */
static enum insn_class class_of_prefixed(const char *name, const char *operands)
{
	bool is_memory = strchr(operands, '(');

	if ((!is_memory && strcmp(name, "paddi")) || last_number(operands) != 1)
		return INSN_SLOT;
	if (!is_memory)
		return INSN_PADDI_PC;
	if (ONE_OF(name, relative_loads))
		return INSN_LOAD_PC;
	return ONE_OF(name, relative_stores) ? INSN_STORE_PC : INSN_REFUSED;
}

/* What objdump's text makes the class; @name is without the forms of a branch. */
static enum insn_class expected_class(const struct line *line, const char *name)
{
	unsigned int i;

	if (!strcmp(name, "ori") && !strcmp(line->operands, "r0,r0,0"))
		return INSN_NOP;
	if (!strcmp(name, "mfspr"))
		return class_of_spr(false, last_number(line->operands));
	if (!strcmp(name, "mtspr"))
		return class_of_spr(true, first_number(line->operands));
	if (!strcmp(name, "bcctr") && !(first_number(line->operands) & INSN_BO_KEEP_CTR))
		return INSN_REFUSED;
	if (ONE_OF(name, refused))
		return INSN_REFUSED;
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(name, classes[i].name))
			return classes[i].class;
	if (line->nr_bytes == INSN_MAX_LENGTH)
		return class_of_prefixed(name, line->operands);
	return INSN_SLOT;
}

/* "cr0" is not printed: "eq", "4*cr7+eq". */
static unsigned int parse_bi(const char *operands)
{
	static const char names[] = "ltgteqso";
	const char *p = strchr(operands, ',') + 1;
	unsigned int bi = 0;
	const char *bit;

	if (!strncmp(p, "4*cr", 4)) {
		bi = 4 * (p[4] - '0');
		p += 6;
	}
	bit = strstr(names, (char[]){ p[0], p[1], 0 });
	return bi + (bit - names) / 2;
}

static bool same_condition(const struct line *line, const struct insn *insn)
{
	return first_number(line->operands) == insn->rt && parse_bi(line->operands) == insn->ra;
}

/* Only the target is written in hexadecimal; of an absolute one without a symbol 32 bits. */
static bool same_target(const struct line *line, const struct insn *insn)
{
	const char *comma = strrchr(line->operands, ',');
	u64 theirs = strtoull(comma ? comma + 1 : line->operands, NULL, 16);
	u64 ours = insn_branch_target(insn, line->addr);

	return theirs == ours || (insn->flags & INSN_ABSOLUTE && theirs == (u32)ours);
}

static unsigned int parse_register(const char *operands)
{
	return operands[0] == 'r' ? strtoul(operands + 1, NULL, 10) : ~0u;
}

/* The displacement of a prefixed instruction, behind the first comma or the second. */
static bool same_displacement(const struct line *line, const struct insn *insn)
{
	const char *p = strchr(line->operands, ',');

	if (p && insn->class == INSN_PADDI_PC)
		p = strchr(p + 1, ',');
	return p && strtoll(p + 1, NULL, 10) == insn->imm &&
	       parse_register(line->operands) == insn->rt;
}

static bool same_operands(const struct line *line, const struct insn *insn)
{
	switch (insn->class) {
	case INSN_BRANCH:
		return same_target(line, insn);
	case INSN_BRANCH_COND:
		return same_condition(line, insn) && same_target(line, insn);
	case INSN_BRANCH_LR:
	case INSN_BRANCH_CTR:
		return same_condition(line, insn);
	case INSN_ADDPCIS:
		return parse_register(line->operands) == insn->rt &&
		       last_number(line->operands) * 0x10000 == insn->imm;
	case INSN_MFLR:
	case INSN_MFCTR:
		return parse_register(line->operands) == insn->rt;
	case INSN_MTLR:
	case INSN_MTCTR:
		return parse_register(strchr(line->operands, ',') + 1) == insn->rt;
	case INSN_PADDI_PC:
	case INSN_LOAD_PC:
	case INSN_STORE_PC:
		return same_displacement(line, insn);
	default:
		return true;
	}
}

/* ---- explained lines ---- */

static bool neither(const struct line *line, const struct insn *insn)
{
	return is_data(line) && !insn->length;
}

static u32 first_word(const struct line *line)
{
	return line->bytes[0] | line->bytes[1] << 8 | line->bytes[2] << 16 |
	       (u32)line->bytes[3] << 24;
}

/* Reserved bits that binutils does not look at. */
static bool reserved_bit(const struct line *line, const struct insn *insn)
{
	static const struct {
		const char *name;
		u32 bits;
	} loose[] = {
		{ "cmpi", 0x00400000 }, { "cmpli", 0x00400000 }, { "isel", 1 }, { "lq", 15 },
		{ "sc", 0xf01c }, { "scv", 0xf01c }, { "wait", 0x001c0000 },
		{ "paste.", 0x03c00000 },
		{ "dst", 0x01800001 }, { "dstt", 0x01800001 }, { "dstst", 0x01800001 },
		{ "dststt", 0x01800001 }, { "dss", 0x019ff801 }, { "dssall", 0x019ff801 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(loose) / sizeof(loose[0]); i++)
		if (!strcmp(line->mnemonic, loose[i].name))
			return !insn->length && first_word(line) & loose[i].bits;
	return false;
}

/* An odd register for the first of two. */
static bool odd_pair(const struct line *line, const struct insn *insn)
{
	if (insn->length)
		return false;
	if (!strcmp(line->mnemonic, "plq") || !strcmp(line->mnemonic, "pstq"))
		return line->bytes[6] & 0x20;
	if (!strcmp(line->mnemonic, "dcffixqq"))
		return first_word(line) & 0x00200000;
	return !strcmp(line->mnemonic, "dctfixqq") && first_word(line) & 0x0800;
}

/* The ISA has it an invalid form, too, if the base is one of the registers loaded. */
static bool overlapping_string(const struct line *line, const struct insn *insn)
{
	return !strcmp(line->mnemonic, "lswi") && !insn->length;
}

/* Processors still have mftb, though mfspr does what it does. */
static bool time_base(const struct line *line, const struct insn *insn)
{
	return is_data(line) && insn->length && !strcmp(insn_name(insn), "mftb");
}

/* Compilers and assemblers write only 0 there. */
static bool pnop_suffix(const struct line *line, const struct insn *insn)
{
	static const u8 zeros[INSN_SIZE];

	return !strcmp(line->mnemonic, "pnop") && !insn->length &&
	       memcmp(line->bytes + INSN_SIZE, zeros, INSN_SIZE);
}

static struct explained {
	bool (*holds)(const struct line *line, const struct insn *insn);
	const char *name;
	const char *why;
	u64 count;
} explained[] = {
	{ neither, "data", "neither takes it for an instruction", 0 },
	{ reserved_bit, "reserved", "binutils does not look at a bit that must be 0", 0 },
	{ odd_pair, "pair", "binutils takes an odd register for the even one before", 0 },
	{ overlapping_string, "string", "it loads its own base, an invalid form", 0 },
	{ time_base, "mftb", "binutils has mfspr instead for this processor", 0 },
	{ pnop_suffix, "pnop", "the second word should be 0, and any may do", 0 },
};

#define NR_EXPLAINED	(sizeof(explained) / sizeof(explained[0]))

static bool explain(const struct line *line, const struct insn *insn)
{
	unsigned int i;

	for (i = 0; i < NR_EXPLAINED; i++) {
		if (explained[i].holds(line, insn)) {
			explained[i].count++;
			return true;
		}
	}
	return false;
}

/* ---- comparing ---- */

struct tally {
	u64 lines;
	u64 mismatches;
	u64 by_class[INSN_NR_CLASSES];
};

static void show(const struct line *line, enum insn_status status, const struct insn *insn)
{
	unsigned int i;

	printf("# %" PRIx64 ": ", line->addr);
	for (i = 0; i < line->nr_bytes; i++)
		printf("%02x ", line->bytes[i]);
	printf(": objdump %s %s; ours status %d length %u name %s class %s\n", line->mnemonic,
	       line->operands, status, insn->length, insn->length ? insn_name(insn) : "-",
	       insn_class_name(insn->class));
}

/* A line, and the bytes of the one behind it, which a prefix needs to be judged. */
static void compare(const struct line *line, const struct line *next, struct tally *tally)
{
	u8 bytes[2 * INSN_MAX_LENGTH];
	size_t avail = line->nr_bytes;
	enum insn_status status;
	struct insn insn;

	memcpy(bytes, line->bytes, line->nr_bytes);
	if (next && next->addr == line->addr + line->nr_bytes) {
		memcpy(bytes + avail, next->bytes, next->nr_bytes);
		avail += next->nr_bytes;
	}
	status = insn_decode(&insn, bytes, avail);
	tally->lines++;
	if (status == INSN_OK && !is_data(line) && insn.length == line->nr_bytes &&
	    same_name(line, &insn) && same_operands(line, &insn) &&
	    insn.class == expected_class(line, insn_name(&insn)))
		tally->by_class[insn.class]++;
	else if (!explain(line, &insn) && tally->mismatches++ < MAX_SHOWN)
		show(line, status, &insn);
	if (!(tally->lines % PROGRESS))
		fprintf(stderr, "%" PRIu64 " lines\n", tally->lines);
}

static void compare_stream(FILE *stream, struct tally *tally)
{
	struct line lines[2];
	unsigned int nr = 0;
	char text[512];

	while (fgets(text, sizeof(text), stream)) {
		if (!parse_line(&lines[nr], text))
			continue;
		if (nr) {
			compare(&lines[0], &lines[1], tally);
			lines[0] = lines[1];
		}
		nr = 1;
	}
	if (nr)
		compare(&lines[0], NULL, tally);
}

static void exec_objdump(const char *path, bool binary)
{
	if (binary)
		execlp(OBJDUMP, OBJDUMP, "-D", "-z", "-w", "-EL", "-b", "binary",
		       "-m", "powerpc:common64", "-M", "power10,raw", path, (char *)NULL);
	else
		execlp(OBJDUMP, OBJDUMP, "-d", "-z", "-w", "-M", "power10,raw", path,
		       (char *)NULL);
	perror(OBJDUMP);
	_exit(127);
}

/* Returns false if objdump did not make it to the end. */
static bool compare_file(const char *path, bool binary, struct tally *tally)
{
	int fds[2], status;
	FILE *stream;
	pid_t pid;

	if (pipe(fds))
		return false;
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		exec_objdump(path, binary);
	}
	close(fds[1]);
	stream = fdopen(fds[0], "r");
	if (pid < 0 || !stream)
		return false;
	compare_stream(stream, tally);
	fclose(stream);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool report_file(unsigned int nr, const char *what, bool ok, const struct tally *tally,
			struct tally *total)
{
	unsigned int i;

	ok = ok && !tally->mismatches;
	printf("%s %u - objdump_oracle: %s: %" PRIu64 " instructions, %" PRIu64 " mismatches%s\n",
	       ok ? "ok" : "not ok", nr, what, tally->lines, tally->mismatches,
	       tally->lines ? "" : " # SKIP no code");
	fflush(stdout);
	total->lines += tally->lines;
	total->mismatches += tally->mismatches;
	for (i = 0; i < INSN_NR_CLASSES; i++)
		total->by_class[i] += tally->by_class[i];
	return ok;
}

static void report(const struct tally *total)
{
	unsigned int i;

	printf("# %" PRIu64 " instructions, %" PRIu64 " mismatches\n", total->lines,
	       total->mismatches);
	for (i = 0; i < INSN_NR_CLASSES; i++)
		printf("# class %10" PRIu64 " %s\n", total->by_class[i], insn_class_name(i));
	for (i = 0; i < NR_EXPLAINED; i++)
		printf("# explained %6" PRIu64 " %s: %s\n", explained[i].count,
		       explained[i].name, explained[i].why);
}

/* ---- random words ---- */

static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Words of our tables are tried with each of their fixed bits the other way, too. */
static u32 word_of_row(const struct insn_row *row, u64 *state)
{
	u64 r = next_random(state);
	u32 word = row->match | (r >> 32 & row->fields);

	return r & 3 ? word : word ^ 1u << (r >> 2 & 31);
}

static u32 word_of_table(u64 *state)
{
	const struct insn_row *rows = insn_rows[next_random(state) & 63];
	unsigned int nr = 0;

	while (rows && rows[nr].match)
		nr++;
	return nr ? word_of_row(&rows[next_random(state) % nr], state) : 0;
}

/* Single words that the table's fields hit too seldom: nop, and moves of registers of note. */
static u32 rare_word(u64 *state)
{
	static const u32 words[] = {
		0x60000000, 0x7c0802a6, 0x7c0803a6, 0x7c0902a6, 0x7c0903a6, 0x7c0102a6, 0x7c1a02a6,
		0x7c1a03a6, 0x7c1b02a6, 0x7c1b03a6, 0x7c1a4aa6, 0x7c1a4ba6, 0x7c1b4aa6, 0x7c1b4ba6,
		0x7c1242a6, 0x7c1243a6, 0x7c114aa6, 0x7c114ba6,
	};
	u64 r = next_random(state);

	return words[r % (sizeof(words) / sizeof(words[0]))] | (r >> 32 & 0x03e00000);
}

/* Opcodes of which every word is alike are left to one word in four. */
static u32 random_word(u64 *state)
{
	static const u8 dense[] = { 4, 16, 17, 18, 19, 30, 31, 31, 31, 57, 58, 59, 60, 61, 62, 63 };
	u64 r = next_random(state);
	u32 word = r >> 32;

	if (!(r & 0xf00))
		return rare_word(state);
	switch (r & 3) {
	case 0:
		return word;
	case 1:
		return (word & 0x03ffffff) | (u32)dense[r >> 4 & 15] << 26;
	default:
		return word_of_table(state);
	}
}

/* A row, some of whose bits of the prefix are wrong. */
static void random_prefixed(u32 *pair, u64 *state)
{
	const struct insn_prefixed_row *row = insn_prefixed_rows;
	unsigned int nr = 0;
	u64 r;

	while (insn_prefixed_rows[nr].prefix)
		nr++;
	row += next_random(state) % nr;
	r = next_random(state);
	pair[0] = row->prefix | (r >> 32 & row->prefix_fields);
	if (!(r & 7))
		pair[0] ^= 1u << (r >> 3 & 31);
	pair[1] = word_of_row(&row->suffix, state);
	/* What is relative to its address has no base. */
	if (r & 0x100)
		pair[1] &= ~0x001f0000u;
}

static bool write_random(int fd, u64 nr, u64 seed)
{
	FILE *file = fdopen(fd, "w");
	u64 state = seed;
	u32 pair[2];

	while (file && nr) {
		unsigned int words = 1;

		pair[0] = random_word(&state);
		if (nr > 1 && !(next_random(&state) & 7)) {
			random_prefixed(pair, &state);
			words = 2;
		}
		if (fwrite(pair, sizeof(*pair), words, file) != words)
			return false;
		nr -= words;
	}
	return file && !fclose(file);
}

static bool test_random(u64 nr, u64 seed)
{
	struct tally tally = { 0 }, total = { 0 };
	char path[] = "/tmp/words.XXXXXX";
	int fd = mkstemp(path);
	char what[64];
	bool ok;

	if (fd < 0)
		return false;
	ok = write_random(fd, nr, seed) && compare_file(path, true, &tally);
	unlink(path);
	snprintf(what, sizeof(what), "random words from seed %" PRIu64, seed);
	printf("TAP version 13\n1..1\n");
	ok = report_file(1, what, ok, &tally, &total);
	report(&total);
	return ok;
}

int main(int argc, char **argv)
{
	struct tally total = { 0 };
	int i, failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: objdump_oracle file ... | --random WORDS SEED\n");
		return 2;
	}
	if (argc == 4 && !strcmp(argv[1], "--random"))
		return !test_random(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	printf("TAP version 13\n1..%d\n", argc - 1);
	fflush(stdout);
	for (i = 1; i < argc; i++) {
		struct tally tally = { 0 };
		bool ok = compare_file(argv[i], false, &tally);

		failed += !report_file(i, argv[i], ok, &tally, &total);
	}
	report(&total);
	return failed || !total.lines;
}
