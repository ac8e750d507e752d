// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocation of the A64 encoding space, a table for each of its main
 * groups.  Pure code, see ../pure.h.
 */
#include "insn_tables.h"

#define ROW(mask, value, class, form, flags) \
	{ 0x##mask, 0x##value, INSN_##class, FORM_##form, flags }

/* Works on registers only, and can't fault. */
#define STEADY(mask, value)	ROW(mask, value, SLOT, PLAIN, INSN_STEADY)

/* Accesses memory, or does something else that may fault. */
#define OTHER(mask, value)	ROW(mask, value, SLOT, PLAIN, 0)

#define VECTOR(mask, value)	ROW(mask, value, SLOT, PLAIN, INSN_UNCHECKED)

/* The class column holds the reason. */
#define REFUSED(mask, value, why) \
	{ 0x##mask, 0x##value, INSN_REFUSE_##why, FORM_REFUSED, 0 }

/* ---- immediate operands ---- */

static const struct insn_row immediate_rows[] = {
	/* adr, adrp */
	ROW(9f000000, 10000000, ADR, ADR, INSN_STEADY),
	ROW(9f000000, 90000000, ADRP, ADR, INSN_STEADY),
	/* add, adds, sub, subs */
	STEADY(1f800000, 11000000),
	/* addg, subg */
	STEADY(ffc0c000, 91800000), STEADY(ffc0c000, d1800000),
	/* smax, umax, smin, umin */
	STEADY(7ff00000, 11c00000),
	/* and, orr, eor, ands: of 32 and 64 bits */
	ROW(9fc00000, 12000000, SLOT, BITMASK, INSN_STEADY),
	ROW(9f800000, 92000000, SLOT, BITMASK, INSN_STEADY),
	/* movn, movz, movk */
	STEADY(ffc00000, 12800000), STEADY(ffc00000, 52800000), STEADY(ffc00000, 72800000),
	STEADY(ff800000, 92800000), STEADY(ff800000, d2800000), STEADY(ff800000, f2800000),
	/* sbfm, bfm, ubfm */
	STEADY(ffe08000, 13000000), STEADY(ffe08000, 33000000), STEADY(ffe08000, 53000000),
	STEADY(ffc00000, 93400000), STEADY(ffc00000, b3400000), STEADY(ffc00000, d3400000),
	/* autiasppc, autibsppc */
	REFUSED(ffe0001f, f380001f, SIGNED_ADDRESS), REFUSED(ffe0001f, f3a0001f, SIGNED_ADDRESS),
	/* extr */
	STEADY(ffe08000, 13800000), STEADY(ffe00000, 93c00000),
};

/* ---- branches, exceptions, system ---- */

#define AUTH_Z	(INSN_AUTH | INSN_NO_MODIFIER)

static const struct insn_row branch_rows[] = {
	ROW(fc000000, 14000000, B, BRANCH26, INSN_STEADY),
	ROW(fc000000, 94000000, BL, BRANCH26, INSN_STEADY),
	/* b.cond, bc.cond */
	ROW(ff000000, 54000000, BCOND, BRANCH19, INSN_STEADY),
	ROW(7f000000, 34000000, CBZ, BRANCH19, INSN_STEADY),
	ROW(7f000000, 35000000, CBZ, BRANCH19, INSN_STEADY | INSN_NEGATED),
	ROW(7f000000, 36000000, TBZ, BRANCH14, INSN_STEADY),
	ROW(7f000000, 37000000, TBZ, BRANCH14, INSN_STEADY | INSN_NEGATED),
	/* cb<cond> with a register: of 32 and 64 bits; cbb<cond>, cbh<cond>; with an immediate */
	ROW(7f80c000, 74000000, CB, BRANCH9, INSN_STEADY),
	ROW(7fc0c000, 74c00000, CB, BRANCH9, INSN_STEADY),
	ROW(ff808000, 74008000, CB, BRANCH9, INSN_STEADY),
	ROW(ffc08000, 74c08000, CB, BRANCH9, INSN_STEADY),
	ROW(7f804000, 75000000, CB, BRANCH9, INSN_STEADY | INSN_IMMEDIATE),
	ROW(7fc04000, 75c00000, CB, BRANCH9, INSN_STEADY | INSN_IMMEDIATE),
	/* br, blr, ret */
	ROW(fffffc1f, d61f0000, BR, REGISTER, 0),
	ROW(fffffc1f, d63f0000, BLR, REGISTER, 0),
	ROW(fffffc1f, d65f0000, RET, REGISTER, 0),
	/* braaz, brabz, braa, brab */
	ROW(fffffc1f, d61f081f, BR, REGISTER, AUTH_Z),
	ROW(fffffc1f, d61f0c1f, BR, REGISTER, AUTH_Z | INSN_KEY_B),
	ROW(fffffc00, d71f0800, BR, REGISTER, INSN_AUTH),
	ROW(fffffc00, d71f0c00, BR, REGISTER, INSN_AUTH | INSN_KEY_B),
	/* blraaz, blrabz, blraa, blrab */
	ROW(fffffc1f, d63f081f, BLR, REGISTER, AUTH_Z),
	ROW(fffffc1f, d63f0c1f, BLR, REGISTER, AUTH_Z | INSN_KEY_B),
	ROW(fffffc00, d73f0800, BLR, REGISTER, INSN_AUTH),
	ROW(fffffc00, d73f0c00, BLR, REGISTER, INSN_AUTH | INSN_KEY_B),
	/* retaa, retab */
	ROW(ffffffff, d65f0bff, RET, REGISTER, INSN_AUTH),
	ROW(ffffffff, d65f0fff, RET, REGISTER, INSN_AUTH | INSN_KEY_B),
	/* retaasppc, retabsppc; with the address in a register */
	REFUSED(ffe0001f, 5500001f, SIGNED_RETURN), REFUSED(ffe0001f, 5520001f, SIGNED_RETURN),
	REFUSED(ffffffe0, d65f0be0, SIGNED_RETURN), REFUSED(ffffffe0, d65f0fe0, SIGNED_RETURN),
	REFUSED(ffffffff, d69f03e0, ERET),
	REFUSED(ffffffff, d69f0bff, ERET),
	REFUSED(ffffffff, d69f0fff, ERET),
	REFUSED(ffffffff, d6bf03e0, DEBUG),
	/* svc, hvc, smc */
	REFUSED(ffe0001f, d4000001, CALL_UP),
	REFUSED(ffe0001f, d4000002, CALL_UP),
	REFUSED(ffe0001f, d4000003, CALL_UP),
	REFUSED(ffe0001f, d4200000, BREAKPOINT),
	/* hlt, dcps1, dcps2, dcps3 */
	REFUSED(ffe0001f, d4400000, DEBUG),
	REFUSED(ffe0001f, d4a00001, DEBUG),
	REFUSED(ffe0001f, d4a00002, DEBUG),
	REFUSED(ffe0001f, d4a00003, DEBUG),
	/* tcancel, tcommit, tstart, ttest */
	REFUSED(ffe0001f, d4600000, TRANSACTION),
	REFUSED(ffffffff, d503307f, TRANSACTION),
	REFUSED(ffffffe0, d5233060, TRANSACTION),
	REFUSED(ffffffe0, d5233160, TRANSACTION),
	/* tenter, texit; tchangef, tchangeb, with a register and an immediate */
	REFUSED(fffdf01f, d4e00000, CONTEXT), REFUSED(fffffbff, d6ff03e0, CONTEXT),
	REFUSED(fff9fc00, d5800000, CONTEXT), REFUSED(fff9f000, d5900000, CONTEXT),
	/* wfet, wfit */
	REFUSED(ffffffe0, d5031000, WAIT),
	REFUSED(ffffffe0, d5031020, WAIT),
	ROW(fffff01f, d503201f, SLOT, HINT, 0),
	/* dsb nxs, clrex, dsb, dmb, isb, sb */
	OTHER(fffff3ff, d503323f),
	OTHER(fffff0ff, d503305f),
	OTHER(fffff0ff, d503309f), OTHER(fffff0ff, d50330bf), OTHER(fffff0ff, d50330df),
	OTHER(ffffffff, d50330ff),
	/* cfinv, xaflag, axflag */
	STEADY(ffffffff, d500401f), STEADY(ffffffff, d500403f), STEADY(ffffffff, d500405f),
	ROW(fff8f01f, d500401f, REFUSED, PSTATE, 0),
	/* gcspushx, gcspopcx: use elr and spsr */
	REFUSED(ffffffff, d508779f, TRAP_STATE), REFUSED(ffffffff, d50877bf, TRAP_STATE),
	/* sys: ic, dc, at, tlbi, ...; sysl; sysp */
	OTHER(fff80000, d5080000), OTHER(fff80000, d5280000), OTHER(fff80000, d5480000),
	/* msrr, mrrs */
	REFUSED(fff00001, d5500000, SYSTEM_REGISTER), OTHER(fff00001, d5700000),
	ROW(fff00000, d5100000, SLOT, MSR, 0),
	ROW(fff00000, d5300000, SLOT, MRS, 0),
};

/* ---- loads and stores ---- */

#define WORDS(mask, value)	{ mask, value, INSN_SLOT, FORM_PLAIN, 0 }

/*
 * Loads and stores of one general register: of 8 and 16 bits, with or without
 * sign; of 32 and 64 bits without; ldrsw.
 */
#define GENERAL(mask, value) \
	WORDS((mask) | 0x80000000, value), \
	WORDS((mask) | 0x80800000, (value) | 0x80000000), \
	WORDS((mask) | 0xc0c00000, (value) | 0x80800000)

/* In the place of a 64-bit ldrsw. */
#define PREFETCH(mask, value) \
	WORDS((mask) | 0xc0c00000, (value) | 0xc0800000)

/* Of one vector register: of 8 to 64 bits; of 128. */
#define SCALAR(mask, value) \
	WORDS((mask) | 0x00800000, (value) | 0x04000000), \
	WORDS((mask) | 0xc0800000, (value) | 0x04800000)

static const struct insn_row memory_rows[] = {
	/* ld1 to ld4, st1 to st4 */
	VECTOR(be000000, 0c000000),

	/* ldr, ldrsw, prfm of a literal; of a vector register */
	ROW(ff000000, 18000000, LDR_LITERAL, LITERAL, 0),
	ROW(ff000000, 58000000, LDR_LITERAL, LITERAL, 0),
	ROW(ff000000, 98000000, LDR_LITERAL, LITERAL, INSN_SIGNED),
	ROW(ff000000, d8000000, LDR_LITERAL, LITERAL, INSN_PREFETCH | INSN_STEADY),
	ROW(ff000000, 1c000000, LDR_LITERAL, LITERAL, INSN_VECTOR),
	ROW(ff000000, 5c000000, LDR_LITERAL, LITERAL, INSN_VECTOR),
	ROW(ff000000, 9c000000, LDR_LITERAL, LITERAL, INSN_VECTOR),

	/* stxr, ldxr, stlxr, ldaxr, of all sizes; stxp, ldxp, stlxp, ldaxp */
	ROW(3fe00000, 08000000, REFUSED, EXCLUSIVE, INSN_MONITOR_USE),
	ROW(3fe00000, 08400000, REFUSED, EXCLUSIVE, INSN_MONITOR_SET),
	ROW(bfe00000, 88200000, REFUSED, EXCLUSIVE, INSN_MONITOR_USE),
	ROW(bfe00000, 88600000, REFUSED, EXCLUSIVE, INSN_MONITOR_SET),
	/* ldtxr, ldatxr, sttxr, stltxr: without privilege */
	ROW(bfff7c00, 895f7c00, REFUSED, EXCLUSIVE, INSN_MONITOR_SET),
	ROW(bfe07c00, 89007c00, REFUSED, EXCLUSIVE, INSN_MONITOR_USE),
	/* caspt, cast: the same */
	OTHER(ffa07c00, 49807c00), OTHER(ffa07c00, c9807c00),
	/* casp, cas */
	OTHER(bfa07c00, 08207c00), OTHER(3fa07c00, 08a07c00),
	/* stllr, stlr, ldlar, ldar */
	OTHER(3fa00000, 08800000),

	/* stg, stzg, st2g, stz2g with writeback and an offset; ldg; of a whole granule */
	OTHER(ff200c00, d9200400), OTHER(ff200c00, d9200800), OTHER(ff200c00, d9200c00),
	OTHER(ffe00c00, d9600000),
	OTHER(fffffc00, d9200000), OTHER(fffffc00, d9a00000), OTHER(fffffc00, d9e00000),

	/* gcsstr, gcssttr */
	OTHER(fffffc00, d91f0c00), OTHER(fffffc00, d91f1c00),

	/* stlur, ldapur, ldapurs* */
	OTHER(bf200c00, 19000000), OTHER(3fa00c00, 19000000), OTHER(ffe00c00, 99800000),
	/* of vector registers */
	OTHER(3fa00c00, 1d000800), OTHER(ffa00c00, 1d800800),
	/* ldiapp, stilp; ldapr, stlr with writeback; stlp, ldap, ldapp */
	OTHER(3fa0ec00, 19000800), OTHER(3fbffc00, 19800800),
	OTHER(ffe0fc00, d9005800), OTHER(ffe0dc00, d9405800),
	/* cpyfp, cpyp, setp, setgp, setgop; what follows them */
	OTHER(fbe00c00, 19000400),
	OTHER(fbe0cc00, 19c00400), OTHER(3fffcc00, 1ddf0000),
	REFUSED(fbe00c00, 19400400, COPY_SEQUENCE),
	REFUSED(fbe00c00, 19800400, COPY_SEQUENCE),
	REFUSED(fbe0cc00, 19c04400, COPY_SEQUENCE),
	REFUSED(fbe0cc00, 19c08400, COPY_SEQUENCE),
	REFUSED(3fffcc00, 1ddf4000, COPY_SEQUENCE),
	REFUSED(3fffcc00, 1ddf8000, COPY_SEQUENCE),

	/* ldtadd, ldtclr, ldtset, swpt: without privilege */
	OTHER(bf20fc00, 19200400), OTHER(bf20fc00, 19201400), OTHER(bf20fc00, 19203400),
	OTHER(bf20fc00, 19208400),
	/* ldclrp, ldsetp, swpp */
	OTHER(ff20fc00, 19201000), OTHER(ff20fc00, 19203000), OTHER(ff20fc00, 19208000),
	/* rcwcas, rcwcasp; rcwclrp, rcwswpp, rcwsetp; rcwclr, rcwswp, rcwset; rcws* */
	OTHER(bf20f800, 19200800),
	OTHER(bf20fc00, 19209000), OTHER(bf20fc00, 1920a000), OTHER(bf20fc00, 1920b000),
	OTHER(bf20fc00, 38209000), OTHER(bf20fc00, 3820a000), OTHER(bf20fc00, 3820b000),

	/* ldp, stp of 32 and of 64 bits; not stgp and ldpsw without temporal hint */
	OTHER(7e000000, 28000000),
	OTHER(ff800000, 68800000), OTHER(ff000000, 69000000),
	/* ldtp, sttp, ldtnp, sttnp: without privilege; of vector registers */
	OTHER(fe000000, e8000000), OTHER(fe000000, ec000000),
	/* ldp, stp of vector registers */
	OTHER(be000000, 2c000000), OTHER(fe000000, ac000000),

	/* ldur, stur, prfum */
	GENERAL(0x3f200c00, 0x38000000), PREFETCH(0x3f200c00, 0x38000000),
	SCALAR(0x3f200c00, 0x38000000),
	/* ldr, str with the index behind and before */
	GENERAL(0x3f200c00, 0x38000400), SCALAR(0x3f200c00, 0x38000400),
	GENERAL(0x3f200c00, 0x38000c00), SCALAR(0x3f200c00, 0x38000c00),
	/* ldtr, sttr */
	GENERAL(0x3f200c00, 0x38000800),
	/* with a register as index */
	GENERAL(0x3f204c00, 0x38204800), PREFETCH(0x3f204c00, 0x38204800),
	SCALAR(0x3f204c00, 0x38204800),
	/* with an unsigned offset */
	GENERAL(0x3f000000, 0x39000000), PREFETCH(0x3f000000, 0x39000000),
	SCALAR(0x3f000000, 0x39000000),

	/* ldadd, ldclr, ldeor, ldset, ldsmax, ldsmin, ldumax, ldumin; swp; ldapr */
	OTHER(3f208c00, 38200000), OTHER(3f20fc00, 38208000), OTHER(3ffffc00, 38bfc000),
	/* ldfadd, ldfmax, ldfmin, ldfmaxnm, ldfminnm, ldbf*; stf*, stbf* */
	OTHER(3f20fc00, 3c200000), OTHER(3f20cc00, 3c204000),
	OTHER(3fa0fc1f, 3c20801f), OTHER(3fa0cc1f, 3c20c01f),
	/* st64b, ld64b, st64bv, st64bv0 */
	OTHER(fffffc00, f83f9000), OTHER(fffffc00, f83fd000),
	OTHER(ffe0fc00, f820b000), OTHER(ffe0fc00, f820a000),
	/* ldraa, ldrab */
	OTHER(ff200400, f8200400),
};

/* ---- register operands ---- */

static const struct insn_row register_rows[] = {
	/* and, bic, orr, orn, eor, eon, ands, bics, of 32 and 64 bits */
	STEADY(9f008000, 0a000000), STEADY(9f000000, 8a000000),
	/* add, adds, sub, subs, shifted; extended */
	STEADY(9fa08000, 0b000000), STEADY(9fe08000, 0b800000),
	STEADY(9fa00000, 8b000000), STEADY(9fe00000, 8b800000),
	STEADY(1fe01000, 0b200000), STEADY(1fe01c00, 0b201000),
	/* addpt, subpt; maddpt, msubpt */
	STEADY(bfe0e000, 9a002000), STEADY(ffe00000, 9b600000),
	/* adc, adcs, sbc, sbcs */
	STEADY(1fe0fc00, 1a000000),
	/* rmif, setf8, setf16 */
	STEADY(ffe07c10, ba000400), STEADY(fffffc1f, 3a00080d), STEADY(fffffc1f, 3a00480d),
	/* ccmn, ccmp, of a register and an immediate */
	STEADY(3fe00c10, 3a400000), STEADY(3fe00c10, 3a400800),
	/* csel, csinc, csinv, csneg */
	STEADY(3fe00800, 1a800000),
	/* udiv, sdiv; lslv, lsrv, asrv, rorv; smax, umax, smin, umin */
	STEADY(7fe0f800, 1ac00800), STEADY(7fe0f000, 1ac02000), STEADY(7fe0f000, 1ac06000),
	/* crc32*, crc32c* */
	STEADY(ffe0e800, 1ac04000), STEADY(ffe0ec00, 1ac04800), STEADY(ffe0ec00, 9ac04c00),
	/* subp, subps, irg, gmi, pacga */
	STEADY(ffe0fc00, 9ac00000), STEADY(ffe0fc00, bac00000), STEADY(ffe0fc00, 9ac01000),
	STEADY(ffe0fc00, 9ac01400), STEADY(ffe0fc00, 9ac03000),
	/* rbit, rev16; rev32; rev; clz, cls; ctz, cnt; abs */
	STEADY(7ffff800, 5ac00000), STEADY(7ffffc00, 5ac00800), STEADY(fffffc00, dac00c00),
	STEADY(7ffff800, 5ac01000), STEADY(7ffff800, 5ac01800), STEADY(7ffffc00, 5ac02000),
	/* pac*, aut*; with zero as modifier; xpaci, xpacd: a failing aut* may fault */
	OTHER(ffffe000, dac10000), OTHER(ffffe3e0, dac123e0), STEADY(fffffbe0, dac143e0),
	/* pacia171615, autia171615, autiasppcr, with either key: addresses are in registers */
	STEADY(fffffbff, dac18bfe), OTHER(fffffbff, dac1bbfe), OTHER(fffff81f, dac1901e),
	/* paciasppc, pacibsppc, pacnbiasppc, pacnbibsppc */
	REFUSED(fffffbff, dac1a3fe, SIGNED_ADDRESS), REFUSED(fffffbff, dac183fe, SIGNED_ADDRESS),
	/* madd, msub; smaddl, smsubl, umaddl, umsubl; smulh, umulh */
	STEADY(7fe00000, 1b000000), STEADY(ff600000, 9b200000), STEADY(ff608000, 9b400000),
};

/* ---- the rest ---- */

static const struct insn_row vector_rows[] = {
	/* movprfx */
	REFUSED(fffffc00, 0420bc00, PREFIX), REFUSED(ff3ee000, 04102000, PREFIX),
	VECTOR(00000000, 00000000),
};

/* udf, and the half that is SME's. */
static const struct insn_row reserved_rows[] = {
	REFUSED(ffff0000, 00000000, UNDEFINED),
	VECTOR(80000000, 80000000),
};

#define TABLE(rows)	{ rows, sizeof(rows) / sizeof((rows)[0]) }

const struct insn_table insn_tables[16] = {
	[0x0] = TABLE(reserved_rows),
	[0x2] = TABLE(vector_rows),
	[0x4] = TABLE(memory_rows),
	[0x5] = TABLE(register_rows),
	[0x6] = TABLE(memory_rows),
	[0x7] = TABLE(vector_rows),
	[0x8] = TABLE(immediate_rows),
	[0x9] = TABLE(immediate_rows),
	[0xa] = TABLE(branch_rows),
	[0xb] = TABLE(branch_rows),
	[0xc] = TABLE(memory_rows),
	[0xd] = TABLE(register_rows),
	[0xe] = TABLE(memory_rows),
	[0xf] = TABLE(vector_rows),
};
