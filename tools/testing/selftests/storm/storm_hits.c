// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of hits: what a call of a function does to the counts of each probe. What the wind
 * does is known from below and above only.
 */
#include <string.h>

#include "storm.h"

/* ---- calls whose number is known ---- */

static bool is_off(const struct probe *probe)
{
	return probe->disabled || probe->gone;
}

static void miss(struct probe *probe)
{
	probe->missed++;
	if (probe->spec.kind == STORM_KRETPROBE)
		probe->missed_returns++;
}

static void miss_at(int place, unsigned int times)
{
	const struct point *pt = model_point(place);
	unsigned int i;

	if (!pt || !model_armed(pt))
		return;
	while (times--)
		for (i = 0; i < pt->nr; i++)
			if (!is_off(&model.probes[pt->ids[i]]))
				miss(&model.probes[pt->ids[i]]);
}

static void miss_fprobes(int place)
{
	int id;

	if (!model.all_on)
		return;
	for (id = 0; id < STORM_PROBES; id++) {
		struct probe *probe = &model.probes[id];

		if (probe->spec.kind == STORM_FPROBE && probe->registered && !probe->disabled &&
		    probe->sites & (1u << place))
			miss(probe);
	}
}

/* A handler calls a function: whoever is hit there misses. */
static void nest(int place)
{
	static const unsigned int times[] = {
		[STORM_IN_C] = 1, [STORM_SLOT] = 1, [STORM_LOOP] = 50, [STORM_DEEP] = 2,
		[STORM_PAIR] = 1, [STORM_PAIR_NEXT] = 1,
		[STORM_CRAMPED] = 1, [STORM_CRAMPED_NEXT] = 2,
	};

	bpf_called(place);
	miss_at(place, times[ROLE_OF(place)]);
	if (ROLE_OF(place) == STORM_IN_C)
		miss_fprobes(place);
	else if (ROLE_OF(place) == STORM_PAIR || ROLE_OF(place) == STORM_CRAMPED)
		miss_at(place + 1, times[ROLE_OF(place) + 1]);
	else if (ROLE_OF(place) == STORM_PAIR_NEXT || ROLE_OF(place) == STORM_CRAMPED_NEXT)
		miss_at(place - 1, 1);
}

static void run_first(struct probe *probe)
{
	if (!(probe->spec.handlers & STORM_PRE))
		return;
	probe->pre++;
	if (probe->spec.nest >= 0)
		nest(probe->spec.nest);
}

/* How many calls of one chain are followed so far, by each probe. */
static unsigned int followed[STORM_PROBES];

static void enter_kretprobe(int id)
{
	struct probe *probe = &model.probes[id];
	bool declines = (probe->spec.handlers & STORM_PRE) && (probe->spec.handlers & STORM_DECLINE);

	if (probe->spec.maxactive > 0 && followed[id] >= (unsigned int)probe->spec.maxactive) {
		probe->missed_returns++;
		return;
	}
	run_first(probe);
	if (!declines)
		followed[id]++;
}

static void hit_probe(int id)
{
	struct probe *probe = &model.probes[id];

	if (is_off(probe))
		return;
	if (probe->spec.kind == STORM_KRETPROBE) {
		enter_kretprobe(id);
		return;
	}
	if (probe->spec.kind == STORM_JPROBE && model_decided(probe->place)) {
		miss(probe);
		return;
	}
	run_first(probe);
	if (probe->spec.kind == STORM_KPROBE && probe->spec.handlers & STORM_POST)
		probe->post++;
}

static void hit(int place)
{
	const struct point *pt = model_point(place);
	unsigned int i;

	if (!pt || !model_armed(pt))
		return;
	for (i = 0; i < pt->nr; i++)
		hit_probe(pt->ids[i]);
}

static void hit_fprobes(int place)
{
	int id;

	if (!model.all_on)
		return;
	for (id = 0; id < STORM_PROBES; id++) {
		struct probe *probe = &model.probes[id];
		uint32_t handlers = probe->spec.handlers;

		if (probe->spec.kind != STORM_FPROBE || !probe->registered || probe->disabled ||
		    !(probe->sites & (1u << place)))
			continue;
		run_first(probe);
		if (handlers & STORM_POST && !(handlers & STORM_PRE && handlers & STORM_DECLINE))
			probe->post++;
	}
}

static void call(int place, unsigned int depth)
{
	unsigned int i;
	int id;

	memset(followed, 0, sizeof(followed));
	bpf_called(place);
	switch (ROLE_OF(place)) {
	case STORM_IN_C:
		hit_fprobes(place);
		hit(place);
		break;
	case STORM_LOOP:
		for (i = 0; i < 50; i++)
			hit(place);
		break;
	case STORM_DEEP:
		for (i = 0; i <= depth; i++)
			hit(place);
		break;
	case STORM_SLOT:
		hit(place);
		break;
	case STORM_CRAMPED:
	case STORM_CRAMPED_NEXT:
		hit(PLACE(GROUP_OF(place), STORM_CRAMPED));
		hit(PLACE(GROUP_OF(place), STORM_CRAMPED_NEXT));
		hit(PLACE(GROUP_OF(place), STORM_CRAMPED_NEXT));
		break;
	default:
		hit(PLACE(GROUP_OF(place), STORM_PAIR));
		hit(PLACE(GROUP_OF(place), STORM_PAIR_NEXT));
	}
	for (id = 0; id < STORM_PROBES; id++)
		if (model.probes[id].spec.handlers & STORM_POST)
			model.probes[id].post += followed[id];
}

void hits_run(const struct storm_run *run)
{
	unsigned int i;

	for (i = 0; i < run->times; i++)
		call(run->place, run->depth);
}

