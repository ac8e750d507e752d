// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes: the commands that work on the running kernel, and those that read its file.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Who reads has seen enough: that is no error to be told of. */
static bool reader_is_gone(void)
{
	struct pollfd file = { .fd = STDOUT_FILENO };

	return poll(&file, 1, 0) == 1 && file.revents & POLLERR;
}

/* The name of such a command comes first: all that follows is its own. */
int main(int argc, char **argv)
{
	const struct live_command *command;
	int code;

	for (command = commands; argc > 1 && command->name; command++) {
		if (strcmp(argv[1], command->name))
			continue;
		code = command->run(argc - 1, argv + 1);
		if ((fflush(stdout) || ferror(stdout)) && !reader_is_gone())
			die("the output cannot be written");
		return code;
	}
	return files_main(argc, argv);
}
