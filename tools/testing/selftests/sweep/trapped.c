// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs breakpoints of its own.
 *
 * usage: trapped		some of them
 *	  trapped FILE		all the time while the file exists, and writes to a variable that is
 *				watched; calls a function each time, for a probe, and says how often
 *	  trapped FILE unwatched
 *				the same, but nothing is watched
 *	  trapped segment	one in the last byte of a segment
 *	  trapped offset	prints where in its file that function is
 *	  trapped watch ADDRESS FILE
 *				watches an instruction of the kernel's while the file exists, and
 *				prints how often it was run
 *
 * Exit status: 0 if each breakpoint came as a signal, at its address, and each write was seen.
 */
#define _GNU_SOURCE
#include <link.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define NR_TRAPS	100
#define MAX_CPUS	64

static volatile sig_atomic_t nr_trapped;
static volatile int watched;
static volatile unsigned long nr_probed;

static int fails(const char *what)
{
	printf("%s\n", what);
	return EXIT_FAILURE;
}

#ifdef __x86_64__

#include <asm/ldt.h>

/* A selector: the first segment of the program's own. */
#define OWN_CODE	7
#define OWN_PLACE	0x100000

static volatile greg_t behind_trap;
static sigjmp_buf back;
static volatile sig_atomic_t leaves_segment;
static volatile greg_t left_at;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	if (leaves_segment) {
		left_at = uc->uc_mcontext.gregs[REG_RIP];
		siglongjmp(back, 1);
	}
	nr_trapped += uc->uc_mcontext.gregs[REG_RIP] == behind_trap;
}

static __attribute__((noinline)) void trap(void)
{
	asm volatile("leaq 1f(%%rip), %%rax\n\tmovq %%rax, %0\n\tint3\n1:"
		     : "=m" (behind_trap) : : "rax", "memory");
}

static int has_traps(unsigned long place)
{
	void *page = mmap((void *)place, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 0;
	memset(page, 0xcc, 4096);
	return 1;
}

/*
 * Its last byte is a breakpoint: what follows has an offset of 0.  Processors take the lower 32
 * bits of an offset and the segment's base.  QEMU may take all, so there is a breakpoint, too.
 */
static int has_segment(void)
{
	struct user_desc desc = {
		.base_addr = OWN_PLACE + 16, .limit = 0xfffff, .seg_32bit = 1,
		.contents = MODIFY_LDT_CONTENTS_CODE, .limit_in_pages = 1, .useable = 1,
	};

	return has_traps(OWN_PLACE) && has_traps(OWN_PLACE + 0x100000000) &&
	       !syscall(SYS_modify_ldt, 0x11, &desc, sizeof(desc));
}

static int trap_at_end_of_segment(void)
{
	static char stack[65536];
	static const struct {
		uint32_t offset;
		uint16_t selector;
	} last = { 0xffffffff, OWN_CODE };
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };

	if (!has_segment() || sigaltstack(&other, NULL)) {
		printf("# no segments here\n");
		return EXIT_SUCCESS;
	}
	leaves_segment = 1;
	if (!sigsetjmp(back, 1))
		asm volatile("ljmpl *%0" : : "m" (last) : "memory");
	leaves_segment = 0;
	printf("# the breakpoint at the end of a segment was left at %#llx\n", left_at);
	return EXIT_SUCCESS;
}

#else

static void on_trap(int sig, siginfo_t *info, void *context)
{
	nr_trapped++;
}

static void trap(void)
{
	raise(SIGTRAP);
}

static int trap_at_end_of_segment(void)
{
	return EXIT_SUCCESS;
}

#endif

static __attribute__((noinline)) void probed(void)
{
	nr_probed++;
}

/* The part of the file in which @data is a function's address. */
static int print_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t addr = (uintptr_t)data - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t in_part = addr - info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || in_part >= info->dlpi_phdr[i].p_memsz)
			continue;
		printf("%#lx\n", (unsigned long)(in_part + info->dlpi_phdr[i].p_offset));
		return 1;
	}
	return 0;
}

static int watch(uint32_t type, uint64_t addr, uint64_t len, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = type,
		.bp_addr = addr,
		.bp_len = len,
		.exclude_kernel = type == HW_BREAKPOINT_W,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
}

static unsigned long counted(int fd)
{
	uint64_t count = 0;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static int watch_kernel(const char *addr, const char *file)
{
	int fds[MAX_CPUS], cpu, nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long hits = 0;

	for (cpu = 0; cpu < nr_cpus && cpu < MAX_CPUS; cpu++) {
		fds[cpu] = watch(HW_BREAKPOINT_X, strtoull(addr, NULL, 0), sizeof(long), -1, cpu);
		if (fds[cpu] < 0)
			return fails("no watchpoint");
	}
	printf("watching\n");
	fflush(stdout);
	while (!access(file, F_OK))
		usleep(100000);
	for (cpu = 0; cpu < nr_cpus && cpu < MAX_CPUS; cpu++)
		hits += counted(fds[cpu]);
	printf("hits %lu\n", hits);
	return EXIT_SUCCESS;
}

/* Where something is watched the kernel changes its text for that, and back later. */
static int run_until(const char *file, int watches)
{
	unsigned long traps = 0;
	int fd = watches ? watch(HW_BREAKPOINT_W, (uintptr_t)&watched, HW_BREAKPOINT_LEN_4, 0, -1) :
			   -1;

	do {
		trap();
		traps++;
		watched = 1;
		probed();
	} while (!file ? traps < NR_TRAPS : traps % 64 || !access(file, F_OK));
	printf("# %d of %lu breakpoints were signalled, %lu writes seen\n", (int)nr_trapped, traps,
	       counted(fd));
	printf("calls %lu\n", nr_probed);
	/* An emulated processor may see a write twice. */
	if ((unsigned long)nr_trapped != traps || (fd >= 0 && counted(fd) < traps))
		return fails("not all");
	printf("all\n");
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct sigaction action;

	if (argc == 4 && !strcmp(argv[1], "watch"))
		return watch_kernel(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "offset"))
		return !dl_iterate_phdr(print_offset, (void *)probed);
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	if (sigaction(SIGTRAP, &action, NULL))
		return fails("no signals");
	if (argc == 2 && !strcmp(argv[1], "segment"))
		return trap_at_end_of_segment();
	return run_until(argv[1], argc == 2);
}
