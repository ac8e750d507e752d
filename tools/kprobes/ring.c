// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's buffers, one for each CPU, as it has them.  The format of their pages is that
 * which events/header_page and events/header_event in tracefs describe.
 *
 * A record may be in the buffer of one CPU before an older one of another CPU has been read.  So
 * who takes them in their order takes those only that are older than the reading, and than what a
 * buffer of which there was too much for one round was read up to.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"

/* Kinds of entries; those with a smaller number are records of four times as many bytes. */
enum { ENTRY_PADDING = 29, ENTRY_EXTEND = 30, ENTRY_STAMP = 31 };

#define DELTA_BITS	27
/* A stamp does not have the time's highest bits. */
#define STAMP_MASK	((1ull << 59) - 1)
/* Flags, and the size of the data. */
#define COMMIT_SIZE	0xfffffull

/**
 * struct buffer - the buffer of a CPU
 * @fd: its file
 * @cpu: the CPU
 * @last: the last record that was read, plus 1; 0: it has been taken
 * @time: of the last record that was read
 * @more: there may be later ones
 */
struct buffer {
	int fd;
	unsigned int cpu;
	size_t last;
	u64 time;
	bool more;
};

/**
 * struct stored - a record that was read
 * @time, @cpu, @size, @stack_size: as in struct record
 * @at, @stack_at: in the bytes
 */
struct stored {
	u64 time;
	size_t at, stack_at;
	unsigned int cpu, size, stack_size;
};

static struct {
	struct buffer *buffers;
	unsigned int nr_buffers;
	size_t page_size, commit_at, commit_size, data_at;
	unsigned int stack_id;
	struct stored *stored;
	size_t nr_stored, room;
	u8 *bytes;
	size_t nr_bytes, byte_room;
} ring;

/* ---- records ---- */

u64 record_number(const struct record *record, unsigned int at, unsigned int size)
{
	u64 value = 0;

	if (size <= sizeof(value) && size <= record->size && at <= record->size - size)
		memcpy(&value, record->data + at, size);
	return value;
}

int record_pid(const struct record *record)
{
	return record_number(record, 4, 4);
}

int record_task(const struct record *record)
{
	int pid = record_pid(record);

	return pid ? pid : -1 - (int)record->cpu;
}

/* Of the record of a stack trace: its own fields come first. */
#define STACK_AT	16

/* A place and a length.  What could not be read has no length. */
const char *record_string(const struct record *record, unsigned int at, size_t *length)
{
	u32 location = record_number(record, at, 4);
	unsigned int offset = location & 0xffff, size = location >> 16;

	*length = 0;
	if (!size || size > record->size || offset > record->size - size)
		return NULL;
	*length = strnlen((const char *)record->data + offset, size);
	return (const char *)record->data + offset;
}

bool record_caller(const struct record *record, unsigned int i, u64 *address)
{
	size_t at = STACK_AT + 8 * (size_t)i;

	if (!record->stack || at + 8 > record->stack_size)
		return false;
	memcpy(address, record->stack + at, 8);
	/* Behind the last one there may be none, or a mark of the kernel's. */
	return *address && *address != UINT64_MAX;
}

/* ---- opening ---- */

/* "\tfield: TYPE NAME;\toffset:N;\tsize:N;" */
static void page_field(const char *text, const char *name, size_t *offset, size_t *size)
{
	char *wanted = text_of(" %s;", name);
	const char *at = strstr(text, wanted);

	free(wanted);
	if (!at || sscanf(strchr(at, ';'), ";\toffset:%zu;\tsize:%zu;", offset, size) != 2)
		die("events/header_page of tracing has no field %s", name);
}

static void read_page_format(void)
{
	char *path = text_of("%s/events/header_page", tracing_dir()), *text = read_file(path);
	size_t size;

	if (!text)
		die("%s: %s", path, strerror(errno));
	page_field(text, "commit", &ring.commit_at, &ring.commit_size);
	page_field(text, "data", &ring.data_at, &size);
	ring.page_size = ring.data_at + size;
	if (ring.data_at < 8 || ring.commit_size > 8 || ring.page_size > 1 << 24 ||
	    ring.commit_at + ring.commit_size > ring.data_at)
		die("%s is not understood", path);
	free(text);
	free(path);
}

