// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often something took how long, and a picture of it.
 */
#include <stdio.h>

#include "histogram.h"

#define PART_BITS	3

static unsigned int power_of(u64 value)
{
	return value ? 63 - __builtin_clzll(value) : 0;
}

static unsigned int bucket_of(u64 value)
{
	unsigned int power = power_of(value);

	if (power < PART_BITS)
		return value;
	return (power - PART_BITS + 1) * HISTOGRAM_PARTS +
	       ((value >> (power - PART_BITS)) & (HISTOGRAM_PARTS - 1));
}

/* The largest value that is in it. */
static u64 bucket_end(unsigned int bucket)
{
	unsigned int power = bucket / HISTOGRAM_PARTS;
	u64 part = bucket % HISTOGRAM_PARTS;

	if (!power)
		return part;
	return ((HISTOGRAM_PARTS + part + 1) << (power - 1)) - 1;
}

void histogram_add(struct histogram *histogram, u64 value)
{
	histogram->count++;
	histogram->sum += value;
	histogram->buckets[bucket_of(value)]++;
}

u64 histogram_quantile(const struct histogram *histogram, unsigned int per_mille)
{
	u64 wanted = (histogram->count * per_mille + 999) / 1000, seen = 0;
	unsigned int i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen && seen >= wanted)
			return bucket_end(i);
	}
	return 0;
}

u64 histogram_power(const struct histogram *histogram, unsigned int power)
{
	u64 first = power ? 1ull << power : 0, last = (2ull << power) - 1, sum = 0;
	unsigned int i;

	for (i = bucket_of(first); i <= bucket_of(last); i++)
		sum += histogram->buckets[i];
	return sum;
}

static u64 most_of(const struct histogram *histogram, unsigned int first, unsigned int last)
{
	u64 most = 1;

	for (; first <= last; first++)
		if (histogram_power(histogram, first) > most)
			most = histogram_power(histogram, first);
	return most;
}

/* What there is once is seen, too. */
void histogram_draw(const struct histogram *histogram, unsigned int first, unsigned int last,
		    bool blocks)
{
	static const char * const heights[2][9] = {
		{ " ", ".", ":", "-", "=", "+", "*", "%", "#" },
		{ " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
	};
	u64 most = most_of(histogram, first, last);

	for (; first <= last; first++) {
		u64 count = histogram_power(histogram, first);
		unsigned int height = (unsigned int)((double)count * 8 / (double)most + 0.5);

		if (count && !height)
			height = 1;
		fputs(heights[blocks][height], stdout);
	}
}
