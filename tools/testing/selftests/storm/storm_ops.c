// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations: what is called next, with what.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "storm.h"

static const char * const kind_names[] = { "kprobe", "kretprobe", "jprobe", "fprobe" };
static const char * const call_names[] = { "register", "unregister", "disable", "enable" };

static unsigned long count_of_results[STORM_KINDS][4][2];
static unsigned long runs, looks;

/* ---- calls of the API ---- */

static void note_request(const struct storm_request *r)
{
	char ids[64] = "";
	int i, num = r->single ? 1 : r->num;

	for (i = 0; i < num && i < STORM_BATCH; i++)
		sprintf(ids + strlen(ids), " %d", r->ids[i]);
	note("%s %s%s:%s%s", call_names[r->call], kind_names[r->kind], r->single ? "" : "s",
	     r->num < 0 && !r->single ? " NULL" : "", ids);
}

static void request(struct storm_request *r)
{
	char what[64];
	int wanted;

	note_request(r);
	wind_before();
	wanted = model_request(r);
	expect("a call", command(STORM_DO, r), 0);
	snprintf(what, sizeof(what), "%s_%s%s()", call_names[r->call], kind_names[r->kind],
		 r->single ? "" : "s");
	expect(what, r->result, wanted);
	model_update();
	wind_after(r, wanted);
	count_of_results[r->kind][r->call][!!wanted]++;
}

static void request_one(unsigned int call, unsigned int kind, int id)
{
	struct storm_request r = {
		.call = call, .kind = kind, .single = 1, .num = 1,
		.ids = { id, -1, -1, -1, -1, -1 },
	};

	request(&r);
}

/* ---- specifications ---- */

static int any_place(void)
{
	int place;

	do {
		place = roll(STORM_PLACES);
	} while (!model.places[place].present);
	return place;
}

static bool is_entry(int place)
{
	int role = ROLE_OF(place);

	return role == STORM_IN_C || role == STORM_DEEP || role == STORM_PAIR;
}

static void say_place(struct storm_spec *spec, int place)
{
	const struct place *at = &model.places[place];

	spec->where = chance(50) ? STORM_BY_ADDR : STORM_BY_NAME;
	spec->addr = at->addr;
	if (spec->where == STORM_BY_ADDR)
		return;
	spec->offset = is_entry(place) && chance(50) ? 0 : at->addr - at->fn;
	snprintf(spec->name, sizeof(spec->name), "%s%s", chance(70) ? "" :
		 GROUP_OF(place) == STORM_AWAY ? "lkp_storm_target:" : "lkp_storm:", at->name);
}

static void say_functions(struct storm_spec *spec)
{
	int group;

	spec->where = chance(50) ? STORM_BY_ADDR : STORM_BY_NAME;
	for (group = 0; group < STORM_GROUPS; group++) {
		const struct place *at = &model.places[PLACE(group, STORM_IN_C)];

		if (!at->present || chance(40))
			continue;
		spec->addrs[spec->num] = chance(50) ? at->fn : at->addr;
		snprintf(spec->names[spec->num++], sizeof(spec->names[0]), "%s", at->name);
	}
}

static void say_address(struct storm_spec *spec, uint64_t addr)
{
	spec->where = STORM_BY_ADDR;
	spec->addr = spec->addrs[0] = addr;
	spec->offset = 0;
}

static void say_name(struct storm_spec *spec, const char *name)
{
	spec->where = STORM_BY_NAME;
	strcpy(spec->name, name);
	strcpy(spec->names[0], name);
}

/* Something that is refused, or for some kinds of probes is not. */
static void spoil(struct storm_spec *spec)
{
	switch (roll(10)) {
	case 0:
		spec->where = chance(50) ? STORM_BY_NONE : STORM_BY_BOTH;
		break;
	case 1:
		say_name(spec, "no_such_function");
		break;
	case 2:
		say_name(spec, own_function());
		break;
	case 3:
		say_address(spec, 0x1000);
		break;
	case 4:
		/* Amid an instruction, if not all are words. */
		say_address(spec, model.places[PLACE(STORM_HOME, STORM_SLOT)].addr +
			    (JUMP_SIZE == 5));
		break;
	case 5:
		say_address(spec, model.places[PLACE(STORM_HOME, STORM_LOOP)].addr);
		break;
	case 6:
		spec->handlers &= STORM_FAULT;
		break;
	case 7:
		spec->data_size = MAX_DATA_SIZE + 1;
		break;
	default:
		spec->maxactive = chance(50) ? MAX_ACTIVE + 1 : -1;
	}
}

static unsigned int handlers_for(unsigned int kind)
{
	unsigned int handlers = STORM_PRE;

	if (kind == STORM_JPROBE)
		return handlers;
	if (chance(kind == STORM_KPROBE ? 25 : 70))
		handlers |= STORM_POST;
	if (kind == STORM_KPROBE)
		return handlers | (chance(10) ? STORM_FAULT : 0);
	return handlers | (chance(15) ? STORM_DECLINE : 0);
}

