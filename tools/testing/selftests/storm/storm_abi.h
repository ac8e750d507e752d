/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the program storm and the client lkp_storm.ko say to each other, by ioctl() on
 * STORM_FILE.
 */
#ifndef STORM_ABI_H
#define STORM_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define STORM_FILE	"/proc/lkp_storm"

#define STORM_PROBES	24	/* of each there is a structure in the client */
#define STORM_BATCH	6	/* in one call, at most */
#define STORM_GROUPS	3	/* of functions: HOME, WIND, AWAY */
#define STORM_GROUP	8	/* places in a group, at most */
#define STORM_PLACES	(STORM_GROUPS * STORM_GROUP)

/* Functions of the client; those that its thread calls all the time; those of a module. */
enum storm_group { STORM_HOME, STORM_WIND, STORM_AWAY };

/* In the order of their addresses within a function. */
enum storm_role {
	STORM_IN_C,		/* a function in C, which the tracer may serve */
	STORM_SLOT,		/* an instruction amid a function */
	STORM_LOOP,		/* one that runs 50 times in a call */
	STORM_DEEP,		/* the entry of a function that calls itself */
	STORM_PAIR,		/* an entry */
	STORM_PAIR_NEXT,	/* the next instruction, within the bytes of a jump there */
	STORM_CRAMPED,		/* where a branch leads to right behind it */
	STORM_CRAMPED_NEXT,	/* that runs twice in a call; no short jump covers it */
};

enum storm_kind { STORM_KPROBE, STORM_KRETPROBE, STORM_JPROBE, STORM_FPROBE, STORM_KINDS };
enum storm_call { STORM_REGISTER, STORM_UNREGISTER, STORM_DISABLE, STORM_ENABLE };
enum storm_context { STORM_TASK, STORM_INTERRUPT, STORM_SOFTIRQ, STORM_NMI, STORM_CONTEXTS };

/* Handlers that a probe has. */
#define STORM_PRE	1	/* or entry_handler, or a jprobe's entry */
#define STORM_POST	2	/* or a return handler */
#define STORM_FAULT	4
#define STORM_DECLINE	8	/* the entry_handler returns 1: the call is not followed */

/* How a probe says where it goes. */
enum storm_where { STORM_BY_ADDR, STORM_BY_NAME, STORM_BY_BOTH, STORM_BY_NONE };

/**
 * struct storm_place - a place to be probed
 * @index: which; in
 * @present: it exists, and the rest is filled in
 * @fn: where its function begins
 * @at: of the place, within it
 * @begun: calls of the function so far, if it is one of the wind's
 * @ended: those that have returned
 * @name: the function's
 */
struct storm_place {
	__u32 index;
	__u32 present;
	__u64 fn;
	__u64 at;
	__u64 begun;
	__u64 ended;
	char name[32];
};

/**
 * struct storm_spec - with what a probe that is not registered is filled
 * @id: which
 * @kind: enum storm_kind
 * @where: enum storm_where
 * @addr: for it
 * @name: for it, with "module:" or without
 * @offset: as of struct kprobe
 * @flags: as of struct kprobe, or of struct fprobe
 * @handlers: STORM_PRE and so on
 * @maxactive: of returns
 * @data_size: of returns
 * @nest: its first handler calls the function of this place of the group HOME; -1: none
 * @addrs: for an fprobe, if it is @where STORM_BY_ADDR
 * @names: for an fprobe, else
 * @num: how many of these
 */
struct storm_spec {
	__u32 id;
	__u32 kind;
	__u32 where;
	__u32 offset;
	__u64 addr;
	char name[64];
	__u32 flags;
	__u32 handlers;
	__s32 maxactive;
	__u32 data_size;
	__s32 nest;
	__s32 num;
	__u64 addrs[STORM_GROUPS];
	char names[STORM_GROUPS][64];
};

/**
 * struct storm_request - a call of the API
 * @call: enum storm_call
 * @kind: enum storm_kind
 * @single: the function for one probe, not that for several
 * @num: as it is passed; if it is below 0, the array is NULL
 * @ids: the probes; -1: NULL
 * @result: what it returned; 0 where it returns nothing
 */
struct storm_request {
	__u32 call;
	__u32 kind;
	__u32 single;
	__s32 num;
	__s32 ids[STORM_BATCH];
	__s32 result;
};

/**
 * struct storm_counts - what has become of a probe
 * @id: which; in
 * @flags: as they are
 * @addr: as it is
 * @pre: how often its first handler ran
 * @post: and its second
 * @missed: struct kprobe's or struct fprobe's nmissed
 * @missed_returns: struct kretprobe's nmissed
 */
struct storm_counts {
	__u32 id;
	__u32 flags;
	__u64 addr;
	__u64 pre;
	__u64 post;
	__u64 missed;
	__u64 missed_returns;
};

/**
 * struct storm_run - call a function
 * @place: of its places one
 * @context: enum storm_context
 * @cpu: where
 * @times: how often
 * @depth: the first argument of a function that calls itself
 * @result: 0; or how many calls returned something wrong
 */
struct storm_run {
	__u32 place;
	__u32 context;
	__u32 cpu;
	__u32 times;
	__u32 depth;
	__s32 result;
};

#define STORM_GET_PLACE	_IOWR('s', 1, struct storm_place)
#define STORM_SET	_IOW('s', 2, struct storm_spec)
#define STORM_DO	_IOWR('s', 3, struct storm_request)
#define STORM_COUNTS	_IOWR('s', 4, struct storm_counts)
#define STORM_RUN	_IOWR('s', 5, struct storm_run)
#define STORM_SETTLE	_IO('s', 6)	/* wait_for_kprobe_optimizer() */
#define STORM_BLOW	_IO('s', 7)	/* the argument: 1: the wind blows; 0: it stands still */

#endif /* STORM_ABI_H */
