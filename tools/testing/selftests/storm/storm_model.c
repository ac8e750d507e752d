// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of registration: what each call of the API returns, and which probes are then at
 * which points.
 */
#include <errno.h>
#include <string.h>

#include "storm.h"

struct model model;

/* ---- points ---- */

struct point *model_point(int place)
{
	unsigned int i;

	for (i = 0; i < model.nr_points; i++)
		if (model.points[i].place == place && !model.points[i].gone)
			return &model.points[i];
	return NULL;
}

bool model_armed(const struct point *pt)
{
	unsigned int i;

	if (pt->gone || !model.all_on)
		return false;
	for (i = 0; i < pt->nr; i++)
		if (!model.probes[pt->ids[i]].disabled)
			return true;
	return false;
}

/* Does the tracer serve any of our points, or an fprobe? */
bool model_traces(void)
{
	unsigned int i;

	for (i = 0; i < STORM_PROBES; i++)
		if (model.probes[i].spec.kind == STORM_FPROBE && model.probes[i].registered &&
		    model.all_on)
			return true;
	for (i = 0; i < model.nr_points; i++)
		if (model_armed(&model.points[i]) && model.places[model.points[i].place].ftrace)
			return true;
	return false;
}

/* Does a live patch or BPF have the last word there? */
bool model_decided(int place)
{
	if (place >= 0 && model.programs & (1u << place))
		return true;
	return place == STORM_PATCHED && model.patched && model.patch_decides;
}

/* Once the tracer has none of ours, our callback comes again behind the live patch's. */
void model_update(void)
{
	if (model.patched && !model_traces())
		model.patch_decides = true;
}

static struct point *point_with(int id)
{
	unsigned int i, j;

	for (i = 0; i < model.nr_points; i++)
		for (j = 0; j < model.points[i].nr; j++)
			if (model.points[i].ids[j] == id)
				return &model.points[i];
	return NULL;
}

static bool has_jprobe(const struct point *pt)
{
	return pt->nr && model.probes[pt->ids[pt->nr - 1]].spec.kind == STORM_JPROBE;
}

/* A jprobe is the last. */
static void attach(int id, int place)
{
	struct probe *probe = &model.probes[id];
	struct point *pt = model_point(place);
	unsigned int at;

	if (!pt) {
		pt = &model.points[model.nr_points++];
		*pt = (struct point){ .place = place, .addr = model.places[place].addr };
	}
	at = has_jprobe(pt) ? pt->nr - 1 : pt->nr;
	memmove(&pt->ids[at + 1], &pt->ids[at], (pt->nr - at) * sizeof(pt->ids[0]));
	pt->ids[at] = id;
	pt->nr++;
	probe->registered = true;
	probe->gone = false;
	probe->place = place;
	probe->addr = pt->addr;
	probe->missed = 0;
	probe->missed_returns = 0;
}

static void detach(int id)
{
	struct point *pt = point_with(id);
	unsigned int i = 0;

	while (pt->ids[i] != id)
		i++;
	memmove(&pt->ids[i], &pt->ids[i + 1], (--pt->nr - i) * sizeof(pt->ids[0]));
	if (!pt->nr)
		memmove(pt, pt + 1, (&model.points[--model.nr_points] - pt) * sizeof(*pt));
	model.probes[id].registered = false;
}

/* ---- addresses ---- */

