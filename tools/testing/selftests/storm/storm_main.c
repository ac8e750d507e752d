// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls the whole API at random, on probes that are hit meanwhile, and predicts every return
 * code, every line of the files in debugfs and every count:
 *
 *	storm [seed=N] [duration=SECONDS] [operations=N] [trace=1]
 *
 * The same seed gives the same operations, whatever the time they take. If a prediction
 * fails, the operations before that are printed, and it ends with status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

#define REMEMBERED	30

static unsigned long seed = 1, duration = 60, operations = -1ul, trace;
static uint64_t state;
static unsigned long done;
static char notes[REMEMBERED][256];
static unsigned long nr_notes;
static int file;

/* ---- chance ---- */

/* splitmix64: any state will do. */
uint64_t dice(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

unsigned int roll(unsigned int sides)
{
	return dice() % sides;
}

bool chance(unsigned int percent)
{
	return roll(100) < percent;
}

/* ---- what is said ---- */

/* Remembers an operation, to be printed if something turns out to be wrong. */
void note(const char *format, ...)
{
	char *text = notes[nr_notes++ % REMEMBERED];
	int used = snprintf(text, sizeof(notes[0]), "%lu: ", done);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof(notes[0]) - used, format, args);
	va_end(args);
	if (trace) {
		printf("# %s\n", text);
		fflush(stdout);
	}
}

void wrong(const char *format, ...)
{
	unsigned long i = nr_notes < REMEMBERED ? 0 : nr_notes - REMEMBERED;
	va_list args;

	printf("# the last operations:\n");
	for (; i < nr_notes; i++)
		printf("#   %s\n", notes[i % REMEMBERED]);
	printf("# not so after %lu operations, seed=%lu: ", done, seed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	exit(1);
}

void die(const char *what)
{
	wrong("%s: %s", what, strerror(errno));
}

void expect(const char *what, long got, long wanted)
{
	if (got != wanted)
		wrong("%s: got %ld, expected %ld", what, got, wanted);
}

int command(unsigned long request, void *argument)
{
	return ioctl(file, request, argument) ? -errno : 0;
}

/* ---- the beginning and the end ---- */

static unsigned long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void parse(const char *argument)
{
	const struct {
		const char *name;
		unsigned long *value;
	} names[] = {
		{ "seed=", &seed }, { "duration=", &duration },
		{ "operations=", &operations }, { "trace=", &trace },
	};
	unsigned int i;

	for (i = 0; i < LENGTH(names); i++) {
		if (strncmp(argument, names[i].name, strlen(names[i].name)))
			continue;
		*names[i].value = strtoul(argument + strlen(names[i].name), NULL, 0);
		return;
	}
	fprintf(stderr, "storm [seed=N] [duration=SECONDS] [operations=N] [trace=1]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned long end;
	int i;

	for (i = 1; i < argc; i++)
		parse(argv[i]);
	state = seed;
	printf("# seed=%lu duration=%lu\n", seed, duration);
	fflush(stdout);
	file = open(STORM_FILE, O_RDWR);
	if (file < 0)
		die(STORM_FILE);
	files_begin();
	world_begin();
	for (end = now() + duration; now() < end && done < operations; done++)
		operate();
	ops_end();
	world_end();
	printf("# %lu operations\n", done);
	ops_report();
	return 0;
}
