/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cases: instructions that must have the same effects with and without a probe.
 *
 *	CASE "name", needs, "before", "the instruction", "after"
 *
 * A case may branch to 2f; r31 says which way it went.
 */
#include <asm/asm-offsets.h>
#include <asm/ppc_asm.h>
#include "differential.h"

	.machine power10

.macro CASE name:req, need=0, before, insn:req, after, align=16
	.section .text
	.balign \align
	.type diff_case_\@, @function
diff_case_\@:
	nop
	\before
.Linsn\@:
	\insn
.Lafter\@:
	\after
.Ltail\@:
	b	diff_end
2:	li	31, 2
	b	diff_end
	.size diff_case_\@, . - diff_case_\@
	.section .rodata.diff_names, "aMS", @progbits, 1
.Lname\@:
	.asciz	"\name"
	.section .data.diff_cases, "aw", @progbits
	.quad	.Lname\@, diff_case_\@, \need
	.quad	.Linsn\@ - diff_case_\@, .Lafter\@ - diff_case_\@, .Ltail\@ - diff_case_\@
.endm

/* One that may branch to 2f. */
.macro BRANCH name:req, need=0, before, insn:req
	CASE "\name", \need, "\before", "\insn", "li 31, 1"
.endm

/* An indirect branch through LR or CTR: the low two bits don't matter. */
.macro INDIRECT name:req, need=0, to:req, insn:req
	BRANCH "\name", \need, "bcl 20, 31, 1f; 1: mflr 11; addi 11, 11, 2f - 1b + 3; mtlr 30; mt\to 11", "\insn"
.endm

	.section .data.diff_cases, "aw", @progbits
	.balign	8
	.globl	diff_cases
diff_cases:

/* ---- emulated: no operation, direct branches ---- */

CASE "nop", 0, "", "nop"
CASE "nop at the first word", 0, "", "ori 0, 0, 0", "nop"
BRANCH "b", 0, "", "b 2f"
BRANCH "bl", 0, "", "bl 2f"
CASE "bl to what follows", 0, "", "bcl 20, 31, 1f; 1:"
CASE "b to what follows", 0, "", "b 1f; 1:"

/* ---- emulated: branches on CR and CTR, in every form and to every kind of target ---- */

.irp bo, 0, 2, 4, 6, 7, 8, 10, 12, 14, 15, 16, 18, 20, 24, 25, 26, 27
.irp bi, 0, 2, 13, 31
BRANCH "bc \bo, \bi", 0, "", "bc \bo, \bi, 2f"
BRANCH "bcl \bo, \bi", 0, "", "bcl \bo, \bi, 2f"
BRANCH "bc \bo, \bi, few left", COUNT_FEW, "", "bc \bo, \bi, 2f"
INDIRECT "bclr \bo, \bi", 0, lr, "bclr \bo, \bi, 0"
INDIRECT "bclr \bo, \bi, few left", COUNT_FEW, lr, "bclr \bo, \bi, 0"
INDIRECT "bclrl \bo, \bi, few left", COUNT_FEW, lr, "bclrl \bo, \bi, 0"
.endr
.endr
.irp bo, 4, 6, 7, 12, 14, 15, 20
.irp bi, 0, 1, 18, 30
INDIRECT "bcctr \bo, \bi", 0, ctr, "bcctr \bo, \bi, 0"
INDIRECT "bcctrl \bo, \bi", 0, ctr, "bcctrl \bo, \bi, 0"
.endr
.endr
INDIRECT "bclr with a hint", 0, lr, "bclr 20, 0, 1"
INDIRECT "bcctr with a hint", 0, ctr, "bcctr 20, 0, 3"

/* ---- emulated: the address, LR and CTR ---- */

.irp reg, 0,2,3,4,5,6,7,8,9,10,11,12,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
CASE "mflr \reg", 0, "", "mflr \reg"
CASE "mtlr \reg", 0, "", "mtlr \reg"
CASE "mfctr \reg", 0, "", "mfctr \reg"
CASE "mtctr \reg", 0, "", "mtctr \reg"
CASE "addpcis \reg", 0, "", "addpcis \reg, 0x1234"
/* ... and what each holds behind a copy. */
CASE "mr r5, \reg", 0, "", "mr 5, \reg"
CASE "mr \reg, r5", 0, "", "mr \reg, 5"
CASE "addi \reg", 0, "", "addi \reg, \reg, -77"
.endr
CASE "mflr r1", 0, "mr 6, 1; mtlr 1", "mflr 1"
CASE "mtlr r1", 0, "", "mtlr 1"
CASE "mtctr r13", 0, "", "mtctr 13"
CASE "mr r5, r13", 0, "", "mr 5, 13"
CASE "addpcis, back", 0, "", "addpcis 9, -0x8000"
CASE "addpcis, here", 0, "", "addpcis 9, 0"

