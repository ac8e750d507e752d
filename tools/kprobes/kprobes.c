// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of kprobes that read the file of a kernel or a module, and say what can be probed
 * in it and how.
 */
#include <elf.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands.h"
#include "machine.h"

#define DEFAULT_SAMPLES	100000

/* What is complained about may have control characters, which stay away from the terminal. */
static void complain(const char *format, va_list args)
{
	char text[5000], *at;

	vsnprintf(text, sizeof(text), format, args);
	for (at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	fprintf(stderr, "kprobes: %s\n", text);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	exit(WRONG);
}

/* Zeroed, and never freed: the program ends soon. */
void *allocate(size_t size)
{
	void *mem = calloc(1, size ? size : 1);

	if (!mem)
		die("out of memory");
	return mem;
}

/* ---- the command line ---- */

static const char usage[] =
	"Usage: kprobes trace PROBE...          shows the hits of probes\n"
	"       kprobes stat PLACE...           counts and times calls of functions\n"
	"       kprobes record -o FILE PROBE... writes hits to a file for trace-cmd\n"
	"       kprobes list [--json]           the probes and events that there are\n"
	"       kprobes status [--json]         what is loaded, and on\n"
	"These work on the running kernel, as root; each has a --help.  The others read a file:\n"
	"       kprobes reach FILE [OPTION]...   how many points need no trap, and why others do\n"
	"       kprobes check FILE PLACE...      what a probe there would be: jump, trap or refused\n"
	"       kprobes cross FILE               branches from one function into another (x86-64)\n"
	"       kprobes unproven FILE            functions with unknown branch targets (x86-64)\n"
	"FILE is a vmlinux or a module, for x86-64, arm64 or powerpc (64 bits, little-endian), also\n"
	"compressed, or a bzImage (vmlinuz) of x86-64.  --running in place of FILE: this kernel.\n"
	"PLACE is [MODULE:]SYMBOL[+OFFSET] or 0xADDRESS; - reads places from the standard input, one\n"
	"a line.\n"
	"  --all            reach: every point of .text, instead of 100000 random ones\n"
	"  --samples N      reach: N random points\n"
	"  --seed N         reach: seed of the random choice\n"
	"  --list           reach: print each point, and what it would be\n"
	"  --json           reach, check: print JSON; check prints one object a line\n"
	"  --running        the running kernel (/proc/kcore), on x86-64, as root\n"
	"  --rets           returns are ret, as on CPUs that need no mitigation (the default)\n"
	"  --return-thunks  returns are jumps to a return thunk, as built\n"
	"  --no-retpolines  indirect branches do not use thunks either\n"
	"  --symbols FILE   a System.map, for a vmlinux without any symbols\n"
	"  --version        print the version\n"
	"Exit code: 0; 1 if a probe would be refused at a place; 2 if something is wrong.\n";

static const struct option long_options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "samples", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "list", no_argument, NULL, 'l' },
	{ "json", no_argument, NULL, 'j' },
	{ "running", no_argument, NULL, 'k' },
	{ "rets", no_argument, NULL, 'r' },
	{ "return-thunks", no_argument, NULL, 't' },
	{ "no-retpolines", no_argument, NULL, 'R' },
	{ "symbols", required_argument, NULL, 'S' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static u64 number_of(const char *option, const char *text, u64 least)
{
	u64 number = 0;
	const char *wrong = parse_number(text, 0, UINT64_MAX, &number);

	if (wrong)
		die("--%s: '%s' %s", option, text, wrong);
	if (number < least)
		die("--%s: %s is too small", option, text);
	return number;
}

static _Noreturn void print_and_end(const char *text)
{
	fputs(text, stdout);
	exit(ANSWERED);
}

static void set_option(struct options *options, int c)
{
	switch (c) {
	case 'a':
		options->samples = 0;
		break;
	case 'n':
		options->samples = number_of("samples", optarg, 1);
		break;
	case 's':
		options->seed = number_of("seed", optarg, 0);
		break;
	case 'l':
		options->list = true;
		break;
	case 'j':
		options->json = true;
		break;
	case 'k':
		options->running = true;
		break;
	case 'r':
		options->mitigations.return_thunks = false;
		break;
	case 't':
		options->mitigations.return_thunks = true;
		break;
	case 'R':
		options->mitigations.retpolines = false;
		break;
	case 'S':
		options->symbols = optarg;
		break;
	case 'V':
		print_and_end("kprobes " TOOL_VERSION "\n");
	case 'h':
		print_and_end(usage);
	default:
		fputs(usage, stderr);
		exit(WRONG);
	}
}

/* ---- the file ---- */

static const char *program_for(unsigned int elf)
{
	switch (elf) {
	case EM_AARCH64:
		return "arm64";
	case EM_PPC64:
		return "powerpc";
	default:
		return NULL;
	}
}

/* The programs for other architectures are in the directory of this one. */
static void leave_to_other(unsigned int elf, char **argv)
{
	char self[4096], other[4200];
	const char *name;
	ssize_t len;

	name = elf == machine.elf ? NULL : program_for(elf);
	if (!name)
		return;
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		return;
	self[len] = '\0';
	snprintf(other, sizeof(other), "%s-%s", self, name);
	execv(other, argv);
	die("%s: cannot be run", other);
}

static void open_image(struct image *image, const char *path, const struct options *options,
		       char **argv)
{
	struct file file;

	if (!path || !strcmp(path, KCORE_PATH)) {
		leave_to_other(kcore_machine(), argv);
		kcore_open(image);
	} else {
		file_read(&file, path);
		leave_to_other(file_machine(&file), argv);
		image_open(image, &file);
		free(file.bytes);
	}
	if (options->symbols)
		image_read_symbols(image, options->symbols);
	else if (!image->nr_symbols && !(machine.read_symbols && machine.read_symbols(image)))
		die("%s: has no symbols: use --symbols", path);
	facts_collect(image, &options->mitigations);
	if (!image->nr_functions)
		die("%s: none of the symbols is in its text", path);
}

/* ---- the commands ---- */

enum command { REACH, CHECK, CROSS, UNPROVEN, NR_COMMANDS };

static enum command find_command(const char *name)
{
	static const char * const names[NR_COMMANDS] = { "reach", "check", "cross", "unproven" };
	enum command c;

	for (c = 0; c < NR_COMMANDS; c++)
		if (name && !strcmp(name, names[c]))
			return c;
	if (name)
		die("there is no command '%s': --help lists them", name);
	fputs(usage, stderr);
	exit(WRONG);
}

static int run(enum command command, const struct image *image, char **places,
	       const struct options *options)
{
	switch (command) {
	case REACH:
		return command_reach(image, options);
	case CHECK:
		return command_check(image, places, options);
	case CROSS:
		return command_cross(image);
	default:
		return command_unproven(image);
	}
}

/* Errors in arguments are told before a file is read, which takes time. */
static void check_arguments(enum command command, char **rest, const struct options *options)
{
	if (command == CHECK && !*rest)
		die("check: a place is missing, as in: kprobes check FILE vfs_read+0x24");
	if (command != CHECK && *rest)
		die("'%s' is one argument too many", *rest);
	if (options->list && command != REACH)
		die("--list is for reach");
	if (options->json && (command > CHECK || options->list))
		die("--json is for the counts of reach, and for check");
}

/* The programs for other architectures have these commands only, and call this main(). */
int files_main(int argc, char **argv)
{
	struct options options = {
		.samples = DEFAULT_SAMPLES,
		.mitigations.retpolines = true,
	};
	static struct image image;
	enum command command;
	char *path = NULL;
	char **rest;
	int c;

	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		set_option(&options, c);
	rest = argv + optind;
	command = find_command(*rest);
	rest++;
	if (!options.running)
		path = *rest++;
	if (!options.running && !path)
		die("a file is missing: a vmlinux or a module, or --running");
	check_arguments(command, rest, &options);
	open_image(&image, path, &options, argv);
	c = run(command, &image, rest, &options);
	if (fflush(stdout) || ferror(stdout))
		die("the output cannot be written");
	return c;
}
