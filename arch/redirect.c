// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the kernel's that are made ours, where a call is one word: redirect.h.
 *
 * A call may be replaced by another one while CPUs run it.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "../core/core.h"
#include "../host/host.h"
#include "detour.h"
#include "redirect.h"

static bool is_call_to(unsigned long addr, unsigned long target)
{
	struct insn insn;

	return insn_decode(&insn, (void *)addr, INSN_SIZE) == INSN_OK && insn_is_call(&insn) &&
	       insn_branch_target(&insn, addr) == target;
}

/**
 * redirect_find() - find a call in a function
 * @name: of the function
 * @target: where the call leads
 *
 * Context: process context, may sleep.
 * Return: the only such call; 0 if there is none, or more than one.
 */
unsigned long redirect_find(const char *name, unsigned long target)
{
	unsigned long addr = host_lookup(name), found = 0, start, size, end;

	if (!addr || !host_symbol_bounds(addr, &start, &size))
		return 0;
	for (end = start + size; addr < end; addr += INSN_SIZE) {
		if (!is_call_to(addr, target))
			continue;
		if (found)
			return 0;
		found = addr;
	}
	return found;
}

/**
 * redirect_call() - let a call lead elsewhere
 * @site: its address
 * @target: where it is to lead
 *
 * Context: process context, sleeps.
 * Return: 0; -ERANGE if @target is too far; an error of host_text_replace().
 */
int redirect_call(unsigned long site, unsigned long target)
{
	struct text_edit edit = { .addr = site, .len = INSN_SIZE };
	u32 word = 0;

	if (!reach_branch((u8 *)&word, site, target))
		return -ERANGE;
	word |= INSN_CALL_BIT;
	memcpy(edit.bytes, &word, sizeof(word));
	return host_text_replace(&edit, 1);
}

/**
 * redirect_back() - let a call lead where it led before
 * @site: its address
 * @target: where that is
 *
 * Context: process context, sleeps until all CPUs have seen it.
 */
void redirect_back(unsigned long site, unsigned long target)
{
	int err;

	while ((err = redirect_call(site, target))) {
		pr_err_once("can't restore a call of the kernel's (error %d): retrying\n",
			    err);
		msleep(100);
	}
}
