// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of a probe point and the table of its transitions, see state.h.
 */
#include "state.h"

const struct point_facts point_facts[NR_STATES] = {
	[STATE_OFF] = { "OFF" },
	[STATE_GONE] = { "GONE" },
	[STATE_TRACED] = { "TRACED", .resume = RESUME_TRACER },
	[STATE_TRAP] = { "TRAP", HEAD_TRAP, GATE_NONE, RESUME_SLOT },
	[STATE_RIPENING] = { "RIPENING", HEAD_TRAP, GATE_OPEN, RESUME_COPIES },
	[STATE_DISPUTED] = { "DISPUTED", HEAD_UNKNOWN, GATE_NONE, RESUME_SLOT, .disputed = true },
	[STATE_TO_JUMP] = { "TO_JUMP", HEAD_TRAP, GATE_OPEN, RESUME_COPIES, .tail = true },
	[STATE_FROM_JUMP] = { "FROM_JUMP", HEAD_TRAP, GATE_SHUT, RESUME_COPIES, .tail = true },
	[STATE_JUMP] = { "JUMP", HEAD_JUMP, GATE_OPEN, RESUME_DETOUR, .tail = true },
	[STATE_JUMP_SHUT] = { "JUMP_SHUT", HEAD_JUMP, GATE_SHUT, RESUME_DETOUR, .tail = true },
	[STATE_TO_JUMP_DISPUTED] = { "TO_JUMP_DISPUTED", HEAD_TRAP, GATE_OPEN, RESUME_COPIES,
		.tail = true, .disputed = true },
	[STATE_FROM_JUMP_DISPUTED] = { "FROM_JUMP_DISPUTED", HEAD_TRAP, GATE_SHUT, RESUME_COPIES,
		.tail = true, .disputed = true },
	[STATE_JUMP_DISPUTED] = { "JUMP_DISPUTED", HEAD_JUMP, GATE_OPEN, RESUME_DETOUR,
		.tail = true, .disputed = true },
	[STATE_JUMP_SHUT_DISPUTED] = { "JUMP_SHUT_DISPUTED", HEAD_JUMP, GATE_SHUT, RESUME_DETOUR,
		.tail = true, .disputed = true },
};

/* A state plus one, so that a transition that is not listed, 0, is illegal. */
#define TO(state)	(STATE_##state + 1)