/* A probe in the wind is hit so often that nobody knows how often others miss by it. */
static bool may_nest(const struct storm_spec *spec, int place)
{
	int i;

	if (spec->kind != STORM_FPROBE)
		return GROUP_OF(place) != STORM_WIND;
	for (i = 0; i < spec->num; i++)
		if (!strncmp(spec->names[i], "wind", 4))
			return false;
	return true;
}

static void strip_handlers(struct storm_spec *spec, int place)
{
	bool windy = !may_nest(spec, place);

	if (!windy && spec->kind != STORM_JPROBE && chance(15))
		spec->handlers &= ~STORM_PRE;
	if (!windy && chance(20))
		spec->nest = PLACE(STORM_HOME, roll(STORM_GROUP));
	if (!windy && spec->kind == STORM_KRETPROBE && chance(60))
		spec->maxactive = 1 + roll(4);
}

static void note_spec(const struct storm_spec *spec)
{
	static const char * const wheres[] = { "by address", "by name", "by both", "by nothing" };

	note("probe %u: %s %s, 0x%llx, '%s'+0x%x, flags 0x%x, handlers 0x%x, nest %d, max %d, data %u, %d functions",
	     spec->id, kind_names[spec->kind], wheres[spec->where],
	     (unsigned long long)spec->addr, spec->name, spec->offset, spec->flags,
	     spec->handlers, spec->nest, spec->maxactive, spec->data_size, spec->num);
}

/* Fills in a probe that is not registered; most often so that it can be. */
static void fill(int id, unsigned int kind, bool good)
{
	struct storm_spec spec = { .id = id, .kind = kind, .nest = -1 };
	int place;

	do {
		place = any_place();
	} while (kind != STORM_KPROBE && !is_entry(place) && !chance(5));
	spec.handlers = handlers_for(kind);
	spec.flags = chance(20) ? FLAG_DISABLED : 0;
	if (kind == STORM_FPROBE) {
		say_functions(&spec);
		spec.flags >>= 1;
	} else {
		say_place(&spec, place);
		spec.flags |= chance(10) ? ~FLAG_DISABLED : 0;
	}
	strip_handlers(&spec, place);
	if (!good)
		spoil(&spec);
	note_spec(&spec);
	expect("filling in", command(STORM_SET, &spec), 0);
	model_fill(&spec);
}

/* ---- choosing ---- */

/* A probe that is registered, or not; -1: none. */
static int any_probe(bool registered, int kind)
{
	unsigned int i, from = roll(SCOUT);

	for (i = 0; i < SCOUT; i++) {
		int id = (from + i) % SCOUT;
		const struct probe *probe = &model.probes[id];

		if (probe->registered == registered &&
		    (kind < 0 || (probe->filled && probe->spec.kind == (unsigned int)kind)))
			return id;
	}
	return -1;
}

static unsigned int any_kind(void)
{
	static const unsigned char kinds[] = {
		STORM_KPROBE, STORM_KPROBE, STORM_KPROBE, STORM_KPROBE, STORM_KRETPROBE,
		STORM_KRETPROBE, STORM_JPROBE, STORM_FPROBE,
	};

	return kinds[roll(LENGTH(kinds))];
}

/* ---- single calls ---- */

static void register_one(void)
{
	int id = any_probe(false, -1);
	unsigned int kind = any_kind();

	if (id < 0)
		return;
	fill(id, kind, !chance(15));
	request_one(STORM_REGISTER, kind, id);
}

static void unregister_one(void)
{
	int id = any_probe(true, -1);

	if (id >= 0)
		request_one(STORM_UNREGISTER, model.probes[id].spec.kind, id);
}

static void toggle_one(void)
{
	int id = any_probe(!chance(10), -1);
	bool off;

	if (id < 0 || !model.probes[id].filled)
		return;
	off = model.probes[id].disabled;
	if (chance(15))
		off = !off;
	request_one(off ? STORM_ENABLE : STORM_DISABLE, model.probes[id].spec.kind, id);
}

/* What a client must not do, or has no reason to. */
static void misuse(void)
{
	int id = any_probe(chance(50), -1);
	const struct probe *probe = &model.probes[id < 0 ? 0 : id];
	unsigned int kind = probe->spec.kind;
	bool windy = probe->span.most || probe->span.open;

	if (id < 0 || !probe->filled)
		return;
	switch (roll(4)) {
	case 0:
		/* As the last time has left it. */
		if (!windy)
			request_one(STORM_REGISTER, kind, id);
		break;
	case 1:
		if (!probe->registered)
			request_one(STORM_UNREGISTER, kind, id);
		break;
	case 2:
		request_one(roll(2) ? STORM_DISABLE : STORM_ENABLE, kind, -1);
		break;
	default:
		if (!probe->registered)
			request_one(roll(2) ? STORM_DISABLE : STORM_ENABLE, kind, id);
	}
}

