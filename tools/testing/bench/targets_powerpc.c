// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function of the kernel image to probe: the built-in kprobes have jumps only
 * there.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "bench.h"

static void *(*called)(const void *s, int c, size_t n) = memchr;

/* memchr() is in assembly, without a call site of the tracer. */
noinline void bench_long(void)
{
	READ_ONCE(called)("", 0, 0);
}

void *bench_address_of(void (*target)(void))
{
	return target == bench_long ? (void *)memchr : (void *)target;
}
