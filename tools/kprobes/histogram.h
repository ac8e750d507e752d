/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often something took how long.
 */
#ifndef LKP_TOOLS_HISTOGRAM_H
#define LKP_TOOLS_HISTOGRAM_H

#include <stdbool.h>

#include "image.h"

/* Each power of two has so many parts, so that no bucket is wider than an eighth of its place. */
#define HISTOGRAM_PARTS		8
#define HISTOGRAM_POWERS	64
#define HISTOGRAM_BUCKETS	(HISTOGRAM_PARTS * HISTOGRAM_POWERS)

/**
 * struct histogram - durations
 * @count: how many
 * @sum: of all
 * @buckets: how many in each; those below HISTOGRAM_PARTS are exact
 */
struct histogram {
	u64 count;
	u64 sum;
	u64 buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, u64 value);
/* What so many of a thousand do not exceed: the end of the bucket. */
u64 histogram_quantile(const struct histogram *histogram, unsigned int per_mille);
/* How many are of this power of two: from 2^power on, below the next. */
u64 histogram_power(const struct histogram *histogram, unsigned int power);
/* One character for each power from the first one to the last one. */
void histogram_draw(const struct histogram *histogram, unsigned int first, unsigned int last,
		    bool blocks);

#endif /* LKP_TOOLS_HISTOGRAM_H */
