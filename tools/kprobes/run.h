/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of trace, stat or record: what was asked for, and the probes.
 */
#ifndef LKP_TOOLS_RUN_H
#define LKP_TOOLS_RUN_H

#include <sys/types.h>

#include "live.h"

/**
 * struct piece - a part of a line, and where it comes from
 * @at, @length: in the line
 * @column: in what the user wrote
 * @same: it was copied, byte for byte
 */
struct piece {
	size_t at, length;
	size_t column;
	bool same;
};

/**
 * struct spec - a probe
 * @text: as the user wrote it
 * @event: the name of its event
 * @place: where it is, without %return
 * @place_column: where that is in @text
 * @returns: it is at the return
 * @is_pattern: there may be several functions
 * @is_fprobe: it is an fprobe
 * @waits: it is shown when the function returns
 * @entry: of such a return, the event at the entry; or NULL
 * @line: for kprobe_events
 * @pieces, @nr_pieces: of @line
 */
struct spec {
	const char *text;
	char *event;
	char *place;
	size_t place_column;
	bool returns;
	bool is_pattern;
	bool is_fprobe;
	bool waits;
	const char *entry;
	char *line;
	struct piece *pieces;
	unsigned int nr_pieces;
};

/**
 * struct run - what was asked for
 * @name: the command
 * @pid: only this process, and those that it starts; 0: all
 * @filter: of the kernel's; or NULL
 * @output: a file; or NULL
 * @debuginfo, @btf: files with information for debuggers; or NULL
 * @seconds: how long; 0: until it is ended
 * @interval: between two tables
 * @stack: with stack traces
 * @json: print JSON
 * @dry: only print the lines
 * @waits: what is returned decides about what is at entries
 * @fprobes: all are functions, and fprobes where those can be
 * @command: a program to run; or NULL
 * @specs, @nr_specs: the probes
 * @child: the program's process
 * @release: lets it begin
 * @until: when it ends, in nanoseconds
 */
struct run {
	const char *name;
	int pid;
	const char *filter;
	const char *output;
	const char *debuginfo, *btf;
	double seconds, interval;
	bool stack, json, dry, waits, fprobes;
	char **command;
	struct spec *specs;
	unsigned int nr_specs;
	pid_t child;
	int release;
	u64 until;
};

/* ---- run.c ---- */

/* Options that only some commands have, as letters; the text of --help. */
void run_parse(struct run *run, int argc, char **argv, const char *options, const char *usage);
/* Sets up the session, with all events off. */
void run_prepare(struct run *run);
void run_start(struct run *run);
/* Waits for a file, or until the time has passed: false if the run ends. */
bool run_wait(struct run *run, int fd, int milliseconds);
/* So much is read of a file before that is asked again; hits may come faster than they are read. */
#define READS_A_ROUND	64
/* Turns the events off; what is in the buffer can still be read. */
void run_stop(struct run *run);
u64 now(void);

/* ---- output.c ---- */

/* From here on signals lose nothing of the standard output, if somebody reads it. */
void output_begin(void);
/* Nor does it wait for that much longer than until this time. */
void output_until(u64 time);

/* ---- spec.c ---- */

/* Ends the program, and shows the place, if it can't be understood. */
void spec_parse(struct spec *spec, const char *text, const struct run *run);
/* Changes its name if one before it has that. */
void spec_number(struct spec *specs, unsigned int i);
/* It is to be shown when the function returns: @back is that return. */
void spec_wait(struct spec *spec, struct spec *back, const struct run *run);
/* The return of a place without arguments. */
void spec_return(struct spec *entry, struct spec *spec);
_Noreturn void spec_fail(const struct spec *spec, size_t column, const char *format, ...)
	__printf(3, 4);
/* For who makes a line: adds to it. */
void spec_add(struct spec *spec, const char *text, size_t length, size_t column, bool same);

/* ---- refusal.c ---- */

/* Makes the event, or ends the program and says why not. */
void spec_define(const struct spec *spec);
/* Below a text: the mark. */
void show_place(const char *text, size_t column);

/* ---- symbols.c: /proc/kallsyms ---- */

/**
 * struct kernel_symbol - a symbol of the kernel
 * @address: its address
 * @size: up to the next symbol
 * @name: its name; MODULE:NAME is not made of it
 */
struct kernel_symbol {
	u64 address;
	u64 size;
	const char *name;
};

/* NULL if there is none, or addresses are not shown to us. */
const struct kernel_symbol *symbol_at(u64 address);
const struct kernel_symbol *symbol_named(const char *name);
/* Where its function begins: a probe may be behind the first instructions.  Or the address. */
u64 symbol_start(u64 address);
/* NAME+OFFSET, or 0xADDRESS; to be freed. */
char *symbol_text(u64 address);
/* A function with nearly this name. */
const char *symbol_like(const char *name);

#endif /* LKP_TOOLS_RUN_H */
