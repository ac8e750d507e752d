// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes reach: how many places become jumps, and why others do not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "machine.h"

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

/* The address comes first, as names are not unique. */
static void list_one(const struct image *image, u64 addr)
{
	const struct function *f = image_function(image, addr);
	struct judgement j;
	const char *why;

	judge(&j, image, addr, ALL_RULES);
	why = verdict_why(&j);
	printf("0x%llx %s+0x%llx: %s%s%s\n", (unsigned long long)addr, f->name,
	       (unsigned long long)(addr - f->addr), verdict_name(j.verdict), why ? ": " : "",
	       why ? why : "");
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
		if (options->list)
			list_one(image, addr);
		else
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

int command_reach(const struct image *image, const struct options *options)
{
	struct count count = { };

	count_samples(&count, image, options);
	if (options->list)
		return ANSWERED;
	if (options->json)
		print_json(&count);
	else
		print_text(&count);
	return 0;
}