/* ---- out of line: arithmetic, with carries, overflow and conditions ---- */

.irp op, add, addc, adde, subf, subfc, subfe, mulld, mullw
CASE "\op", 0, "", "\op 5, 6, 7"
CASE "\op.", 0, "", "\op\(). 5, 6, 7"
CASE "\op\()o.", 0, "", "\op\()o. 5, 6, 7"
.endr
.irp op, addme, addze, subfme, subfze, neg
CASE "\op", 0, "", "\op 5, 6"
CASE "\op\()o.", 0, "", "\op\()o. 5, 6"
.endr
.irp op, divd, divdu, divw, divwu, divde, divweu
CASE "\op", 0, "ori 7, 7, 1; clrldi 7, 7, 1; clrldi 6, 6, 40", "\op 5, 6, 7"
.endr
.irp op, mulhd, mulhdu, mulhw, mulhwu
CASE "\op.", 0, "mr 8, 6", "\op\(). 5, 6, 7"
.endr
.irp op, modsd, modud, modsw, moduw
CASE "\op", 0, "ori 7, 7, 3; clrldi 7, 7, 1", "\op 5, 6, 7"
.endr
.irp op, and, or, xor, nand, nor, eqv, andc, orc, sld, slw, srd, srw, srad, sraw
CASE "\op", 0, "", "\op 5, 6, 7"
CASE "\op.", 0, "", "\op\(). 5, 6, 7"
.endr
.irp op, extsb, extsh, extsw, cntlzd, cntlzw, cnttzd, cnttzw
CASE "\op.", 0, "", "\op\(). 5, 6"
.endr
.irp op, popcntb, popcntw, popcntd, prtyd, prtyw
CASE "\op", 0, "", "\op 5, 6"
.endr
CASE "addi", 0, "", "addi 5, 6, -0x1234"
CASE "addis", 0, "", "addis 5, 6, -0x1234"
CASE "addis of a toc pointer", 0, "", "addis 2, 12, 0x123"
CASE "addic.", 0, "", "addic. 5, 6, -1"
CASE "subfic", 0, "", "subfic 5, 6, 100"
CASE "mulli", 0, "", "mulli 5, 6, -333"
CASE "addex", 0, "", "addex 5, 6, 7, 0"
CASE "maddhd", 0, "", "maddhd 5, 6, 7, 8"
CASE "ori", 0, "", "ori 5, 6, 0x8001"
CASE "oris", 0, "", "oris 5, 6, 0x8001"
CASE "andi.", 0, "", "andi. 5, 6, 0x8001"
CASE "andis.", 0, "", "andis. 5, 6, 0x8001"
CASE "rlwinm.", 0, "", "rlwinm. 5, 6, 7, 25, 3"
CASE "rlwimi", 0, "", "rlwimi 5, 6, 7, 3, 25"
CASE "rlwnm", 0, "", "rlwnm 5, 6, 7, 3, 25"
CASE "rldicl.", 0, "", "rldicl. 5, 6, 33, 7"
CASE "rldicr", 0, "", "rldicr 5, 6, 33, 7"
CASE "rldimi", 0, "", "rldimi 5, 6, 9, 40"
CASE "rldcl", 0, "", "rldcl 5, 6, 7, 40"
CASE "sradi", 0, "", "sradi 5, 6, 40"
CASE "srawi.", 0, "", "srawi. 5, 6, 4"
CASE "extswsli.", 0, "", "extswsli. 5, 6, 4"
CASE "bpermd", 0, "", "bpermd 5, 6, 7"
CASE "cmpb", 0, "", "cmpb 5, 6, 7"

/* ---- out of line: conditions and other registers ---- */

