/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the program can be asked.
 */
#ifndef LKP_TOOLS_COMMANDS_H
#define LKP_TOOLS_COMMANDS_H

#include "image.h"

struct options {
	struct mitigations mitigations;
	const char *symbols;
	u64 seed;
	u64 samples;		/* 0: all */
	bool json;
	bool list;
	bool running;
};

/* Exit codes; 2 is that of die(). */
enum { ANSWERED, REFUSED, WRONG };

/* The program, but for what works on the running kernel. */
int files_main(int argc, char **argv);

int command_reach(const struct image *image, const struct options *options);
int command_check(const struct image *image, char **places, const struct options *options);
int command_cross(const struct image *image);
int command_unproven(const struct image *image);

/* Parses a whole string, or says why not: a phrase that follows the string. */
const char *parse_number(const char *text, int base, u64 max, u64 *number);

/* The program's own words for a verdict, and why: NULL where there is nothing to say. */
const char *verdict_name(enum verdict verdict);
const char *verdict_why(const struct judgement *j);

#endif /* LKP_TOOLS_COMMANDS_H */
