/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands share that work on the running kernel, through kprobes_events.ko and tracing.
 */
#ifndef LKP_TOOLS_LIVE_H
#define LKP_TOOLS_LIVE_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "image.h"

#define __printf(text, first) __attribute__((format(printf, text, first)))

/* The group of a run's events, and the name of its instance, end with its pid. */
#define RUN_PREFIX	"kprobes_"

/* ---- tracefs.c: files of the kernel ---- */

/* Never NULL: these end the program if there is no such directory, and say why. */
const char *tracing_dir(void);
const char *events_dir(void);

/* Ends the program if the kernel's tracing does not have the events. */
void want_traced_events(void);

/* NULL if kprobes.ko is not loaded. */
const char *probes_dir(void);
/* The same below sysfs. */
char *sys_path(const char *format, ...) __printf(1, 2);

char *format_text(const char *format, va_list args) __printf(1, 0);
char *text_of(const char *format, ...) __printf(1, 2);
/* The whole file, with a NUL behind it; NULL, and errno. */
char *read_file(const char *path);
/* 0 or an errno; to append, if that matters, to a file that others use, too. */
int write_file(const char *path, const char *text, bool append);
/* Ends the program if it can't be written. */
void must_write(const char *path, const char *text);
/* The line that begins at *at, without its newline; NULL at the end. */
char *next_line(char **at);

/* ---- json.c ---- */

void json_string(const char *text, size_t length);

/* ---- events.c: the definitions ---- */

/**
 * struct event_line - an event, as kprobe_events and kprobe_profile have it
 * @group: its group
 * @name: its name
 * @definition: the line without the two
 * @hits, @missed: its counts
 */
struct event_line {
	char *group;
	char *name;
	char *definition;
	unsigned long long hits, missed;
};

struct event_line *events_read(unsigned int *nr);
void events_free(struct event_line *events, unsigned int nr);

/* ---- session.c: what a run sets up, and takes back ---- */

/**
 * struct runs - other runs of this program
 * @nr: how many
 * @pid: of each
 * @alive: it has not ended
 */
struct runs {
	unsigned int nr;
	struct other_run {
		int pid;
		bool alive;
	} *run;
};

struct runs runs_find(void);

/* Set by a signal that ends the program. */
extern volatile sig_atomic_t ended;

/* From here on every way out of the program takes back what the session has set up. */
void session_begin(void);
void session_end(void);
/* A file of the session's instance of tracing; to be freed. */
char *session_path(const char *format, ...) __printf(1, 2);
/* Opens such a file for reading, without waiting, until the session ends. */
int session_open(const char *path);
const char *session_group(void);
/* 0 or an errno. */
int session_define(const char *line);

/* ---- the commands ---- */

struct live_command {
	const char *name;
	int (*run)(int argc, char **argv);
};

int command_list(int argc, char **argv);
int command_status(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_record(int argc, char **argv);

#endif /* LKP_TOOLS_LIVE_H */
