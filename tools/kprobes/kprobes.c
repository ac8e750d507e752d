// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes: reads the file of a kernel or a module and says what can be probed in
 * it and how.
 */
#include <elf.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

#define DEFAULT_SAMPLES	100000

struct options {
	struct mitigations mitigations;
	const char *symbols;
	u64 seed;
	u64 samples;		/* 0: all */
	bool json;
};

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "kprobes: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(2);
}

/* Zeroed, and never freed: the program ends soon. */
void *allocate(size_t size)
{
	void *mem = calloc(1, size ? size : 1);

	if (!mem)
		die("out of memory");
	return mem;
}

static void open_image(struct image *image, const char *path, const struct options *options)
{
	image_open(image, path);
	if (options->symbols)
		image_read_symbols(image, options->symbols);
	else if (!image->nr_symbols && !(machine.read_symbols && machine.read_symbols(image)))
		die("%s: has no symbols: use --symbols", path);
	facts_collect(image, &options->mitigations);
	if (!image->nr_functions)
		die("%s: none of the symbols is in its text", path);
}

/* ---- reach ---- */

struct count {
	u64 verdicts[NR_VERDICTS];
	u64 reasons[REACH_NR_REASONS];
	u64 unproven;			/* of REACH_TARGET, in functions that are not proven */
	u64 jumps_without[NR_RULES];
	u64 jumps_with_none;
};

/* The points that can be probed. */
static u64 nr_probed(const struct count *count)
{
	return count->verdicts[VERDICT_JUMP] + count->verdicts[VERDICT_FTRACE] +
	       count->verdicts[VERDICT_TRAP];
}

static double share(const struct count *count, u64 part)
{
	u64 all = nr_probed(count);

	return all ? 100.0 * part / all : 0;
}

static bool is_jump(const struct image *image, u64 addr, unsigned int rules)
{
	struct judgement j;

	judge(&j, image, addr, rules);
	return j.verdict == VERDICT_JUMP;
}

static void count_rules(struct count *count, const struct image *image, u64 addr)
{
	unsigned int rule;

	for (rule = 0; rule < NR_RULES; rule++)
		count->jumps_without[rule] += is_jump(image, addr, ALL_RULES & ~(1u << rule));
	count->jumps_with_none += is_jump(image, addr, 0);
}

static void count_one(struct count *count, const struct image *image, u64 addr)
{
	struct judgement j;

	judge(&j, image, addr, ALL_RULES);
	count->verdicts[j.verdict]++;
	if (j.verdict == VERDICT_TRAP) {
		count->reasons[j.region.reason]++;
		if (machine.is_target && machine.is_target(&j.region) &&
		    !image_function(image, addr)->proven)
			count->unproven++;
	}
	/* Leaving a rule out never adds jumps. */
	if (j.verdict == VERDICT_JUMP)
		count_rules(count, image, addr);
}

/* The start of every instruction in the text, without padding. */
static u64 list_points(const struct image *image, u64 **points)
{
	u64 nr = 0, max = 0, at;
	unsigned int i;

	for (i = 0; i < image->nr_sections; i++)
		max += image->sections[i].exec ? image->sections[i].size : 0;
	*points = allocate(max * sizeof(**points));
	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];
		const u16 *text = f->section->text + (f->addr - f->section->addr);

		if (strncmp(f->section->name, ".text", 5))
			continue;
		for (at = 0; at < f->size; at++)
			if (text[at] & TEXT_BOUNDARY && !(text[at] & TEXT_PADDING))
				(*points)[nr++] = f->addr + at;
	}
	return nr;
}

static u64 next_random(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ull;
	return (*state ^ *state >> 31) * 0xbf58476d1ce4e5b9ull >> 20;
}

/* Takes the first points of a shuffled list, so that no point is taken twice. */
static void count_samples(struct count *count, const struct image *image,
			  const struct options *options)
{
	u64 state = options->seed, i, *points, nr = list_points(image, &points);
	u64 samples = options->samples && options->samples < nr ? options->samples : nr;

	for (i = 0; i < samples; i++) {
		u64 other = i + next_random(&state) % (nr - i), addr = points[other];

		points[other] = points[i];
		count_one(count, image, addr);
	}
	free(points);
}

static void print_share(const struct count *count, const char *name, u64 part)
{
	printf("  %-64s %9llu %6.2f %%\n", name, (unsigned long long)part, share(count, part));
}

