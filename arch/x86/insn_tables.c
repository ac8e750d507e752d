// SPDX-License-Identifier: GPL-2.0-only
/*
 * The opcode tables of the legacy encoding, 64-bit mode.
 */
#include "insn_tables.h"

/* Short names, so that a row of sixteen opcodes fits on a line or two. */
#define BAD	AT_BAD
#define ST	AT_STEADY
#define FLT	0u		/* no operand bytes; may fault */
#define M	AT_MODRM
#define MS	(AT_MODRM | AT_STEADY)
#define ML	(AT_MODRM | AT_STEADY | AT_LOCK)
#define MM	(AT_MODRM | AT_MEM)
#define B8	AT_IMM(IMM_8)
#define BZ	AT_IMM(IMM_Z)
#define BV	AT_IMM(IMM_V)
#define MOF	AT_IMM(IMM_MOFFS)
#define GR(g)	(AT_MODRM | AT_GROUP(GROUP_##g))
#define GS(g)	(AT_MODRM | AT_STEADY | AT_GROUP(GROUP_##g))
#define NO(why)	AT_REFUSE(INSN_REFUSE_##why)
#define CL(c)	AT_CLASS(INSN_##c)

#define ALU	ML, ML, MS, MS, ST | B8, ST | BZ, BAD, BAD
#define CMP	MS, MS, MS, MS, ST | B8, ST | BZ, BAD, BAD
#define JCC8	(CL(JCC) | B8 | ST)
#define JCC32	(CL(JCC) | AT_IMM(IMM_32) | ST)
#define LOOP	(CL(LOOP) | B8 | ST)
#define X4(a)	a, a, a, a
#define X8(a)	X4(a), X4(a)
#define X16(a)	X8(a), X8(a)

/* Prefixes and escapes are decoded before: they are marked BAD. */
const u32 insn_one_byte[256] = {
	/* 00 */ ALU, ALU,
	/* 10 */ ALU, ALU,
	/* 20 */ ALU, ALU,
	/* 30 */ ALU, CMP,
	/* 40 */ X16(BAD),
	/* 50 */ X16(FLT),
	/* 60 */ BAD, BAD, BAD, MS, X4(BAD),
	/* 68 */ BZ, MS | BZ, B8, MS | B8, X4(FLT),
	/* 70 */ X16(JCC8),
	/* 80 */ GS(ALU) | B8, GS(ALU) | BZ, BAD, GS(ALU) | B8, MS, MS, ML, ML,
	/* 88 */ X4(MS), GS(MOV_FROM_SEG), MM | ST | AT_NO_ACCESS, GR(MOV_TO_SEG), GR(POP),
	/* 90 */ CL(NOP) | ST, X4(ST), ST, ST, ST,
	/* 98 */ ST, ST, BAD, FLT, CL(PUSHF), CL(POPF), ST, ST,
	/* a0 */ X4(MOF), X4(FLT),
	/* a8 */ ST | B8, ST | BZ, X4(FLT), FLT, FLT,
	/* b0 */ X8(ST | B8), X8(ST | BV),
	/* c0 */ GS(SHIFT) | B8, GS(SHIFT) | B8, CL(RET) | AT_IMM(IMM_16), CL(RET),
		 BAD, BAD, GS(MOV) | B8, GS(MOV) | BZ,
	/* c8 */ AT_IMM(IMM_24), FLT, NO(FAR_TRANSFER) | AT_IMM(IMM_16), NO(FAR_TRANSFER),
		 NO(BREAKPOINT), NO(SOFT_INTERRUPT) | B8, BAD, NO(FAR_TRANSFER),
	/* d0 */ X4(GS(SHIFT)), BAD, BAD, BAD, FLT,
	/* d8 */ X8(GR(X87)),
	/* e0 */ X4(LOOP), X4(B8),
	/* e8 */ CL(CALL) | AT_IMM(IMM_32), CL(JMP) | AT_IMM(IMM_32) | ST, BAD, CL(JMP) | B8 | ST,
		 X4(FLT),
	/* f0 */ BAD, NO(BREAKPOINT), BAD, BAD, NO(HALT), ST, GS(UNARY8), GS(UNARY),
	/* f8 */ ST, ST, CL(CLI) | ST, CL(STI) | ST, ST, ST, GS(INC8), GR(INC),
};

