// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another kernel: loads one for later, or for when this one panics; starts the one for later.
 *
 * usage: kexec_into later|panic KERNEL INITRAMFS COMMAND-LINE
 *        kexec_into now
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int explain(void)
{
	fprintf(stderr, "usage: kexec_into later|panic KERNEL INITRAMFS COMMAND-LINE\n"
			"       kexec_into now\n");
	return 2;
}

static int start(void)
{
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	perror("reboot");
	return 1;
}

static int load(char **argv, unsigned long flags)
{
	int kernel = open(argv[0], O_RDONLY), initramfs = open(argv[1], O_RDONLY);
	const char *line = argv[2];

	if (!syscall(SYS_kexec_file_load, kernel, initramfs, strlen(line) + 1, line, flags))
		return 0;
	perror("kexec_file_load");
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "now"))
		return start();
	if (argc != 5)
		return explain();
	if (!strcmp(argv[1], "later"))
		return load(argv + 2, 0);
	if (!strcmp(argv[1], "panic"))
		return load(argv + 2, KEXEC_FILE_ON_CRASH);
	return explain();
}