static void print_text(const struct count *count)
{
	unsigned int i;

	printf("%llu points that can be probed, %llu that can't\n",
	       (unsigned long long)nr_probed(count),
	       (unsigned long long)count->verdicts[VERDICT_REFUSED]);
	print_share(count, "jump", count->verdicts[VERDICT_JUMP]);
	print_share(count, "ftrace", count->verdicts[VERDICT_FTRACE]);
	print_share(count, "trap", count->verdicts[VERDICT_TRAP]);
	printf("reasons for traps\n");
	for (i = REACH_OK + 1; i < REACH_NR_REASONS; i++)
		print_share(count, reach_reason_text(i), count->reasons[i]);
	if (machine.scan_functions)
		print_share(count, "  (of the targets: function not proven)", count->unproven);
	printf("jumps that are possible because\n");
	for (i = 0; i < NR_RULES; i++)
		if (machine.rule_text(i))
			print_share(count, machine.rule_text(i),
				    count->verdicts[VERDICT_JUMP] - count->jumps_without[i]);
	print_share(count, "any of these", count->verdicts[VERDICT_JUMP] - count->jumps_with_none);
}

static void print_json(const struct count *count)
{
	const char *comma = "";
	unsigned int i;

	printf("{\"probed\": %llu, \"refused\": %llu, \"jump\": %.3f, \"ftrace\": %.3f, \"trap\": %.3f,\n",
	       (unsigned long long)nr_probed(count),
	       (unsigned long long)count->verdicts[VERDICT_REFUSED],
	       share(count, count->verdicts[VERDICT_JUMP]),
	       share(count, count->verdicts[VERDICT_FTRACE]),
	       share(count, count->verdicts[VERDICT_TRAP]));
	printf(" \"reasons\": {");
	for (i = REACH_OK + 1; i < REACH_NR_REASONS; i++)
		printf("%s\"%s\": %.3f", i > 1 ? ", " : "", reach_reason_text(i),
		       share(count, count->reasons[i]));
	printf("},\n \"gains\": {");
	for (i = 0; i < NR_RULES; i++) {
		if (!machine.rule_text(i))
			continue;
		printf("%s\"%s\": %.3f", comma, machine.rule_text(i),
		       share(count, count->verdicts[VERDICT_JUMP] - count->jumps_without[i]));
		comma = ", ";
	}
	printf("}}\n");
}

static int command_reach(const struct image *image, const struct options *options)
{
	struct count count = { };

	count_samples(&count, image, options);
	if (options->json)
		print_json(&count);
	else
		print_text(&count);
	return 0;
}

/* ---- check ---- */

static u64 parse_place(const struct image *image, char *place)
{
	char *plus = strchr(place, '+');
	u64 offset = plus ? strtoull(plus + 1, NULL, 0) : 0, addr;

	if (plus)
		*plus = '\0';
	addr = image_lookup(image, place);
	if (!addr && strncmp(place, "0x", 2) == 0)
		addr = strtoull(place, NULL, 16);
	if (!addr)
		die("there is no symbol %s", place);
	return addr + offset;
}

static void print_region(const struct image *image, const struct reach_region *region, u64 addr)
{
	unsigned int i, at = 0, k;

	for (i = 0; i < region->nr; i++) {
		const struct insn *insn = &region->insns[i];
		const u8 *bytes = image_bytes(image, addr + at, insn->length);

		printf("  %016llx  %-16s", (unsigned long long)(addr + at),
		       insn_class_name(insn->class));
		for (k = 0; k < insn->length; k++)
			printf(" %02x", bytes[k]);
		printf("\n");
		at += insn->length;
	}
}

static int command_check(const struct image *image, char *place)
{
	u64 addr = parse_place(image, place);
	const struct function *f = image_function(image, addr);
	struct judgement j;

	judge(&j, image, addr, ALL_RULES);
	if (f)
		printf("%s+0x%llx: ", f->name, (unsigned long long)(addr - f->addr));
	switch (j.verdict) {
	case VERDICT_REFUSED:
		printf("refused: %s\n", j.why);
		return 1;
	case VERDICT_FTRACE:
		printf("ftrace: a call site of the tracer\n");
		return 0;
	case VERDICT_JUMP:
		printf("jump\n");
		break;
	default:
		printf("trap: %s (byte %u)%s\n", reach_reason_text(j.region.reason),
		       j.region.at, f->proven || !machine.scan ? "" : ", as far as is known");
	}
	print_region(image, &j.region, addr);
	return 0;
}

/* ---- cross ---- */

/* A function that refers to the inside of another function, or of an instruction. */
struct crossing {
	const struct image *image;
	const struct function *from;
};

static void note_crossing(void *data, u64 addr)
{
	const struct crossing *c = data;
	const struct function *to = image_function(c->image, addr);
	bool inside;

	if (!to || to->addr == addr)
		return;
	inside = !(*image_text(c->image, addr) & TEXT_BOUNDARY);
	if (to != c->from || inside)
		printf("%s -> %s+0x%llx%s\n", c->from->name, to->name,
		       (unsigned long long)(addr - to->addr),
		       inside ? " inside an instruction" : "");
}