/* The usual sets of mandatory prefixes. */
#define S1	(M | AT_ONLY(ON_NP))
#define S2	(M | AT_ONLY(ON_NP | ON_66))
#define S4	M
#define S66	(M | AT_ONLY(ON_66))
#define SF3	(M | AT_ONLY(ON_F3))
#define SPSS	(M | AT_ONLY(ON_NP | ON_F3))
#define SROWS	GR(ROWS)
#define HINT	(MS | AT_NO_ACCESS)

const u32 insn_0f[256] = {
	/* 00 */ SROWS, SROWS, M, M, BAD, NO(SYSCALL), FLT, NO(SYSCALL),
	/* 08 */ FLT, FLT, BAD, NO(UNDEFINED), BAD, HINT | AT_MEM, FLT, BAD,
	/* 10 */ S4, S4, SROWS, S2 | AT_MEM, S2, S2, SROWS, S2 | AT_MEM,
	/* 18 */ X4(HINT), HINT, HINT, HINT, HINT | AT_GROUP(GROUP_NOP),
	/* 20 */ X4(M | AT_MOD_IGNORED), X4(BAD),
	/* 28 */ S2, S2, S4, S4 | AT_MEM, S4, S4, S2, S2,
	/* 30 */ FLT, ST, FLT, FLT, NO(SYSCALL), NO(SYSCALL), BAD,
		 NO(FAR_TRANSFER) | AT_ONLY(ON_NP),
	/* 38 */ X8(BAD),
	/* 40 */ X16(MS),
	/* 50 */ S2 | AT_REG, S4, SPSS, SPSS, X4(S2),
	/* 58 */ S4, S4, S4, M | AT_ONLY(ON_NP | ON_66 | ON_F3), X4(S4),
	/* 60 */ X8(S2),
	/* 68 */ X4(S2), S66, S66, S2, M | AT_ONLY(ON_NP | ON_66 | ON_F3),
	/* 70 */ S4 | B8, SROWS | B8, SROWS | B8, SROWS | B8, S2, S2, S2, AT_ONLY(ON_NP),
	/* 78 */ SROWS, SROWS, BAD, BAD, M | AT_ONLY(ON_66 | ON_F2), M | AT_ONLY(ON_66 | ON_F2),
		 M | AT_ONLY(ON_NP | ON_66 | ON_F3), M | AT_ONLY(ON_NP | ON_66 | ON_F3),
	/* 80 */ X16(JCC32),
	/* 90 */ X16(MS),
	/* a0 */ FLT, FLT, ST, MS, MS | B8, MS, SROWS, SROWS,
	/* a8 */ FLT, FLT, NO(FAR_TRANSFER), ML, MS | B8, MS, SROWS, MS,
	/* b0 */ ML, ML, MM, ML, MM, MM, MS, MS,
	/* b8 */ MS | AT_ONLY(ON_F3), NO(UNDEFINED) | M, GS(BT) | B8, ML, X4(MS),
	/* c0 */ ML, ML, S4 | B8, MM | AT_ONLY(ON_NP), S2 | B8, S2 | B8 | AT_REG, S2 | B8, SROWS,
	/* c8 */ X8(ST),
	/* d0 */ M | AT_ONLY(ON_66 | ON_F2), S2, S2, S2, S2, S2, SROWS, S2 | AT_REG,
	/* d8 */ X8(S2),
	/* e0 */ X4(S2), S2, S2, M | AT_ONLY(ON_66 | ON_F3 | ON_F2), S2 | AT_MEM,
	/* e8 */ X8(S2),
	/* f0 */ MM | AT_ONLY(ON_F2), X4(S2), S2, S2, S2 | AT_REG,
	/* f8 */ X4(S2), S2, S2, S2, NO(UNDEFINED) | M,
};

