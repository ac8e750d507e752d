// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes check: what a probe at a place would be.  Places are arguments, or lines of the
 * standard input.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "machine.h"

const char *parse_number(const char *text, int base, u64 max, u64 *number)
{
	unsigned long long value;
	char *end;

	/* strtoull() takes spaces and signs. */
	if (!(*text >= '0' && *text <= '9') && !(base == 16 && strspn(text, "abcdefABCDEF")))
		return *text ? "is not a number" : "is missing";
	errno = 0;
	value = strtoull(text, &end, base);
	if (*end || end == text)
		return "is not a number";
	if (errno || value > max)
		return "is too large";
	*number = value;
	return NULL;
}

const char *verdict_name(enum verdict verdict)
{
	static const char * const names[NR_VERDICTS] = {
		[VERDICT_JUMP] = "jump", [VERDICT_FTRACE] = "ftrace",
		[VERDICT_TRAP] = "trap", [VERDICT_REFUSED] = "refused",
	};

	return names[verdict];
}

const char *verdict_why(const struct judgement *j)
{
	switch (j->verdict) {
	case VERDICT_FTRACE:
		return "a call site of the tracer";
	case VERDICT_TRAP:
		return j->why ? j->why : reach_reason_text(j->region.reason);
	default:
		return j->why;
	}
}

/* ---- the place ---- */

/* As in /proc/kallsyms, or with a prefix. */
static bool is_address(const char *text)
{
	return !strncmp(text, "0x", 2) ||
	       (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16);
}

/* What is behind "MODULE:", if that is what the file is of, as in the kernel's own "check". */
static const char *unqualified(const struct image *image, const char *place, const char *name)
{
	const char *colon = strchr(name, ':'), *own = image_name(image);

	if (!colon)
		return name;
	if (strlen(own) == (size_t)(colon - name) && !strncmp(name, own, colon - name))
		return colon + 1;
	warn("%s: only places in '%s' can be asked about here", place, own);
	return NULL;
}

static bool parse_symbol(const struct image *image, const char *place, const char *name, u64 *addr)
{
	name = unqualified(image, place, name);
	if (!name)
		return false;
	*addr = *name ? image_lookup(image, name) : 0;
	if (!*name)
		warn("'%s': a place is SYMBOL[+OFFSET] or 0xADDRESS", place);
	else if (!*addr)
		warn("%s: there is no symbol '%s'", place, name);
	return *addr;
}

static bool parse_base(const struct image *image, const char *place, const char *base, u64 *addr)
{
	const char *wrong;

	if (!is_address(base))
		return parse_symbol(image, place, base, addr);
	wrong = parse_number(base, 16, UINT64_MAX, addr);
	if (wrong)
		warn("%s: the address '%s' %s", place, base, wrong);
	return !wrong;
}

/* [MODULE:]SYMBOL[+OFFSET] or ADDRESS[+OFFSET].  False, and a complaint, if it is neither. */
static bool parse_place(const struct image *image, const char *place, u64 *addr)
{
	const char *plus = strchr(place, '+'), *wrong;
	char *base = plus ? strndup(place, plus - place) : strdup(place);
	u64 offset = 0;
	bool good;

	if (!base)
		die("out of memory");
	/* The kernel's offsets have 32 bits. */
	wrong = plus ? parse_number(plus + 1, 0, UINT32_MAX, &offset) : NULL;
	good = !wrong && parse_base(image, place, base, addr);
	if (wrong)
		warn("%s: the offset %s%s%s%s", place, plus[1] ? "'" : "", plus + 1,
		     plus[1] ? "' " : "", wrong);
	else if (good && offset > UINT64_MAX - *addr)
		warn("%s: the offset leads beyond the last address", place);
	good = good && offset <= UINT64_MAX - *addr;
	free(base);
	*addr += offset;
	return good;
}

/* ---- the answer ---- */

static void print_bytes(const struct image *image, u64 addr, unsigned int nr)
{
	const u8 *bytes = image_bytes(image, addr, nr);
	unsigned int i;

	for (i = 0; bytes && i < nr; i++)
		printf("%s%02x", i ? " " : "", bytes[i]);
}

static void print_region(const struct image *image, const struct reach_region *region, u64 addr)
{
	unsigned int i, at = 0;

	for (i = 0; i < region->nr; at += region->insns[i++].length) {
		printf("  %016llx  %-16s ", (unsigned long long)(addr + at),
		       insn_class_name(region->insns[i].class));
		print_bytes(image, addr + at, region->insns[i].length);
		printf("\n");
	}
}

static void print_text(const struct image *image, const struct judgement *j, u64 addr)
{
	const struct function *f = image_function(image, addr);
	const char *why = verdict_why(j);

	if (f)
		printf("%s+0x%llx: ", f->name, (unsigned long long)(addr - f->addr));
	else
		printf("0x%llx: ", (unsigned long long)addr);
	printf("%s%s%s", verdict_name(j->verdict), why ? ": " : "", why ? why : "");
	if (j->verdict == VERDICT_TRAP)
		printf(" (byte %u)%s", j->region.at,
		       f->proven || !machine.scan ? "" : ", as far as is known");
	printf("\n");
	if (j->verdict == VERDICT_JUMP || j->verdict == VERDICT_TRAP)
		print_region(image, &j->region, j->addr);
}

static void print_json(const struct image *image, const struct judgement *j, u64 addr)
{
	const struct function *f = image_function(image, addr);
	const char *why = verdict_why(j);
	unsigned int i, at = 0;

	printf("{\"address\": \"0x%llx\", ", (unsigned long long)addr);
	if (f)
		printf("\"function\": \"%s\", \"offset\": %llu, ", f->name,
		       (unsigned long long)(addr - f->addr));
	printf("\"verdict\": \"%s\"", verdict_name(j->verdict));
	if (why)
		printf(", \"why\": \"%s\"", why);
	if (j->verdict == VERDICT_TRAP)
		printf(", \"byte\": %u", j->region.at);
	printf(", \"instructions\": [");
	for (i = 0; i < j->region.nr; at += j->region.insns[i++].length) {
		printf("%s{\"class\": \"%s\", \"bytes\": \"", i ? ", " : "",
		       insn_class_name(j->region.insns[i].class));
		print_bytes(image, j->addr + at, j->region.insns[i].length);
		printf("\"}");
	}
	printf("]}\n");
}

static int answer(const struct image *image, const char *place, const struct options *options)
{
	struct judgement j;
	u64 addr = 0;

	if (!parse_place(image, place, &addr))
		return WRONG;
	judge(&j, image, addr, ALL_RULES);
	if (options->json)
		print_json(image, &j, addr);
	else
		print_text(image, &j, addr);
	return j.verdict == VERDICT_REFUSED ? REFUSED : ANSWERED;
}

/* Each line that is not empty is a place.  What it ends with may be another system's. */
static int answer_lines(const struct image *image, const struct options *options)
{
	int worst = ANSWERED, now;
	char *line = NULL;
	size_t max = 0;
	ssize_t len;

	while ((len = getline(&line, &max, stdin)) >= 0) {
		while (len && strchr(" \t\r\n", line[len - 1]))
			line[--len] = '\0';
		now = *line ? answer(image, line, options) : ANSWERED;
		worst = now > worst ? now : worst;
	}
	free(line);
	return worst;
}

/* The exit code is that of the worst place. */
int command_check(const struct image *image, char **places, const struct options *options)
{
	int worst = ANSWERED, now;

	for (; *places; places++) {
		now = strcmp(*places, "-") ? answer(image, *places, options) :
					     answer_lines(image, options);
		worst = now > worst ? now : worst;
	}
	return worst;
}