/* ---- the wind ---- */

static struct storm_place winds[STORM_GROUP];
static bool was_open[STORM_PROBES];

static void read_winds(void)
{
	unsigned int i;

	for (i = 0; i < STORM_GROUP; i++) {
		winds[i].index = PLACE(STORM_WIND, i);
		expect("asking for the wind", command(STORM_GET_PLACE, &winds[i]), 0);
	}
}

/* The place of the wind at which a probe is, or was last. */
static int windy_role(const struct probe *probe)
{
	if (probe->spec.kind == STORM_FPROBE)
		return probe->sites & (1u << PLACE(STORM_WIND, STORM_IN_C)) ? STORM_IN_C : -1;
	return probe->place >= 0 && GROUP_OF(probe->place) == STORM_WIND ? ROLE_OF(probe->place) :
									   -1;
}

static bool in_the_wind(const struct probe *probe)
{
	return probe->registered && !is_off(probe) && windy_role(probe) >= 0 && model.all_on;
}

static struct storm_place before[STORM_GROUP];

/* To be called before each operation, and wind_after() after it. */
void wind_before(void)
{
	int id;

	read_winds();
	memcpy(before, winds, sizeof(before));
	for (id = 0; id < STORM_PROBES; id++)
		was_open[id] = model.probes[id].span.open;
}

static void begin_span(struct span *span, int role)
{
	span->open = true;
	span->begun = winds[role].begun;
	span->ended = before[role].ended;
}

static uint64_t least_of(const struct span *span, uint64_t ended)
{
	return span->least + (span->open && ended > span->begun ? ended - span->begun : 0);
}

static uint64_t most_of(const struct span *span, uint64_t begun)
{
	return span->most + (span->open ? begun - span->ended : 0);
}

static void end_span(struct span *span, int role)
{
	span->least = least_of(span, before[role].ended);
	span->most = most_of(span, winds[role].begun);
	span->open = false;
}

/* Those of a batch that failed may have been hit before they were taken back. */
static void allow_for(const struct storm_request *r)
{
	int i;

	for (i = 0; i < r->num && i < STORM_BATCH; i++) {
		struct probe *probe = r->ids[i] < 0 ? NULL : &model.probes[r->ids[i]];
		int role = probe ? windy_role(probe) : -1;

		if (role >= 0 && !probe->registered)
			probe->span.most += winds[role].begun - before[role].ended;
	}
}

void wind_after(const struct storm_request *r, bool failed)
{
	int id, role;

	read_winds();
	for (id = 0; id < STORM_PROBES; id++) {
		struct probe *probe = &model.probes[id];

		role = windy_role(probe);
		if (in_the_wind(probe) && !was_open[id])
			begin_span(&probe->span, role);
		else if (!in_the_wind(probe) && was_open[id])
			end_span(&probe->span, role);
	}
	if (failed)
		allow_for(r);
}

/* ---- comparing ---- */

static void compare(int id, const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		wrong("probe %d: %s: got %llu, expected %llu", id, what, (unsigned long long)got,
		      (unsigned long long)wanted);
}

static void compare_windy(int id, const struct storm_counts *got, uint64_t ended)
{
	const struct probe *probe = &model.probes[id];
	bool returns = probe->spec.kind == STORM_KRETPROBE;
	uint64_t hits = got->pre + (returns ? got->missed_returns : got->missed);
	uint64_t known = probe->pre + (returns ? probe->missed_returns : probe->missed);
	uint64_t least, most;

	if (!(probe->spec.handlers & STORM_PRE))
		return;
	least = known + least_of(&probe->span, ended);
	most = known + most_of(&probe->span, winds[windy_role(probe)].begun);
	if (hits < least || hits > most)
		wrong("probe %d: hits by the wind: got %llu, expected %llu to %llu", id,
		      (unsigned long long)hits, (unsigned long long)least,
		      (unsigned long long)most);
}

static void compare_flags(int id, uint32_t got)
{
	const struct probe *probe = &model.probes[id];
	uint32_t wanted = probe->disabled ? FLAG_DISABLED : 0;
	int role = ROLE_OF(probe->place);

	if (probe->gone)
		wanted |= FLAG_GONE;
	if (model.places[probe->place].ftrace)
		wanted |= FLAG_FTRACE;
	if (role == STORM_IN_C || role == STORM_DEEP || role == STORM_PAIR)
		wanted |= FLAG_ENTRY;
	compare(id, "flags", got & ~FLAG_OPTIMIZED, wanted);
}

static void compare_probe(int id)
{
	const struct probe *probe = &model.probes[id];
	int role = windy_role(probe);
	uint64_t ended = role < 0 ? 0 : winds[role].ended;
	struct storm_counts got = { .id = id };

	expect("asking for counts", command(STORM_COUNTS, &got), 0);
	if (probe->spec.kind != STORM_FPROBE)
		compare(id, "addr", got.addr, probe->addr);
	if (probe->registered && probe->spec.kind != STORM_FPROBE)
		compare_flags(id, got.flags);
	if (role >= 0) {
		read_winds();
		compare_windy(id, &got, ended);
		return;
	}
	compare(id, "calls of its first handler", got.pre, probe->pre);
	compare(id, "calls of its second handler", got.post, probe->post);
	compare(id, "hits missed", got.missed, probe->missed);
	compare(id, "calls missed", got.missed_returns, probe->missed_returns);
}

void counts_compare(void)
{
	int id;

	for (id = 0; id < SCOUT; id++)
		if (model.probes[id].filled)
			compare_probe(id);
	bpf_compare();
}