#define LOCKED	(ST | AT_LOCK)

const u32 insn_groups[INSN_NR_GROUPS][8] = {
	[GROUP_ALU] = { X4(LOCKED), LOCKED, LOCKED, LOCKED, 0 },
	[GROUP_SHIFT] = { 0 },
	[GROUP_POP] = { 0, BAD, BAD, BAD, X4(BAD) },
	[GROUP_MOV] = { 0, BAD, BAD, BAD, BAD, BAD, BAD, NO(TRANSACTION) | AT_REG },
	[GROUP_UNARY8] = { B8, B8, LOCKED, LOCKED, 0, 0, AT_DIVIDES, AT_DIVIDES },
	[GROUP_UNARY] = { BZ, BZ, LOCKED, LOCKED, 0, 0, AT_DIVIDES, AT_DIVIDES },
	[GROUP_INC8] = { LOCKED, LOCKED, BAD, BAD, X4(BAD) },
	[GROUP_INC] = {
		LOCKED, LOCKED, CL(CALL_IND), NO(FAR_TRANSFER) | AT_MEM,
		CL(JMP_IND), NO(FAR_TRANSFER) | AT_MEM, 0, BAD,
	},
	[GROUP_MOV_FROM_SEG] = { 0, 0, 0, 0, 0, 0, BAD, BAD },
	[GROUP_MOV_TO_SEG] = { 0, BAD, NO(STACK_SHADOW), 0, 0, 0, BAD, BAD },
	[GROUP_BT] = { BAD, BAD, BAD, BAD, 0, LOCKED, LOCKED, LOCKED },
	[GROUP_NOP] = { CL(NOP) },
};

#define ALL	ON_ANY
#define NP	ON_NP
#define R(reg)	0x38, (reg) << 3	/* modrm.reg is this */
#define IS(val)	0xff, (val)		/* modrm is this */
#define ANY	0, 0
#define MEM	AT_MEM
#define REG	AT_REG

