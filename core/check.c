// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file for operators that says what a probe would be, without a probe.
 *
 * A write is one question in each line; what it is answered belongs to the open file.  Who has
 * written nothing reads the answers to the last write of anybody, so that
 * "echo PLACE >check; cat check" works.  A write that is refused is answered by nothing.
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core.h"

#define MAX_QUESTION	(KSYM_NAME_LEN + MODULE_NAME_LEN + 24)
#define MAX_ANSWER	(MAX_QUESTION + 192)
#define MAX_QUESTIONS	PAGE_SIZE	/* bytes */

/**
 * struct reply - the answers to a write
 * @users: the open file, latest, and readers
 * @len: bytes of text
 * @size: bytes there is memory for
 * @text: lines
 */
struct reply {
	refcount_t users;
	size_t len;
	size_t size;
	char text[];
};

/**
 * struct asker - an open file
 * @asked: something has been written
 * @reply: to the last write; NULL: none
 */
struct asker {
	bool asked;
	struct reply *reply;
};

static DEFINE_MUTEX(replies_mutex);	/* for all askers, and latest */
static struct reply *latest;

static void reply_put(struct reply *reply)
{
	if (reply && refcount_dec_and_test(&reply->users))
		kvfree(reply);
}

static struct reply *reply_new(unsigned int nr_questions)
{
	size_t size = nr_questions * MAX_ANSWER;
	struct reply *reply = kvzalloc(sizeof(*reply) + size, GFP_KERNEL);

	if (!reply)
		return NULL;
	refcount_set(&reply->users, 1);
	reply->size = size;
	return reply;
}

/* ---- a question ---- */

/* As /proc/kallsyms and the list have them, or with a prefix. */
static bool is_address(const char *text)
{
	return isdigit(*text) ||
	       (strlen(text) == 2 * sizeof(long) && strspn(text, "0123456789abcdef") == strlen(text));
}

/* A question is a symbol or an address, with or without an offset. */
static int parse_question(char *text, struct kprobe *p)
{
	char *plus = strchr(text, '+');
	unsigned long addr;
	int err;

	if (plus) {
		*plus = '\0';
		plus = strim(plus + 1);
		/* kstrtouint() takes another '+'. */
		if (!isdigit(*plus))
			return -EINVAL;
	}
	text = strim(text);
	if (is_address(text)) {
		err = kstrtoul(text, 16, &addr);
		if (err)
			return err;
		p->addr = (kprobe_opcode_t *)addr;
	} else {
		p->symbol_name = text;
	}
	return plus ? kstrtouint(plus, 0, &p->offset) : 0;
}

/* Goes as far as creating the point, without a probe. */
static const char *judge_point(const struct probe_address *where, const char **why)
{
	struct probe_point *pt = table_find(where->addr);
	bool is_short;
	LIST_HEAD(ending);

	lockdep_assert_held(&kprobe_mutex);
	if (!pt) {
		pt = point_create(where, why);
		if (IS_ERR(pt))
			return "refused";
		list_add(&pt->todo, &ending);
		points_release(&ending);
	}
	*why = NULL;
	if (where->mechanism == POINT_FTRACE)
		return "ftrace";
	*why = optimize_never() ?: arch_jump_verdict(where->addr, where->module,
							&is_short);
	return *why ? "trap" : "jump";
}

static void judge(struct kprobe *p, struct reply *reply)
{
	struct probe_address where = { };
	const char *why = NULL, *verdict = "refused";

	lockdep_assert_held(&kprobe_mutex);
	addresses_begin(&p, 1);
	if (!address_find(p, false, &where, &why)) {
		why = NULL;
		verdict = judge_point(&where, &why);
		module_put(where.module);
	}
	addresses_end();
	if (p->symbol_name)
		reply->len += scnprintf(reply->text + reply->len, reply->size - reply->len, "%s",
					p->symbol_name);
	else
		reply->len += scnprintf(reply->text + reply->len, reply->size - reply->len, "0x%lx",
					(unsigned long)p->addr);
	reply->len += scnprintf(reply->text + reply->len, reply->size - reply->len,
				"+0x%x: %s%s%s\n", p->offset, verdict, why ? ": " : "",
				why ?: "");
}

