// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files for operators: what they have to say, line by line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storm.h"

#define FILE_MAX	65536

static bool side_by_side;
static char text[FILE_MAX];

/* ---- files ---- */

const char *control(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s",
		 side_by_side ? "lkprobes" : "kprobes", name);
	return path;
}

const char *sysctl_path(void)
{
	return side_by_side ? "/proc/sys/debug/lkprobes-optimization" :
			      "/proc/sys/debug/kprobes-optimization";
}

/* A function of kprobes.ko, where no probe may be. */
const char *own_function(void)
{
	return side_by_side ? "lkp_register_kprobe" : "register_kprobe";
}

/* 0 or an error.  The tracer's list of events loses all others if nothing is appended to it. */
int write_file(const char *path, const char *what)
{
	int file = open(path, O_WRONLY | O_APPEND), err = 0;

	if (file < 0)
		return -errno;
	if (write(file, what, strlen(what)) < 0)
		err = -errno;
	close(file);
	return err;
}

static char *read_file(const char *path)
{
	int file = open(path, O_RDONLY);
	ssize_t got, size = 0;

	if (file < 0)
		die(path);
	while ((got = read(file, text + size, sizeof(text) - 1 - size)) > 0)
		size += got;
	if (got < 0)
		die(path);
	close(file);
	text[size] = '\0';
	return text;
}

void files_begin(void)
{
	side_by_side = !access("/sys/kernel/debug/lkprobes/list", F_OK);
	model.all_on = true;
	model.jumps_on = true;
}

/* ---- what can be a jump ---- */

static unsigned int jump_size(const struct point *pt)
{
	return ROLE_OF(pt->place) == STORM_CRAMPED ? SHORT_JUMP_SIZE : JUMP_SIZE;
}

static bool has_armed_neighbour(const struct point *pt)
{
	unsigned int i;

	for (i = 0; i < model.nr_points; i++) {
		const struct point *other = &model.points[i];

		if (other->addr > pt->addr && other->addr < pt->addr + jump_size(pt) &&
		    model_armed(other))
			return true;
	}
	return false;
}

/* Why a point that is armed by a trap is none; NULL if it is a jump. */
static const char *why_trap(const struct point *pt)
{
	if (!model.jumps_on)
		return "optimisation is turned off";
	if (*model.places[pt->place].stays)
		return model.places[pt->place].stays;
	return has_armed_neighbour(pt) ? "another probe lies within the bytes of the jump" : NULL;
}

static bool is_jump(const struct point *pt)
{
	return model_armed(pt) && !model.places[pt->place].ftrace && !why_trap(pt);
}

/* ---- lines ---- */

static const char *module_of(int place)
{
	return GROUP_OF(place) == STORM_AWAY ? "lkp_storm_target" : "lkp_storm";
}

static char letter_of(const struct probe *probe)
{
	return "krjf"[probe->spec.kind];
}

/* Of a function that is gone there is a name only if another has come in its place. */
static void say_list(char *line, size_t size, const struct point *pt, const struct probe *probe)
{
	const struct place *place = &model.places[pt->place];

	snprintf(line, size, "%016llx  %c  %s+0x%llx  %s %s%s%s%s",
		 (unsigned long long)pt->addr, letter_of(probe), pt->gone ? "*" : place->name,
		 (unsigned long long)(pt->addr - place->fn), module_of(pt->place),
		 probe->gone ? "[GONE]" : "", probe->disabled && !probe->gone ? "[DISABLED]" : "",
		 is_jump(pt) ? "[OPTIMIZED]" : "", place->ftrace ? "[FTRACE]" : "");
}

