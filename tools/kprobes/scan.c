// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobes cross, kprobes unproven: what is known of where execution may come to.
 */
#include <stdio.h>

#include "commands.h"
#include "machine.h"

/* A function that refers to the inside of another function, or of an instruction. */
struct crossing {
	const struct image *image;
	const struct function *from;
};

static void note_crossing(void *data, u64 addr)
{
	const struct crossing *c = data;
	const struct function *to = image_function(c->image, addr);
	bool inside;

	if (!to || to->addr == addr)
		return;
	inside = !(*image_text(c->image, addr) & TEXT_BOUNDARY);
	if (to != c->from || inside)
		printf("%s -> %s+0x%llx%s\n", c->from->name, to->name,
		       (unsigned long long)(addr - to->addr),
		       inside ? " inside an instruction" : "");
}

/* Prints each branch into another function: source function -> target. */
int command_cross(const struct image *image)
{
	struct crossing c = { .image = image };
	unsigned int i;

	if (!machine.scan)
		die("on %s nothing depends on where execution may come to", machine.name);
	for (i = 0; i < image->nr_functions; i++) {
		c.from = &image->functions[i];
		machine.scan(image, c.from, &c, note_crossing);
	}
	return 0;
}

/* Functions that may have unknown targets: none of their points becomes a jump. */
int command_unproven(const struct image *image)
{
	unsigned int i;

	if (!machine.scan)
		die("on %s nothing depends on where execution may come to", machine.name);
	for (i = 0; i < image->nr_functions; i++) {
		const struct function *f = &image->functions[i];

		if (!f->proven && !(*image_text(image, f->addr) & TEXT_BLACK))
			printf("%s %llu\n", f->name, (unsigned long long)f->size);
	}
	return 0;
}
