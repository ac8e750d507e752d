// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts another kernel: at once, or when this one panics.
 *
 * usage: kexec_into now|panic KERNEL INITRAMFS COMMAND-LINE
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initramfs, now;

	if (argc != 5) {
		fprintf(stderr, "usage: kexec_into now|panic KERNEL INITRAMFS COMMAND-LINE\n");
		return 2;
	}
	now = !strcmp(argv[1], "now");
	kernel = open(argv[2], O_RDONLY);
	initramfs = open(argv[3], O_RDONLY);
	if (syscall(SYS_kexec_file_load, kernel, initramfs, strlen(argv[4]) + 1, argv[4],
		    now ? 0ul : (unsigned long)KEXEC_FILE_ON_CRASH)) {
		perror("kexec_file_load");
		return 1;
	}
	if (!now)
		return 0;
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	perror("reboot");
	return 1;
}
