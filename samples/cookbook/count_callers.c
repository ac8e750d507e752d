// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where is a function called from, and how often from each place?  Shows it in
 * /sys/kernel/debug/count_callers.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fprobe.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#define ROW_BITS	8
#define ROWS		(1 << ROW_BITS)

static char func[KSYM_NAME_LEN] = "vfs_read";
module_param_string(func, func, sizeof(func), 0400);
MODULE_PARM_DESC(func, "function whose callers are counted");

/* A row belongs to the place that was first to take it, for ever. */
static struct row {
	unsigned long place;	/* the return address; 0: nobody's yet */
	atomic_long_t calls;
} rows[ROWS];

static atomic_long_t others;

/* Without a lock: a place is written once, by the one who finds 0 there. */
static struct row *row_of(unsigned long place)
{
	unsigned int i, at = hash_long(place, ROW_BITS);
	unsigned long owner;

	for (i = 0; i < ROWS; i++, at = (at + 1) % ROWS) {
		owner = READ_ONCE(rows[at].place);
		if (!owner)
			owner = cmpxchg(&rows[at].place, 0, place) ?: place;
		if (owner == place)
			return &rows[at];
	}
	return NULL;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	struct row *row = row_of(ret_ip);

	atomic_long_inc(row ? &row->calls : &others);
	return 0;
}

static struct fprobe fp = { .entry_handler = on_entry };

static int callers_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	/* %pB takes an address behind a call, and names the function that made it. */
	for (i = 0; i < ROWS; i++)
		if (READ_ONCE(rows[i].place))
			seq_printf(m, "%8ld %pB\n", atomic_long_read(&rows[i].calls),
				   (void *)rows[i].place);
	seq_printf(m, "%8ld from elsewhere, %lu missed\n", atomic_long_read(&others), fp.nmissed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(callers);

static struct dentry *file;

static int __init count_callers_init(void)
{
	int err = register_fprobe(&fp, func, NULL);

	if (err) {
		pr_err("%s: error %d\n", func, err);
		return err;
	}
	file = debugfs_create_file(KBUILD_MODNAME, 0400, NULL, NULL, &callers_fops);
	return 0;
}

static void __exit count_callers_exit(void)
{
	debugfs_remove(file);
	unregister_fprobe(&fp);
}

module_init(count_callers_init);
module_exit(count_callers_exit);
MODULE_DESCRIPTION("Counts the calls of a function by caller");
MODULE_LICENSE("GPL");
