// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client as they were when kernels had jprobes: it watches TCP connections by the arguments of
 * the function that receives their segments, queues what it has seen and wakes up who reads it.
 */
#include <linux/kernel.h>
#include <linux/kfifo.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/tcp.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <net/tcp.h>

#define FILE_NAME	"tcp_seen"

static int port;
module_param(port, int, 0400);
MODULE_PARM_DESC(port, "of connections to watch; 0: all");

/* A segment that was received. */
struct segment {
	u64 ns;
	u16 to;
	u16 from;
	unsigned int payload;
	u32 acknowledged;
	u32 cwnd;
	u32 srtt_us;
};

static DEFINE_KFIFO(segments, struct segment, 256);
static DEFINE_SPINLOCK(lock);
static DECLARE_WAIT_QUEUE_HEAD(readers);
static unsigned long lost;

static void queue_segment(const struct sock *sk, const struct sk_buff *skb)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct segment segment = {
		.ns = ktime_get_mono_fast_ns(),
		.to = inet_sk(sk)->inet_num,
		.from = ntohs(inet_sk(sk)->inet_dport),
		.payload = skb->len - tcp_hdrlen(skb),
		.acknowledged = tp->snd_una,
		.cwnd = tp->snd_cwnd,
		.srtt_us = tp->srtt_us >> 3,
	};

	if (port && port != segment.to && port != segment.from)
		return;
	spin_lock(&lock);
	if (!kfifo_put(&segments, segment))
		lost++;
	spin_unlock(&lock);
	wake_up(&readers);
}

static void see_tcp_rcv_established(struct sock *sk, struct sk_buff *skb)
{
	queue_segment(sk, skb);
	jprobe_return();
}

static struct jprobe tcp_jprobe = {
	.kp = {
		.symbol_name = "tcp_rcv_established",
	},
	.entry = JPROBE_ENTRY(see_tcp_rcv_established),
};

/* One line for each read, which waits for it. */
static ssize_t read_segment(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct segment s;
	char line[120];
	int nr, err;

	err = wait_event_interruptible(readers, !kfifo_is_empty(&segments));
	if (err)
		return err;
	spin_lock_irq(&lock);
	nr = kfifo_get(&segments, &s);
	spin_unlock_irq(&lock);
	if (!nr)
		return -EAGAIN;
	nr = scnprintf(line, sizeof(line), "%llu %u->%u payload %u acknowledged %u cwnd %u srtt %u lost %lu\n",
		       s.ns, s.from, s.to, s.payload, s.acknowledged, s.cwnd, s.srtt_us, lost);
	if (nr > len)
		return -EINVAL;
	return copy_to_user(to, line, nr) ? -EFAULT : nr;
}

static const struct proc_ops segment_ops = {
	.proc_read = read_segment,
	.proc_lseek = noop_llseek,
};

static int __init tcp_seen_init(void)
{
	int err;

	if (!proc_create(FILE_NAME, 0400, NULL, &segment_ops))
		return -ENOMEM;
	err = register_jprobe(&tcp_jprobe);
	if (err)
		remove_proc_entry(FILE_NAME, NULL);
	return err;
}
module_init(tcp_seen_init);

static void __exit tcp_seen_exit(void)
{
	remove_proc_entry(FILE_NAME, NULL);
	unregister_jprobe(&tcp_jprobe);
}
module_exit(tcp_seen_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
