/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of lkp_storm.ko share, and with lkp_storm_target.ko.
 */
#ifndef STORM_CLIENT_H
#define STORM_CLIENT_H

#include <linux/atomic.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>

#include "storm_abi.h"
#include "target.h"

/**
 * struct storm_spot - a place to be probed
 * @name: of its function
 * @fn: that; NULL: there is no such place
 * @at: within it
 */
struct storm_spot {
	const char *name;
	long (*fn)(long a, long b);
	unsigned long at;
};

struct storm_spots {
	struct storm_spot of[STORM_GROUP];
};

/* Functions whose names begin with a word, and a table storm_spots_WORD() fills. */
#define STORM_FUNCTIONS(word)							\
TARGET(word##_slot, SLOT_ADD(word##_slot));					\
TARGET(word##_loop, LONG_ADD(word##_loop));					\
TARGET(word##_deep, FACTORIAL(word##_deep));					\
TARGET(word##_pair, PAIR_ADD(word##_pair));					\
TARGET(word##_cramped, CRAMPED_ADD(word##_cramped, NOP9));			\
noinline long word##_in_c(long a, long b);					\
noinline long word##_in_c(long a, long b)					\
{										\
	barrier();								\
	return a + b;								\
}										\
static void storm_spots_##word(struct storm_spots *spots)			\
{										\
	spots->of[STORM_IN_C] = (struct storm_spot){ #word "_in_c", word##_in_c, 0 };	\
	spots->of[STORM_SLOT] = SPOT(word##_slot, at);				\
	spots->of[STORM_LOOP] = SPOT(word##_loop, at);				\
	spots->of[STORM_DEEP] = SPOT(word##_deep, at);				\
	spots->of[STORM_PAIR] = SPOT(word##_pair, at);				\
	spots->of[STORM_PAIR_NEXT] = SPOT(word##_pair, next);			\
	spots->of[STORM_CRAMPED] = SPOT(word##_cramped, at);			\
	spots->of[STORM_CRAMPED_NEXT] = SPOT(word##_cramped, next);		\
}

#define SPOT(target, member)							\
	(struct storm_spot){ #target "_fn", target.fn, target.member }

/* ---- client_runs.c: calls of the functions ---- */

void storm_away(const struct storm_spots *spots);
const struct storm_spot *storm_spot(unsigned int index);
void storm_call(int index);
int storm_get_place(struct storm_place *place);
int storm_run(struct storm_run *run);
int storm_blow(bool on);
int storm_runs_init(void);
void storm_runs_exit(void);

/* ---- client_probes.c: calls of the API ---- */

int storm_set(const struct storm_spec *spec);
int storm_do(struct storm_request *request);
int storm_counts(struct storm_counts *counts);
void storm_probes_exit(void);

#endif /* STORM_CLIENT_H */
