// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes by the hundred at random instructions of the kernel, in batches.
 *
 * Commands are written to /proc/lkp_sweep:
 *
 *	pick BATCH COUNT [FIRST LAST]	choose COUNT random instructions and
 *					probe them, or the FIRST to LAST of them;
 *					a BATCH of a number is always the same
 *	block NUMBER PHASE STRIDE	probe each STRIDEth instruction of a block of text,
 *					beginning with number PHASE
 *	function ADDRESS...		probe all instructions of these functions
 *	at ADDRESS			probe that instruction
 *	ends				try the last instruction of each function, disabled
 *	drop				unregister all probes
 *
 * Reading it gives the results so far.
 */
#define pr_fmt(fmt) "sweep: " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "sweep.h"

#define MAX_REASONS	64
#define MAX_AIMS	65536
#define BLOCK		65536	/* bytes */
#define MAX_COMMAND	65536

static unsigned long start, end;
module_param(start, ulong, 0444);
MODULE_PARM_DESC(start, "first byte of text: _stext of /proc/kallsyms");
module_param(end, ulong, 0444);
MODULE_PARM_DESC(end, "behind the last byte: _etext");

static unsigned long seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of what is random");

static bool verbose;
module_param(verbose, bool, 0600);
MODULE_PARM_DESC(verbose, "log every address before it is probed");

static char *tell_refused;
module_param(tell_refused, charp, 0400);
MODULE_PARM_DESC(tell_refused, "log the addresses that are refused for a reason with this word");

static bool plain;
module_param(plain, bool, 0600);
MODULE_PARM_DESC(plain, "pre handlers only");

/**
 * struct aim - one probe of the batch
 * @kp: the probe
 * @addr: where it is to be
 * @hits: how often its pre handler ran
 */
struct aim {
	struct kprobe kp;
	unsigned long addr;
	atomic_long_t hits;
};

static struct aim *aims;
static struct kprobe **armed;
static unsigned int nr_armed;
static bool dropped = true;

/* What the report is made of. */
static struct {
	unsigned long batches, tried, refused, armed, hit, hits, missed, wrong;
	atomic_long_t posts, faults, late;
} sum;

static struct reason {
	int err;
	const char *why;
	unsigned long count;
} reasons[MAX_REASONS];

static DEFINE_MUTEX(command_mutex);
static u64 random_state;

/* ---- chance ---- */

/* splitmix64: any state will do. */
static u64 random(void)
{
	u64 z = (random_state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void random_begin(u64 batch)
{
	random_state = seed;
	random_state = random() ^ batch;
}

static unsigned long random_boundary(void)
{
	unsigned long addr;

	do {
		addr = boundary_before(start + random() % (end - start));
	} while (!addr);
	return addr;
}

/* ---- handlers ---- */

static int on_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct aim *aim = container_of(p, struct aim, kp);

	atomic_long_inc(&aim->hits);
	if (READ_ONCE(dropped))
		atomic_long_inc(&sum.late);
	if (instruction_pointer(regs) != (unsigned long)p->addr + IS_ENABLED(CONFIG_X86_64))
		WRITE_ONCE(sum.wrong, sum.wrong + 1);
	return 0;
}
NOKPROBE_SYMBOL(on_pre);

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	atomic_long_inc(&sum.posts);
	if (READ_ONCE(dropped))
		atomic_long_inc(&sum.late);
}
NOKPROBE_SYMBOL(on_post);

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	atomic_long_inc(&sum.faults);
	return 0;
}
NOKPROBE_SYMBOL(on_fault);

/* ---- batches ---- */

static void count_refusal(const struct aim *aim, int err, const char *why)
{
	struct reason *r;

	if (tell_refused && strstr(why, tell_refused))
		pr_info("refused: %pS: %s\n", (void *)aim->addr, why);
	sum.refused++;
	for (r = reasons; r < reasons + MAX_REASONS - 1 && r->why; r++)
		if (r->err == err && !strcmp(r->why, why))
			break;
	r->err = err;
	r->why = why;
	r->count++;
}

static void aim_at(struct aim *aim, unsigned long addr)
{
	u64 dice = random();

	memset(aim, 0, sizeof(*aim));
	aim->addr = addr;
	aim->kp.addr = (kprobe_opcode_t *)addr;
	aim->kp.pre_handler = on_pre;
	if (!plain && dice & 1)
		aim->kp.post_handler = on_post;
	if (!plain && dice % 16 < 2)
		aim->kp.fault_handler = on_fault;
}