static void open_buffer(unsigned int cpu)
{
	char *path = session_path("per_cpu/cpu%u/trace_pipe_raw", cpu);
	int fd = session_open(path);

	ring.buffers = realloc(ring.buffers, (ring.nr_buffers + 1) * sizeof(*ring.buffers));
	if (!ring.buffers)
		die("out of memory");
	ring.buffers[ring.nr_buffers++] = (struct buffer){ .fd = fd, .cpu = cpu };
	free(path);
}

void ring_open(void)
{
	char *path = session_path("per_cpu");
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned int cpu;

	read_page_format();
	ring.stack_id = format_id("ftrace", "kernel_stack");
	if (!dir)
		die("%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (sscanf(entry->d_name, "cpu%u", &cpu) == 1)
			open_buffer(cpu);
	closedir(dir);
	free(path);
}

size_t ring_page_size(void)
{
	return ring.page_size;
}

/* ---- reading ---- */

static size_t keep_bytes(const u8 *data, unsigned int size)
{
	size_t at = ring.nr_bytes;

	if (ring.byte_room - at < size) {
		ring.byte_room = 2 * ring.byte_room + size + 65536;
		ring.bytes = realloc(ring.bytes, ring.byte_room);
		if (!ring.bytes)
			die("out of memory");
	}
	memcpy(ring.bytes + at, data, size);
	ring.nr_bytes += size;
	return at;
}

/* A stack trace belongs to the record before it. */
static void keep(struct buffer *buffer, u64 time, const u8 *data, unsigned int size)
{
	struct stored *stored;
	u16 type;

	if (size < 8)
		return;
	memcpy(&type, data, sizeof(type));
	if (type == ring.stack_id) {
		if (!buffer->last)
			return;
		stored = &ring.stored[buffer->last - 1];
		stored->stack_at = keep_bytes(data, size);
		stored->stack_size = size;
		return;
	}
	if (ring.nr_stored == ring.room) {
		ring.room = 2 * ring.room + 1024;
		ring.stored = realloc(ring.stored, ring.room * sizeof(*ring.stored));
		if (!ring.stored)
			die("out of memory");
	}
	ring.stored[ring.nr_stored++] = (struct stored){
		.time = time, .at = keep_bytes(data, size), .cpu = buffer->cpu, .size = size,
	};
	buffer->last = ring.nr_stored;
	buffer->time = time;
}

static u32 word(const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void read_entries(struct buffer *buffer, u64 time, const u8 *at, const u8 *end)
{
	const u64 page_time = time;

	while (end - at >= 8) {
		unsigned int kind = word(at) & 31;
		u64 delta = word(at) >> 5;
		size_t head = 4, size = 4 * kind;

		if (kind == ENTRY_PADDING && !delta)
			break;
		if (kind == ENTRY_EXTEND)
			delta += (u64)word(at + 4) << DELTA_BITS;
		if (kind == ENTRY_STAMP)
			time = ((delta + ((u64)word(at + 4) << DELTA_BITS)) & STAMP_MASK) |
			       (page_time & ~STAMP_MASK);
		else
			time += delta;
		if (kind == 0) {
			head = 8;
			size = word(at + 4) - 4;
		} else if (kind == ENTRY_PADDING) {
			size = word(at + 4);
		} else if (kind > ENTRY_PADDING) {
			size = 4;
		}
		if (size > (size_t)(end - at) - head)
			break;
		if (kind < ENTRY_PADDING)
			keep(buffer, time, at + head, size);
		at += head + size;
	}
}

/* Bytes of records on a page. */
static u64 commit_of(const u8 *page, size_t got)
{
	u64 commit = 0;

	memcpy(&commit, page + ring.commit_at, ring.commit_size);
	commit &= COMMIT_SIZE;
	return commit > got - ring.data_at ? got - ring.data_at : commit;
}

typedef void (*page_fn)(struct buffer *buffer, const u8 *page, size_t got, void *data);

static void read_buffer(struct buffer *buffer, page_fn fn, void *data, bool all)
{
	static u8 *page;
	unsigned int i;
	ssize_t got;

	if (!page)
		page = allocate(ring.page_size);
	buffer->more = true;
	for (i = 0; buffer->more && (all || i < READS_A_ROUND); i++) {
		got = read(buffer->fd, page, ring.page_size);
		buffer->more = got >= (ssize_t)ring.data_at || (got < 0 && errno == EINTR);
		if (got >= (ssize_t)ring.data_at)
			fn(buffer, page, got, data);
		/* A CPU that has never been online has a file, and no buffer. */
		else if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENODEV)
			die("what is recorded can't be read: %s", strerror(errno));
	}
}

static bool read_pages(page_fn fn, void *data, bool all)
{
	bool more = false;
	unsigned int i;

	for (i = 0; i < ring.nr_buffers; i++) {
		read_buffer(&ring.buffers[i], fn, data, all);
		more |= ring.buffers[i].more;
	}
	return more;
}

static void read_page(struct buffer *buffer, const u8 *page, size_t got, void *data)
{
	const u8 *entries = page + ring.data_at;
	u64 time;

	(void)data;
	memcpy(&time, page, sizeof(time));
	read_entries(buffer, time, entries, entries + commit_of(page, got));
}

bool ring_read(bool all)
{
	return read_pages(read_page, NULL, all);
}

/**
 * struct page_user - who is given pages
 * @fn: the function
 * @data: what it is given, too
 */
struct page_user {
	void (*fn)(unsigned int cpu, const u8 *page, size_t used, void *data);
	void *data;
};

/* Behind the records there may be how many were lost before them. */
static void give_page(struct buffer *buffer, const u8 *page, size_t got, void *data)
{
	const struct page_user *user = data;
	size_t used = ring.data_at + commit_of(page, got) + sizeof(u64);

	user->fn(buffer->cpu, page, used < got ? used : got, user->data);
}

bool ring_pages(void (*fn)(unsigned int cpu, const u8 *page, size_t used, void *data), void *data,
		bool all)
{
	struct page_user user = { .fn = fn, .data = data };

	return read_pages(give_page, &user, all);
}

/* ---- taking ---- */

/* Those of a CPU are in their order already; the sort is made stable by their places. */
static int by_time(const void *a, const void *b)
{
	const struct stored *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* What stays, to the beginning. */
static void drop(size_t nr)
{
	struct stored *rest = ring.stored + nr;
	u8 *old = ring.bytes;
	size_t left = ring.nr_stored - nr, i;

	ring.bytes = NULL;
	ring.nr_bytes = 0;
	ring.byte_room = 0;
	ring.nr_stored = 0;
	for (i = 0; i < ring.nr_buffers; i++)
		ring.buffers[i].last = 0;
	for (i = 0; i < left; i++) {
		struct stored moved = rest[i];
		unsigned int b;

		moved.at = keep_bytes(old + rest[i].at, rest[i].size);
		if (moved.stack_size)
			moved.stack_at = keep_bytes(old + rest[i].stack_at, rest[i].stack_size);
		ring.stored[ring.nr_stored++] = moved;
		for (b = 0; b < ring.nr_buffers; b++)
			if (ring.buffers[b].cpu == moved.cpu)
				ring.buffers[b].last = ring.nr_stored;
	}
	free(old);
}

/* What is older than this has been read. */
static u64 read_until(u64 until)
{
	unsigned int i;

	for (i = 0; i < ring.nr_buffers; i++)
		if (ring.buffers[i].more && ring.buffers[i].time < until)
			until = ring.buffers[i].time;
	return until;
}

u64 ring_take(u64 until, void (*fn)(const struct record *record, void *data), void *data)
{
	size_t i;

	until = read_until(until);
	if (ring.nr_stored)
		qsort(ring.stored, ring.nr_stored, sizeof(*ring.stored), by_time);
	for (i = 0; i < ring.nr_stored && ring.stored[i].time < until; i++) {
		const struct stored *stored = &ring.stored[i];
		struct record record = {
			.time = stored->time, .cpu = stored->cpu, .size = stored->size,
			.data = ring.bytes + stored->at,
			.stack = stored->stack_size ? ring.bytes + stored->stack_at : NULL,
			.stack_size = stored->stack_size,
		};

		fn(&record, data);
	}
	drop(i);
	return until;
}

/* "NAME: N" in the counts of a CPU. */
static u64 count_of(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

u64 ring_lost(void)
{
	unsigned int i;
	u64 lost = 0;

	for (i = 0; i < ring.nr_buffers; i++) {
		char *path = session_path("per_cpu/cpu%u/stats", ring.buffers[i].cpu);
		char *text = read_file(path);

		lost += count_of(text, "overrun: ") + count_of(text, "dropped events: ");
		free(text);
		free(path);
	}
	return lost;
}
