// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of a probe point, against a model of its text.
 *
 * The model is written as core/arm.c writes text: step by step, point by point, with a
 * failure at every place.  After each single write it is looked at as a CPU
 * would that comes by just then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../core/state.h"

enum head { ORIGINAL, TRAP, JUMP };

/* A point and its text.  What somebody else has written hides the head. */
struct model {
	enum point_state state;
	enum head head;
	bool tail;		/* the bytes behind the head are the jump's */
	enum point_gate gate;	/* of the detour, if there is one */
	bool foreign;
	bool copied;		/* and who has written it writes the head back */
};

static bool state_seen[NR_STATES], row_seen[NR_STATES][NR_EVENTS];
static bool step_seen[NR_GOALS][NR_STATES][NR_STEPS];

static bool is_trap_kind(enum point_state state)
{
	return state != STATE_GONE && state != STATE_TRACED;
}

/* ---- the table by itself ---- */

static bool has_detour(enum point_state state)
{
	return point_facts[state].gate != GATE_NONE;
}

/* May that happen?  Said by what the states mean, not by the table. */
static bool makes_sense(enum point_state state, enum point_event event)
{
	const struct point_facts *is = &point_facts[state];
	bool traps = is->head == HEAD_TRAP, mine = !is->disputed;
	bool on = is_trap_kind(state) && state_is_armed(state);

	switch (event) {
	case EVENT_GATE_SHUT:
		return is->gate == GATE_OPEN && is->tail;
	case EVENT_TRAP:
		return state == STATE_OFF ||
		       (mine && is->head == HEAD_JUMP && is->gate == GATE_SHUT);
	case EVENT_TAIL_JUMP:
		return mine && traps && !is->tail && is->gate == GATE_OPEN;
	case EVENT_TAIL_ORIGINAL:
		return mine && traps && is->tail && is->gate == GATE_SHUT;
	case EVENT_HEAD_JUMP:
		return mine && traps && is->tail && is->gate == GATE_OPEN;
	case EVENT_HEAD_ORIGINAL:
		return mine && traps && !is->tail;
	case EVENT_DETOUR:
		return mine && traps && !has_detour(state);
	case EVENT_WITHDRAW:
		return mine && traps && has_detour(state) && !is->tail;
	case EVENT_INTACT:
		return is->disputed;
	case EVENT_CHANGED:
		return on || state == STATE_OFF;
	case EVENT_ABANDON:
		return on && !is->tail;
	case EVENT_TRACE:
		return state == STATE_OFF;
	case EVENT_UNTRACE:
		return state == STATE_TRACED;
	case EVENT_VANISH:
		return state != STATE_GONE;
	default:
		return false;
	}
}

static bool look_alike(enum point_state a, enum point_state b)
{
	const struct point_facts *fa = &point_facts[a], *fb = &point_facts[b];

	return fa->tail == fb->tail &&
	       (!fa->tail || (fa->head == fb->head && fa->gate == fb->gate));
}

/* What the model of the text cannot tell: states of the same text. */
static bool leads_right(enum point_state state, enum point_event event, enum point_state to)
{
	const struct point_facts *is = &point_facts[state], *becomes = &point_facts[to];

	switch (event) {
	case EVENT_CHANGED:
		return state == STATE_OFF ? to == STATE_OFF :
					    becomes->disputed && look_alike(state, to);
	case EVENT_INTACT:
		return is->tail ? !becomes->disputed && look_alike(state, to) : to == STATE_TRAP;
	case EVENT_ABANDON:
		return to == STATE_OFF;
	case EVENT_UNTRACE:
		return to == STATE_OFF;
	case EVENT_VANISH:
		return to == STATE_GONE;
	default:
		return becomes->disputed == is->disputed;
	}
}

static void every_transition_leads_right(void **unused)
{
	int s, e;

	(void)unused;
	for (s = 0; s < NR_STATES; s++)
		for (e = 0; e < NR_EVENTS; e++)
			if (state_after(s, e) != STATE_ILLEGAL &&
			    !leads_right(s, e, state_after(s, e)))
				fail_msg("%s, event %d: leads to %s", point_facts[s].name, e,
					 point_facts[state_after(s, e)].name);
}

