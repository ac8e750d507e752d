// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes: the commands that work on the running kernel, and those that read its file.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "live.h"

static const struct live_command commands[] = {
	{ "list", command_list },
	{ "status", command_status },
	{ "trace", command_trace },
	{ "stat", command_stat },
	{ "record", command_record },
	{ }
};

/* The name of such a command comes first: all that follows is its own. */
int main(int argc, char **argv)
{
	const struct live_command *command;
	int code;

	for (command = commands; argc > 1 && command->name; command++) {
		if (strcmp(argv[1], command->name))
			continue;
		code = command->run(argc - 1, argv + 1);
		if (fflush(stdout) || ferror(stdout))
			die("the output cannot be written");
		return code;
	}
	return files_main(argc, argv);
}
