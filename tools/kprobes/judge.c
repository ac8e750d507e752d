// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a probe at an address, by the module's own lines; and what
 * would if a rule of reach.c were not there.
 */
#include "image.h"

struct facts_at {
	const struct image *image;
	const struct function *function;
	bool known;	/* all targets in the function */
	u16 owners;
};

const char *judge_rule_text(enum rule rule)
{
	static const char * const texts[NR_RULES] = {
		[RULE_BRANCHES] = "branches are copied",
		[RULE_CALLS] = "calls are copied",
		[RULE_RETURNS] = "a return thunk is no indirect jump",
		[RULE_PROOF] = "an indirect jump leads to a whole address",
		[RULE_PADDING] = "padding may be overwritten",
		[RULE_BOOT] = "what was patched at boot is patched no more",
	};

	return texts[rule];
}

static bool is_target(void *data, u64 addr)
{
	const struct facts_at *at = data;
	u16 *text = image_text(at->image, addr);

	if (!at->known && addr - at->function->addr < at->function->size)
		return true;
	return text && *text & TEXT_TARGET;
}

static bool is_owned(void *data, u64 start, u64 end)
{
	const struct facts_at *at = data;
	u16 *text;

	for (; start < end; start++) {
		text = image_text(at->image, start);
		if (text && *text & at->owners)
			return true;
	}
	return false;
}

static bool has_fixup(void *data, u64 addr)
{
	const struct facts_at *at = data;
	u16 *text = image_text(at->image, addr);

	return text && *text & TEXT_FIXUP;
}

static bool is_known(const struct function *f, unsigned int rules)
{
	if (!f->proven)
		return false;
	if (f->indirect && !(rules & 1u << RULE_PROOF))
		return false;
	return !f->returns_by_jump || rules & 1u << RULE_RETURNS;
}

static bool has_class(const struct reach_region *region, u32 classes)
{
	unsigned int i;

	for (i = 0; i < region->nr; i++)
		if (classes >> region->insns[i].class & 1)
			return true;
	return false;
}

/* Would the region be none without the rules that are left out? */
static enum reach_reason without(const struct reach_region *region, unsigned int rules)
{
	u32 branches = 1u << INSN_JMP | 1u << INSN_JCC | 1u << INSN_LOOP;
	u32 calls = 1u << INSN_CALL | 1u << INSN_CALL_IND;

	if (!(rules & 1u << RULE_BRANCHES) && has_class(region, branches))
		return REACH_NO_COPY;
	if (!(rules & 1u << RULE_CALLS) && has_class(region, calls))
		return REACH_CALL;
	if (!(rules & 1u << RULE_PADDING) && region->length < REACH_JUMP_SIZE)
		return REACH_END;
	return REACH_OK;
}

static void judge_region(struct judgement *j, const struct image *image,
			 const struct function *f, u64 addr, unsigned int rules)
{
	struct facts_at at = { image, f, is_known(f, rules), TEXT_OWNED };
	const struct reach_facts facts = { &at, is_target, is_owned, has_fixup };
	u64 offset = addr - f->section->addr;

	if (rules & 1u << RULE_BOOT)
		at.owners &= ~TEXT_ALT;
	reach_region(&j->region, f->section->bytes + offset, f->addr + f->size - addr, addr,
		     &facts);
	if (j->region.reason == REACH_OK)
		j->region.reason = without(&j->region, rules);
	j->verdict = j->region.reason == REACH_OK ? VERDICT_JUMP : VERDICT_TRAP;
}

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
	if (j->why)
		return;
	if (text & TEXT_SITE)
		j->verdict = VERDICT_FTRACE;
	else
		judge_region(j, image, f, addr, rules);
}