static void only_what_makes_sense_is_legal(void **unused)
{
	int s, e;

	(void)unused;
	for (s = 0; s < NR_STATES; s++)
		for (e = 0; e < NR_EVENTS; e++)
			if ((state_after(s, e) != STATE_ILLEGAL) != makes_sense(s, e))
				fail_msg("%s, event %d: is %s", point_facts[s].name, e,
					 makes_sense(s, e) ? "refused" : "legal");
	assert_int_equal(state_after(NR_STATES, EVENT_TRAP), STATE_ILLEGAL);
	assert_int_equal(state_after(STATE_OFF, NR_EVENTS), STATE_ILLEGAL);
}

static void every_state_is_described(void **unused)
{
	int s;

	(void)unused;
	for (s = 0; s < NR_STATES; s++) {
		const struct point_facts *is = &point_facts[s];

		assert_non_null(is->name);
		assert_true(is->gate == GATE_NONE ? !is->tail : is_trap_kind(s));
		assert_true(is->head != HEAD_JUMP || is->tail);
		assert_int_equal(is->resume == RESUME_DETOUR, is->head == HEAD_JUMP);
		assert_int_equal(is->tail, s >= STATE_FIRST_TAIL);
		assert_int_equal(state_is_only_trap(s), is->head == HEAD_TRAP && !is->tail);
		assert_int_equal(is->resume == RESUME_COPIES,
				 is->head == HEAD_TRAP && is->gate != GATE_NONE);
		if (is->head != HEAD_UNKNOWN || is->resume != RESUME_NOWHERE)
			assert_true(state_is_armed(s));
	}
	assert_false(state_is_armed(STATE_OFF));
	assert_false(state_is_armed(STATE_GONE));
}

/* ---- the model of the text ---- */

static bool text_is_of(const struct model *m, enum point_state state)
{
	const struct point_facts *is = &point_facts[state];

	if (!is_trap_kind(state))
		return m->head == ORIGINAL && !m->tail;
	if (m->tail != is->tail || (m->tail && m->gate != is->gate))
		return false;
	if (state == STATE_DISPUTED)
		return m->head == TRAP;
	return m->head == (is->head == HEAD_TRAP ? TRAP : is->head == HEAD_JUMP ? JUMP : ORIGINAL);
}

/* Where a hit goes on; what is in the text at this moment decides about it. */
static enum point_resume resume_of(const struct model *m)
{
	if (m->head == JUMP)
		return RESUME_DETOUR;
	if (m->head == TRAP)
		return has_detour(m->state) ? RESUME_COPIES : RESUME_SLOT;
	return m->state == STATE_TRACED ? RESUME_TRACER : RESUME_NOWHERE;
}

/* What a CPU finds that comes to the point now, in the midst of a step or not. */
static void look(const struct model *m)
{
	if (m->foreign)
		return;
	if (m->head == JUMP && (!m->tail || !has_detour(m->state)))
		fail_msg("%s: a jump to nowhere", point_facts[m->state].name);
	if (m->head == ORIGINAL && m->tail)
		fail_msg("%s: the original's head and the jump's tail",
			 point_facts[m->state].name);
	if (m->tail && resume_of(m) != RESUME_COPIES && resume_of(m) != RESUME_DETOUR)
		fail_msg("%s: a hit goes on amid the jump", point_facts[m->state].name);
	if (m->head == TRAP && m->state == STATE_GONE)
		fail_msg("a trap of nobody's");
}

/* Between steps the text is what the state says, and so is what a hit finds. */
static void agree(const struct model *m)
{
	look(m);
	if (!text_is_of(m, m->state))
		fail_msg("%s: head %d, tail %d, gate %d", point_facts[m->state].name, m->head,
			 m->tail, m->gate);
	if (!m->foreign && resume_of(m) != point_facts[m->state].resume)
		fail_msg("%s: a hit goes on elsewhere", point_facts[m->state].name);
}

/* As point_move() does it. */
static void move(struct model *m, enum point_event event)
{
	enum point_state to = state_after(m->state, event);

	if (to == STATE_ILLEGAL)
		fail_msg("%s: event %d is not legal", point_facts[m->state].name, event);
	row_seen[m->state][event] = true;
	if (!has_detour(m->state) && has_detour(to))
		m->gate = GATE_OPEN;
	if (has_detour(m->state) && !has_detour(to)) {
		/* The detour is freed: nothing may lead there. */
		if ((m->head == JUMP || m->tail) && event != EVENT_VANISH)
			fail_msg("%s: the detour in use is freed", point_facts[m->state].name);
		m->gate = GATE_NONE;
	}
	m->state = to;
	state_seen[to] = true;
}

