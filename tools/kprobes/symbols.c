// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running kernel's symbols, from /proc/kallsyms, read when first needed.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Of names that differ more than that nobody thinks that they are the same. */
#define MAX_DIFFERENCE	2

static struct kernel_symbol *symbols;
static size_t nr_symbols;

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* ADDRESS KIND NAME [MODULE]: a function, if its address is shown. */
static void add_symbol(char *line, size_t *room)
{
	char *end, *name;
	u64 address = strtoull(line, &end, 16);

	if (!address || *end != ' ' || !strchr("tTwW", end[1]) || end[2] != ' ')
		return;
	name = end + 3;
	name[strcspn(name, "\t ")] = '\0';
	if (nr_symbols == *room) {
		*room = 2 * *room + 65536;
		symbols = realloc(symbols, *room * sizeof(*symbols));
		if (!symbols)
			die("out of memory");
	}
	symbols[nr_symbols++] = (struct kernel_symbol){ .address = address, .name = name };
}

/* The last one of those at an address has the size. */
static void set_sizes(void)
{
	u64 next = 0;
	size_t i;

	for (i = nr_symbols; i--;) {
		if (i + 1 < nr_symbols && symbols[i + 1].address != symbols[i].address)
			next = symbols[i + 1].address;
		symbols[i].size = next ? next - symbols[i].address : 4096;
	}
}

static void read_symbols(void)
{
	const char *path = getenv("KPROBES_KALLSYMS");
	static bool done;
	size_t room = 0;
	char *at, *line;

	if (done)
		return;
	done = true;
	/* Names stay where they are. */
	at = read_file(path ? path : "/proc/kallsyms");
	while ((line = next_line(&at)))
		add_symbol(line, &room);
	qsort(symbols, nr_symbols, sizeof(*symbols), by_address);
	set_sizes();
}

const struct kernel_symbol *symbol_at(u64 address)
{
	size_t low = 0, high;

	read_symbols();
	high = nr_symbols;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - symbols[low - 1].address >= symbols[low - 1].size)
		return NULL;
	/* Of several names the first one, as the kernel says it. */
	for (low--; low && symbols[low - 1].address == symbols[low].address; low--)
		;
	return &symbols[low];
}

const struct kernel_symbol *symbol_named(const char *name)
{
	size_t i;

	read_symbols();
	for (i = 0; i < nr_symbols; i++)
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	return NULL;
}

u64 symbol_start(u64 address)
{
	const struct kernel_symbol *symbol = symbol_at(address);

	return symbol ? symbol->address : address;
}

char *symbol_text(u64 address)
{
	const struct kernel_symbol *symbol = symbol_at(address);

	if (!symbol)
		return text_of("0x%llx", (unsigned long long)address);
	return text_of("%s+0x%llx", symbol->name, (unsigned long long)(address - symbol->address));
}

/* How many characters have to be changed, added or taken away, up to MAX_DIFFERENCE + 1. */
static unsigned int difference(const char *a, const char *b, unsigned int allowed)
{
	unsigned int changed, less, more;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!*a && !*b)
		return 0;
	if (!allowed)
		return 1;
	changed = *a && *b ? difference(a + 1, b + 1, allowed - 1) : allowed;
	less = *a ? difference(a + 1, b, allowed - 1) : allowed;
	more = *b ? difference(a, b + 1, allowed - 1) : allowed;
	changed = changed < less ? changed : less;
	return 1 + (changed < more ? changed : more);
}

const char *symbol_like(const char *name)
{
	unsigned int least = MAX_DIFFERENCE + 1;
	const char *best = NULL;
	size_t i;

	read_symbols();
	for (i = 0; i < nr_symbols && least > 1; i++) {
		unsigned int d = difference(name, symbols[i].name, least - 1);

		if (d >= least || strlen(name) <= 2 * d)
			continue;
		least = d;
		best = symbols[i].name;
	}
	return best;
}
