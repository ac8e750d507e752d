/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our own buffer: a ring for each CPU.
 */
#ifndef LKP_EVENTS_RING_H
#define LKP_EVENTS_RING_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct ring_entry - a record, and what is known of the hit besides
 * @size: how far it is to the next entry; whole words
 * @used: bytes of @record; 0: there is none, and the next entry is where the ring begins
 * @when: nanoseconds
 * @number: of the hit; those that had no room are counted, too
 * @event: the event's number
 * @pid: the task
 * @comm: its name
 * @record: the record
 */
struct ring_entry {
	u32 size;
	u32 used;
	u64 when;
	u64 number;
	u32 event;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u8 record[];
};

/**
 * struct ring_taken - an entry that was taken out
 * @entry: the entry
 * @cpu: of its ring
 * @lost: how many before it were lost
 */
struct ring_taken {
	const struct ring_entry *entry;
	unsigned int cpu;
	u64 lost;
};

extern bool ring_overwrites;

struct ring_entry *ring_reserve(unsigned int room);
void ring_commit(struct ring_entry *entry, unsigned int used);
bool ring_take(struct ring_taken *taken);
u64 ring_lost(void);
int ring_init(unsigned int kilobytes);
void ring_exit(void);

#endif /* LKP_EVENTS_RING_H */
