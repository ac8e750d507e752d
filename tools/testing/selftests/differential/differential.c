// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs every case from random states: natively, with a pre handler on its
 * instruction, with a jump there if it can be one, the same two ways with a post handler too,
 * and natively again.  Registers, flags, stack and data must come out the same.
 *
 * It runs when /proc/lkp_differential is read, and prints KTAP.
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "differential.h"

/* The stack pointer begins amid the window: room for what is pushed, and what is popped. */
#define STACK_MIDDLE	(8 * STACK_WORDS / 2)

static unsigned int states = 48;
module_param(states, uint, 0444);
MODULE_PARM_DESC(states, "how many states each case runs from");

static unsigned long seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of what is random");

enum pass { NATIVE, PRE, JUMP, PRE_AND_POST, JUMP_AND_POST, AGAIN, NR_PASSES };

static const char * const pass_names[] = {
	"natively", "with a pre handler", "with a jump", "with a post handler",
	"with a jump and a post handler", "natively again",
};

#define SWITCH	"/proc/sys/debug/" KPROBES_SYSCTL_NAME

/**
 * struct result - how a run ended
 * @regs: all registers
 * @data: the memory
 * @stack: the stack window, as far as it is compared; zero below
 */
struct result {
	struct diff_regs regs;
	u64 data[DATA_WORDS];
	u64 stack[STACK_WORDS];
};

/**
 * struct probe - the probe of a case
 * @kp: the probe
 * @hits: of the pre handler
 * @posts: of the post handler
 * @wrong: a handler was given wrong registers
 * @seen: what the post handler saw
 */
struct probe {
	struct kprobe kp;
	unsigned long hits, posts, wrong;
	struct pt_regs seen;
};

static DEFINE_MUTEX(run_mutex);
static struct result *expected;
static struct probe *probes;
static struct kprobe **pointers;
static const char **failures;
static u64 random_state;
static unsigned int nr_jumps, now_jumps;

unsigned int __weak diff_nr_cases(void)
{
	return diff_cases_end - diff_cases;
}

bool __weak diff_case_runs(u64 need)
{
	return true;
}

bool __weak diff_row_runs(unsigned int row)
{
	return true;
}

static unsigned int nr_cases(void)
{
	return diff_nr_cases();
}

static bool runs(unsigned int i)
{
	return diff_case_runs(diff_cases[i].need);
}

/* ---- states ---- */

