// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types and lines for tools/kprobes: test-live asks about this file's arguments and lines.
 */
struct inner {
	short first;
	int second;
};

enum color { RED, BLUE };

struct outer {
	char name[16];
	const char *text;
	struct inner in;
	struct inner *to;
	unsigned int low : 3, high : 5;
	union {
		long whole;
		unsigned char part;
	};
	int numbers[100];
	void (*function)(int x);
};

int takes_outer(const struct outer *const o, unsigned long count, enum color color, _Bool flag)
{
	int sum = o->in.second;			/* line 28 */

	if (flag)
		sum += count;
	/* No code here: line 32 */
	return sum + color;			/* line 33 */
}

char *by_value(struct outer o, char c, double d)
{
	return (char *)(o.whole + c + (long)d);
}

static int namesake(int x)
{
	return x + 1;				/* line 43 */
}

int (*keeps_the_first)(int x) = namesake;