static int try(struct aim *aim)
{
	int err;

	if (verbose)
		pr_info("%lx %pS%s%s\n", (unsigned long)aim->kp.addr, aim->kp.addr,
			aim->kp.post_handler ? " post" : "",
			aim->kp.fault_handler ? " fault" : "");
	err = register_kprobe(&aim->kp);
	if (err)
		count_refusal(aim, err, kprobe_refusal(&aim->kp) ?: "(no reason given)");
	return err;
}

static void register_one_by_one(unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++)
		if (!try(&aims[i]))
			armed[nr_armed++] = &aims[i].kp;
}

/* Disabled probes show which will be accepted; those then go in together. */
static int register_at_once(unsigned int from, unsigned int to)
{
	unsigned int i;
	int err = 0;

	for (i = from; i < to; i++) {
		aims[i].kp.flags = KPROBE_FLAG_DISABLED;
		if (!try(&aims[i]))
			armed[nr_armed++] = &aims[i].kp;
	}
	unregister_kprobes(armed, nr_armed);
	for (i = 0; i < nr_armed; i++)
		armed[i]->flags = 0;
	if (nr_armed)
		err = register_kprobes(armed, nr_armed);
	if (err) {
		pr_err("%u probes at once refused: %d\n", nr_armed, err);
		nr_armed = 0;
	}
	return err;
}

static int begin(unsigned int nr)
{
	if (nr_armed)
		return -EBUSY;
	if (!nr || nr > MAX_AIMS)
		return -EINVAL;
	WRITE_ONCE(dropped, false);
	return 0;
}

static int arm(unsigned int from, unsigned int to, bool at_once)
{
	int err = 0;

	sum.batches++;
	sum.tried += to - from;
	if (at_once)
		err = register_at_once(from, to);
	else
		register_one_by_one(from, to);
	sum.armed += nr_armed;
	return err;
}

/* A few instructions get more than one probe. */
static int pick(unsigned int batch, unsigned int nr, unsigned int from, unsigned int to)
{
	unsigned int i;
	int err = begin(nr);

	if (err)
		return err;
	random_begin(batch);
	for (i = 0; i < nr; i++)
		aim_at(&aims[i], i && random() % 32 == 0 ? aims[i - 1].addr : random_boundary());
	return arm(min(from, nr), min(to, nr), batch & 1);
}

/* Returns how many aims there are then. */
static unsigned int aim_at_function(unsigned int nr, const struct symbol_extent *sym)
{
	unsigned long addr;
	unsigned int length;

	for (addr = sym->start; nr < MAX_AIMS; addr += length) {
		length = instruction_length(addr, sym->end);
		if (!length)
			break;
		if (!is_filler(addr))
			aim_at(&aims[nr++], addr);
	}
	return nr;
}

static int whole_functions(const char *text)
{
	struct symbol_extent sym;
	unsigned int nr = 0;
	unsigned long addr;
	int len;

	if (nr_armed)
		return -EBUSY;
	for (; sscanf(text, "%lx%n", &addr, &len) == 1; text += len) {
		if (!symbol_extent(addr, &sym))
			return -ENOENT;
		random_begin(addr - start);
		nr = aim_at_function(nr, &sym);
	}
	return begin(nr) ?: arm(0, nr, true);
}

/* Those that are refused are left out by the call itself, which takes one for all. */
static int register_what_can_be(unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		aims[i].kp.flags = KPROBE_FLAG_MAY_BE_REFUSED;
		armed[i] = &aims[i].kp;
	}
	err = register_kprobes(armed, nr);
	for (i = 0; i < nr && !err; i++) {
		if (kprobe_refusal(&aims[i].kp))
			count_refusal(&aims[i], 0, kprobe_refusal(&aims[i].kp));
		else
			armed[nr_armed++] = &aims[i].kp;
	}
	return err;
}

static int block(unsigned int number, unsigned int phase, unsigned int stride)
{
	unsigned long from = start + (unsigned long)number * BLOCK, at;
	struct boundary_walk walk;
	unsigned int i = 0, nr = 0;
	int err;

	if (from >= end || !stride || nr_armed)
		return -EINVAL;
	random_begin(number);
	boundary_walk_begin(&walk, from, min(from + BLOCK, end));
	while (nr < MAX_AIMS && (at = boundary_walk_next(&walk)))
		if (i++ % stride == phase)
			aim_at(&aims[nr++], at);
	sum.batches++;
	/* Nothing but data that functions need. */
	if (!nr)
		return 0;
	err = begin(nr) ?: register_what_can_be(nr);
	sum.tried += nr;
	sum.armed += nr_armed;
	return err;
}