/* ---- several at once ---- */

static void batch_add(struct storm_request *r, int id)
{
	r->ids[r->num++] = id;
}

static struct storm_request new_batch(unsigned int call)
{
	struct storm_request r = { .call = call, .kind = roll(STORM_FPROBE) };

	memset(r.ids, 0xff, sizeof(r.ids));
	return r;
}

/* NULL, one twice, one that is registered. */
static void batch_spoil(struct storm_request *r)
{
	int id;

	switch (roll(4)) {
	case 0:
		r->ids[roll(r->num)] = -1;
		break;
	case 1:
		if (r->num < STORM_BATCH)
			batch_add(r, r->ids[0]);
		break;
	case 2:
		id = any_probe(true, r->kind);
		if (id >= 0 && r->num < STORM_BATCH)
			batch_add(r, id);
		break;
	default:
		r->num = -(int)roll(2);
	}
}

static void register_batch(void)
{
	struct storm_request r = new_batch(STORM_REGISTER);
	unsigned int i, nr = 1 + roll(STORM_BATCH - 1);

	for (i = 0; i < SCOUT && (unsigned int)r.num < nr; i++) {
		if (model.probes[i].registered)
			continue;
		fill(i, r.kind, !chance(4));
		batch_add(&r, i);
	}
	if (r.num && chance(20))
		batch_spoil(&r);
	request(&r);
}

static void unregister_batch(void)
{
	struct storm_request r = new_batch(STORM_UNREGISTER);
	unsigned int i, from = roll(SCOUT), nr = 1 + roll(STORM_BATCH - 1);

	for (i = 0; i < SCOUT && (unsigned int)r.num < nr; i++) {
		int id = (from + i) % SCOUT;

		if (model.probes[id].filled && model.probes[id].spec.kind == r.kind &&
		    (model.probes[id].registered || chance(20)))
			batch_add(&r, id);
	}
	if (r.num && chance(20))
		batch_spoil(&r);
	request(&r);
}

/* ---- hits, and looking ---- */

static void run_some(void)
{
	static const char * const contexts[] = { "a task", "an interrupt", "a softirq", "an NMI" };
	struct storm_run run = {
		.place = any_place(), .context = roll(STORM_CONTEXTS), .times = 1 + roll(20),
		.depth = roll(7), .cpu = model.second_cpu ? roll(2) : 0,
	};

	if (GROUP_OF(run.place) == STORM_WIND)
		return;
	note("%u calls of %s in %s on CPU %u, depth %u", run.times,
	     model.places[run.place].name, contexts[run.context], run.cpu, run.depth);
	/* An NMI may come while a handler runs; then nobody knows who misses it. */
	if (run.context == STORM_NMI)
		expect("calming the wind", command(STORM_BLOW, (void *)0), 0);
	hits_run(&run);
	expect("running", command(STORM_RUN, &run), 0);
	expect("wrong results", run.result,
	       model.patched && run.place == STORM_PATCHED ? run.times : 0);
	if (run.context == STORM_NMI)
		expect("having the wind blow", command(STORM_BLOW, (void *)1), 0);
	counts_compare();
	runs++;
}

static void look(void)
{
	note("all is looked at");
	counts_compare();
	files_compare();
	looks++;
}

static void change_world(void)
{
	struct storm_request none = { .num = 0 };

	wind_before();
	world_change();
	model_update();
	wind_after(&none, false);
}

void operate(void)
{
	switch (roll(100)) {
	case 0 ... 19:
		register_one();
		break;
	case 20 ... 31:
		unregister_one();
		break;
	case 32 ... 43:
		toggle_one();
		break;
	case 44 ... 49:
		misuse();
		break;
	case 50 ... 55:
		register_batch();
		break;
	case 56 ... 60:
		unregister_batch();
		break;
	case 61 ... 84:
		run_some();
		break;
	case 85 ... 89:
		look();
		break;
	case 90 ... 91:
		files_question(any_place());
		break;
	default:
		change_world();
	}
}

/* Nothing is left, and nothing more is counted. */
void ops_end(void)
{
	int id;

	look();
	for (id = 0; id < SCOUT; id++)
		if (model.probes[id].registered)
			request_one(STORM_UNREGISTER, model.probes[id].spec.kind, id);
	look();
}

void ops_report(void)
{
	unsigned int kind, call;

	for (kind = 0; kind < STORM_KINDS; kind++) {
		printf("# %s:", kind_names[kind]);
		for (call = 0; call < 4; call++)
			printf(" %s %lu (%lu refused)", call_names[call],
			       count_of_results[kind][call][0] + count_of_results[kind][call][1],
			       count_of_results[kind][call][1]);
		printf("\n");
	}
	printf("# %lu times functions were called, %lu times all files were compared\n", runs,
	       looks);
}
