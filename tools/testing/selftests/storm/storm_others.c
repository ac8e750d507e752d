// SPDX-License-Identifier: GPL-2.0-only
/*
 * Others at the same functions, whose presence changes what ought to be: a built-in kprobe, a
 * live patch, and programs of BPF's.  The tracers, which change nothing, come and go by the script.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storm.h"

#define EVENTS	"/sys/kernel/tracing/kprobe_events"
#define ENABLE	"/sys/kernel/tracing/events/kprobes/storm%d/enable"
#define PATCH	"lkp_livepatch"
#define PATCHED	"/sys/kernel/livepatch/" PATCH

/* ---- a built-in kprobe at a function's entry ---- */

static int enable_builtin(int place, bool on)
{
	char path[96];

	snprintf(path, sizeof(path), ENABLE, place);
	return write_file(path, on ? "1" : "0");
}

/* Beside a probe of ours it may be refused or not; so there is none then. */
static void add_builtin(int place)
{
	char text[96];

	if (model_point(place))
		return;
	note("a built-in kprobe at %s", model.places[place].name);
	snprintf(text, sizeof(text), "p:storm%d lkp_storm:%s\n", place, model.places[place].name);
	if (write_file(EVENTS, text))
		return;
	if (!enable_builtin(place, true))
		model.foreign |= 1u << place;
}

static void remove_builtin(int place)
{
	char text[32];

	note("no built-in kprobe at %s", model.places[place].name);
	expect("disabling the built-in kprobe", enable_builtin(place, false), 0);
	snprintf(text, sizeof(text), "-:storm%d\n", place);
	expect("removing the built-in kprobe", write_file(EVENTS, text), 0);
	model.foreign &= ~(1u << place);
}

static void turn_builtin(int place)
{
	if (access(EVENTS, W_OK))
		return;
	if (model.foreign & (1u << place))
		remove_builtin(place);
	else
		add_builtin(place);
}

/* ---- a live patch ---- */

static char read_letter(const char *path)
{
	int file = open(path, O_RDONLY);
	char letter = '\0';

	if (file >= 0 && read(file, &letter, 1) != 1)
		letter = '\0';
	if (file >= 0)
		close(file);
	return letter;
}

/* The kernel looks for tasks in the old function once in a second. */
static void wait_for_patch(const char *path, char letter)
{
	unsigned int tries = 600;

	while (read_letter(path) != letter) {
		if (!--tries)
			wrong("the live patch does not come to its end");
		usleep(100000);
	}
}

static void put_patch(void)
{
	char parameters[96];
	int file;

	/* Else nobody knows whether our callback is there, and comes first. */
	if (!model_traces() || model.programs & (1u << STORM_PATCHED))
		return;
	file = open("./" PATCH ".ko", O_RDONLY);
	if (file < 0)
		return;
	note("a live patch");
	snprintf(parameters, sizeof(parameters), "object=lkp_storm function=%s",
		 model.places[STORM_PATCHED].name);
	model.patched = !syscall(SYS_finit_module, file, parameters, 0);
	close(file);
	model.patch_decides = false;
	if (model.patched)
		wait_for_patch(PATCHED "/transition", '0');
}

static void take_patch(void)
{
	note("no live patch");
	expect("disabling the live patch", write_file(PATCHED "/enabled", "0"), 0);
	wait_for_patch(PATCHED "/enabled", '\0');
	while (syscall(SYS_delete_module, PATCH, O_NONBLOCK)) {
		if (errno != EWOULDBLOCK && errno != EBUSY)
			die(PATCH);
		usleep(10000);
	}
	model.patched = false;
}

void others_change(void)
{
	unsigned int choice = roll(10);

	if (choice < 5)
		turn_builtin(PLACE(roll(2), STORM_IN_C));
	else if (choice < 8)
		bpf_turn();
	else if (model.patched)
		take_patch();
	else
		put_patch();
}

void others_end(void)
{
	int place;

	for (place = 0; place < STORM_PLACES; place++)
		if (model.foreign & (1u << place))
			remove_builtin(place);
	if (model.patched)
		take_patch();
	bpf_end();
}