static void say_status(char *line, size_t size, const struct point *pt, const struct probe *probe)
{
	const struct place *place = &model.places[pt->place];
	const char *why = NULL, *state = "off";

	if (pt->gone) {
		state = "gone";
	} else if (model_armed(pt)) {
		why = place->ftrace ? NULL : why_trap(pt);
		state = place->ftrace ? "ftrace" : why ? "trap" : "jump";
	}
	if (probe->spec.kind == STORM_JPROBE && model_decided(pt->place) && model_armed(pt) &&
	    !probe->disabled)
		why = "a live patch or BPF program decides where the function goes on";
	snprintf(line, size, "%c %s:%s+0x%llx %s%s%s%s", letter_of(probe), module_of(pt->place),
		 pt->gone ? "*" : place->name, (unsigned long long)(pt->addr - place->fn), state,
		 probe->disabled && !pt->gone ? " (disabled)" : "", why ? ": " : "", why ?: "");
}

/* Fprobes have no points: the tracer serves them. */
static void say_list_site(char *line, size_t size, const struct place *place, int index,
			  const struct probe *probe)
{
	snprintf(line, size, "%016llx  %c  %s+0x%llx  %s %s[FTRACE]",
		 (unsigned long long)place->addr, letter_of(probe), place->name,
		 (unsigned long long)(place->addr - place->fn), module_of(index),
		 probe->disabled ? "[DISABLED]" : "");
}

static void say_status_site(char *line, size_t size, const struct place *place, int index,
			    const struct probe *probe)
{
	snprintf(line, size, "%c %s:%s+0x%llx %s%s", letter_of(probe), module_of(index), place->name,
		 (unsigned long long)(place->addr - place->fn), model.all_on ? "ftrace" : "off",
		 probe->disabled ? " (disabled)" : "");
}

static const char *last_word(const char *line)
{
	const char *space = strrchr(line, ' ');

	return space ? space + 1 : line;
}

/* Of a probe whose text is gone only the beginning and the end are known. */
static bool line_is(const char *got, const char *wanted)
{
	const char *star = strchr(wanted, '*');

	if (!star)
		return !strcmp(got, wanted);
	return !strncmp(got, wanted, wanted[1] == ' ' ? 2 : 19) &&
	       !strcmp(last_word(got), last_word(wanted));
}

typedef void (*say_fn)(char *line, size_t size, const struct point *pt, const struct probe *probe);

typedef void (*say_site_fn)(char *line, size_t size, const struct place *place, int index,
			    const struct probe *probe);

/* Returns what is behind the line. */
static char *compare_line(const char *name, char *at, const char *line)
{
	char *end = strchr(at, '\n');

	if (end)
		*end = '\0';
	if (!line_is(at, line))
		wrong("%s: got \"%s\", expected \"%s\"", name, at, line);
	return end ? end + 1 : at + strlen(at);
}

static char *compare_points(const char *name, char *at, say_fn say)
{
	unsigned int i, j;
	char line[512];

	for (i = 0; i < model.nr_points; i++) {
		for (j = 0; j < model.points[i].nr; j++) {
			say(line, sizeof(line), &model.points[i],
			    &model.probes[model.points[i].ids[j]]);
			at = compare_line(name, at, line);
		}
	}
	return at;
}

/* The place of an fprobe with the lowest address above another; -1 if there is none. */
static int next_site(const struct probe *probe, uint64_t above)
{
	int i, next = -1;

	for (i = 0; i < STORM_PLACES; i++)
		if (probe->sites & (1u << i) && model.places[i].addr > above &&
		    (next < 0 || model.places[i].addr < model.places[next].addr))
			next = i;
	return next;
}

/* The fprobe that was registered first of those from @order on. */
static const struct probe *next_fprobe(unsigned int order)
{
	const struct probe *next = NULL, *probe;

	for (probe = model.probes; probe < model.probes + STORM_PROBES; probe++)
		if (probe->spec.kind == STORM_FPROBE && probe->registered && probe->order >= order &&
		    (!next || probe->order < next->order))
			next = probe;
	return next;
}

static char *compare_sites(const char *name, char *at, say_site_fn say)
{
	const struct probe *probe;
	unsigned int order = 0;
	char line[512];
	int i;

	for (; (probe = next_fprobe(order)); order = probe->order + 1) {
		for (i = next_site(probe, 0); i >= 0; i = next_site(probe, model.places[i].addr)) {
			say(line, sizeof(line), &model.places[i], i, probe);
			at = compare_line(name, at, line);
		}
	}
	return at;
}