static const char *without_module(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/* 0 and where its function begins, or an error. */
static int find_name(const char *name, uint64_t *addr)
{
	int i;

	for (i = 0; i < STORM_PLACES; i++) {
		if (!model.places[i].present || strcmp(without_module(name), model.places[i].name))
			continue;
		*addr = model.places[i].fn;
		return 0;
	}
	return strcmp(name, own_function()) ? -ENOENT : -EINVAL;
}

static bool is_entry(int place)
{
	int role = ROLE_OF(place);

	return role == STORM_IN_C || role == STORM_DEEP || role == STORM_PAIR;
}

/* The place at an address, or an error. */
static int find_place(uint64_t addr)
{
	int i;

	for (i = 0; i < STORM_PLACES; i++) {
		const struct place *place = &model.places[i];

		if (!place->present)
			continue;
		if (addr == place->addr || (addr == place->fn && is_entry(i)))
			return i;
		/* Only within this instruction are there probes at such addresses. */
		if (ROLE_OF(i) == STORM_SLOT && addr == place->addr + 1)
			return -EILSEQ;
	}
	return -EINVAL;
}

/* Where it is going to be, or why it is refused. */
static int resolve(const struct probe *probe)
{
	bool named = probe->spec.where == STORM_BY_NAME || probe->spec.where == STORM_BY_BOTH;
	uint64_t addr = probe->addr;
	int err, place;

	if (named == !!addr)
		return -EINVAL;
	if (named) {
		err = find_name(probe->spec.name, &addr);
		if (err)
			return err;
	}
	place = find_place(addr + probe->spec.offset);
	if (place >= 0 && model.foreign & (1u << place))
		return -EINVAL;
	if (place >= 0 && probe->spec.kind != STORM_KPROBE && !is_entry(place))
		return -EINVAL;
	return place;
}

/* ---- kprobes, kretprobes, jprobes ---- */

static int add_one(int id)
{
	struct probe *probe = &model.probes[id];
	struct point *pt;
	int place;

	if (probe->registered)
		return -EINVAL;
	place = resolve(probe);
	if (place < 0)
		return place;
	pt = model_point(place);
	if (probe->spec.kind == STORM_JPROBE && model_decided(place))
		return -EBUSY;
	if (pt && probe->spec.kind == STORM_JPROBE && has_jprobe(pt))
		return -EEXIST;
	attach(id, place);
	return 0;
}

static bool is_before(const int *ids, int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (ids[j] == ids[i])
			return true;
	return false;
}

static int check_kretprobe(const int *ids, int i)
{
	const struct probe *probe = &model.probes[ids[i]];

	if (probe->registered || is_before(ids, i))
		return -EINVAL;
	if (probe->spec.data_size > MAX_DATA_SIZE)
		return -E2BIG;
	return probe->spec.maxactive > MAX_ACTIVE ? -EINVAL : 0;
}

static int check_jprobe(int id)
{
	const struct probe *probe = &model.probes[id];

	return probe->registered || !(probe->spec.handlers & STORM_PRE) ? -EINVAL : 0;
}

/* What is refused before any is registered. */
static int check_all(enum storm_kind kind, const int *ids, int num)
{
	int i, err = 0;

	for (i = 0; i < num && !err && kind != STORM_KPROBE; i++) {
		if (ids[i] < 0)
			return -EINVAL;
		err = kind == STORM_JPROBE ? check_jprobe(ids[i]) : check_kretprobe(ids, i);
	}
	return err;
}

/* Where it was it keeps: the wind may have hit it there. */
static void give_back(int id, const struct probe *given)
{
	struct probe *probe = &model.probes[id];

	detach(id);
	probe->addr = given->addr;
	probe->gone = given->gone;
	probe->missed = given->missed;
	probe->missed_returns = given->missed_returns;
}

/* A batch that fails leaves its probes as they were given, with their counts. */
static int add(enum storm_kind kind, const int *ids, int num)
{
	int i, err = check_all(kind, ids, num);
	struct probe given[STORM_BATCH];

	if (err)
		return err;
	for (i = 0; i < num && !err; i++) {
		if (ids[i] < 0) {
			err = -EINVAL;
			continue;
		}
		given[i] = model.probes[ids[i]];
		err = add_one(ids[i]);
	}
	if (!err)
		return 0;
	for (i--; i-- > 0;)
		give_back(ids[i], &given[i]);
	return err;
}

static void take(const int *ids, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		if (ids[i] < 0)
			continue;
		if (model.probes[ids[i]].registered)
			detach(ids[i]);
		else if (!is_before(ids, i))
			model.probes[ids[i]].addr = 0;
	}
}

static int set_disabled(int id, bool disabled)
{
	struct probe *probe = &model.probes[id];

	if (id < 0 || !probe->registered || (probe->gone && !disabled))
		return -EINVAL;
	probe->disabled = disabled;
	return 0;
}

/* ---- fprobes ---- */