static void write_step(struct model *m, enum point_step step, enum point_goal goal)
{
	enum point_state to = state_after(m->state, state_step_written(step, goal));

	if (step != STEP_GATE && m->foreign)
		fail_msg("%s: somebody else's bytes are overwritten", point_facts[m->state].name);
	if (step == STEP_GATE)
		m->gate = GATE_SHUT;
	else if (step == STEP_TRAP)
		m->head = TRAP;
	else if (step == STEP_TAIL)
		m->tail = goal == GOAL_JUMP;
	else
		m->head = goal == GOAL_JUMP ? JUMP : ORIGINAL;
	step_seen[goal][m->state][step] = true;
	look(m);
	assert_true(to != STATE_ILLEGAL);
	if (!text_is_of(m, to))
		fail_msg("%s: step %d does not lead to %s", point_facts[m->state].name, step,
			 point_facts[to].name);
}

/* ---- a change, as core/arm.c makes it ---- */

#define BATCH	2

/* The failure to come: which step, and how many points have been written by then. */
struct failure {
	enum point_step step;	/* NR_STEPS: none */
	int after;
};

static bool check(struct model *batch, enum point_goal goal)
{
	bool changed = false;
	int i;

	for (i = 0; i < BATCH; i++) {
		struct model *m = &batch[i];
		enum point_event event;

		if (!state_needs_check(m->state, goal))
			continue;
		event = state_checked(m->state, goal, !m->foreign, m->copied);
		if (event == EVENT_ABANDON && m->copied)
			fail_msg("%s is given up, and comes back", point_facts[m->state].name);
		/* What was to be taken out is not there, and is not put back. */
		if (event == EVENT_ABANDON)
			m->head = ORIGINAL;
		if (event != EVENT_NONE)
			move(m, event);
		changed |= m->foreign;
		if (changed && state_stops_batch(goal))
			return false;
	}
	return true;
}

/* Returns false if it has failed. */
static bool do_step(struct model *batch, enum point_step step, enum point_goal goal,
		    const struct failure *failure)
{
	bool written[BATCH] = { }, failed = false;
	int i, nr = 0;

	for (i = 0; i < BATCH; i++) {
		if (!state_needs_step(batch[i].state, step, goal))
			continue;
		failed = step == failure->step && nr == failure->after;
		if (failed)
			break;
		write_step(&batch[i], step, goal);
		written[i] = true;
		nr++;
	}
	for (i = 0; i < BATCH; i++)
		if (written[i])
			move(&batch[i], state_step_written(step, goal));
	return !failed;
}

static bool change(struct model *batch, enum point_goal goal, const struct failure *failure)
{
	int step, i;

	if (!check(batch, goal))
		return false;
	for (step = 0; step < NR_STEPS; step++) {
		bool done = do_step(batch, step, goal, failure);

		for (i = 0; i < BATCH; i++)
			agree(&batch[i]);
		if (!done)
			return false;
	}
	return true;
}

static bool goal_is_met(const struct model *m, enum point_goal goal)
{
	if (!is_trap_kind(m->state))
		return true;
	switch (goal) {
	case GOAL_ARM:
		return m->head == TRAP && !m->tail;
	case GOAL_DISARM:
		return m->head == ORIGINAL && m->state == STATE_OFF;
	case GOAL_UNJUMP:
		return m->head != JUMP && !m->tail;
	default:
		/* Half-way back: first it becomes a trap. */
		return m->head == JUMP || !has_detour(m->state) || m->gate == GATE_SHUT;
	}
}

/* ---- everything that can come of everything ---- */

#define MAX_MODELS	256

static struct model models[MAX_MODELS];
static int nr_models;

static void found(const struct model *m)
{
	int i;

	agree(m);
	for (i = 0; i < nr_models; i++)
		if (models[i].state == m->state && models[i].head == m->head &&
		    models[i].tail == m->tail && models[i].gate == m->gate &&
		    models[i].foreign == m->foreign && models[i].copied == m->copied)
			return;
	assert_true(nr_models < MAX_MODELS);
	models[nr_models++] = *m;
}

static void change_both(const struct model *a, const struct model *b, enum point_goal goal,
			const struct failure *failure)
{
	struct model batch[BATCH] = { *a, *b };
	bool done = change(batch, goal, failure);
	int i;

	for (i = 0; i < BATCH; i++) {
		if (done && !batch[i].foreign && !goal_is_met(&batch[i], goal))
			fail_msg("%s, goal %d, is %s", point_facts[(i ? b : a)->state].name, goal,
				 point_facts[batch[i].state].name);
		/* A jump that was to end calls no handler by itself, whatever has failed. */
		if (goal == GOAL_DISARM || goal == GOAL_UNJUMP || (goal == GOAL_ARM && done))
			assert_false(batch[i].tail && batch[i].gate == GATE_OPEN);
		found(&batch[i]);
	}
}

