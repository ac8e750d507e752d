// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe at an address would be, decided by the module's own code.
 */
#include "machine.h"

/* Why it can't be probed, from the flags of its first byte; NULL if it can. */
static const char *refusal(u16 text)
{
	if (!(text & TEXT_BOUNDARY))
		return "not the beginning of an instruction";
	if (text & TEXT_PADDING)
		return "padding between functions";
	if (text & TEXT_BLACK)
		return "where no trap may be taken, or gone when the kernel runs";
	if (text & TEXT_LABEL)
		return "a jump label, which the kernel patches";
	if (text & TEXT_CALL)
		return "a static call, which the kernel patches";
	if (text & TEXT_BUG)
		return "a BUG or a WARN, which the kernel finds by its address";
	return NULL;
}

void judge(struct judgement *j, const struct image *image, u64 addr, unsigned int rules)
{
	const struct function *f = image_function(image, addr);
	struct insn insn;
	u16 text;

	memset(j, 0, sizeof(*j));
	j->verdict = VERDICT_REFUSED;
	if (!f) {
		j->why = "not in a function";
		return;
	}
	text = f->section->text[addr - f->section->addr];
	j->why = refusal(text);
	if (j->why)
		return;
	insn_decode(&insn, f->section->bytes + (addr - f->section->addr), f->addr + f->size - addr);
	j->why = insn_refusal(&insn);
	if (!j->why && machine.refusal)
		j->why = machine.refusal(f, addr);
	if (j->why)
		return;
	if (text & TEXT_SITE)
		j->verdict = VERDICT_FTRACE;
	else
		machine.judge_region(j, image, f, addr, rules);
}
