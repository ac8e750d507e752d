// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads execute functions whose probes become jumps and traps again, while other
 * threads register, unregister, disable and enable probes on and next to them, and
 * turn optimisation off and on, all at random.  Some probes have post_handlers, and some
 * skip an instruction that does nothing.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "optimize.h"

#define NR_RUNNERS	6
#define NR_MEDDLERS	3
#define NR_HELD		4	/* probes that a meddler has at a time, at most */
#define MAX_BOUNDARIES	12
#define MAGIC		0x4b504a55

static unsigned int seconds = 20;
module_param(seconds, uint, 0400);

static unsigned long seed = 1;
module_param(seed, ulong, 0400);
MODULE_PARM_DESC(seed, "of what is random");

static bool jumps_too = true;
module_param(jumps_too, bool, 0400);
MODULE_PARM_DESC(jumps_too, "n: traps only, to tell what is whose fault");

/*
 * Each returns a + b.  An emulator of machines takes interrupts behind a pause,
 * so that there are tasks amid the bytes that a jump overwrites.
 */
TARGET(pauses, PAUSES_ADD(pauses));
TARGET(moves, MOVES_ADD(moves));
TARGET(stack, STACK_ADD(stack));
TARGET(branches, BRANCHES_ADD(branches));
TARGET(loops, LOOPS_ADD(loops));
TARGET(singles, SINGLES_ADD(singles));

/**
 * struct place - a function that is run
 * @target: it
 * @counted: it has a probe on its first instruction from beginning to end
 * @skipped: its first two instructions do nothing, and some probes skip them
 * @calls: how often it was called
 * @text: what it was
 * @boundaries: where its instructions begin
 * @nr: how many do
 * @p: that probe
 * @hits: of it
 */
struct place {
	const struct target *target;
	bool counted;
	bool skipped;
	atomic_long_t calls;
	struct saved_text text;
	u8 boundaries[MAX_BOUNDARIES];
	unsigned int nr;
	struct kprobe p;
	atomic_long_t hits;
};

static struct place places[] = {
	{ &pauses, true }, { &moves, true }, { &stack, true },
	{ &branches, false }, { &loops, false }, { &singles, false, true },
};

#define for_each_place(place)							\
	for (place = places; place < places + ARRAY_SIZE(places); place++)

static atomic_long_t wrong, ghosts, lost_ip, errors;
static atomic_long_t lives, jumps, jump_hits, posts, flips, skips, unequal;
static bool calm;	/* so that some jumps come to be */

/* ---- chance ---- */

/* splitmix64: any state will do. */
static u64 random(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* ---- those that run ---- */

static int runner(void *data)
{
	struct place *place;
	unsigned int rounds = 0;

	while (!kthread_should_stop()) {
		for_each_place(place) {
			if (place->target->fn(40, 2) != 42)
				atomic_long_inc(&wrong);
			atomic_long_inc(&place->calls);
		}
		cond_resched_tasks_rcu_qs();
		/* More of them than CPUs: the kernel's own threads want to run, too. */
		if (++rounds % 256 == 0)
			usleep_range(1000, 2000);
	}
	return 0;
}

/* ---- those that meddle ---- */

/**
 * struct held - a probe of a meddler's
 * @p: it
 * @magic: MAGIC while it is registered
 * @disabled: it is
 * @paired: each hit calls both handlers, but for some that are on their way when it comes or goes
 * @pres: calls of the first
 * @posts: of the second
 */
struct held {
	struct kprobe p;
	unsigned int magic;
	bool disabled;
	bool paired;
	atomic_long_t pres, posts;
};

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct held *held = container_of(p, struct held, p);

	if (READ_ONCE(held->magic) != MAGIC)
		atomic_long_inc(&ghosts);
	else if (instruction_pointer(regs) != SEEN_AT(p->addr))
		atomic_long_inc(&lost_ip);
	atomic_long_inc(&held->pres);
	return 0;
}

/* To the instruction behind it, which the jump has overwritten where there is one. */
static int skip(struct kprobe *p, struct pt_regs *regs)
{
	on_pre(p, regs);
	instruction_pointer_set(regs, (unsigned long)p->addr + singles.next - singles.at);
	atomic_long_inc(&skips);
	return 1;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct held *held = container_of(p, struct held, p);

	if (READ_ONCE(held->magic) != MAGIC)
		atomic_long_inc(&ghosts);
	atomic_long_inc(&held->posts);
	atomic_long_inc(&posts);
}