/* splitmix64: any state will do. */
u64 diff_random(void)
{
	u64 z = (random_state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Small numbers, signs and carries are rare among random ones. */
u64 diff_random_value(void)
{
	u64 value = diff_random();

	switch (diff_random() % 8) {
	case 0:
		return value % 4 - 2;
	case 1:
		return (u32)value;
	case 2:
		return 1ull << (value % 64);
	default:
		return value;
	}
}

static void set_register(u64 need, unsigned int nr, u64 sp_offset)
{
	u64 *reg = &diff_in.gpr[nr];

	if (need & 1ull << nr)
		*reg = (u64)&diff_data[DATA_WORDS / 2 + diff_random() % 8];
	if (need & 1ull << (16 + nr))
		*reg = diff_random() % 8;
	if (need & 1ull << (32 + nr))
		*reg = diff_window + sp_offset + 8 * (diff_random() % 8);
}

static void fill_stack(u64 need, u64 sp_offset)
{
	unsigned int i;

	for (i = 0; i < STACK_WORDS; i++) {
		diff_stack[i] = diff_random_value();
		if (need & STACK_POINTERS)
			diff_stack[i] = diff_window + sp_offset + 64 + 8 * (diff_random() % 8);
	}
}

static u64 prepare_state(const struct diff_case *c, unsigned int state)
{
	u64 sp_offset;
	unsigned int i;

	random_state = seed + ((u64)(c - diff_cases) << 32) + state;
	sp_offset = STACK_MIDDLE + STACK_ALIGN * (diff_random() % 8);
	for (i = 0; i < DATA_WORDS; i++)
		diff_data[i] = diff_random_value();
	for (i = 0; i < NR_GPRS; i++)
		diff_in.gpr[i] = diff_random_value();
	for (i = 0; i < 16; i++)
		set_register(c->need, i, sp_offset);
	fill_stack(c->need, sp_offset);
	diff_prepare(c->need);
	return sp_offset;
}

/* ---- runs ---- */

/* Not compared below the stack pointer: interrupts and the trap write there. */
static void keep_result(const struct diff_case *c, struct result *r, u64 sp_offset)
{
	u64 end = diff_out.gpr[NR_SP] - diff_window;
	u64 from = c->need & HOLE ? max(end, sp_offset) : end;

	memset(r, 0, sizeof(*r));
	r->regs = diff_out;
	memcpy(r->data, diff_data, sizeof(r->data));
	if (from < 8 * STACK_WORDS)
		memcpy((char *)r->stack + from, (char *)diff_stack + from, 8 * STACK_WORDS - from);
}

static noinline void run_once(const struct diff_case *c, unsigned int state, struct result *r)
{
	u64 sp_offset;

	sp_offset = prepare_state(c, state);
	preempt_disable();
	diff_begin_run(c->need);
	diff_run(c->code, sp_offset);
	diff_end_run(c->need);
	preempt_enable();
	keep_result(c, r, sp_offset);
}

/* The window's address goes into states: it must be known, and stay. */
static bool find_window(void)
{
	struct result unused;
	u64 window;

	run_once(&diff_cases[0], 0, &unused);
	window = diff_window;
	run_once(&diff_cases[0], 0, &unused);
	return window == diff_window;
}

/* ---- handlers ---- */

static int on_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct probe *p = container_of(kp, struct probe, kp);

	p->hits++;
	if (instruction_pointer(regs) != SEEN_AT((unsigned long)kp->addr))
		p->wrong++;
	return 0;
}
NOKPROBE_SYMBOL(on_pre);

static void on_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	struct probe *p = container_of(kp, struct probe, kp);

	p->posts++;
	p->seen = *regs;
}
NOKPROBE_SYMBOL(on_post);

static void init_probe(unsigned int i, bool post)
{
	struct probe *p = &probes[i];

	memset(p, 0, sizeof(*p));
	p->kp.addr = (kprobe_opcode_t *)(diff_cases[i].code + diff_cases[i].insn);
	p->kp.pre_handler = on_pre;
	if (post)
		p->kp.post_handler = on_post;
	pointers[i] = &p->kp;
}

/* All at once if that works, else one by one to see which is refused. */
static void place_probes(struct seq_file *m, bool post)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr_cases(); i++)
		init_probe(i, post);
	if (!register_kprobes(pointers, nr_cases()))
		return;
	for (i = 0; i < nr_cases(); i++) {
		init_probe(i, post);
		err = register_kprobe(&probes[i].kp);
		if (!err)
			continue;
		seq_printf(m, "# %s: refused, %d: it is %s\n", diff_cases[i].name, err,
			   kprobe_refusal(&probes[i].kp) ?: "?");
		failures[i] = "it can't be probed";
	}
}

/* ---- jumps ---- */

/* When it returns, all probes that can be jumps are, or none is. */
static bool turn_optimization(bool on)
{
	struct file *file = filp_open(SWITCH, O_WRONLY, 0);
	loff_t pos = 0;
	bool written;

	if (IS_ERR(file))
		return false;
	written = kernel_write(file, on ? "1" : "0", 1, &pos) == 1;
	filp_close(file, NULL);
	return written;
}

static unsigned int count_jumps(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_cases(); i++)
		nr += !failures[i] && kprobe_optimized(&probes[i].kp);
	return nr;
}

/* ---- comparing ---- */

static bool same_words(struct seq_file *m, const char *what, const void *got, const void *want,
		       unsigned int nr)
{
	const u64 *g = got, *w = want;
	bool same = true;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (g[i] == w[i])
			continue;
		seq_printf(m, "#   %s %u: %llx, natively %llx\n", what, i, g[i], w[i]);
		same = false;
	}
	return same;
}