/* ---- all questions of a write ---- */

static unsigned int count_lines(const char *text)
{
	unsigned int nr = 1;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static int answer_line(char *line, struct reply *reply)
{
	struct kprobe p = { };
	int err;

	if (strlen(line) >= MAX_QUESTION)
		return -E2BIG;
	err = parse_question(line, &p);
	if (err)
		return err;
	mutex_lock(&kprobe_mutex);
	judge(&p, reply);
	mutex_unlock(&kprobe_mutex);
	return 0;
}

/* The last line may end or not. */
static struct reply *answer(char *text)
{
	size_t len = strlen(text);
	struct reply *reply;
	char *line;
	int err;

	might_sleep();
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	reply = reply_new(count_lines(text));
	if (!reply)
		return ERR_PTR(-ENOMEM);
	while ((line = strsep(&text, "\n"))) {
		err = fatal_signal_pending(current) ? -EINTR : answer_line(line, reply);
		cond_resched();
		if (err) {
			reply_put(reply);
			return ERR_PTR(err);
		}
	}
	return reply;
}

static struct reply *answer_user(const char __user *from, size_t len)
{
	struct reply *reply;
	char *text;

	if (len > MAX_QUESTIONS)
		return ERR_PTR(-E2BIG);
	text = memdup_user_nul(from, len);
	if (IS_ERR(text))
		return ERR_CAST(text);
	reply = strlen(text) == len ? answer(text) : ERR_PTR(-EINVAL);
	kfree(text);
	return reply;
}

/* ---- the file ---- */

static void keep_reply(struct asker *asker, struct reply *reply)
{
	mutex_lock(&replies_mutex);
	reply_put(asker->reply);
	reply_put(latest);
	asker->asked = true;
	asker->reply = latest = reply;
	if (reply)
		refcount_inc(&reply->users);
	mutex_unlock(&replies_mutex);
}

static ssize_t check_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct reply *reply = answer_user(from, len);

	keep_reply(file->private_data, IS_ERR(reply) ? NULL : reply);
	/* What is read next is the answer from its beginning. */
	*pos = 0;
	return IS_ERR(reply) ? PTR_ERR(reply) : len;
}

static ssize_t check_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct asker *asker = file->private_data;
	struct reply *reply;
	ssize_t ret;

	mutex_lock(&replies_mutex);
	reply = asker->asked ? asker->reply : latest;
	if (reply)
		refcount_inc(&reply->users);
	mutex_unlock(&replies_mutex);
	if (!reply)
		return 0;
	/* Not with the mutex: the copy may wait for a page for ever. */
	ret = simple_read_from_buffer(to, len, pos, reply->text, reply->len);
	reply_put(reply);
	return ret;
}

static int check_open(struct inode *inode, struct file *file)
{
	file->private_data = kzalloc(sizeof(struct asker), GFP_KERNEL);
	return file->private_data ? 0 : -ENOMEM;
}

static int check_release(struct inode *inode, struct file *file)
{
	struct asker *asker = file->private_data;

	mutex_lock(&replies_mutex);
	reply_put(asker->reply);
	mutex_unlock(&replies_mutex);
	kfree(asker);
	return 0;
}

static const struct file_operations check_fops = {
	.owner = THIS_MODULE,
	.open = check_open,
	.read = check_read,
	.write = check_write,
	.release = check_release,
	.llseek = default_llseek,
};

/**
 * check_file() - create the file
 * @folder: the directory
 */
void check_file(struct dentry *folder)
{
	debugfs_create_file("check", 0600, folder, NULL, &check_fops);
}

/**
 * check_exit() - forget the last answers
 *
 * Context: the files are gone.
 */
void check_exit(void)
{
	reply_put(latest);
	latest = NULL;
}
