// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs breakpoints of its own. Exit status: 0 if each of them came as a signal, at its address.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static volatile sig_atomic_t nr_trapped;

#ifdef __x86_64__

extern const char behind_trap[];

static void on_trap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	nr_trapped += uc->uc_mcontext.gregs[REG_RIP] == (greg_t)behind_trap;
}

static __attribute__((noinline)) void trap(void)
{
	asm volatile("int3\n.globl behind_trap\nbehind_trap:" : : : "memory");
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

#endif

#define NR_TRAPS	100

int main(void)
{
	struct sigaction action;
	int i;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	if (sigaction(SIGTRAP, &action, NULL))
		return EXIT_FAILURE;
	for (i = 0; i < NR_TRAPS; i++)
		trap();
	printf("# %d of %d breakpoints were signalled\n", (int)nr_trapped, NR_TRAPS);
	return nr_trapped == NR_TRAPS ? EXIT_SUCCESS : EXIT_FAILURE;
}