static void compare(struct seq_file *m, unsigned int i, unsigned int state, enum pass pass,
		    const struct result *got)
{
	const struct result *want = &expected[i * states + state];

	if (!memcmp(got, want, sizeof(*got)))
		return;
	/* One difference of a case tells enough. */
	if (failures[i])
		return;
	failures[i] = "it does something else";
	seq_printf(m, "# %s, state %u, %s:\n", diff_cases[i].name, state, pass_names[pass]);
	same_words(m, "register", got->regs.gpr, want->regs.gpr, NR_GPRS);
	same_words(m, "special", got->regs.special, want->regs.special, NR_SPECIALS);
	same_words(m, "data", got->data, want->data, DATA_WORDS);
	same_words(m, "stack", got->stack, want->stack, STACK_WORDS);
}

static bool post_saw(struct probe *p, const struct diff_case *c, const struct result *r)
{
	return instruction_pointer(&p->seen) == c->code + c->after &&
	       diff_post_saw(&p->seen, &r->regs);
}

static void check_post(unsigned int i, const struct result *r)
{
	const struct diff_case *c = &diff_cases[i];

	/* What runs between the instruction and the end changes what there is to see. */
	if (c->after == c->tail && !failures[i] && !post_saw(&probes[i], c, r))
		failures[i] = "the post handler was shown other registers";
}

static void check_counts(unsigned int i, bool post)
{
	const struct probe *p = &probes[i];

	if (failures[i] || !runs(i))
		return;
	if (p->hits != states || p->kp.nmissed)
		failures[i] = "not every run was a hit";
	else if (p->posts != (post ? states : 0))
		failures[i] = "not every run was a post hit";
	else if (p->wrong)
		failures[i] = "the pre handler was shown another address";
}

static bool has_post(enum pass pass)
{
	return pass == PRE_AND_POST || pass == JUMP_AND_POST;
}

static bool may_jump(enum pass pass)
{
	return pass == JUMP || pass == JUMP_AND_POST;
}

static void run_case(struct seq_file *m, unsigned int i, enum pass pass)
{
	struct result got;
	unsigned int state;

	for (state = 0; state < states; state++) {
		if (pass == NATIVE) {
			run_once(&diff_cases[i], state, &expected[i * states + state]);
			continue;
		}
		run_once(&diff_cases[i], state, &got);
		compare(m, i, state, pass, &got);
		if (has_post(pass))
			check_post(i, &got);
	}
}

static bool begin_pass(struct seq_file *m, enum pass pass)
{
	bool switched = turn_optimization(false);

	place_probes(m, has_post(pass));
	if (!may_jump(pass))
		return switched;
	switched &= turn_optimization(true);
	now_jumps = count_jumps();
	if (pass == JUMP)
		nr_jumps = now_jumps;
	return switched;
}

/* One frame for all passes: the window is at a distance from it. */
static noinline void run_pass(struct seq_file *m, enum pass pass)
{
	bool probed = pass != NATIVE && pass != AGAIN;
	unsigned int i;

	if (probed && !begin_pass(m, pass))
		failures[0] = "jumps can't be turned off and on";
	for (i = 0; i < nr_cases(); i++)
		if (!failures[i] && runs(i))
			run_case(m, i, pass);
	if (!probed)
		return;
	if (may_jump(pass) && count_jumps() != now_jumps) {
		seq_printf(m, "# %u jumps are now %u\n", now_jumps, count_jumps());
		failures[0] = "jumps came or went during the pass";
	}
	if (pass == JUMP_AND_POST && now_jumps != nr_jumps)
		failures[0] = "a post handler changes what can be a jump";
	unregister_kprobes(pointers, nr_cases());
	for (i = 0; i < nr_cases(); i++)
		check_counts(i, has_post(pass));
}

/* ---- coverage of the emulator's table ---- */

static bool decode_case(const struct diff_case *c, struct insn *insn)
{
	return insn_decode(insn, (void *)(c->code + c->insn), INSN_MAX_LENGTH) == INSN_OK;
}

static bool row_is_run(unsigned int row)
{
	const struct diff_case *c;
	struct insn insn;

	for (c = diff_cases; c < diff_cases + nr_cases(); c++)
		if (!failures[c - diff_cases] && decode_case(c, &insn) &&
		    emulate_row(&insn) == row)
			return true;
	return false;
}

