// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a file as a whole.  A compressed module, and the kernel in a bzImage or in an EFI zboot
 * image, is unpacked by the program for its format: whoever has such files has it, and the kernel's
 * build uses the same ones.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "image.h"

/* Nothing that the kernel loads is larger; a few bytes can unpack to anything. */
#define MAX_SIZE	(2ull << 30)

/* A compressed kernel in a bzImage in a compressed file is more than anybody has. */
#define MAX_LAYERS	4

struct format {
	const char *name;
	const char *magic;
	unsigned int length;		/* of the magic */
	const char *program[4];
};

static const struct format formats[] = {
	{ "gzip", "\x1f\x8b", 2, { "gzip", "-dcq" } },
	{ "xz", "\3757zXZ", 5, { "xz", "-dcq" } },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, { "zstd", "-dcq" } },
	{ "lz4", "\x02\x21\x4c\x18", 4, { "lz4", "-dcq" } },
	{ "lz4", "\x04\x22\x4d\x18", 4, { "lz4", "-dcq" } },
	{ "bzip2", "BZh", 3, { "bzip2", "-dcq" } },
	{ "lzma", "\x5d\0\0", 3, { "xz", "--format=lzma", "-dcq" } },
	{ "lzo", "\x89LZO", 4, { "lzop", "-dcq" } },
};

static const struct format *format_of(const struct file *file)
{
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (file->size > formats[i].length &&
		    !memcmp(file->bytes, formats[i].magic, formats[i].length))
			return &formats[i];
	return NULL;
}

/* ---- reading ---- */

/* Appends all that comes from a descriptor; false if that cannot be read. */
static bool read_all(struct file *file, int fd)
{
	size_t max = 0;
	ssize_t got;

	do {
		if (file->size == max) {
			max = max ? 2 * max : 1 << 20;
			if (max > MAX_SIZE)
				die("%s: larger than any kernel or module", file->path);
			file->bytes = realloc(file->bytes, max);
			if (!file->bytes)
				die("out of memory");
		}
		got = read(fd, file->bytes + file->size, max - file->size);
		file->size += got > 0 ? got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return !got;
}

static void read_path(struct file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*file = (struct file){ .path = path };
	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		die("%s: is a directory", path);
	if (!read_all(file, fd))
		die("%s: %s", path, strerror(errno));
	close(fd);
	if (!file->size)
		die("%s: is empty", path);
}

/* ---- unpacking ---- */

/* A file in memory, which needs nobody to write while we read what it unpacks to. */
static int packed_input(const struct file *file)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t put;

	if (fd < 0)
		die("out of memory");
	for (; done < file->size; done += put) {
		put = write(fd, file->bytes + done, file->size - done);
		if (put <= 0)
			die("out of memory");
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static _Noreturn void run_program(const struct format *format, int in, int out)
{
	int null = open("/dev/null", O_WRONLY);

	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
		_exit(127);
	execvp(format->program[0], (char **)format->program);
	_exit(127);
}

static void unpack(struct file *file, const struct format *format)
{
	struct file packed = *file;
	int in = packed_input(&packed), out[2], status;
	pid_t child;
	bool whole;

	if (pipe2(out, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork: %s", strerror(errno));
	if (!child)
		run_program(format, in, out[1]);
	close(out[1]);
	close(in);
	*file = (struct file){ .path = packed.path };
	whole = read_all(file, out[0]);
	close(out[0]);
	free(packed.bytes);
	if (waitpid(child, &status, 0) != child || !whole)
		die("%s: cannot be unpacked", file->path);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		die("%s: not an ELF file, but compressed by %s: install %s to read it",
		    file->path, format->name, format->program[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !file->size)
		die("%s: compressed by %s, but truncated or damaged", file->path, format->name);
}

/* ---- images that hold a kernel ---- */

static uint32_t get32(const struct file *file, size_t at)
{
	uint32_t value;

	memcpy(&value, file->bytes + at, sizeof(value));
	return value;
}

static bool has_bytes(const struct file *file, size_t at, const char *bytes, size_t nr)
{
	return file->size >= at + nr && !memcmp(file->bytes + at, bytes, nr);
}

static void keep_part(struct file *file, const char *what, uint64_t start, uint64_t size)
{
	if (start > file->size || size > file->size - start || !size)
		die("%s: %s, but truncated: its kernel should be the bytes from %llu to %llu of %zu",
		    file->path, what, (unsigned long long)start,
		    (unsigned long long)(start + size), file->size);
	memmove(file->bytes, file->bytes + start, size);
	file->size = size;
}

/* The kernel's Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length. */
static bool open_bzimage(struct file *file)
{
	uint64_t start, size;

	if (!has_bytes(file, 0x202, "HdrS", 4))
		return false;
	if (file->size < 0x250)
		die("%s: a bzImage, but truncated", file->path);
	start = ((file->bytes[0x1f1] ? file->bytes[0x1f1] : 4) + 1) * 512ull + get32(file, 0x248);
	size = get32(file, 0x24c);
	keep_part(file, "a bzImage", start, size);
	/* Behind the stream the build has put the unpacked size, except with gzip. */
	if (format_of(file) && strcmp(format_of(file)->name, "gzip") && size > 4)
		file->size -= 4;
	if (!format_of(file) && !has_bytes(file, 0, ELFMAG, SELFMAG))
		die("%s: not an ELF file, but a compressed kernel: its compression is unknown",
		    file->path);
	return true;
}

static bool open_zboot(struct file *file)
{
	if (!has_bytes(file, 0, "MZ", 2) || !has_bytes(file, 4, "zimg", 4) || file->size < 16)
		return false;
	keep_part(file, "an EFI zboot image", get32(file, 8), get32(file, 12));
	return true;
}

static void refuse_others(const struct file *file)
{
	if (has_bytes(file, 56, "ARM\x64", 4))
		die("%s: not an ELF file, but the Image of an arm64 kernel, which does not say where code is: take its vmlinux",
		    file->path);
	if (has_bytes(file, 0, "070701", 6))
		die("%s: not an ELF file, but an initramfs", file->path);
	if (file->size < SELFMAG || memcmp(file->bytes, ELFMAG, SELFMAG))
		die("%s: not an ELF file, nor a kernel or module that is compressed", file->path);
}

void file_read(struct file *file, const char *path)
{
	const struct format *format;
	unsigned int layers;

	read_path(file, path);
	for (layers = 0; !has_bytes(file, 0, ELFMAG, SELFMAG); layers++) {
		if (layers == MAX_LAYERS)
			die("%s: compressed too many times", path);
		format = format_of(file);
		if (format)
			unpack(file, format);
		else if (!open_bzimage(file) && !open_zboot(file))
			refuse_others(file);
	}
}

unsigned int file_machine(const struct file *file)
{
	Elf64_Ehdr header;

	if (file->size < sizeof(header))
		die("%s: truncated: an ELF header has %zu bytes, not %zu", file->path,
		    sizeof(header), file->size);
	memcpy(&header, file->bytes, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		die("%s: an ELF file, but not of 64 bits, little-endian", file->path);
	return header.e_machine;
}
