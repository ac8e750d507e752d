// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole executables, disassembled by objdump and decoded by arch/x86/insn.c:
 * length and class must agree at every instruction, except where a row of the
 * table of explained lines below says why they don't.
 *
 *	objdump_oracle [--binary] file ...
 *
 * With --binary a file is raw code, from its first byte to its last.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../arch/x86/insn.h"

#define MAX_SHOWN	20
#define PROGRESS	1000000

/* A line of objdump's: "address:\tbytes\tprefixes mnemonic operands". */
struct line {
	u8 bytes[32];
	unsigned int nr_bytes;
	char mnemonic[32];	/* empty if it is of prefixes alone */
	char text[160];		/* from the first prefix on */
	char operands[128];
};

/* objdump's mnemonics that don't go to the slot. */
static const struct {
	const char *mnemonic;
	enum insn_class class;
} classes[] = {
	{ "nop", INSN_NOP }, { "nopw", INSN_NOP }, { "nopl", INSN_NOP }, { "nopq", INSN_NOP },
	{ "endbr64", INSN_NOP }, { "endbr32", INSN_NOP },
	{ "jmp", INSN_JMP }, { "call", INSN_CALL }, { "ret", INSN_RET },
	{ "jo", INSN_JCC }, { "jno", INSN_JCC }, { "jb", INSN_JCC }, { "jae", INSN_JCC },
	{ "je", INSN_JCC }, { "jne", INSN_JCC }, { "jbe", INSN_JCC }, { "ja", INSN_JCC },
	{ "js", INSN_JCC }, { "jns", INSN_JCC }, { "jp", INSN_JCC }, { "jnp", INSN_JCC },
	{ "jl", INSN_JCC }, { "jge", INSN_JCC }, { "jle", INSN_JCC }, { "jg", INSN_JCC },
	{ "loop", INSN_LOOP }, { "loope", INSN_LOOP }, { "loopne", INSN_LOOP },
	{ "loopl", INSN_LOOP }, { "loopel", INSN_LOOP }, { "loopnel", INSN_LOOP },
	{ "jrcxz", INSN_LOOP }, { "jecxz", INSN_LOOP },
	{ "pushf", INSN_PUSHF }, { "pushfw", INSN_PUSHF },
	{ "popf", INSN_POPF }, { "popfw", INSN_POPF },
	{ "cli", INSN_CLI }, { "sti", INSN_STI },
	{ "int3", INSN_REFUSED }, { "int1", INSN_REFUSED }, { "int", INSN_REFUSED },
	{ "ud0", INSN_REFUSED }, { "ud1", INSN_REFUSED }, { "ud2", INSN_REFUSED },
	{ "syscall", INSN_REFUSED }, { "sysenter", INSN_REFUSED },
	{ "sysret", INSN_REFUSED }, { "sysretl", INSN_REFUSED }, { "sysretq", INSN_REFUSED },
	{ "sysexit", INSN_REFUSED }, { "sysexitl", INSN_REFUSED }, { "sysexitq", INSN_REFUSED },
	{ "iret", INSN_REFUSED }, { "iretl", INSN_REFUSED }, { "iretw", INSN_REFUSED },
	{ "iretq", INSN_REFUSED }, { "lret", INSN_REFUSED }, { "lretw", INSN_REFUSED },
	{ "lretl", INSN_REFUSED }, { "lretq", INSN_REFUSED }, { "ljmp", INSN_REFUSED },
	{ "ljmpw", INSN_REFUSED }, { "ljmpl", INSN_REFUSED }, { "lcall", INSN_REFUSED },
	{ "lcallw", INSN_REFUSED }, { "lcalll", INSN_REFUSED }, { "rsm", INSN_REFUSED },
	{ "getsec", INSN_REFUSED }, { "swapgs", INSN_REFUSED }, { "hlt", INSN_REFUSED },
	{ "mwait", INSN_REFUSED }, { "mwaitx", INSN_REFUSED }, { "umwait", INSN_REFUSED },
	{ "tpause", INSN_REFUSED }, { "vmlaunch", INSN_REFUSED }, { "vmresume", INSN_REFUSED },
	{ "vmfunc", INSN_REFUSED }, { "vmrun", INSN_REFUSED }, { "skinit", INSN_REFUSED },
	{ "seamret", INSN_REFUSED }, { "xbegin", INSN_REFUSED }, { "xabort", INSN_REFUSED },
	{ "xend", INSN_REFUSED }, { "uiret", INSN_REFUSED }, { "testui", INSN_REFUSED },
	{ "clui", INSN_REFUSED }, { "stui", INSN_REFUSED }, { "senduipi", INSN_REFUSED },
};