static struct held *new_held(u64 *dice)
{
	struct place *place = &places[random(dice) % ARRAY_SIZE(places)];
	struct held *held = kzalloc(sizeof(*held), GFP_KERNEL);
	unsigned int nr = random(dice) % place->nr;

	if (!held)
		return NULL;
	held->magic = MAGIC;
	held->p.addr = target_at(place->target) + place->boundaries[nr];
	held->p.pre_handler = place->skipped && nr < 2 && random(dice) % 4 == 0 ? skip : on_pre;
	if (random(dice) % 4 == 0)
		held->p.post_handler = on_post;
	held->paired = held->p.post_handler && !place->skipped;
	held->disabled = random(dice) % 4 == 0;
	held->p.flags = held->disabled ? KPROBE_FLAG_DISABLED : 0;
	return held;
}

static void free_held(struct held *held)
{
	long extra = atomic_long_read(&held->pres) - atomic_long_read(&held->posts);

	if (held->paired && abs(extra) > nr_cpu_ids)
		atomic_long_inc(&unequal);
	memset(held, 0x6b, sizeof(*held));
	kfree(held);
	atomic_long_inc(&lives);
}

static void end(struct held **held)
{
	if (kprobe_optimized(&(*held)->p))
		atomic_long_inc(&jumps);
	unregister_kprobe(&(*held)->p);
	free_held(*held);
	*held = NULL;
}

static void begin(struct held **held, u64 *dice)
{
	*held = new_held(dice);
	if (!*held || register_kprobe(&(*held)->p)) {
		atomic_long_inc(&errors);
		kfree(*held);
		*held = NULL;
	}
}

static void toggle(struct held *held)
{
	int err = held->disabled ? enable_kprobe(&held->p) : disable_kprobe(&held->p);

	if (err)
		atomic_long_inc(&errors);
	held->paired = false;
	held->disabled = !held->disabled;
}

/* Several in one call, as many as there are. */
static void end_all(struct held **held)
{
	struct kprobe *pointers[NR_HELD];
	unsigned int i, nr = 0;

	for (i = 0; i < NR_HELD; i++)
		if (held[i])
			pointers[nr++] = &held[i]->p;
	unregister_kprobes(pointers, nr);
	for (i = 0; i < NR_HELD; i++)
		if (held[i])
			free_held(held[i]);
	memset(held, 0, NR_HELD * sizeof(*held));
}

static void begin_all(struct held **held, u64 *dice)
{
	struct kprobe *pointers[NR_HELD];
	unsigned int i;

	end_all(held);
	for (i = 0; i < NR_HELD; i++) {
		held[i] = new_held(dice);
		pointers[i] = held[i] ? &held[i]->p : NULL;
	}
	if (!register_kprobes(pointers, NR_HELD))
		return;
	atomic_long_inc(&errors);
	while (i--) {
		kfree(held[i]);
		held[i] = NULL;
	}
}

static void meddle(struct held **held, u64 *dice)
{
	struct held **one = &held[random(dice) % NR_HELD];

	switch (random(dice) % 16) {
	case 0:
		begin_all(held, dice);
		break;
	case 1:
		end_all(held);
		break;
	case 2 ... 7:
		if (*one)
			toggle(*one);
		break;
	default:
		if (*one)
			end(one);
		else
			begin(one, dice);
	}
}

static int meddler(void *data)
{
	struct held *held[NR_HELD] = { };
	u64 dice = seed * 1000 + (unsigned long)data;

	while (!kthread_should_stop()) {
		if (!READ_ONCE(calm))
			meddle(held, &dice);
		if (READ_ONCE(calm) || random(&dice) % 4 == 0)
			msleep(random(&dice) % 100);
	}
	end_all(held);
	return 0;
}

static int flipper(void *data)
{
	u64 dice = seed * 1000 + 999;

	while (!kthread_should_stop()) {
		msleep(200 + random(&dice) % 1000);
		if (turn_optimization(false))
			atomic_long_inc(&errors);
		msleep(random(&dice) % 50);
		WRITE_ONCE(calm, random(&dice) % 4);
		if (jumps_too && turn_optimization(true))
			atomic_long_inc(&errors);
		/* The changes begin when the jumps are in use. */
		WRITE_ONCE(calm, false);
		atomic_long_inc(&flips);
	}
	return 0;
}

/* ---- the storm ---- */