static void compare_file(const char *name, say_fn say, say_site_fn say_site)
{
	char *at = compare_points(name, read_file(control(name)), say);

	at = compare_sites(name, at, say_site);
	if (*at)
		wrong("%s: got \"%s\", expected its end", name, at);
}

/* When nothing is left to be done, all lines are known. */
void files_compare(void)
{
	expect("settling", command(STORM_SETTLE, NULL), 0);
	compare_file("list", say_list, say_list_site);
	compare_file("status", say_status, say_status_site);
}

/* ---- places ---- */

/* The answer of the file "check": "NAME+OFFSET: VERDICT" or with ": WHY". */
static const char *ask(const struct storm_place *at)
{
	char question[64], *answer;

	snprintf(question, sizeof(question), "%s+0x%llx", at->name, (unsigned long long)at->at);
	expect("asking", write_file(control("check"), question), 0);
	answer = read_file(control("check"));
	answer[strcspn(answer, "\n")] = '\0';
	answer = strstr(answer, ": ");
	if (!answer)
		wrong("no answer to \"%s\"", question);
	return answer + 2;
}

static struct storm_place get_place(int place)
{
	struct storm_place at = { .index = place };

	expect("asking for a place", command(STORM_GET_PLACE, &at), 0);
	return at;
}

static void scout_address(struct place *place, const struct storm_place *at)
{
	struct storm_spec spec = {
		.id = SCOUT, .where = STORM_BY_ADDR, .addr = at->fn + at->at,
		.flags = FLAG_DISABLED, .nest = -1,
	};
	struct storm_request r = { .call = STORM_REGISTER, .single = 1, .ids = { SCOUT } };
	struct storm_counts counts = { .id = SCOUT };

	expect("filling in the scout", command(STORM_SET, &spec), 0);
	expect("calling for the scout", command(STORM_DO, &r), 0);
	expect("registering the scout", r.result, 0);
	expect("asking for the scout", command(STORM_COUNTS, &counts), 0);
	place->addr = counts.addr;
	place->ftrace = counts.flags & FLAG_FTRACE;
	r.call = STORM_UNREGISTER;
	expect("unregistering the scout", command(STORM_DO, &r), 0);
}

/* What the model has to know of a place. */
void files_scout(int index)
{
	struct storm_place at = get_place(index);
	struct place *place = &model.places[index];
	const char *answer;

	*place = (struct place){ .present = at.present, .fn = at.fn };
	if (!at.present)
		return;
	snprintf(place->name, sizeof(place->name), "%s", at.name);
	scout_address(place, &at);
	answer = ask(&at);
	if (strcmp(answer, "jump") && strcmp(answer, "ftrace") && strncmp(answer, "trap: ", 6))
		wrong("%s: got \"%s\", expected \"jump\", \"ftrace\" or \"trap\"", at.name, answer);
	snprintf(place->stays, sizeof(place->stays), "%s",
		 strncmp(answer, "trap: ", 6) ? "" : answer + 6);
	/* If there are jumps: it is made so that there is padding for a relay. */
	if (ROLE_OF(index) == STORM_CRAMPED &&
	    strcmp(place->stays, model.places[PLACE(GROUP_OF(index), STORM_PAIR)].stays))
		wrong("%s: got \"%s\", expected the same as at an entry", at.name, answer);
}

/* The answer does not depend on what is registered. */
void files_question(int index)
{
	const struct place *place = &model.places[index];
	struct storm_place at = get_place(index);
	char wanted[160];
	const char *got;

	expect("the place is there", at.present, place->present);
	if (!at.present)
		return;
	snprintf(wanted, sizeof(wanted), "%s%s", place->ftrace ? "ftrace" :
		 *place->stays ? "trap: " : "jump", place->ftrace ? "" : place->stays);
	if (model.foreign & (1u << index))
		strcpy(wanted, "refused: a kprobe of the kernel's own is there");
	got = ask(&at);
	if (strcmp(got, wanted))
		wrong("check %s: got \"%s\", expected \"%s\"", at.name, got, wanted);
}
