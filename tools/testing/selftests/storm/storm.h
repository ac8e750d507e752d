/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the program storm share: the model, which is what ought to be, and the
 * operations, which change both it and the kernel.
 */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storm_abi.h"

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

/* As in the client's headers. */
#define FLAG_GONE	1
#define FLAG_DISABLED	2
#define FLAG_OPTIMIZED	4
#define FLAG_FTRACE	8
#define FLAG_ENTRY	16
#define MAX_DATA_SIZE	4096
#define MAX_ACTIVE	8192

#ifdef __x86_64__
#define JUMP_SIZE	5
#define SHORT_JUMP_SIZE	2
#else
#define JUMP_SIZE	4
#define SHORT_JUMP_SIZE	JUMP_SIZE
#endif

/* The function that a live patch replaces by one that returns 0. */
#define STORM_PATCHED	PLACE(STORM_HOME, STORM_IN_C)

/* The last probe is used to find out about places. */
#define SCOUT		(STORM_PROBES - 1)

#define PLACE(group, role)	((group) * STORM_GROUP + (role))
#define GROUP_OF(place)		((place) / STORM_GROUP)
#define ROLE_OF(place)		((place) % STORM_GROUP)

/**
 * struct place - a place to be probed
 * @present: it exists
 * @fn: where its function begins
 * @addr: where its probe goes
 * @ftrace: it is a site of the tracer
 * @stays: why it can't be a jump; "" if it can
 * @name: of its function
 */
struct place {
	bool present;
	uint64_t fn;
	uint64_t addr;
	bool ftrace;
	char stays[128];
	char name[32];
};

/**
 * struct span - how often the wind has passed a probe, at least and at most
 * @open: it is armed there, since @begun calls had begun, and not before @ended had ended
 * @begun: see @open
 * @ended: see @open
 * @least: before that
 * @most: before that
 */
struct span {
	bool open;
	uint64_t begun;
	uint64_t ended;
	uint64_t least;
	uint64_t most;
};

/**
 * struct probe - a probe, as it ought to be
 * @spec: with what it was filled
 * @filled: it was
 * @registered: it is
 * @disabled: its own state
 * @gone: its text is
 * @place: where it is registered
 * @addr: its addr
 * @sites: for an fprobe: the places, each a bit
 * @order: for an fprobe: which registration it was
 * @pre: how often its first handler ran, without the wind
 * @post: and its second
 * @missed: its nmissed
 * @missed_returns: a kretprobe's nmissed
 * @span: the wind
 */
struct probe {
	struct storm_spec spec;
	bool filled;
	bool registered;
	bool disabled;
	bool gone;
	int place;
	uint64_t addr;
	uint32_t sites;
	unsigned int order;
	uint64_t pre;
	uint64_t post;
	uint64_t missed;
	uint64_t missed_returns;
	struct span span;
};

/**
 * struct point - a probe point, as it ought to be
 * @place: where
 * @addr: of that
 * @gone: its text is
 * @nr: how many probes it has
 * @ids: they, in their order
 */
struct point {
	int place;
	uint64_t addr;
	bool gone;
	unsigned int nr;
	int ids[STORM_PROBES];
};

/**
 * struct model - what ought to be
 * @places: in which probes can be
 * @probes: each
 * @points: in the order of their creation
 * @nr_points: how many
 * @nr_fprobes: how many fprobes have been registered so far
 * @all_on: what the file "enabled" says
 * @jumps_on: what the sysctl says
 * @second_cpu: it is online
 * @target: the module that comes and goes is there
 * @foreign: the places with a built-in kprobe, each a bit
 * @programs: those with programs of BPF's
 * @patched: a live patch is in force
 * @patch_decides: it was there before our callback, so that it decides where its function goes on
 */
struct model {
	struct place places[STORM_PLACES];
	struct probe probes[STORM_PROBES];
	struct point points[STORM_PROBES];
	unsigned int nr_points;
	unsigned int nr_fprobes;
	bool all_on;
	bool jumps_on;
	bool second_cpu;
	bool target;
	uint32_t foreign;
	uint32_t programs;
	bool patched;
	bool patch_decides;
};

extern struct model model;

/* ---- storm_main.c ---- */

uint64_t dice(void);
unsigned int roll(unsigned int sides);
bool chance(unsigned int percent);
void note(const char *format, ...);
_Noreturn void wrong(const char *format, ...);
_Noreturn void die(const char *what);
void expect(const char *what, long got, long wanted);
int command(unsigned long request, void *argument);

/* ---- storm_model.c: calls of the API ---- */

bool model_armed(const struct point *pt);
struct point *model_point(int place);
bool model_traces(void);
bool model_decided(int place);
void model_update(void);
int model_request(const struct storm_request *r);
void model_fill(const struct storm_spec *spec);
void model_target_goes(void);

/* ---- storm_hits.c: hits and misses ---- */

void hits_run(const struct storm_run *run);
void wind_before(void);
void wind_after(const struct storm_request *r, bool failed);
void counts_compare(void);

/* ---- storm_files.c: list, status, check ---- */

void files_begin(void);
void files_compare(void);
void files_scout(int place);
void files_question(int place);
int write_file(const char *path, const char *text);
const char *control(const char *name);
const char *sysctl_path(void);
const char *own_function(void);

/* ---- storm_world.c: what is changed around the probes ---- */

void world_begin(void);
void world_change(void);
void world_end(void);

/* ---- storm_others.c: others at the same functions ---- */

void others_change(void);
void others_end(void);

/* ---- storm_bpf.c: programs of BPF's, which count ---- */

void bpf_begin(void);
void bpf_turn(void);
void bpf_called(int place);
void bpf_compare(void);
void bpf_end(void);

/* ---- storm_ops.c: the operations ---- */

void operate(void);
void ops_end(void);
void ops_report(void);

#endif /* STORM_H */