/* Prints each branch into another function: source function -> target. */
static int command_cross(const struct image *image)
{
	struct crossing c = { .image = image };
	unsigned int i;

	if (!machine.scan)
		die("on %s nothing depends on where execution may come to", machine.name);
	for (i = 0; i < image->nr_functions; i++) {
		c.from = &image->functions[i];
		machine.scan(image, c.from, &c, note_crossing);
	}
	return 0;
}

/* Functions that may have unknown targets: none of their points becomes a jump. */
static int command_unproven(const struct image *image)
{
	unsigned int i;

	if (!machine.scan)
		die("on %s nothing depends on where execution may come to", machine.name);
	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];

		if (!f->proven && !(*image_text(image, f->addr) & TEXT_BLACK))
			printf("%s %llu\n", f->name, (unsigned long long)f->size);
	}
	return 0;
}

/* ---- the command line ---- */

static const char usage[] =
	"Usage: kprobes reach FILE [OPTION]...        how many points need no trap, and why others do\n"
	"       kprobes check FILE SYMBOL[+OFFSET]    what a probe there would be: jump, trap or refused\n"
	"       kprobes cross FILE                    branches from one function into another (x86-64)\n"
	"       kprobes unproven FILE                 functions with unknown branch targets (x86-64)\n"
	"FILE is a vmlinux or a module, for x86-64, arm64 or powerpc (64 bits, little-endian).\n"
	"  --all            reach: every point of .text, instead of 100000 random ones\n"
	"  --samples N      reach: N random points\n"
	"  --seed N         reach: seed of the random choice\n"
	"  --json           reach: print JSON\n"
	"  --rets           returns are ret, as on CPUs that need no mitigation (the default)\n"
	"  --return-thunks  returns are jumps to a return thunk, as built\n"
	"  --no-retpolines  indirect branches do not use thunks either\n"
	"  --symbols FILE   a System.map, for a vmlinux without any symbols\n";

static const struct option long_options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "samples", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "json", no_argument, NULL, 'j' },
	{ "rets", no_argument, NULL, 'r' },
	{ "return-thunks", no_argument, NULL, 't' },
	{ "no-retpolines", no_argument, NULL, 'R' },
	{ "symbols", required_argument, NULL, 'S' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static void parse_options(struct options *options, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (c) {
		case 'a':
			options->samples = 0;
			break;
		case 'n':
			options->samples = strtoull(optarg, NULL, 0);
			break;
		case 's':
			options->seed = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			options->json = true;
			break;
		case 'r':
			options->mitigations.return_thunks = false;
			break;
		case 't':
			options->mitigations.return_thunks = true;
			break;
		case 'R':
			options->mitigations.retpolines = false;
			break;
		case 'S':
			options->symbols = optarg;
			break;
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
}

static const char *program_for(unsigned int elf)
{
	switch (elf) {
	case EM_AARCH64:
		return "arm64";
	case EM_PPC64:
		return "powerpc";
	default:
		return NULL;
	}
}

/* The programs for other architectures are in the directory of this one. */
static void leave_to_other(const char *path, char **argv)
{
	unsigned int elf = image_machine(path);
	char self[4096], other[4200];
	const char *name;
	ssize_t len;

	name = elf == machine.elf ? NULL : program_for(elf);
	if (!name)
		return;
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return;
	self[len] = '\0';
	snprintf(other, sizeof(other), "%s-%s", self, name);
	execv(other, argv);
	die("%s: cannot be run", other);
}

int main(int argc, char **argv)
{
	char **arguments = argv;
	struct options options = {
		.samples = DEFAULT_SAMPLES,
		.mitigations.retpolines = true,
	};
	static struct image image;

	parse_options(&options, argc, argv);
	argv += optind;
	argc -= optind;
	if (argc >= 2)
		leave_to_other(argv[1], arguments);
	if (argc == 2 && !strcmp(argv[0], "reach")) {
		open_image(&image, argv[1], &options);
		return command_reach(&image, &options);
	}
	if (argc == 2 && !strcmp(argv[0], "cross")) {
		open_image(&image, argv[1], &options);
		return command_cross(&image);
	}
	if (argc == 2 && !strcmp(argv[0], "unproven")) {
		open_image(&image, argv[1], &options);
		return command_unproven(&image);
	}
	if (argc == 3 && !strcmp(argv[0], "check")) {
		open_image(&image, argv[1], &options);
		return command_check(&image, argv[2]);
	}
	fputs(usage, stderr);
	return 2;
}