const struct insn_row insn_rows_0f[] = {
	/* sldt, str, lldt, ltr, verr, verw, lkgs */
	{ 0x00, 0x00, R(0), ALL, 0 },
	{ 0x00, 0x00, R(1), ALL, 0 },
	{ 0x00, 0x00, R(2), ALL, 0 },
	{ 0x00, 0x00, R(3), ALL, 0 },
	{ 0x00, 0x00, R(4), ALL, 0 },
	{ 0x00, 0x00, R(5), ALL, 0 },
	{ 0x00, 0x00, R(6), ON_F2, 0 },

	/* sgdt, sidt, lgdt, lidt, smsw, rstorssp, lmsw, invlpg */
	{ 0x01, 0x01, R(0), ALL, MEM },
	{ 0x01, 0x01, R(1), ALL, MEM },
	{ 0x01, 0x01, R(2), ALL, MEM },
	{ 0x01, 0x01, R(3), ALL, MEM },
	{ 0x01, 0x01, R(4), ALL, 0 },
	{ 0x01, 0x01, R(5), ON_F3, MEM },
	{ 0x01, 0x01, R(6), ALL, 0 },
	{ 0x01, 0x01, R(7), ALL, MEM },

	/* enclv, vmcall, vmlaunch, vmresume, vmxoff, pconfig, wrmsrns, rdmsrlist, wrmsrlist */
	{ 0x01, 0x01, IS(0xc0), NP, 0 },
	{ 0x01, 0x01, IS(0xc1), NP, 0 },
	{ 0x01, 0x01, IS(0xc2), NP, NO(VIRT) },
	{ 0x01, 0x01, IS(0xc3), NP, NO(VIRT) },
	{ 0x01, 0x01, IS(0xc4), NP, 0 },
	{ 0x01, 0x01, IS(0xc5), NP, 0 },
	{ 0x01, 0x01, IS(0xc6), NP | ON_F2 | ON_F3, 0 },
	/* monitor, mwait, clac, stac, eretu, erets, tdcall, seamret, seamops, encls, seamcall */
	{ 0x01, 0x01, IS(0xc8), NP, 0 },
	{ 0x01, 0x01, IS(0xc9), NP, NO(HALT) },
	{ 0x01, 0x01, IS(0xca), ON_F3 | ON_F2, NO(FAR_TRANSFER) },
	{ 0x01, 0x01, IS(0xca), NP, 0 },
	{ 0x01, 0x01, IS(0xcb), NP, 0 },
	{ 0x01, 0x01, IS(0xcc), ON_66, NO(HALT) },
	{ 0x01, 0x01, IS(0xcd), ON_66, NO(VIRT) },
	{ 0x01, 0x01, IS(0xce), ON_66, 0 },
	{ 0x01, 0x01, IS(0xcf), NP | ON_66, 0 },
	/* xgetbv, xsetbv, vmfunc, xend, xtest, enclu */
	{ 0x01, 0x01, IS(0xd0), NP, 0 },
	{ 0x01, 0x01, IS(0xd1), NP, 0 },
	{ 0x01, 0x01, IS(0xd4), NP, NO(VIRT) },
	{ 0x01, 0x01, IS(0xd5), NP, NO(TRANSACTION) },
	{ 0x01, 0x01, IS(0xd6), NP, 0 },
	{ 0x01, 0x01, IS(0xd7), NP, 0 },
	/* vmrun, vmmcall and vmgexit, vmload, vmsave, stgi, clgi, skinit, invlpga */
	{ 0x01, 0x01, IS(0xd8), ALL, NO(VIRT) },
	{ 0x01, 0x01, IS(0xd9), ALL, 0 },
	{ 0x01, 0x01, IS(0xda), ALL, 0 },
	{ 0x01, 0x01, IS(0xdb), ALL, 0 },
	{ 0x01, 0x01, IS(0xdc), ALL, 0 },
	{ 0x01, 0x01, IS(0xdd), ALL, 0 },
	{ 0x01, 0x01, IS(0xde), ALL, NO(VIRT) },
	{ 0x01, 0x01, IS(0xdf), ALL, 0 },
	/* serialize, setssbsy, xsusldtrk; xresldtrk; saveprevssp */
	{ 0x01, 0x01, IS(0xe8), NP | ON_F3 | ON_F2, 0 },
	{ 0x01, 0x01, IS(0xe9), ON_F2, 0 },
	{ 0x01, 0x01, IS(0xea), ON_F3, 0 },
	/* uiret, testui, clui, stui; rdpkru, wrpkru */
	{ 0x01, 0x01, IS(0xec), ON_F3, NO(USER_INTERRUPT) },
	{ 0x01, 0x01, IS(0xed), ON_F3, NO(USER_INTERRUPT) },
	{ 0x01, 0x01, IS(0xee), ON_F3, NO(USER_INTERRUPT) },
	{ 0x01, 0x01, IS(0xef), ON_F3, NO(USER_INTERRUPT) },
	{ 0x01, 0x01, IS(0xee), NP, 0 },
	{ 0x01, 0x01, IS(0xef), NP, 0 },
	/* swapgs, rdtscp, monitorx and mcommit, mwaitx, clzero, rdpru and rmpquery */
	{ 0x01, 0x01, IS(0xf8), ALL, NO(SWAPGS) },
	{ 0x01, 0x01, IS(0xf9), ALL, 0 },
	{ 0x01, 0x01, IS(0xfa), NP | ON_F3, 0 },
	{ 0x01, 0x01, IS(0xfb), NP, NO(HALT) },
	{ 0x01, 0x01, IS(0xfc), NP | ON_66, 0 },
	{ 0x01, 0x01, IS(0xfd), NP | ON_F3 | ON_F2, 0 },
	/* invlpgb, rmpadjust, rmpupdate; tlbsync, psmash, pvalidate */
	{ 0x01, 0x01, IS(0xfe), NP | ON_F3 | ON_F2, 0 },
	{ 0x01, 0x01, IS(0xff), NP | ON_F3 | ON_F2, 0 },

	/* movlps, movhlps, movlpd, movsldup, movddup */
	{ 0x12, 0x12, ANY, NP | ON_F3 | ON_F2, 0 },
	{ 0x12, 0x12, ANY, ON_66, MEM },
	/* movhps, movlhps, movhpd, movshdup */
	{ 0x16, 0x16, ANY, NP | ON_F3, 0 },
	{ 0x16, 0x16, ANY, ON_66, MEM },

	/* psrlw, psraw, psllw; psrld, psrad, pslld */
	{ 0x71, 0x72, R(2), NP | ON_66, REG },
	{ 0x71, 0x72, R(4), NP | ON_66, REG },
	{ 0x71, 0x72, R(6), NP | ON_66, REG },
	/* psrlq, psrldq, psllq, pslldq */
	{ 0x73, 0x73, R(2), NP | ON_66, REG },
	{ 0x73, 0x73, R(3), ON_66, REG },
	{ 0x73, 0x73, R(6), NP | ON_66, REG },
	{ 0x73, 0x73, R(7), ON_66, REG },

	/* vmread, extrq, insertq; vmwrite, extrq, insertq */
	{ 0x78, 0x78, ANY, NP, 0 },
	{ 0x78, 0x78, R(0), ON_66, REG | AT_IMM(IMM_16) },
	{ 0x78, 0x78, ANY, ON_F2, REG | AT_IMM(IMM_16) },
	{ 0x79, 0x79, ANY, NP, 0 },
	{ 0x79, 0x79, ANY, ON_66 | ON_F2, REG },

	/* montmul, xsha1, xsha256; xstore, xcrypt of five modes */
	{ 0xa6, 0xa6, IS(0xc0), ON_F3, 0 },
	{ 0xa6, 0xa6, IS(0xc8), ON_F3, 0 },
	{ 0xa6, 0xa6, IS(0xd0), ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xc0), NP | ON_66 | ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xc8), ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xd0), ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xd8), ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xe0), ON_F3, 0 },
	{ 0xa7, 0xa7, IS(0xe8), ON_F3, 0 },

	/* fxsave, fxrstor, ldmxcsr, stmxcsr, xsave, xrstor, xsaveopt, clflush */
	{ 0xae, 0xae, R(0), NP, MEM },
	{ 0xae, 0xae, R(1), NP, MEM },
	{ 0xae, 0xae, R(2), NP, MEM },
	{ 0xae, 0xae, R(3), NP, MEM },
	{ 0xae, 0xae, R(4), NP, MEM },
	{ 0xae, 0xae, R(5), NP, MEM },
	{ 0xae, 0xae, R(6), NP, MEM },
	{ 0xae, 0xae, R(7), NP, MEM },
	/* clwb, clflushopt; ptwrite, clrssbsy */
	{ 0xae, 0xae, R(6), ON_66, MEM },
	{ 0xae, 0xae, R(7), ON_66, MEM },
	{ 0xae, 0xae, R(4), ON_F3, 0 },
	{ 0xae, 0xae, R(6), ON_F3, MEM },
	/* rdfsbase, rdgsbase, wrfsbase, wrgsbase */
	{ 0xae, 0xae, R(0), ON_F3, REG },
	{ 0xae, 0xae, R(1), ON_F3, REG },
	{ 0xae, 0xae, R(2), ON_F3, REG },
	{ 0xae, 0xae, R(3), ON_F3, REG },
	/* lfence, mfence, sfence */
	{ 0xae, 0xae, R(5), NP, REG | ST },
	{ 0xae, 0xae, R(6), NP, REG | ST },
	{ 0xae, 0xae, R(7), NP, REG | ST },
	/* incssp; umonitor, tpause, umwait */
	{ 0xae, 0xae, R(5), ON_F3, REG },
	{ 0xae, 0xae, R(6), ON_F3, REG },
	{ 0xae, 0xae, R(6), ON_66 | ON_F2, REG | NO(HALT) },

	/* cmpxchg8b and cmpxchg16b; xrstors, xsavec, xsaves */
	{ 0xc7, 0xc7, R(1), ALL, MEM | AT_LOCK },
	{ 0xc7, 0xc7, R(3), NP, MEM },
	{ 0xc7, 0xc7, R(4), NP, MEM },
	{ 0xc7, 0xc7, R(5), NP, MEM },
	/* vmptrld, vmclear, vmxon, vmptrst */
	{ 0xc7, 0xc7, R(6), NP | ON_66 | ON_F3, MEM },
	{ 0xc7, 0xc7, R(7), NP, MEM },
	/* rdrand, senduipi, rdseed, rdpid */
	{ 0xc7, 0xc7, R(6), NP | ON_66, REG | ST },
	{ 0xc7, 0xc7, R(6), ON_F3, REG | NO(USER_INTERRUPT) },
	{ 0xc7, 0xc7, R(7), NP | ON_66, REG | ST },
	{ 0xc7, 0xc7, R(7), ON_F3, REG },

	/* movq; movq2dq, movdq2q */
	{ 0xd6, 0xd6, ANY, ON_66, 0 },
	{ 0xd6, 0xd6, ANY, ON_F3 | ON_F2, REG },
	{ 0 }
};