static unsigned int cases_out_of_line(void)
{
	const struct diff_case *c;
	struct insn insn;
	unsigned int nr = 0;

	for (c = diff_cases; c < diff_cases + nr_cases(); c++)
		nr += decode_case(c, &insn) && insn.class == INSN_SLOT;
	return nr;
}

static bool coverage(struct seq_file *m)
{
	unsigned int row, missing = 0, unfit = 0;

	for (row = 0; row < emulate_nr_rows(); row++) {
		if (row_is_run(row))
			continue;
		if (!diff_row_runs(row)) {
			unfit++;
			continue;
		}
		seq_printf(m, "# row %u of the emulator's table was not run: %s\n", row,
			   emulate_row_name(row));
		missing++;
	}
	seq_printf(m, "# %u of the emulator's %u rows were run; %u cases out of line\n",
		   emulate_nr_rows() - missing - unfit, emulate_nr_rows(), cases_out_of_line());
	return !missing;
}

/* ---- the report ---- */

static bool allocate(void)
{
	expected = vzalloc(array3_size(nr_cases(), states, sizeof(*expected)));
	probes = kvcalloc(nr_cases(), sizeof(*probes), GFP_KERNEL);
	pointers = kvcalloc(nr_cases(), sizeof(*pointers), GFP_KERNEL);
	failures = kvcalloc(nr_cases(), sizeof(*failures), GFP_KERNEL);
	return expected && probes && pointers && failures;
}

static void release(void)
{
	vfree(expected);
	kvfree(probes);
	kvfree(pointers);
	kvfree(failures);
}

/* Two thirds can be: the rest branches, returns, or loads from a table. */
static void report_jumps(struct seq_file *m, unsigned int number)
{
	seq_printf(m, "# %u of %u cases were run with a jump\n", nr_jumps, nr_cases());
	seq_printf(m, "%s %u - most cases are run with a jump\n",
		   nr_jumps > nr_cases() / 2 ? "ok" : "not ok", number);
}

static void report(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < nr_cases(); i++) {
		if (failures[i])
			seq_printf(m, "# %s\nnot ok %u - %s\n", failures[i], i + 1,
				   diff_cases[i].name);
		else
			seq_printf(m, "ok %u - %s%s\n", i + 1, diff_cases[i].name,
				   runs(i) ? "" : " # SKIP not on this CPU");
	}
	seq_printf(m, "%s %u - every row of the emulator's table is run\n",
		   coverage(m) ? "ok" : "not ok", nr_cases() + 1);
	report_jumps(m, nr_cases() + 2);
	seq_printf(m, "1..%u\n", nr_cases() + 2);
}

static int run_show(struct seq_file *m, void *unused)
{
	enum pass pass;

	mutex_lock(&run_mutex);
	/*
	 * cpuid and a few more answer for the CPU that they run on.  migrate_disable() would not do:
	 * before 5.11 it is preempt_disable(), which does nothing on a kernel without preemption.
	 */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	if (!allocate() || !find_window()) {
		seq_puts(m, "Bail out! no memory, or no stack that stays\n");
	} else {
		for (pass = 0; pass < NR_PASSES; pass++)
			run_pass(m, pass);
		seq_printf(m, "# %u cases from %u states, %u times each, seed %lu\n",
			   nr_cases(), states, NR_PASSES, seed);
		report(m);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	release();
	mutex_unlock(&run_mutex);
	return 0;
}

/* Enough for all of it: seq_file must not begin again. */
static int run_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, run_show, NULL, 256 * 1024);
}

static const struct proc_ops run_ops = {
	.proc_open = run_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init differential_init(void)
{
	return proc_create("lkp_differential", 0400, NULL, &run_ops) ? 0 : -ENOMEM;
}
module_init(differential_init);

static void __exit differential_exit(void)
{
	remove_proc_entry("lkp_differential", NULL);
}
module_exit(differential_exit);

MODULE_DESCRIPTION("Instructions with and without probes");
MODULE_LICENSE("GPL");
