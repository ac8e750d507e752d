// SPDX-License-Identifier: GPL-2.0-only
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "native.h"

#ifndef PROT_BTI
#define PROT_BTI	0x10
#endif

#define PSTATE_SHOWN	(EMULATE_PSTATE_N | EMULATE_PSTATE_Z | EMULATE_PSTATE_C | \
			 EMULATE_PSTATE_V | EMULATE_PSTATE_BTYPE)

static struct native_state *running;
static ucontext_t interrupted;
static volatile sig_atomic_t ended_by;

u32 native_word(u64 addr)
{
	return 0xd4200000 | (addr >> 2 & 0xffff) << 5;
}

static struct fpsimd_context *vector_context(ucontext_t *context)
{
	struct _aarch64_ctx *record = (void *)context->uc_mcontext.__reserved;

	while (record->magic && record->magic != FPSIMD_MAGIC)
		record = (void *)((char *)record + record->size);
	return (void *)record;
}

/* Instead of going on where it was, execution begins with the instructions. */
static void on_begin(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)signal;
	(void)info;
	interrupted = *context;
	memcpy(context->uc_mcontext.regs, running->regs.regs, sizeof(running->regs.regs));
	context->uc_mcontext.sp = running->regs.sp;
	context->uc_mcontext.pc = running->regs.pc;
	context->uc_mcontext.pstate = running->regs.pstate & PSTATE_SHOWN;
	memcpy(vector_context(context)->vregs, running->vector, sizeof(running->vector));
}

static void on_end(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)info;
	ended_by = signal;
	memcpy(running->regs.regs, context->uc_mcontext.regs, sizeof(running->regs.regs));
	running->regs.sp = context->uc_mcontext.sp;
	running->regs.pc = context->uc_mcontext.pc;
	running->regs.pstate = context->uc_mcontext.pstate & PSTATE_SHOWN;
	memcpy(running->vector, vector_context(context)->vregs, sizeof(running->vector));
	context->uc_mcontext = interrupted.uc_mcontext;
}

static bool handle(int signal, void (*handler)(int signal, siginfo_t *info, void *data))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	return !sigaction(signal, &action, NULL);
}

/* The stack pointer is one of the registers that are loaded. */
static bool own_stack(void)
{
	static char stack[1 << 16];
	stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };

	return !sigaltstack(&own, NULL);
}

bool native_init(bool guarded)
{
	int prot = PROT_READ | PROT_WRITE | PROT_EXEC | (guarded ? PROT_BTI : 0);
	void *mem = mmap((void *)NATIVE_BASE, NATIVE_SIZE, prot,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	u64 addr;

	if (mem != (void *)NATIVE_BASE)
		return false;
	for (addr = NATIVE_BASE; addr < NATIVE_BASE + NATIVE_SIZE; addr += INSN_SIZE)
		*(u32 *)addr = native_word(addr);
	__builtin___clear_cache((char *)NATIVE_BASE, (char *)NATIVE_BASE + NATIVE_SIZE);
	return own_stack() && handle(SIGUSR1, on_begin) && handle(SIGTRAP, on_end) &&
	       handle(SIGSEGV, on_end) && handle(SIGILL, on_end) && handle(SIGBUS, on_end);
}

static void put(u64 at, const u32 *words, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		((u32 *)at)[i] = words ? words[i] : native_word(at + i * INSN_SIZE);
	__builtin___clear_cache((char *)at, (char *)at + nr * INSN_SIZE);
}

bool native_run(const u32 *words, unsigned int nr, u64 at, struct native_state *state)
{
	put(at, words, nr);
	running = state;
	raise(SIGUSR1);
	put(at, NULL, nr);
	return ended_by == SIGTRAP && state->regs.pc - NATIVE_BASE < NATIVE_SIZE;
}
