/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as they are in the kernel's buffers, and what their formats say.
 */
#ifndef LKP_TOOLS_RING_H
#define LKP_TOOLS_RING_H

#include "run.h"

/**
 * struct record - what was recorded
 * @time: when, in nanoseconds
 * @cpu: where
 * @size: its size
 * @data: the record; begins with its type and the task
 * @stack, @stack_size: the stack trace that belongs to it; or NULL
 */
struct record {
	u64 time;
	unsigned int cpu;
	unsigned int size;
	const u8 *data;
	const u8 *stack;
	unsigned int stack_size;
};

/* 0 beyond the end. */
u64 record_number(const struct record *record, unsigned int at, unsigned int size);
int record_pid(const struct record *record);
/* Tells tasks apart, also the idle ones of the CPUs, which all have the pid 0: those are negative. */
int record_task(const struct record *record);

/* A string, by the place of where it is; NULL if it could not be read. */
const char *record_string(const struct record *record, unsigned int at, size_t *length);
/* An address of its stack trace, from 0; false behind the last one. */
bool record_caller(const struct record *record, unsigned int i, u64 *address);

/* ---- ring.c ---- */

/* From a record's time until it, with its stack trace, is surely in the buffer: nanoseconds. */
#define RING_DELAY	10000000

/* Opens the buffers of the session's instance. */
void ring_open(void);
/* Reads what is in them; all only where no more comes.  True if there may be more. */
bool ring_read(bool all);
/* The same, as pages; of each so much as is used. */
bool ring_pages(void (*fn)(unsigned int cpu, const u8 *page, size_t used, void *data), void *data,
		bool all);
/*
 * Calls the function for what has been read and was recorded before a time, in its order; also before
 * all that may still be in a buffer of which not all was read.  Returns the time up to which all has
 * been taken.
 */
u64 ring_take(u64 until, void (*fn)(const struct record *record, void *data), void *data);
/* Records that were overwritten before they were read, by now. */
u64 ring_lost(void);
/* Bytes of a page of a buffer. */
size_t ring_page_size(void);

/* ---- sweep.c: what is kept for tasks that have gone ---- */

/**
 * enum sweep_step - what is to be done now
 * @SWEEP_NOTHING: nothing
 * @SWEEP_MARK: mark what is kept for tasks that have gone
 * @SWEEP_FREE: free what was marked
 */
enum sweep_step { SWEEP_NOTHING, SWEEP_MARK, SWEEP_FREE };

/**
 * struct sweep - when things are swept of which there is one, or a few, for each task
 * @limit: how many there may be
 * @marked: when they were marked; 0: they are not
 */
struct sweep {
	size_t limit;
	u64 marked;
};

/* There are so many of them, and all records up to a time have been taken. */
enum sweep_step sweep_next(struct sweep *sweep, size_t nr, u64 taken);
/* After a step: so many are left. */
void sweep_done(struct sweep *sweep, enum sweep_step step, size_t nr);
/* By what record_task() says of it. */
bool task_has_gone(int task);

/* ---- format.c ---- */

/**
 * enum field_kind - how a field is shown
 * @FIELD_NUMBER: a number
 * @FIELD_HEX: a number, in hexadecimal digits
 * @FIELD_CHARACTER: a character
 * @FIELD_SYMBOL: an address
 * @FIELD_STRING: a string
 */
enum field_kind { FIELD_NUMBER, FIELD_HEX, FIELD_CHARACTER, FIELD_SYMBOL, FIELD_STRING };

/**
 * struct field - a field of a record
 * @name: its name
 * @offset: its place
 * @element: the size of an element
 * @count: how many
 * @is_array: shown as one
 * @is_signed: a number that may be negative
 * @kind: how it is shown
 */
struct field {
	char *name;
	unsigned int offset, element, count;
	bool is_array, is_signed;
	enum field_kind kind;
};

/**
 * struct format - what records of a type hold
 * @id: the type
 * @spec: the probe that it belongs to
 * @fields, @nr_fields: all but those of each record
 */
struct format {
	unsigned int id;
	const struct spec *spec;
	struct field *fields;
	unsigned int nr_fields;
};

/* Reads that of each probe. */
struct format *formats_read(const struct run *run);
const struct format *format_find(const struct format *formats, unsigned int nr,
				 const struct record *record);
/* The number of a type of records. */
unsigned int format_id(const char *group, const char *event);
/* NULL if there is none. */
const struct field *format_field(const struct format *format, const char *name);
/* Is it where the probe was, or the task's name? */
bool field_is_own(const struct field *field);
/* An element, with its sign. */
u64 field_number(const struct field *field, const struct record *record, unsigned int i);
/* 0 if there is no such field. */
u64 format_number(const struct format *format, const struct record *record, const char *name);

/* ---- trace_json.c ---- */

/* With what the call has returned, if that is known. */
void print_record_json(const struct format *format, const struct record *record,
		       const struct format *back_format, const struct record *back);

/* ---- trace_text.c ---- */

/* The same. */
void print_record_text(const struct format *format, const struct record *record,
		       const struct format *back_format, const struct record *back);

#endif /* LKP_TOOLS_RING_H */
