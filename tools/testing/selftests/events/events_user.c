// SPDX-License-Identifier: GPL-2.0-only
/*
 * events_user FILE...: prints which of them a user who is not root can open, in any way.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i;

	if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) {
		perror("events_user");
		return 1;
	}
	for (i = 1; i < argc; i++)
		if (open(argv[i], O_RDONLY) >= 0 || open(argv[i], O_WRONLY) >= 0)
			puts(argv[i]);
	return 0;
}
