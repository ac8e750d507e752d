/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a file, unpacked if it was compressed.
 */
#ifndef LKP_TOOLS_FILE_H
#define LKP_TOOLS_FILE_H

#include <stddef.h>

struct file {
	const char *path;
	unsigned char *bytes;
	size_t size;
};

void file_read(struct file *file, const char *path);
unsigned int file_machine(const struct file *file);	/* of an ELF file */

#endif /* LKP_TOOLS_FILE_H */