static int on_counted(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(p, struct place, p)->hits);
	if (kprobe_optimized(p))
		atomic_long_inc(&jump_hits);
	return 0;
}

static bool is_boundary(void *addr)
{
	struct kprobe p = { .addr = addr, .flags = KPROBE_FLAG_DISABLED };

	if (register_kprobe(&p))
		return false;
	unregister_kprobe(&p);
	return true;
}

/* Not on the return at the end. */
static bool prepare(struct ktap *t, struct place *place)
{
	unsigned int at;

	place->text = text_of(place->target);
	place->nr = 0;
	for (at = 0; at < 10 && place->nr < MAX_BOUNDARIES; at++)
		if (is_boundary(target_at(place->target) + at))
			place->boundaries[place->nr++] = at;
	EXPECT(t, place->nr > 2);
	place->p = (struct kprobe){ .addr = target_at(place->target),
				    .pre_handler = on_counted };
	return !place->counted || EXPECT_EQ(t, register_kprobe(&place->p), 0);
}

static struct task_struct *tasks[NR_RUNNERS + NR_MEDDLERS + 1];

static bool start(struct ktap *t, unsigned int nr, int (*fn)(void *data))
{
	tasks[nr] = kthread_run(fn, (void *)(unsigned long)nr, "lkp_storm/%u", nr);
	if (EXPECT(t, !IS_ERR(tasks[nr])))
		return true;
	tasks[nr] = NULL;
	return false;
}

static void stop(unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++)
		if (tasks[i])
			kthread_stop(tasks[i]);
}

static void blow(struct ktap *t)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < NR_RUNNERS; i++)
		good &= start(t, i, runner);
	for (; i < NR_RUNNERS + NR_MEDDLERS; i++)
		good &= start(t, i, meddler);
	good &= start(t, i, flipper);
	if (good)
		msleep(1000 * seconds);
	stop(NR_RUNNERS, ARRAY_SIZE(tasks));
	/* Only the counted probes are left: they become jumps again. */
	EXPECT(t, becomes_jump(&places[0].p));
	stop(0, NR_RUNNERS);
}

static void expect_place(struct ktap *t, struct place *place)
{
	long calls = atomic_long_read(&place->calls);

	seq_printf(t->m, "# %ld calls, %ld hits\n", calls, atomic_long_read(&place->hits));
	EXPECT(t, calls > 1000);
	if (place->counted) {
		EXPECT(t, becomes_jump(&place->p));
		EXPECT_EQ(t, atomic_long_read(&place->hits), calls);
		EXPECT_EQ(t, place->p.nmissed, 0);
		unregister_kprobe(&place->p);
	}
	EXPECT(t, text_is(place->target, &place->text));
	EXPECT_EQ(t, place->target->fn(40, 2), 42);
}

static void case_probes_come_and_go_under_jumps(struct ktap *t)
{
	struct place *place;

	for_each_place(place)
		if (!prepare(t, place))
			return;
	EXPECT_EQ(t, turn_optimization(jumps_too), 0);
	blow(t);
	for_each_place(place)
		expect_place(t, place);
	seq_printf(t->m, "# seed %lu, %u s: %ld probes, %ld of them jumps at last, %ld flips\n",
		   seed, seconds, atomic_long_read(&lives), atomic_long_read(&jumps),
		   atomic_long_read(&flips));
	seq_printf(t->m, "# %ld hits of jumps, %ld post hits, %ld skips\n",
		   atomic_long_read(&jump_hits), atomic_long_read(&posts),
		   atomic_long_read(&skips));
	EXPECT_EQ(t, atomic_long_read(&wrong), 0);
	EXPECT_EQ(t, atomic_long_read(&ghosts), 0);
	EXPECT_EQ(t, atomic_long_read(&lost_ip), 0);
	EXPECT_EQ(t, atomic_long_read(&errors), 0);
	EXPECT(t, atomic_long_read(&lives) > 20);
	EXPECT(t, atomic_long_read(&jumps) > 0);
	EXPECT(t, atomic_long_read(&jump_hits) > 10000);
	EXPECT_EQ(t, atomic_long_read(&unequal), 0);
	EXPECT(t, atomic_long_read(&posts) > 0);
	EXPECT(t, atomic_long_read(&skips) > 0);
	EXPECT(t, atomic_long_read(&flips) > 1);
}

static const struct ktap_case cases[] = {
	CASE(probes_come_and_go_under_jumps),
};
KTAP_MODULE(cases);