.irp field, 0, 1, 2, 3, 4, 5, 6, 7
CASE "cmpd cr\field", 0, "", "cmpd \field, 6, 7"
CASE "cmplwi cr\field", SMALL(R6), "", "cmplwi \field, 6, 3"
CASE "mtocrf \field", 0, "", "mtocrf 0x80 >> \field, 6"
CASE "mfocrf \field", 0, "li 5, 0", "mfocrf 5, 0x80 >> \field", "clrrdi 5, 5, 63"
CASE "mcrf \field", 0, "", "mcrf \field, 7 - \field"
CASE "setb \field", 0, "", "setb 5, \field"
CASE "isel \field", 0, "", "isel 5, 6, 7, 4 * \field + 1"
.endr
.irp op, crand, crandc, creqv, crnand, crnor, cror, crorc, crxor
CASE "\op", 0, "", "\op 5, 17, 30"
.endr
CASE "cmpwi", SMALL(R6), "", "cmpwi 3, 6, 4"
CASE "cmpld", 0, "", "cmpld 2, 6, 7"
CASE "cmprb", 0, "", "cmprb 1, 1, 6, 7"
CASE "cmpeqb", 0, "", "cmpeqb 1, 6, 7"
CASE "mfcr", 0, "", "mfcr 5"
CASE "mtcrf", 0, "", "mtcrf 0x5a, 6"
CASE "mtcr", 0, "", "mtcr 6"
CASE "mfxer", 0, "", "mfxer 5"
CASE "mtxer", 0, "lis 6, -0x2000", "mtxer 6"
CASE "mcrxrx", 0, "", "mcrxrx 4"
CASE "mfspr VRSAVE", 0, "", "mfspr 5, 256"
/* Interrupts may have been turned off in the processor meanwhile, and vectors on. */
CASE "mfmsr", 0, "", "mfmsr 5", "lis 6, 0x280; ori 6, 6, 0xa000; andc 5, 5, 6"
.irp op, sync, lwsync, isync, eieio
CASE "\op", 0, "", "\op"
.endr
.irp op, dcbt, dcbtst, dcbst, icbi, dcbf
CASE "\op", DATA(R3), "", "\op 0, 3"
.endr
CASE "dcbz", DATA(R3), "", "dcbz 0, 3"
CASE "or 27, 27, 27", 0, "", "or 27, 27, 27"
CASE "xori 26, 26, 0", 0, "", "xori 26, 26, 0"

/* ---- out of line: memory ---- */

.irp op, lbz, lhz, lha, lwz, ld, stb, sth, stw, std
CASE "\op", DATA(R3), "", "\op 5, 16(3)"
CASE "\op, back", DATA(R3), "", "\op 5, -8(3)"
CASE "\op\()u", DATA(R3), "", "\op\()u 5, 24(3)"
CASE "\op\()ux", DATA(R3)+SMALL(R4), "", "\op\()ux 5, 3, 4"
CASE "\op\()x", DATA(R3)+SMALL(R4), "", "\op\()x 5, 3, 4"
CASE "\op from r0 as zero", DATA(R3), "", "\op\()x 5, 0, 3"
CASE "\op the stack", 0, "", "\op 5, 24(1)"
CASE "\op below the stack", 0, "std 6, -32(1)", "\op 5, -32(1)", "ld 7, -32(1)"
CASE "\op far below the stack", 0, "std 6, -288(1)", "\op 5, -288(1)", "ld 7, -288(1)"
.endr
CASE "lwa", DATA(R3), "", "lwa 5, 12(3)"
CASE "lwax", DATA(R3)+SMALL(R4), "", "lwax 5, 3, 4"
CASE "lwaux", DATA(R3)+SMALL(R4), "", "lwaux 5, 3, 4"
.irp op, lhbrx, lwbrx, ldbrx, sthbrx, stwbrx, stdbrx
CASE "\op", DATA(R3)+SMALL(R4), "", "\op 5, 3, 4"
.endr
CASE "std what is stored to", DATA(R3), "", "std 3, 8(3)"
CASE "ld over its base", DATA(R3), "", "ld 3, 8(3)"

/* ---- out of line: the byte that says whether interrupts are masked ---- */

	.set	MASK, PACAIRQSOFTMASK
CASE "lbz of the mask", 0, "", "lbz 5, MASK(13)"
CASE "stb of the mask", 0, "li 5, 1", "stb 5, MASK(13)"
CASE "stb of another register to the mask", 0, "li 31, 1", "stb 31, MASK(13)"
CASE "stb of the mask as it is", 0, "lbz 5, MASK(13)", "stb 5, MASK(13)"