static bool one_of(const char *word, size_t len, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == len && !memcmp(*words, word, len))
			return true;
	}
	return false;
}

/* A word that objdump prints for a prefix. */
static bool is_prefix_word(const char *word, size_t len)
{
	static const char *const prefixes[] = {
		"lock", "rep", "repz", "repnz", "data16", "addr32", "cs", "ds", "es", "ss",
		"fs", "gs", "bnd", "notrack", "xacquire", "xrelease", "{evex}", "{vex}", "{vex3}",
		NULL
	};

	return one_of(word, len, prefixes) || (len >= 3 && !memcmp(word, "rex", 3));
}

/* Parsing */

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

static void parse_text(struct line *line, const char *p)
{
	size_t len;

	snprintf(line->text, sizeof(line->text), "%.*s", (int)strcspn(p, "\n"), p);
	for (p = line->text; *p; p += len) {
		p += strspn(p, " ");
		len = strcspn(p, " ");
		if (!is_prefix_word(p, len))
			break;
	}
	len = strcspn(p, " ");
	/* A branch hint is a prefix too: "je,pn". */
	snprintf(line->mnemonic, sizeof(line->mnemonic), "%.*s", (int)strcspn(p, " ,"), p);
	p += len;
	p += strspn(p, " ");
	snprintf(line->operands, sizeof(line->operands), "%s", p);
}

/* Returns false for what is not a line of disassembly: titles, "...". */
static bool parse_line(struct line *line, const char *p)
{
	p += strspn(p, " ");
	if (!isxdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789abcdef");
	if (p[0] != ':' || p[1] != '\t')
		return false;
	p = parse_bytes(line, p + 2);
	if (!p || !line->nr_bytes)
		return false;
	parse_text(line, *p == '\t' ? p + 1 : p);
	return true;
}

/* What objdump's text makes the class. */

static enum insn_class class_by_name(const char *mnemonic)
{
	unsigned int i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!strcmp(classes[i].mnemonic, mnemonic))
			return classes[i].class;
	}
	return INSN_SLOT;
}

/* The names of 90 with prefixes that change nothing. */
static bool is_nop_xchg(const struct line *line)
{
	return !strcmp(line->mnemonic, "xchg") &&
	       (!strcmp(line->operands, "%ax,%ax") || !strcmp(line->operands, "%rax,%rax"));
}

static bool loads_ss(const struct line *line)
{
	size_t len = strlen(line->operands);

	return !strcmp(line->mnemonic, "mov") && len > 4 &&
	       !strcmp(line->operands + len - 4, ",%ss");
}

static enum insn_class expected_class(const struct line *line)
{
	enum insn_class class = class_by_name(line->mnemonic);
	bool indirect = line->operands[0] == '*';

	if (is_nop_xchg(line))
		return INSN_NOP;
	if (loads_ss(line))
		return INSN_REFUSED;
	if (class == INSN_JMP && indirect)
		return INSN_JMP_IND;
	if (class == INSN_CALL && indirect)
		return INSN_CALL_IND;
	return class;
}

/* Explained lines */

static bool no_instruction(const struct line *line, const struct insn *insn)
{
	return strstr(line->text, "(bad)") && !insn->length;
}

static bool data_directive(const struct line *line, const struct insn *insn)
{
	(void)insn;
	return !strcmp(line->mnemonic, ".byte");
}

static bool lone_prefix(const struct line *line, const struct insn *insn)
{
	return !line->mnemonic[0] && !insn->length;
}

static bool hint_space(const struct line *line, const struct insn *insn)
{
	return class_by_name(line->mnemonic) == INSN_NOP && insn->class == INSN_SLOT &&
	       insn->length == line->nr_bytes && insn->map == INSN_MAP_0F &&
	       insn->opcode >= 0x18 && insn->opcode <= 0x1f;
}

static bool branch16(const struct line *line, const struct insn *insn)
{
	static const char *const names[] = { "jmpw", "callw", "retw", "xbeginw", NULL };
	enum insn_class class = class_by_name(line->mnemonic);

	if (!memchr(line->bytes, 0x66, line->nr_bytes))
		return false;
	if (!one_of(line->mnemonic, strlen(line->mnemonic), names) &&
	    (class < INSN_JMP || class > INSN_CALL_IND))
		return false;
	return !insn->length || insn->refuse == INSN_REFUSE_BRANCH16;
}

