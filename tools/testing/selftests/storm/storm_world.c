// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is changed around the probes: all off and on, jumps off and on, a module loaded and
 * unloaded, a CPU that goes and comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storm.h"

#define SECOND_CPU	"/sys/devices/system/cpu/cpu1/online"
#define TARGET		"lkp_storm_target"

static void turn_all(bool on)
{
	note("enabled: %d", on);
	expect("writing to enabled", write_file(control("enabled"), on ? "1" : "0"), 0);
	model.all_on = on;
}

static void turn_jumps(bool on)
{
	note("optimisation: %d", on);
	expect("writing to the sysctl", write_file(sysctl_path(), on ? "1" : "0"), 0);
	model.jumps_on = on;
}

static void turn_cpu(bool on)
{
	int err = write_file(SECOND_CPU, on ? "1" : "0");

	note("CPU 1: %d", on);
	/* The kernel itself refuses now and then, and there may be one CPU only. */
	if (!err)
		model.second_cpu = on;
}

static void load_target(void)
{
	int i, file = open("./" TARGET ".ko", O_RDONLY);

	note("the target is loaded");
	if (file < 0 || syscall(SYS_finit_module, file, "", 0))
		die(TARGET);
	close(file);
	for (i = 0; i < STORM_GROUP; i++)
		files_scout(PLACE(STORM_AWAY, i));
	model.target = true;
}

static void unload_target(void)
{
	note("the target is unloaded");
	if (syscall(SYS_delete_module, TARGET, O_NONBLOCK))
		die(TARGET);
	model_target_goes();
}

static void refuse_unload(void)
{
	long err = syscall(SYS_delete_module, "kprobes", O_NONBLOCK) ? errno : 0;

	note("rmmod kprobes");
	expect("rmmod kprobes", err, EWOULDBLOCK);
}

static void refuse_rubbish(void)
{
	note("rubbish is written");
	expect("rubbish to enabled", write_file(control("enabled"), "rubbish"), -EINVAL);
	expect("rubbish to the sysctl", write_file(sysctl_path(), "rubbish"), -EINVAL);
}

void world_change(void)
{
	switch (roll(17)) {
	case 0 ... 2:
		turn_all(model.all_on ? false : !chance(10));
		break;
	case 3 ... 5:
		turn_jumps(!model.jumps_on);
		break;
	case 6 ... 8:
		if (model.target)
			unload_target();
		else
			load_target();
		break;
	case 9:
		turn_cpu(!model.second_cpu);
		break;
	case 10:
		refuse_unload();
		break;
	case 11 ... 15:
		others_change();
		break;
	default:
		refuse_rubbish();
	}
}

void world_begin(void)
{
	int i;

	turn_all(true);
	turn_jumps(true);
	for (i = 0; i < STORM_PLACES; i++)
		files_scout(i);
	bpf_begin();
	model.second_cpu = !access(SECOND_CPU, W_OK);
}

void world_end(void)
{
	others_end();
	turn_all(true);
	turn_jumps(true);
	if (!model.second_cpu)
		turn_cpu(true);
	if (model.target)
		unload_target();
}
