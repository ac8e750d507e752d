// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strings in JSON.  The kernel's may have any bytes: what is no UTF-8 becomes U+FFFD, and what steers a
 * terminal, which may be what shows them, is written in ASCII.
 */
#include "live.h"

static const unsigned char *rest_of(const unsigned char *at, const unsigned char *end,
				    unsigned int nr)
{
	unsigned int i;

	if ((size_t)(end - at) <= nr)
		return NULL;
	for (i = 1; i <= nr; i++)
		if ((at[i] & 0xc0) != 0x80)
			return NULL;
	return at + nr + 1;
}

/* What comes behind a character of several bytes; NULL if it is none. */
static const unsigned char *character(const unsigned char *at, const unsigned char *end)
{
	const unsigned char *next = NULL;

	if (*at >= 0xc2 && *at <= 0xdf)
		return rest_of(at, end, 1);
	if ((*at & 0xf0) == 0xe0)
		next = rest_of(at, end, 2);
	else if (*at >= 0xf0 && *at <= 0xf4)
		next = rest_of(at, end, 3);
	if (!next)
		return NULL;
	/* Those that could be shorter, halves of pairs, and those beyond the last one. */
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
	    (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
		return NULL;
	return next;
}

void json_string(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + length, *next;

	putchar('"');
	for (; at < end; at = next) {
		next = *at < 0x80 ? at + 1 : character(at, end);
		if (!next)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			printf("\\u%04x", *at);
		else if (*at == 0xc2 && at[1] < 0xa0)
			printf("\\u%04x", at[1]);
		else
			fwrite(at, 1, next - at, stdout);
		next = next ? next : at + 1;
	}
	putchar('"');
}
