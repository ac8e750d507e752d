/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a probe point: what its text holds, what a hit finds there, and how
 * it gets from one state to another.
 *
 * Pure code: it writes nothing and calls nothing, and is built into a unit test, too.
 * core/point.c changes the state of a point, by point_move(); core/arm.c
 * executes the steps that are chosen here.
 *
 * The states and their meaning.  "Head" is what stands in place of the first
 * byte, or of the first word where instructions are words; "behind" is what stands
 * in the rest of the bytes that a jump takes; "gate" is that of the detour.
 *
 *	state			head	behind	  gate	a hit goes on
 *	OFF			-	-	  -	(no hits)
 *	GONE			-	-	  -	(no hits: the text is gone)
 *	TRACED			-	-	  -	where the tracer goes on
 *	TRAP			trap	original  -	in the slot, or emulated
 *	RIPENING		trap	original  open	in the detour's copies
 *	DISPUTED		foreign	-	  -	as TRAP, if the trap is put back
 *	TO_JUMP			trap	jump's	  open	in the detour's copies
 *	FROM_JUMP		trap	jump's	  shut	in the detour's copies
 *	JUMP			jump	jump's	  open	in the detour
 *	JUMP_SHUT		jump	jump's	  shut	in the detour
 *	..._DISPUTED		as the state it is named after, but another party has
 *				written to these bytes, or has a copy of them: they
 *				are left alone
 *
 * "-" means bytes that are not ours.  They are checked only before a change: the text
 * of a point that is off is checked when it is armed.  A state has a detour if and
 * only if it has a gate.
 *
 * Handlers: a trap, or a call of the tracer, looks up all enabled handlers.  A jump
 * leads to a detour, which calls the handlers that it was made for while its gate is
 * open, and looks up all enabled ones when its gate is shut.  If a hit finds the guard
 * of its CPU held it runs no handler, and each enabled kprobe of the point counts a
 * missed hit.
 * If a point is disarmed while a task is between its detour and the look-up, that hit
 * runs no handler and nothing is counted.
 *
 * While a step is being written, the text of a point is that of the state before the
 * step or that of the state behind it.  A hit must be served correctly in both.  So the
 * state changes only when the step has been written and all CPUs have been synced, and
 * neighbouring states resume alike: copies are published before the bytes behind
 * the trap change, and withdrawn when they have been restored.
 */
#ifndef LKP_STATE_H
#define LKP_STATE_H

#include "../arch/pure.h"

/**
 * enum point_state - see above
 *
 * States from STATE_FIRST_ARMED on are armed; the look-up of a detour tests that.  Those from
 * STATE_FIRST_TAIL on have the jump's bytes behind the head, and a detour.  In those from
 * STATE_FIRST_TRAP to STATE_LAST_TRAP the text holds our trap and nothing else that is ours.
 */
enum point_state {
	STATE_OFF,
	STATE_GONE,
	STATE_TRACED,
	STATE_TRAP,
	STATE_RIPENING,
	STATE_DISPUTED,
	STATE_TO_JUMP,
	STATE_FROM_JUMP,
	STATE_JUMP,
	STATE_JUMP_SHUT,
	STATE_TO_JUMP_DISPUTED,
	STATE_FROM_JUMP_DISPUTED,
	STATE_JUMP_DISPUTED,
	STATE_JUMP_SHUT_DISPUTED,
	NR_STATES,
	STATE_ILLEGAL = NR_STATES,
	STATE_FIRST_ARMED = STATE_TRACED,
	STATE_FIRST_TRAP = STATE_TRAP,
	STATE_LAST_TRAP = STATE_RIPENING,
	STATE_FIRST_TAIL = STATE_TO_JUMP,
};

/**
 * enum point_event - what changes the state of a point
 * @EVENT_NONE: nothing has happened
 * @EVENT_GATE_SHUT: the detour no longer calls handlers by itself
 * @EVENT_TRAP: the head has become the trap
 * @EVENT_TAIL_JUMP: the bytes behind it have become the jump's
 * @EVENT_TAIL_ORIGINAL: they have become the original ones
 * @EVENT_HEAD_JUMP: the head has become the jump's
 * @EVENT_HEAD_ORIGINAL: the head has become the original one
 * @EVENT_DETOUR: a detour has been made
 * @EVENT_WITHDRAW: a detour that no jump leads to is given up
 * @EVENT_INTACT: the text is again what it should be
 * @EVENT_CHANGED: another party has changed the text; nothing may be removed from it
 * @EVENT_ABANDON: the same, and what was to be removed is no longer there
 * @EVENT_TRACE: the function tracer calls us
 * @EVENT_UNTRACE: it no longer does
 * @EVENT_VANISH: the text is about to vanish, and no task executes it any more
 */