static int try_ends(unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		aims[i].kp.flags = KPROBE_FLAG_DISABLED;
	err = register_what_can_be(nr);
	sum.tried += nr;
	unregister_kprobes(armed, nr_armed);
	nr_armed = 0;
	return err;
}

/* A function can be read to its last instruction only if it can be read as a whole. */
static int ends(void)
{
	struct boundary_walk walk;
	unsigned long at, sym = 0, last = 0;
	unsigned int nr = 0;
	int err = 0;

	if (nr_armed)
		return -EBUSY;
	boundary_walk_begin(&walk, start, end);
	do {
		at = boundary_walk_next(&walk);
		if (last && (!at || walk.sym.start != sym))
			aim_at(&aims[nr++], last);
		if (nr && (!at || nr == MAX_AIMS)) {
			err = try_ends(nr);
			nr = 0;
		}
		last = at;
		sym = walk.sym.start;
	} while (at && !err);
	return err;
}

static int single(unsigned long addr)
{
	int err = begin(1);

	if (err)
		return err;
	random_begin(addr);
	aim_at(&aims[0], addr);
	return arm(0, 1, false);
}

static void drop(void)
{
	unsigned int i;

	unregister_kprobes(armed, nr_armed);
	WRITE_ONCE(dropped, true);
	for (i = 0; i < nr_armed; i++) {
		struct aim *aim = container_of(armed[i], struct aim, kp);
		long hits = atomic_long_read(&aim->hits);

		sum.hits += hits;
		sum.hit += hits != 0;
		sum.missed += aim->kp.nmissed;
	}
	nr_armed = 0;
}

/* ---- commands ---- */

static int run_command(const char *text)
{
	unsigned int batch, nr, from = 0, to = MAX_AIMS, stride;
	unsigned long addr;

	if (sysfs_streq(text, "ends"))
		return ends();
	if (sysfs_streq(text, "drop")) {
		drop();
		return 0;
	}
	if (sscanf(text, "pick %u %u %u %u", &batch, &nr, &from, &to) >= 2)
		return pick(batch, nr, from, to);
	if (sscanf(text, "block %u %u %u", &batch, &from, &stride) == 3)
		return block(batch, from, stride);
	if (sscanf(text, "function %lx", &addr) == 1)
		return whole_functions(text + strlen("function "));
	if (sscanf(text, "at %lx", &addr) == 1)
		return single(addr);
	return -EINVAL;
}

static ssize_t command_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char *text = len < MAX_COMMAND ? memdup_user_nul(from, len) : ERR_PTR(-EINVAL);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&command_mutex);
	err = run_command(text);
	mutex_unlock(&command_mutex);
	kfree(text);
	return err ?: len;
}

static int report_show(struct seq_file *m, void *unused)
{
	struct reason *r;

	seq_printf(m, "blocks %lu\n", DIV_ROUND_UP(end - start, BLOCK));
	seq_printf(m, "batches %lu\ntried %lu\narmed %lu\nrefused %lu\n", sum.batches, sum.tried,
		   sum.armed, sum.refused);
	seq_printf(m, "hit %lu\nhits %lu\nposts %ld\nfaults %ld\nmissed %lu\n", sum.hit, sum.hits,
		   atomic_long_read(&sum.posts), atomic_long_read(&sum.faults), sum.missed);
	seq_printf(m, "late %ld\nwrong %lu\n", atomic_long_read(&sum.late), sum.wrong);
	for (r = reasons; r < reasons + MAX_REASONS && r->count; r++)
		seq_printf(m, "refusal %d %6lu  %s\n", r->err, r->count, r->why);
	return 0;
}

static int command_open(struct inode *inode, struct file *file)
{
	return single_open(file, report_show, NULL);
}

static const struct proc_ops command_ops = {
	.proc_open = command_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = command_write,
};

static void free_all(void)
{
	kvfree(armed);
	kvfree(aims);
}

static int __init sweep_init(void)
{
	if (start >= end)
		return -EINVAL;
	aims = kvcalloc(MAX_AIMS, sizeof(*aims), GFP_KERNEL);
	armed = kvcalloc(MAX_AIMS, sizeof(*armed), GFP_KERNEL);
	if (!aims || !armed || !proc_create("lkp_sweep", 0600, NULL, &command_ops)) {
		free_all();
		return -ENOMEM;
	}
	return 0;
}
module_init(sweep_init);

static void __exit sweep_exit(void)
{
	remove_proc_entry("lkp_sweep", NULL);
	drop();
	free_all();
}
module_exit(sweep_exit);

MODULE_DESCRIPTION("Probes at random places");
MODULE_LICENSE("GPL");