/* ---- out of line: the stack ---- */

CASE "stdu r1", 0, "", "stdu 1, -64(1)", "std 5, 32(1)"
CASE "stdu r1, a frame as large as what lies below", 0, "std 5, -272(1)", "stdu 1, -288(1)", "ld 6, 16(1)"
CASE "stdu r1, a larger frame", 0, "", "stdu 1, -448(1)", "ld 6, 448(1); addi 1, 1, 448"
CASE "stdux r1", 0, "li 5, -96", "stdux 1, 1, 5", "std 6, 40(1)"
CASE "addi r1", 0, "", "addi 1, 1, 64"
CASE "addi r1, down", 0, "std 5, -40(1)", "addi 1, 1, -64", "ld 6, 24(1)"
CASE "mr r1", STACK(R6), "clrrdi 6, 6, 4", "mr 1, 6"
CASE "ld r1", STACK_POINTERS, "ld 6, 0(1); clrrdi 6, 6, 4; std 6, 0(1)", "ld 1, 0(1)"
CASE "mr of r1", 0, "", "mr 31, 1"
CASE "ld of what r1 points to", STACK_POINTERS, "", "ld 5, 0(1)"

/* ---- out of line: floating point and vectors ---- */

CASE "lfd", VECTORS+DATA(R3), "", "lfd 1, 8(3)", "stfd 1, 128(3)"
CASE "lfdu", VECTORS+DATA(R3), "", "lfdu 1, 8(3)", "stfd 1, 128(3)"
CASE "stfd", VECTORS+DATA(R3), "lfd 31, 8(3)", "stfd 31, 64(3)"
CASE "stfdux", VECTORS+DATA(R3)+SMALL(R4), "lfd 31, 8(3)", "stfdux 31, 3, 4"
CASE "stfiwx", VECTORS+DATA(R3), "lfd 31, 8(3)", "stfiwx 31, 0, 3"
CASE "fmr", VECTORS+DATA(R3), "lfd 2, 8(3)", "fmr 1, 2", "stfd 1, 128(3)"
CASE "fcfid", VECTORS+DATA(R3), "lfd 2, 8(3)", "fcfid 1, 2", "stfd 1, 128(3)"
CASE "fadd", VECTORS+DATA(R3), "lfd 2, 8(3); lfd 3, 16(3); fcfid 2, 2; fcfid 3, 3", "fadd 1, 2, 3", "stfd 1, 128(3)"
CASE "fmadd", VECTORS+DATA(R3), "lfd 2, 8(3); lfd 3, 16(3); fcfid 2, 2; fcfid 3, 3", "fmadd 1, 2, 3, 2", "stfd 1, 128(3)"
CASE "fcmpu", VECTORS+DATA(R3), "lfd 2, 8(3); lfd 3, 16(3); fcfid 2, 2; fcfid 3, 3", "fcmpu 6, 2, 3"
CASE "lvx", VECTORS+DATA(R3), "", "lvx 3, 0, 3", "stxvd2x 35, 0, 3"
CASE "stvx", VECTORS+DATA(R3), "lxvd2x 35, 0, 3", "stvx 3, 0, 3"
CASE "stvewx", VECTORS+DATA(R3)+SMALL(R4), "lxvd2x 35, 0, 3", "stvewx 3, 3, 4"
CASE "lvsl", VECTORS+SMALL(R4)+DATA(R3), "", "lvsl 3, 0, 4", "stxvd2x 35, 0, 3"
CASE "lxvd2x", VECTORS+DATA(R3)+SMALL(R4), "", "lxvd2x 7, 3, 4", "stxvd2x 7, 0, 3"
CASE "stxvd2x", VECTORS+DATA(R3)+SMALL(R4), "lxvd2x 63, 0, 3", "stxvd2x 63, 3, 4"
CASE "lxv", VECTORS+DATA(R3), "", "lxv 40, 16(3)", "stxv 40, 128(3)"
CASE "stxv", VECTORS+DATA(R3), "lxvd2x 40, 0, 3", "stxv 40, 32(3)"
CASE "lxvl", VECTORS+DATA(R3)+SMALL(R4), "sldi 4, 4, 57", "lxvl 40, 3, 4", "stxv 40, 128(3)"
CASE "stxsdx", VECTORS+DATA(R3)+SMALL(R4), "lxvd2x 40, 0, 3", "stxsdx 40, 3, 4"
CASE "mtvsrd", VECTORS+DATA(R3), "", "mtvsrd 33, 5", "stxsdx 33, 0, 3"
CASE "mfvsrd", VECTORS+DATA(R3), "lxvd2x 33, 0, 3", "mfvsrd 5, 33"
.irp op, vaddubm, vadduwm, vxor, vand, vsubsws, vmuleub, vmrghb, vslw
CASE "\op", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; lxv 36, 32(3)", "\op 5, 3, 4", "stxvd2x 37, 0, 3"
.endr
CASE "vperm", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; lxv 36, 32(3); lxv 37, 48(3)", "vperm 5, 3, 4, 5", "stxvd2x 37, 0, 3"
CASE "vcmpequb.", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; lxv 36, 32(3)", "vcmpequb. 5, 3, 4", "stxvd2x 37, 0, 3"
CASE "xxlor", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; lxv 4, 32(3)", "xxlor 5, 35, 4", "stxvd2x 5, 0, 3"
CASE "xxpermdi", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; lxv 4, 32(3)", "xxpermdi 5, 35, 4, 2", "stxvd2x 5, 0, 3"
CASE "xvadddp", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; xvcvsxddp 35, 35", "xvadddp 5, 35, 35", "stxvd2x 5, 0, 3"
CASE "xsadddp", VECTORS+DATA(R3), "lxvd2x 35, 0, 3; xvcvsxddp 35, 35", "xsadddp 5, 35, 35", "stxsdx 5, 0, 3"