enum point_event {
	EVENT_NONE,
	EVENT_GATE_SHUT,
	EVENT_TRAP,
	EVENT_TAIL_JUMP,
	EVENT_TAIL_ORIGINAL,
	EVENT_HEAD_JUMP,
	EVENT_HEAD_ORIGINAL,
	EVENT_DETOUR,
	EVENT_WITHDRAW,
	EVENT_INTACT,
	EVENT_CHANGED,
	EVENT_ABANDON,
	EVENT_TRACE,
	EVENT_UNTRACE,
	EVENT_VANISH,
	NR_EVENTS
};

/**
 * enum point_goal - the goal of a change, for points that are hit by their text
 * @GOAL_ARM: all are traps, whatever they were
 * @GOAL_DISARM: all are off
 * @GOAL_JUMP: those that have a detour are jumps
 * @GOAL_UNJUMP: jumps are traps; those that are off stay so
 */
enum point_goal {
	GOAL_ARM,
	GOAL_DISARM,
	GOAL_JUMP,
	GOAL_UNJUMP,
	NR_GOALS
};

/**
 * enum point_step - from one text to another, with all CPUs synced behind each step
 * @STEP_GATE: the gate is shut: the one step that writes no text, and cannot fail
 * @STEP_TRAP: the head becomes the trap
 * @STEP_TAIL: the bytes behind it, which no task executes now, become the jump's or the original
 * @STEP_HEAD: the head becomes the jump's, or the original
 *
 * In this order, for all points of a batch together.  The trap goes in first and
 * is removed last, so that no CPU ever runs half a jump.
 */
enum point_step {
	STEP_GATE,
	STEP_TRAP,
	STEP_TAIL,
	STEP_HEAD,
	NR_STEPS
};

/* What the head is, if that is known. */
enum point_head {
	HEAD_UNKNOWN,
	HEAD_TRAP,
	HEAD_JUMP,
};

enum point_gate {
	GATE_NONE,	/* there is no detour */
	GATE_OPEN,
	GATE_SHUT,
};

/* Where a hit goes on when its handlers have run. */
enum point_resume {
	RESUME_NOWHERE,	/* there are no hits */
	RESUME_TRACER,
	RESUME_SLOT,	/* or emulated: behind the instruction, in the text */
	RESUME_COPIES,	/* in the detour, from the trap */
	RESUME_DETOUR,	/* in the detour, all the way */
};

/**
 * struct point_facts - what is true in a state
 * @name: of the state
 * @head: what the head is
 * @gate: whether there is a detour, and what its gate is
 * @resume: where hits go on
 * @tail: the bytes behind the head are the jump's
 * @disputed: another party has written to the text, or has a copy; it is left alone
 */
struct point_facts {
	const char *name;
	enum point_head head;
	enum point_gate gate;
	enum point_resume resume;
	bool tail;
	bool disputed;
};

extern const struct point_facts point_facts[NR_STATES];

/* Do hits of the point reach us? */
static inline bool state_is_armed(enum point_state state)
{
	return state >= STATE_FIRST_ARMED;
}

/* Does the text hold our trap, and nothing else that is ours? */
static inline bool state_is_only_trap(enum point_state state)
{
	return state >= STATE_FIRST_TRAP && state <= STATE_LAST_TRAP;
}

enum point_state state_after(enum point_state state, enum point_event event);

/* The steps that a state may still need, a bit each. */
extern const u8 state_plans[NR_GOALS][NR_STATES];

/* Is a step to be written for a point in this state?  Those before it have been tried. */
static inline bool state_needs_step(enum point_state state, enum point_step step,
				    enum point_goal goal)
{
	return state_plans[goal][state] & (1u << step);
}

enum point_event state_step_written(enum point_step step, enum point_goal goal);
bool state_needs_check(enum point_state state, enum point_goal goal);
enum point_event state_checked(enum point_state state, enum point_goal goal, bool intact,
			       bool copied);
bool state_stops_batch(enum point_goal goal);

#endif /* LKP_STATE_H */