/* The only functions that fprobes are put on. */
static int find_function(const struct storm_spec *spec, int i)
{
	uint64_t addr = spec->addrs[i];
	int err = spec->where == STORM_BY_NAME ? find_name(spec->names[i], &addr) : 0;
	int place = err ?: find_place(addr);

	if (err)
		return err;
	return place >= 0 && ROLE_OF(place) == STORM_IN_C ? place : -EINVAL;
}

static int find_functions(const struct storm_spec *spec, uint32_t *sites)
{
	int i, place;

	/* By pattern; there is none in these. */
	if (spec->where != STORM_BY_ADDR && spec->where != STORM_BY_NAME)
		return -EINVAL;
	for (i = 0; i < spec->num; i++) {
		place = find_function(spec, i);
		if (place < 0)
			return place;
		*sites |= 1u << place;
	}
	return 0;
}

static int check_fprobe(const struct probe *probe)
{
	const struct storm_spec *spec = &probe->spec;

	if (spec->num <= 0 && (spec->where == STORM_BY_ADDR || spec->where == STORM_BY_NAME))
		return -EINVAL;
	if (probe->registered)
		return -EBUSY;
	if (!(spec->handlers & (STORM_PRE | STORM_POST)) || spec->maxactive < 0)
		return -EINVAL;
	if (spec->maxactive > MAX_ACTIVE || spec->data_size > MAX_DATA_SIZE)
		return -E2BIG;
	return 0;
}

static int add_fprobe(struct probe *probe)
{
	uint32_t sites = 0;
	int err = check_fprobe(probe) ?: find_functions(&probe->spec, &sites);

	if (err)
		return err;
	probe->registered = true;
	probe->sites = sites;
	probe->order = model.nr_fprobes++;
	probe->missed = 0;
	return 0;
}

static int fprobe_request(const struct storm_request *r)
{
	struct probe *probe = r->ids[0] < 0 ? NULL : &model.probes[r->ids[0]];
	bool was;

	switch (r->call) {
	case STORM_REGISTER:
		return probe ? add_fprobe(probe) : -EINVAL;
	case STORM_UNREGISTER:
		was = probe && probe->registered;
		if (was)
			probe->registered = false;
		return was ? 0 : -EINVAL;
	default:
		if (probe)
			probe->disabled = r->call == STORM_DISABLE;
		return 0;
	}
}

/* ---- requests ---- */

/* What the call has to return; and from then on the model is as after it. */
int model_request(const struct storm_request *r)
{
	int num = r->single ? 1 : r->num;

	if (r->kind == STORM_FPROBE)
		return fprobe_request(r);
	switch (r->call) {
	case STORM_REGISTER:
		return num <= 0 ? -EINVAL : add(r->kind, r->ids, num);
	case STORM_UNREGISTER:
		take(r->ids, num);
		return 0;
	default:
		return set_disabled(r->ids[0], r->call == STORM_DISABLE);
	}
}

void model_fill(const struct storm_spec *spec)
{
	struct probe *probe = &model.probes[spec->id];
	bool addressed = spec->where == STORM_BY_ADDR || spec->where == STORM_BY_BOTH;
	uint32_t off = spec->kind == STORM_FPROBE ? 1 : FLAG_DISABLED;

	*probe = (struct probe){ .spec = *spec, .filled = true, .place = -1 };
	probe->addr = addressed && spec->kind != STORM_FPROBE ? spec->addr : 0;
	probe->disabled = spec->flags & off;
}

/* The module that comes and goes is unloaded. */
void model_target_goes(void)
{
	unsigned int i, j;

	for (i = 0; i < model.nr_points; i++) {
		struct point *pt = &model.points[i];

		if (GROUP_OF(pt->place) != STORM_AWAY)
			continue;
		pt->gone = true;
		for (j = 0; j < pt->nr; j++)
			model.probes[pt->ids[j]].gone = true;
	}
	for (i = 0; i < STORM_PROBES; i++)
		model.probes[i].sites &= (1u << PLACE(STORM_AWAY, 0)) - 1;
	for (i = 0; i < STORM_GROUP; i++)
		model.places[PLACE(STORM_AWAY, i)].present = false;
	model.target = false;
}