static void change_pair(const struct model *a, const struct model *b)
{
	struct failure failure;
	int goal, step, after;

	if (!is_trap_kind(a->state) || !is_trap_kind(b->state))
		return;
	for (goal = 0; goal < NR_GOALS; goal++)
		for (step = STEP_GATE + 1; step <= NR_STEPS; step++)
			for (after = 0; after < BATCH; after++) {
				failure = (struct failure){ step, after };
				change_both(a, b, goal, &failure);
			}
}

static void try_event(struct model m, enum point_event event)
{
	if (state_after(m.state, event) == STATE_ILLEGAL)
		return;
	if (event == EVENT_VANISH)
		m.foreign = m.copied = false;
	move(&m, event);
	if (event == EVENT_VANISH) {
		m.head = ORIGINAL;
		m.tail = false;
	}
	found(&m);
}

/* What happens to a point by itself, apart from changes of its text by us. */
static void go_on_from(const struct model *m)
{
	struct model other = *m;

	try_event(*m, EVENT_DETOUR);
	try_event(*m, EVENT_WITHDRAW);
	try_event(*m, EVENT_VANISH);
	try_event(*m, EVENT_UNTRACE);
	if (!m->foreign)
		try_event(*m, EVENT_TRACE);
	if (is_trap_kind(m->state)) {
		other.foreign = !m->foreign;
		other.copied = false;
		found(&other);
		/* A debugger sets its breakpoint over what is there, or takes it back. */
		other.foreign = !m->foreign;
		other.copied = other.foreign;
		found(&other);
	}
}

static void text_and_state_agree(void **unused)
{
	struct model off = { .state = STATE_OFF };
	int i, j;

	(void)unused;
	found(&off);
	state_seen[STATE_OFF] = true;
	for (i = 0; i < nr_models; i++) {
		go_on_from(&models[i]);
		for (j = 0; j <= i; j++) {
			change_pair(&models[i], &models[j]);
			change_pair(&models[j], &models[i]);
		}
	}
}

/* Whatever has failed before: if nothing else fails, all of it comes out. */
static void everything_can_be_taken_out(void **unused)
{
	struct failure none = { .step = NR_STEPS };
	int i;

	(void)unused;
	for (i = 0; i < nr_models; i++) {
		struct model batch[BATCH] = { models[i], { .state = STATE_OFF } };

		if (!is_trap_kind(models[i].state))
			continue;
		batch[0].foreign = false;
		assert_true(change(batch, GOAL_DISARM, &none));
		assert_int_equal(batch[0].state, STATE_OFF);
		assert_int_equal(batch[0].gate, GATE_NONE);
	}
}

static void all_has_been_visited(void **unused)
{
	int s, e, rows = 0, visited = 0, steps = 0;

	(void)unused;
	for (s = 0; s < NR_STATES; s++) {
		if (!state_seen[s])
			fail_msg("%s has not been reached", point_facts[s].name);
		for (e = 0; e < NR_EVENTS; e++) {
			rows += state_after(s, e) != STATE_ILLEGAL;
			visited += row_seen[s][e];
			if (state_after(s, e) != STATE_ILLEGAL && !row_seen[s][e])
				fail_msg("%s, event %d has not happened", point_facts[s].name, e);
		}
	}
	for (s = 0; s < NR_GOALS * NR_STATES * NR_STEPS; s++) {
		int goal = s / (NR_STATES * NR_STEPS), state = s / NR_STEPS % NR_STATES;
		bool needed = state_needs_step(state, s % NR_STEPS, goal);

		steps += needed;
		if (needed != step_seen[goal][state][s % NR_STEPS])
			fail_msg("goal %d, %s, step %d has not been written", goal,
				 point_facts[state].name, s % NR_STEPS);
	}
	print_message("# %d texts, %d of %d transitions, %d planned steps\n", nr_models, visited,
		      rows, steps);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_is_described),
		cmocka_unit_test(only_what_makes_sense_is_legal),
		cmocka_unit_test(every_transition_leads_right),
		cmocka_unit_test(text_and_state_agree),
		cmocka_unit_test(everything_can_be_taken_out),
		cmocka_unit_test(all_has_been_visited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