/* fwait and an x87 instruction have one name together: finit, fstcw, ... */
static bool fwait_pair(const struct line *line, const struct insn *insn)
{
	struct insn second;

	return insn->length == 1 && line->bytes[0] == 0x9b &&
	       insn_decode(&second, line->bytes + 1, line->nr_bytes - 1) == INSN_OK &&
	       second.length == line->nr_bytes - 1 && second.class == INSN_SLOT;
}

static struct explained {
	bool (*holds)(const struct line *line, const struct insn *insn);
	const char *name;
	const char *why;
	u64 count;
} explained[] = {
	{ no_instruction, "bad", "neither takes it for an instruction", 0 },
	{ data_directive, "data", "cut off by a symbol", 0 },
	{ lone_prefix, "prefix", "objdump shows a prefix that does nothing on its own", 0 },
	{ fwait_pair, "fwait", "objdump shows fwait and what follows as one", 0 },
	{ hint_space, "hint", "a hint without a meaning so far: it may get one", 0 },
	{ branch16, "branch16", "a near branch with 66, that processors disagree on", 0 },
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

/* Comparing */

struct tally {
	u64 instructions;
	u64 mismatches;
	u64 by_class[INSN_NR_CLASSES];
};

static void show(const struct line *line, enum insn_status status, const struct insn *insn)
{
	unsigned int i;

	printf("# ");
	for (i = 0; i < line->nr_bytes; i++)
		printf("%02x ", line->bytes[i]);
	printf(": objdump %u %s; ours status %d length %u class %s\n", line->nr_bytes,
	       line->text, status, insn->length, insn_class_name(insn->class));
}

static void compare(const struct line *line, struct tally *tally)
{
	enum insn_status status;
	struct insn insn;

	status = insn_decode(&insn, line->bytes, line->nr_bytes);
	tally->instructions++;
	if (status == INSN_OK && insn.length == line->nr_bytes && line->mnemonic[0] &&
	    insn.class == expected_class(line)) {
		tally->by_class[insn.class]++;
		return;
	}
	if (!explain(line, &insn) && tally->mismatches++ < MAX_SHOWN)
		show(line, status, &insn);
}

static void compare_stream(FILE *stream, struct tally *tally)
{
	struct line line;
	char text[512];

	while (fgets(text, sizeof(text), stream)) {
		if (!parse_line(&line, text))
			continue;
		compare(&line, tally);
		if (!(tally->instructions % PROGRESS))
			fprintf(stderr, "%" PRIu64 " instructions\n", tally->instructions);
	}
}

static void exec_objdump(const char *path, bool binary)
{
	if (binary)
		execlp("objdump", "objdump", "-D", "-z", "-w", "--insn-width=16", "-b", "binary",
		       "-m", "i386:x86-64", path, (char *)NULL);
	else
		execlp("objdump", "objdump", "-d", "-z", "-w", "--insn-width=16", path,
		       (char *)NULL);
	perror("objdump");
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

static bool test_file(unsigned int nr, const char *path, bool binary, struct tally *total)
{
	struct tally tally = { 0 };
	bool ok = compare_file(path, binary, &tally) && !tally.mismatches;
	unsigned int i;

	printf("%s %u - objdump_oracle: %s: %" PRIu64 " instructions, %" PRIu64 " mismatches%s\n",
	       ok ? "ok" : "not ok", nr, path, tally.instructions, tally.mismatches,
	       tally.instructions ? "" : " # SKIP no code");
	fflush(stdout);
	total->instructions += tally.instructions;
	total->mismatches += tally.mismatches;
	for (i = 0; i < INSN_NR_CLASSES; i++)
		total->by_class[i] += tally.by_class[i];
	return ok;
}

static void report(const struct tally *total)
{
	unsigned int i;

	printf("# %" PRIu64 " instructions, %" PRIu64 " mismatches\n", total->instructions,
	       total->mismatches);
	for (i = 0; i < INSN_NR_CLASSES; i++)
		printf("# class %10" PRIu64 " %s\n", total->by_class[i], insn_class_name(i));
	for (i = 0; i < NR_EXPLAINED; i++)
		printf("# explained %6" PRIu64 " %s: %s\n", explained[i].count,
		       explained[i].name, explained[i].why);
}

int main(int argc, char **argv)
{
	bool binary = argc > 1 && !strcmp(argv[1], "--binary");
	int i, first = binary ? 2 : 1, failed = 0;
	struct tally total = { 0 };

	if (first >= argc) {
		fprintf(stderr, "usage: objdump_oracle [--binary] file ...\n");
		return 2;
	}
	printf("TAP version 13\n1..%d\n", argc - first);
	fflush(stdout);
	for (i = first; i < argc; i++)
		failed += !test_file(i - first + 1, argv[i], binary, &total);
	report(&total);
	return failed || !total.instructions;
}
