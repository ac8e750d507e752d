/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that binutils has for what does not go to the slot.  For opcodes_oracle.c.
 */
#ifndef LKP_ARM64_OPCODES_NAMES_H
#define LKP_ARM64_OPCODES_NAMES_H

#include "../../../../arch/arm64/insn.h"

/* Mnemonics that don't go to the slot. A star stands for any end. */
static const struct {
	const char *pattern;
	enum insn_class class;
	enum insn_refuse refuse;
} names[] = {
	{ "nop", INSN_NOP, 0 }, { "bti", INSN_NOP, 0 },
	{ "adr", INSN_ADR, 0 }, { "adrp", INSN_ADRP, 0 },
	{ "b", INSN_B, 0 }, { "bl", INSN_BL, 0 }, { "b.*", INSN_BCOND, 0 },
	{ "bc.*", INSN_BCOND, 0 }, { "cbz", INSN_CBZ, 0 }, { "cbnz", INSN_CBZ, 0 },
	{ "tbz", INSN_TBZ, 0 }, { "tbnz", INSN_TBZ, 0 },
	{ "cbeq", INSN_CB, 0 }, { "cbne", INSN_CB, 0 }, { "cbg*", INSN_CB, 0 },
	{ "cbl*", INSN_CB, 0 }, { "cbh*", INSN_CB, 0 }, { "cbb*", INSN_CB, 0 },
	{ "br", INSN_BR, 0 }, { "braa", INSN_BR, 0 }, { "brab", INSN_BR, 0 },
	{ "braaz", INSN_BR, 0 }, { "brabz", INSN_BR, 0 },
	{ "blr", INSN_BLR, 0 }, { "blraa", INSN_BLR, 0 }, { "blrab", INSN_BLR, 0 },
	{ "blraaz", INSN_BLR, 0 }, { "blrabz", INSN_BLR, 0 },
	{ "ret", INSN_RET, 0 }, { "retaa", INSN_RET, 0 }, { "retab", INSN_RET, 0 },
	{ "brk", INSN_REFUSED, INSN_REFUSE_BREAKPOINT },
	{ "udf", INSN_REFUSED, INSN_REFUSE_UNDEFINED },
	{ "svc", INSN_REFUSED, INSN_REFUSE_CALL_UP },
	{ "hvc", INSN_REFUSED, INSN_REFUSE_CALL_UP },
	{ "smc", INSN_REFUSED, INSN_REFUSE_CALL_UP },
	{ "hlt", INSN_REFUSED, INSN_REFUSE_DEBUG },
	{ "dcps*", INSN_REFUSED, INSN_REFUSE_DEBUG },
	{ "drps", INSN_REFUSED, INSN_REFUSE_DEBUG },
	{ "eret", INSN_REFUSED, INSN_REFUSE_ERET },
	{ "eretaa", INSN_REFUSED, INSN_REFUSE_ERET },
	{ "eretab", INSN_REFUSED, INSN_REFUSE_ERET },
	{ "wfe", INSN_REFUSED, INSN_REFUSE_WAIT }, { "wfi", INSN_REFUSED, INSN_REFUSE_WAIT },
	{ "wfet", INSN_REFUSED, INSN_REFUSE_WAIT }, { "wfit", INSN_REFUSED, INSN_REFUSE_WAIT },
	{ "ldxr*", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "ldaxr*", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "ldxp", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "ldaxp", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "stxr*", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "stlxr*", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "stxp", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "stlxp", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "ldtxr", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "ldatxr", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "sttxr", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "stltxr", INSN_REFUSED, INSN_REFUSE_EXCLUSIVE },
	{ "tstart", INSN_REFUSED, INSN_REFUSE_TRANSACTION },
	{ "ttest", INSN_REFUSED, INSN_REFUSE_TRANSACTION },
	{ "tcommit", INSN_REFUSED, INSN_REFUSE_TRANSACTION },
	{ "tcancel", INSN_REFUSED, INSN_REFUSE_TRANSACTION },
	{ "cpym*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "cpye*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "cpyfm*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "cpyfe*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "setm*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "sete*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "setgm*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "setge*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "setgom*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "setgoe*", INSN_REFUSED, INSN_REFUSE_COPY_SEQUENCE },
	{ "pacm", INSN_REFUSED, INSN_REFUSE_OWN_ADDRESS },
	{ "paciasppc", INSN_REFUSED, INSN_REFUSE_SIGNED_ADDRESS },
	{ "pacibsppc", INSN_REFUSED, INSN_REFUSE_SIGNED_ADDRESS },
	{ "pacnbi*", INSN_REFUSED, INSN_REFUSE_SIGNED_ADDRESS },
	{ "autiasppc", INSN_REFUSED, INSN_REFUSE_SIGNED_ADDRESS },
	{ "autibsppc", INSN_REFUSED, INSN_REFUSE_SIGNED_ADDRESS },
	{ "retaasppc*", INSN_REFUSED, INSN_REFUSE_SIGNED_RETURN },
	{ "retabsppc*", INSN_REFUSED, INSN_REFUSE_SIGNED_RETURN },
	{ "movprfx", INSN_REFUSED, INSN_REFUSE_PREFIX },
	{ "tenter", INSN_REFUSED, INSN_REFUSE_CONTEXT },
	{ "texit", INSN_REFUSED, INSN_REFUSE_CONTEXT },
	{ "tchange*", INSN_REFUSED, INSN_REFUSE_CONTEXT },
	{ "gcspushx", INSN_REFUSED, INSN_REFUSE_TRAP_STATE },
	{ "gcspopcx", INSN_REFUSED, INSN_REFUSE_TRAP_STATE },
	{ "msrr", INSN_REFUSED, INSN_REFUSE_SYSTEM_REGISTER },
	{ "smstart", INSN_REFUSED, INSN_REFUSE_SYSTEM_REGISTER },
	{ "smstop", INSN_REFUSED, INSN_REFUSE_SYSTEM_REGISTER },
};

/* What is written, by its name. */
static const struct {
	const char *name;
	enum insn_class class;
} written[] = {
	{ "daif", INSN_MSR_DAIF }, { "daifset", INSN_DAIFSET }, { "daifclr", INSN_DAIFCLR },
	{ "nzcv", INSN_SLOT }, { "fpcr", INSN_SLOT }, { "fpsr", INSN_SLOT },
	{ "tpidr_el0", INSN_SLOT }, { "tpidrro_el0", INSN_SLOT },
};

#endif /* LKP_ARM64_OPCODES_NAMES_H */