const struct insn_row insn_rows_0f38[] = {
	/* pshufb ... pmulhrsw; pblendvb, blendvps, blendvpd, ptest; pabs */
	{ 0x00, 0x0b, ANY, NP | ON_66, 0 },
	{ 0x10, 0x10, ANY, ON_66, 0 },
	{ 0x14, 0x15, ANY, ON_66, 0 },
	{ 0x17, 0x17, ANY, ON_66, 0 },
	{ 0x1c, 0x1e, ANY, NP | ON_66, 0 },
	/* pmovsx; pmuldq, pcmpeqq, movntdqa, packusdw; pmovzx; pcmpgtq, pmin, pmax, pmulld */
	{ 0x20, 0x25, ANY, ON_66, 0 },
	{ 0x28, 0x29, ANY, ON_66, 0 },
	{ 0x2a, 0x2a, ANY, ON_66, MEM },
	{ 0x2b, 0x2b, ANY, ON_66, 0 },
	{ 0x30, 0x35, ANY, ON_66, 0 },
	{ 0x37, 0x41, ANY, ON_66, 0 },
	/* invept, invvpid, invpcid */
	{ 0x80, 0x82, ANY, ON_66, MEM },
	/* sha1, sha256; gf2p8mulb */
	{ 0xc8, 0xcd, ANY, NP, 0 },
	{ 0xcf, 0xcf, ANY, ON_66, 0 },
	/* aesencwide128kl, aesdecwide128kl, aesencwide256kl, aesdecwide256kl */
	{ 0xd8, 0xd8, R(0), ON_F3, MEM },
	{ 0xd8, 0xd8, R(1), ON_F3, MEM },
	{ 0xd8, 0xd8, R(2), ON_F3, MEM },
	{ 0xd8, 0xd8, R(3), ON_F3, MEM },
	/* aesimc, aesenc, aesenclast, aesdec, aesdeclast */
	{ 0xdb, 0xdf, ANY, ON_66, 0 },
	/* aesenc128kl and loadiwkey; aesdec128kl, aesenc256kl, aesdec256kl */
	{ 0xdc, 0xdc, ANY, ON_F3, 0 },
	{ 0xdd, 0xdf, ANY, ON_F3, MEM },
	/* movbe; crc32 */
	{ 0xf0, 0xf1, ANY, NP | ON_66, MEM },
	{ 0xf0, 0xf1, ANY, ON_F2, ST },
	/* wruss; wrss, adcx, adox */
	{ 0xf5, 0xf5, ANY, ON_66, MEM },
	{ 0xf6, 0xf6, ANY, NP, MEM },
	{ 0xf6, 0xf6, ANY, ON_66 | ON_F3, ST },
	/* movdir64b, enqcmds, enqcmd; movdiri */
	{ 0xf8, 0xf8, ANY, ON_66 | ON_F3 | ON_F2, MEM },
	{ 0xf9, 0xf9, ANY, NP, MEM },
	/* encodekey128, encodekey256 */
	{ 0xfa, 0xfb, ANY, ON_F3, REG },
	/* aadd, aand, axor, aor */
	{ 0xfc, 0xfc, ANY, ALL, MEM },
	{ 0 }
};