static const u8 transitions[NR_STATES][NR_EVENTS] = {
	[STATE_OFF] = {
		[EVENT_TRAP] = TO(TRAP),
		[EVENT_CHANGED] = TO(OFF),
		[EVENT_TRACE] = TO(TRACED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_TRACED] = {
		[EVENT_UNTRACE] = TO(OFF),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_TRAP] = {
		[EVENT_HEAD_ORIGINAL] = TO(OFF),
		[EVENT_DETOUR] = TO(RIPENING),
		[EVENT_CHANGED] = TO(DISPUTED),
		[EVENT_ABANDON] = TO(OFF),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_RIPENING] = {
		[EVENT_TAIL_JUMP] = TO(TO_JUMP),
		[EVENT_HEAD_ORIGINAL] = TO(OFF),
		[EVENT_WITHDRAW] = TO(TRAP),
		[EVENT_CHANGED] = TO(DISPUTED),
		[EVENT_ABANDON] = TO(OFF),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_DISPUTED] = {
		[EVENT_INTACT] = TO(TRAP),
		[EVENT_CHANGED] = TO(DISPUTED),
		[EVENT_ABANDON] = TO(OFF),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_TO_JUMP] = {
		[EVENT_GATE_SHUT] = TO(FROM_JUMP),
		[EVENT_HEAD_JUMP] = TO(JUMP),
		[EVENT_CHANGED] = TO(TO_JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_FROM_JUMP] = {
		[EVENT_TAIL_ORIGINAL] = TO(TRAP),
		[EVENT_CHANGED] = TO(FROM_JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_JUMP] = {
		[EVENT_GATE_SHUT] = TO(JUMP_SHUT),
		[EVENT_CHANGED] = TO(JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_JUMP_SHUT] = {
		[EVENT_TRAP] = TO(FROM_JUMP),
		[EVENT_CHANGED] = TO(JUMP_SHUT_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_TO_JUMP_DISPUTED] = {
		[EVENT_GATE_SHUT] = TO(FROM_JUMP_DISPUTED),
		[EVENT_INTACT] = TO(TO_JUMP),
		[EVENT_CHANGED] = TO(TO_JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_FROM_JUMP_DISPUTED] = {
		[EVENT_INTACT] = TO(FROM_JUMP),
		[EVENT_CHANGED] = TO(FROM_JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_JUMP_DISPUTED] = {
		[EVENT_GATE_SHUT] = TO(JUMP_SHUT_DISPUTED),
		[EVENT_INTACT] = TO(JUMP),
		[EVENT_CHANGED] = TO(JUMP_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
	[STATE_JUMP_SHUT_DISPUTED] = {
		[EVENT_INTACT] = TO(JUMP_SHUT),
		[EVENT_CHANGED] = TO(JUMP_SHUT_DISPUTED),
		[EVENT_VANISH] = TO(GONE),
	},
};

/* The steps that a state may still need, in their order; each changes the state. */
#define STEP(step)	(1u << STEP_##step)

const u8 state_plans[NR_GOALS][NR_STATES] = {
	[GOAL_ARM] = {
		[STATE_OFF] = STEP(TRAP),
		[STATE_TO_JUMP] = STEP(GATE),
		[STATE_FROM_JUMP] = STEP(TAIL),
		[STATE_JUMP] = STEP(GATE),
		[STATE_JUMP_SHUT] = STEP(TRAP),
	},
	[GOAL_DISARM] = {
		[STATE_TRAP] = STEP(HEAD),
		[STATE_RIPENING] = STEP(HEAD),
		[STATE_TO_JUMP] = STEP(GATE),
		[STATE_FROM_JUMP] = STEP(TAIL),
		[STATE_JUMP] = STEP(GATE),
		[STATE_JUMP_SHUT] = STEP(TRAP),
		[STATE_TO_JUMP_DISPUTED] = STEP(GATE),
		[STATE_JUMP_DISPUTED] = STEP(GATE),
	},
	[GOAL_JUMP] = {
		[STATE_RIPENING] = STEP(TAIL),
		[STATE_TO_JUMP] = STEP(HEAD),
	},
	[GOAL_UNJUMP] = {
		[STATE_TO_JUMP] = STEP(GATE),
		[STATE_FROM_JUMP] = STEP(TAIL),
		[STATE_JUMP] = STEP(GATE),
		[STATE_JUMP_SHUT] = STEP(TRAP),
		[STATE_TO_JUMP_DISPUTED] = STEP(GATE),
		[STATE_JUMP_DISPUTED] = STEP(GATE),
	},
};

/**
 * state_after() - the state that follows an event
 * @state: a state
 * @event: what has happened
 *
 * Context: any.
 * Return: the state; STATE_ILLEGAL if @event is not legal in @state.
 */
enum point_state state_after(enum point_state state, enum point_event event)
{
	u8 to;

	if (state >= NR_STATES || event >= NR_EVENTS)
		return STATE_ILLEGAL;
	to = transitions[state][event];
	return to ? to - 1 : STATE_ILLEGAL;
}

/**
 * state_step_written() - the event that a written step is
 * @step: a step that was needed, written and synced on all CPUs
 * @goal: of the change
 *
 * A step that failed, as a whole or for this point, is no event: the point keeps
 * its state.
 *
 * Context: any.
 * Return: the event for state_after().
 */
enum point_event state_step_written(enum point_step step, enum point_goal goal)
{
	switch (step) {
	case STEP_GATE:
		return EVENT_GATE_SHUT;
	case STEP_TRAP:
		return EVENT_TRAP;
	case STEP_TAIL:
		return goal == GOAL_JUMP ? EVENT_TAIL_JUMP : EVENT_TAIL_ORIGINAL;
	case STEP_HEAD:
		return goal == GOAL_JUMP ? EVENT_HEAD_JUMP : EVENT_HEAD_ORIGINAL;
	default:
		return EVENT_NONE;
	}
}

/**
 * state_stops_batch() - does changed text at one point stop the whole batch
 * @goal: of the batch
 *
 * Arming can be refused.  Disarming does as much as it can.
 *
 * Context: any.
 */
bool state_stops_batch(enum point_goal goal)
{
	return goal == GOAL_ARM || goal == GOAL_JUMP;
}

/**
 * state_needs_check() - must the text of a point be checked before a change
 * @state: its state
 * @goal: of the change that is about to be made
 *
 * Context: any.
 */
bool state_needs_check(enum point_state state, enum point_goal goal)
{
	return state_is_armed(state) || (state == STATE_OFF && state_stops_batch(goal));
}

/**
 * state_checked() - the event that a check of the text is
 * @state: the point's state
 * @goal: of the change that is about to be made
 * @intact: the text is what the state says, and is not @copied
 * @copied: somebody keeps a copy of it, and is going to write that back
 *
 * A trap that is to be removed but is not there needs no further work, unless it comes back.  Of
 * a jump, another party may keep a copy that still leads to its detour.
 *
 * Context: any.
 * Return: the event for state_after(), or EVENT_NONE.
 */
enum point_event state_checked(enum point_state state, enum point_goal goal, bool intact,
			       bool copied)
{
	if (intact)
		return point_facts[state].disputed ? EVENT_INTACT : EVENT_NONE;
	if (state_stops_batch(goal) || point_facts[state].tail || copied)
		return EVENT_CHANGED;
	return EVENT_ABANDON;
}
