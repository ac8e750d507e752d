// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of another kernel, on a partition of 64-bit Power: loads some words of code, which say
 * something on consoles, and switch the machine off.
 *
 * usage: kexec_say UNIT TEXT [UNIT TEXT]...
 *	  kexec_say now
 *
 * UNIT is the number of a virtual terminal.  A backslash and an n in TEXT are the end of a line.
 * With the code comes a large area of zeros, for which memory is overwritten on the way there: the upper end
 * of 1 GiB, where a kernel begins to allocate, page tables first.
 */
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kexec_say.h"

#ifdef __powerpc64__

#define CODE_AT		0x10000000ul
#define ZEROS_AT	0x28000000ul
#define ZEROS		0x17000000ul
#define ALIGNMENT	0x10000ul
#define ARCH_PPC64	(21ul << 16)

/*
 * Entered with its own address in r4, in real mode.  Other CPUs come to word 0x60.  Behind it are
 * records: the unit, the number of bytes, these; and behind the last one the arguments of the
 * firmware's call "power-off".
 */
asm(".pushsection .rodata\n"
    ".p2align 4\n"
    ".globl code\n"
    "code:\n"
    "	b	code + 0x80\n"
    "	.org	code + 0x60\n"
    "	b	.\n"
    "	.org	code + 0x80\n"
    "	addi	30, 4, code_end - code\n"
    "1:	ld	29, 0(30)\n"
    "	ld	28, 8(30)\n"
    "	addi	30, 30, 16\n"
    "	cmpdi	28, 0\n"
    "	beq	4f\n"
    "2:	li	5, 16\n"
    "	cmpdi	28, 16\n"
    "	bge	3f\n"
    "	mr	5, 28\n"
    "3:	ldbrx	6, 0, 30\n"
    "	addi	9, 30, 8\n"
    "	ldbrx	7, 0, 9\n"
    "	mr	4, 29\n"
    "	li	3, 0x58\n"			/* H_PUT_TERM_CHAR */
    "	mr	27, 5\n"
    "	sc	1\n"
    "	cmpdi	3, 0\n"
    "	bne	2b\n"
    "	add	30, 30, 27\n"
    "	subf.	28, 27, 28\n"
    "	bne	2b\n"
    "	addi	30, 30, 7\n"
    "	rldicr	30, 30, 0, 60\n"
    "	b	1b\n"
    "4:	lis	3, 0\n"
    "	ori	3, 3, 0xf000\n"			/* H_RTAS of KVM and QEMU */
    "	mr	4, 30\n"
    "	sc	1\n"
    "	b	.\n"
    ".globl code_end\n"
    "	.p2align 3\n"
    "code_end:\n"
    ".popsection\n");

static char image[ALIGNMENT];
static size_t used;

static void put(const void *bytes, size_t size)
{
	if (used + size > sizeof(image)) {
		fprintf(stderr, "too long\n");
		exit(1);
	}
	memcpy(image + used, bytes, size);
	used += size;
}

static void put_record(const char *unit, const char *text)
{
	uint64_t head[2] = { strtoul(unit, NULL, 0), 0 };
	size_t at = used;

	put(head, sizeof(head));
	for (; *text; text++, head[1]++) {
		if (text[0] == '\\' && text[1] == 'n') {
			put("\n", 1);
			text++;
		} else {
			put(text, 1);
		}
	}
	memcpy(image + at, head, sizeof(head));
	used = (used + 7) & ~7ul;
}

/* Its number, most significant byte first as all of its arguments. */
static void put_power_off(void)
{
	uint32_t args[6] = { 0, __builtin_bswap32(2), __builtin_bswap32(1), ~0u, ~0u, 0 };
	uint64_t end[2] = { 0, 0 };
	int file = open("/proc/device-tree/rtas/power-off", O_RDONLY);

	if (read(file, args, sizeof(args[0])) != sizeof(args[0]))
		perror("power-off");
	put(end, sizeof(end));
	put(args, sizeof(args));
}

static int load(void)
{
	static char zero[1];
	struct { const void *buf; size_t bufsz; unsigned long mem; size_t memsz; } segments[] = {
		{ image, sizeof(image), CODE_AT, sizeof(image) },
		{ zero, sizeof(zero), ZEROS_AT, ZEROS },
	};

	if (!syscall(SYS_kexec_load, CODE_AT, 2ul, segments, ARCH_PPC64))
		return 0;
	perror("kexec_load");
	return 1;
}

static int start(void)
{
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	perror("reboot");
	return 1;
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 2 && !strcmp(argv[1], "now"))
		return start();
	put(code, code_end - code);
	for (i = 1; i + 1 < argc; i += 2)
		put_record(argv[i], argv[i + 1]);
	put_power_off();
	return load();
}

#else

int main(void)
{
	fprintf(stderr, "only for 64-bit Power\n");
	return 1;
}

#endif