const struct insn_row insn_rows_0f3a[] = {
	/* round, blend; palignr; pextr, extractps */
	{ 0x08, 0x0e, ANY, ON_66, 0 },
	{ 0x0f, 0x0f, ANY, NP | ON_66, 0 },
	{ 0x14, 0x17, ANY, ON_66, 0 },
	/* pinsrb, insertps, pinsrd; dpps, dppd, mpsadbw; pclmulqdq; pcmpstr */
	{ 0x20, 0x22, ANY, ON_66, 0 },
	{ 0x40, 0x42, ANY, ON_66, 0 },
	{ 0x44, 0x44, ANY, ON_66, 0 },
	{ 0x60, 0x63, ANY, ON_66, 0 },
	/* sha1rnds4; gf2p8affineqb, gf2p8affineinvqb; aeskeygenassist; hreset */
	{ 0xcc, 0xcc, ANY, NP, 0 },
	{ 0xce, 0xcf, ANY, ON_66, 0 },
	{ 0xdf, 0xdf, ANY, ON_66, 0 },
	{ 0xf0, 0xf0, IS(0xc0), ON_F3, 0 },
	{ 0 }
};

const u64 insn_x87_reg[8] = {
	0xffffffffffffffffull,	/* d8: arithmetic */
	0xffff7f330001ffffull,	/* d9: holes after fnop, fchs, ftst, fldz */
	0x00000200ffffffffull,	/* da: fcmov; fucompp */
	0x00ffff0cffffffffull,	/* db: fcmov; fnclex ... ; fucomi, fcomi */
	0xffffffff0000ffffull,	/* dc: arithmetic, but no fcom */
	0x0000ffffffff00ffull,	/* dd: ffree; fst, fstp, fucom, fucomp */
	0xffffffff0200ffffull,	/* de: arithmetic and pop; fcompp */
	0x00ffff01000000ffull,	/* df: ffreep; fnstsw; fucomip, fcomip */
};

const u8 insn_x87_mem[8] = {
	0xff, 0xfd, 0xff, 0xaf, 0xff, 0xdf, 0xff, 0xff,
};

/* A bit for each suffix byte. */
static const u32 insn_3dnow[8] = {
	[0x00 / 32] = 1u << 0x0c | 1u << 0x0d | 1u << 0x1c | 1u << 0x1d,
	[0x80 / 32] = 1u << 0x0a | 1u << 0x0e | 1u << 0x10 | 1u << 0x14 | 1u << 0x16 |
		      1u << 0x17 | 1u << 0x1a | 1u << 0x1e,
	[0xa0 / 32] = 1u << 0x00 | 1u << 0x04 | 1u << 0x06 | 1u << 0x07 | 1u << 0x0a |
		      1u << 0x0e | 1u << 0x10 | 1u << 0x14 | 1u << 0x16 | 1u << 0x17 |
		      1u << 0x1b | 1u << 0x1f,
};

bool insn_3dnow_exists(u8 suffix)
{
	return insn_3dnow[suffix / 32] >> suffix % 32 & 1;
}
