// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe at an address would be, decided by the module's own code.
 */
#include "machine.h"

/* Why it can't be probed, from the flags of its first byte; NULL if it can. */
static const char *refusal(u16 text)
{
	if (!(text & TEXT_BOUNDARY))
		return "not on an instruction boundary";
	if (text & TEXT_PADDING)
		return "padding between functions";
	if (text & TEXT_BLACK)
		return "traps are not allowed here, or the text is freed after boot";
	if (text & TEXT_LABEL)
		return "jump label, which the kernel patches";
	if (text & TEXT_CALL)
		return "static call, which the kernel patches";
	if (text & TEXT_BUG)
		return "BUG or WARN site, which the kernel looks up by address";
	return NULL;
}

/*
 * Where a probe on a function's first byte goes, as entry_of() in core/address.c has it: to the
 * call site of the tracer, where that stands for the entry, or behind a landing pad.
 */
static u64 entry_of(const struct function *f)
{
	u64 at;

	for (at = 0; machine.entry_pad && at <= machine.entry_pad && at < f->size; at++)
		if (f->section->text[f->addr + at - f->section->addr] & TEXT_SITE)
			return f->addr + at;
	return f->addr + (machine.landing_pad ? machine.landing_pad(f) : 0);
}

void judge(struct judgement *j, const struct image *image, u64 addr, unsigned int rules)
{
	const struct function *f = image_function(image, addr);
	struct insn insn;
	u16 text;

	memset(j, 0, sizeof(*j));
	j->verdict = VERDICT_REFUSED;
	j->addr = addr;
	if (!f) {
		j->why = "not in a function";
		return;
	}
	if (addr == f->addr)
		j->addr = addr = entry_of(f);
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
