// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes list, kprobes status: what is there.  And the list of events, for others.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "live.h"

/* ---- the events ---- */

/* KIND:GROUP/NAME PLACE..., which is taken apart. */
static bool parse_event(char *line, struct event_line *event)
{
	char *colon = strchr(line, ':'), *slash = strchr(line, '/'), *blank = strchr(line, ' ');

	if (!colon || !slash || !blank || colon > slash || slash > blank)
		return false;
	*colon = *slash = *blank = '\0';
	event->group = text_of("%s", colon + 1);
	event->name = text_of("%s", slash + 1);
	event->definition = text_of("%s %s", line, blank + 1);
	return true;
}

static unsigned int parse_events(char *text, struct event_line **events)
{
	unsigned int nr = 0, room = 0;
	char *line;

	while ((line = next_line(&text))) {
		if (nr == room) {
			room = 2 * room + 16;
			*events = realloc(*events, room * sizeof(**events));
			if (!*events)
				die("out of memory");
		}
		memset(&(*events)[nr], 0, sizeof(**events));
		nr += parse_event(line, &(*events)[nr]);
	}
	return nr;
}

/* The counts are in the same order, and have no group.  False if they are of other events. */
static bool parse_counts(char *text, struct event_line *events, unsigned int nr)
{
	unsigned int i = 0;
	char name[256], *line;

	while ((line = next_line(&text))) {
		if (i == nr || sscanf(line, "%255s %llu %llu", name, &events[i].hits,
				      &events[i].missed) != 3 || strcmp(name, events[i].name))
			return false;
		i++;
	}
	return i == nr;
}

void events_free(struct event_line *events, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		free(events[i].group);
		free(events[i].name);
		free(events[i].definition);
	}
	free(events);
}

static char *must_read(const char *dir, const char *name)
{
	char *path = text_of("%s/%s", dir, name), *text = read_file(path);

	if (!text && errno == EACCES)
		die("this needs root");
	if (!text)
		die("%s: %s", path, strerror(errno));
	free(path);
	return text;
}

/* Somebody may add and remove between the two files; not for long. */
struct event_line *events_read(unsigned int *nr)
{
	struct event_line *events = NULL;
	unsigned int tries;

	for (tries = 0; tries < 100; tries++) {
		char *definitions = must_read(events_dir(), "kprobe_events");
		char *counts = must_read(events_dir(), "kprobe_profile");
		bool agree;

		events = NULL;
		*nr = parse_events(definitions, &events);
		agree = parse_counts(counts, events, *nr);
		free(definitions);
		free(counts);
		if (agree)
			return events;
		events_free(events, *nr);
	}
	die("%s changes all the time", events_dir());
}

/* The run that an event belongs to, or 0. */
static int event_run(const struct event_line *event)
{
	size_t length = strlen(RUN_PREFIX);

	return strncmp(event->group, RUN_PREFIX, length) ? 0 : atoi(event->group + length);
}

/* ---- the probes ---- */

/**
 * struct probe_line - a line of the file status
 * @kind, @place, @way: its words; the last one without its colon
 * @why: what follows it, or NULL
 */
struct probe_line {
	char *kind, *place, *way, *why;
};

static bool parse_probe(char *line, struct probe_line *probe)
{
	probe->kind = line;
	probe->place = strchr(line, ' ');
	if (!probe->place)
		return false;
	*probe->place++ = '\0';
	probe->way = strchr(probe->place, ' ');
	if (!probe->way)
		return false;
	*probe->way++ = '\0';
	probe->why = strchr(probe->way, ':');
	if (probe->why) {
		*probe->why++ = '\0';
		probe->why += *probe->why == ' ';
	}
	return true;
}

/* ---- kprobes list ---- */

static void list_events(const struct event_line *events, unsigned int nr)
{
	unsigned int i;

	if (nr)
		printf("%-40s %12s %8s  %s\n", "EVENT", "HITS", "MISSED", "DEFINITION");
	for (i = 0; i < nr; i++) {
		char *name = text_of("%s/%s", events[i].group, events[i].name);

		printf("%-40s %12llu %8llu  %s\n", name, events[i].hits, events[i].missed,
		       events[i].definition);
		free(name);
	}
}

static void list_probes(char *text)
{
	struct probe_line probe;
	bool first = true;
	char *line;

	while ((line = next_line(&text))) {
		if (!parse_probe(line, &probe))
			continue;
		if (first)
			printf("%-4s %-48s %s\n", "KIND", "PLACE", "HOW");
		first = false;
		printf("%-4s %-48s %s%s%s\n", probe.kind, probe.place, probe.way,
		       probe.why ? ": " : "", probe.why ? probe.why : "");
	}
}

static void json_member(const char *name, const char *text, const char *behind)
{
	printf("\"%s\": ", name);
	json_string(text, strlen(text));
	fputs(behind, stdout);
}

static void list_json(const struct event_line *events, unsigned int nr, char *text)
{
	struct probe_line probe;
	const char *comma = "";
	unsigned int i;
	char *line;

	printf("{\"events\": [");
	for (i = 0; i < nr; i++) {
		printf("%s{", i ? ", " : "");
		json_member("group", events[i].group, ", ");
		json_member("name", events[i].name, ", ");
		json_member("definition", events[i].definition, ", ");
		if (event_run(&events[i]))
			printf("\"run\": %d, ", event_run(&events[i]));
		printf("\"hits\": %llu, \"missed\": %llu}", events[i].hits, events[i].missed);
	}
	printf("], \"probes\": [");
	while ((line = next_line(&text))) {
		if (!parse_probe(line, &probe))
			continue;
		printf("%s{", comma);
		comma = ", ";
		json_member("kind", probe.kind, ", ");
		json_member("place", probe.place, ", ");
		if (probe.why)
			json_member("why", probe.why, ", ");
		json_member("how", probe.way, "}");
	}
	printf("]}\n");
}