/* ---- what only some processors can run: prefixed ---- */

	.section .data.diff_cases, "aw", @progbits
	.globl	diff_cases_prefixed
diff_cases_prefixed:

.macro PREFIXED name:req, need=0, before, insn:req, after
	CASE "\name", \need, "\before", "\insn", "\after", 64
.endm

/*
 * To data, relative to itself: no relocation of the kernel's is for that, but
 * there are some for either half of an address that is ahead.
 */
.macro RELATIVE prefix:req, suffix:req
.Lprefix\@:
	.long	\prefix
.Lsuffix\@:
	.long	\suffix | 5 << 21
	.reloc	.Lprefix\@, R_PPC64_REL16_HA, diff_data + 48 - 0x8000
	.reloc	.Lsuffix\@, R_PPC64_REL16_LO, diff_data + 48 + 4
.endm
	.set	PREFIX_8LS, 0x04100000
	.set	PREFIX_MLS, 0x06100000

PREFIXED "pnop", 0, "", "pnop"
PREFIXED "paddi, here", 0, "", "pla 5, 0x12345678"
PREFIXED "paddi, back", 0, "", "paddi 5, 0, -0x12345678, 1"
PREFIXED "paddi, relative", 0, "", "RELATIVE PREFIX_MLS, 14 << 26"
.irp op, 32, 34, 40, 42, 36, 38, 44
PREFIXED "a prefixed \op, relative", 0, "", "RELATIVE PREFIX_MLS, \op << 26"
.endr
.irp op, 41, 57, 61
PREFIXED "a prefixed \op of 8 bytes, relative", 0, "", "RELATIVE PREFIX_8LS, \op << 26"
.endr
PREFIXED "paddi", 0, "", "paddi 5, 6, 0x123456789"
PREFIXED "pli", 0, "", "pli 5, -0x123456789"
.irp op, plbz, plhz, plha, plwz, plwa, pld, pstb, psth, pstw, pstd
PREFIXED "\op", DATA(R3), "", "\op 5, 24(3)"
.endr
PREFIXED "plxv", VECTORS+DATA(R3), "", "plxv 35, 16(3)", "stxvd2x 35, 0, 3"
PREFIXED "pstxv", VECTORS+DATA(R3), "lxvd2x 35, 0, 3", "pstxv 35, 16(3)"
PREFIXED "plfd", VECTORS+DATA(R3), "", "plfd 1, 16(3)", "stfd 1, 128(3)"

	.section .data.diff_cases, "aw", @progbits
	.globl	diff_cases_end
diff_cases_end:

	.section .note.GNU-stack, "", @progbits
