// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function of the kernel image to probe: only there do the kernel's own
 * kprobes have jumps.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "bench.h"

static void *(*called)(const void *s, int c, size_t n) = memchr;

/* memchr() is in assembly: the tracer does not know of it. */
noinline void bench_long(void)
{
	READ_ONCE(called)("", 0, 0);
}

void *bench_address_of(void (*target)(void))
{
	return target == bench_long ? (void *)memchr : (void *)target;
}