/* Of two commands that take nothing else. */
static bool wants_json(int argc, char **argv, const char *usage)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	bool json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'j') {
			json = true;
			continue;
		}
		fputs(usage, c == 'h' ? stdout : stderr);
		exit(c == 'h' ? ANSWERED : WRONG);
	}
	if (argv[optind])
		die("'%s' is one argument too many", argv[optind]);
	return json;
}

static bool have_events(void)
{
	char *path = text_of("%s/events/kprobe_events", probes_dir()), *text = read_file(path);
	bool have = text;

	free(path);
	free(text);
	return have;
}

static void need_module(void)
{
	if (!probes_dir())
		events_dir();
}

int command_list(int argc, char **argv)
{
	bool json = wants_json(argc, argv, "Usage: kprobes list [--json]\n");
	struct event_line *events = NULL;
	unsigned int nr = 0;
	char *probes;

	need_module();
	if (have_events())
		events = events_read(&nr);
	probes = must_read(probes_dir(), "status");
	if (json) {
		list_json(events, nr, probes);
	} else {
		list_events(events, nr);
		if (nr && *probes)
			putchar('\n');
		list_probes(probes);
	}
	free(probes);
	events_free(events, nr);
	return ANSWERED;
}

/* ---- kprobes status ---- */

/**
 * struct state - what there is to say
 * @version: of kprobes.ko
 * @enabled, @jumps: are probes on; may they be jumps
 * @have_events: is kprobes_events.ko there
 * @nr_events: how many events
 * @ways, @nr_ways: how many probes have which way
 * @runs: of this program
 */
struct state {
	char *version;
	bool enabled, jumps;
	bool have_events;
	unsigned int nr_events;
	struct {
		char name[32];
		unsigned int nr;
	} ways[16];
	unsigned int nr_ways;
	struct runs runs;
};

/* The first word of a file; "" if there is none. */
static char *word_of(char *path)
{
	char *text = read_file(path);

	free(path);
	if (!text)
		return text_of("%s", "");
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void count_way(struct state *state, const char *way)
{
	unsigned int i;

	for (i = 0; i < state->nr_ways; i++)
		if (!strcmp(state->ways[i].name, way))
			break;
	if (i == sizeof(state->ways) / sizeof(state->ways[0]))
		return;
	if (i == state->nr_ways)
		snprintf(state->ways[state->nr_ways++].name, sizeof(state->ways[0].name), "%s",
			 way);
	state->ways[i].nr++;
}

static void find_state(struct state *state)
{
	char *probes = must_read(probes_dir(), "status"), *at = probes, *line;
	struct probe_line probe;

	while ((line = next_line(&at)))
		if (parse_probe(line, &probe))
			count_way(state, probe.way);
	free(probes);
	state->version = word_of(sys_path("module/kprobes/version"));
	state->enabled = *word_of(text_of("%s/enabled", probes_dir())) != '0';
	state->jumps = *word_of(sys_path("module/kprobes/parameters/optimization")) != 'N';
	state->have_events = have_events();
	if (!state->have_events)
		return;
	events_free(events_read(&state->nr_events), state->nr_events);
	state->runs = runs_find();
}

static void print_state(const struct state *state)
{
	unsigned int i;

	printf("kprobes.ko %s, in %s\n", state->version, probes_dir());
	printf("probes are %s; jumps are %s\n", state->enabled ? "on" : "off",
	       state->jumps ? "on" : "off");
	printf("probes:");
	for (i = 0; i < state->nr_ways; i++)
		printf("%s %u %s", i ? "," : "", state->ways[i].nr, state->ways[i].name);
	printf("%s\n", state->nr_ways ? "" : " none");
	if (!state->have_events)
		printf("kprobes_events.ko is not loaded\n");
	else
		printf("events: %u\n", state->nr_events);
	for (i = 0; i < state->runs.nr; i++)
		printf(state->runs.run[i].alive ? "run %d of kprobes is at work\n" :
		       "run %d of kprobes was killed: the next one takes back what it left\n",
		       state->runs.run[i].pid);
}

static void print_state_json(const struct state *state)
{
	unsigned int i;

	printf("{");
	json_member("version", state->version, ", ");
	json_member("directory", probes_dir(), ", ");
	printf("\"enabled\": %s, \"jumps\": %s, ", state->enabled ? "true" : "false",
	       state->jumps ? "true" : "false");
	printf("\"probes\": {");
	for (i = 0; i < state->nr_ways; i++) {
		printf("%s", i ? ", " : "");
		json_string(state->ways[i].name, strlen(state->ways[i].name));
		printf(": %u", state->ways[i].nr);
	}
	printf("}, ");
	if (state->have_events)
		printf("\"events\": %u, ", state->nr_events);
	printf("\"runs\": [");
	for (i = 0; i < state->runs.nr; i++)
		printf("%s{\"pid\": %d, \"alive\": %s}", i ? ", " : "", state->runs.run[i].pid,
		       state->runs.run[i].alive ? "true" : "false");
	printf("]}\n");
}

int command_status(int argc, char **argv)
{
	bool json = wants_json(argc, argv, "Usage: kprobes status [--json]\n");
	struct state state = { };

	need_module();
	find_state(&state);
	if (json)
		print_state_json(&state);
	else
		print_state(&state);
	return ANSWERED;
}
