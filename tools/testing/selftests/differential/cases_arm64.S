/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cases: instructions that must have the same effects with and without a probe.
 *
 *	CASE "name", needs, "before", "the instruction", "after"
 *
 * A case may branch to 2f or 3b, and says in x17 which way it went.  What runs
 * before it may not change flags, since they are random like the registers.
 */
#include <linux/linkage.h>
#include "differential.h"

.macro CASE name:req, need=0, before, insn:req, after
	.text
	.balign 16
3:	hint	#38
	mov	x17, #3
	b	diff_end
diff_case_\@:
	/* Not the instruction itself: the first of a symbol is the tracer's. */
	hint	#34
	nop
	nop
	\before
.Linsn\@:
	\insn
.Lafter\@:
	\after
.Ltail\@:
	b	diff_end
2:	hint	#38
	mov	x17, #2
	b	diff_end
	.balign 16
4:	.quad	0x8123456789abcdef, 0xfedcba9876543210
	.section .rodata.diff_names, "aMS", %progbits, 1
.Lname\@:
	.asciz	"\name"
	.section .data.diff_cases, "aw", %progbits
	.quad	.Lname\@, diff_case_\@, \need
	.quad	.Linsn\@ - diff_case_\@, .Lafter\@ - diff_case_\@, .Ltail\@ - diff_case_\@
.endm

/* One that may branch to 2f or 3b. */
.macro BRANCH name:req, need=0, before, insn:req
	CASE "\name", \need, "\before", "\insn", "mov x17, #1"
.endm

/* An indirect branch through a register. */
.macro INDIRECT name:req, reg:req, before=nop, insn:req
	BRANCH "\name", 0, "adr \reg, 2f; \before", "\insn"
.endm

	.section .data.diff_cases, "aw", %progbits
	.balign	8
	.globl	diff_cases
diff_cases:

/* ---- hints: emulated or not ---- */

.irp nr, 0, 1, 4, 5, 16, 17, 18, 20, 22, 32, 34, 36, 38, 40, 60, 100, 127
CASE "hint \nr", 0, "", "hint #\nr"
.endr
CASE "paciasp", 0, "", "paciasp"
CASE "pacibsp", 0, "", "pacibsp"
CASE "paciaz", 0, "", "paciaz"
CASE "pacia1716", 0, "", "pacia1716"
CASE "pacib1716", 0, "", "pacib1716"
CASE "autiasp", 0, "paciasp", "autiasp"
CASE "autibsp", 0, "pacibsp", "autibsp"
CASE "autiaz", 0, "paciaz", "autiaz"
CASE "autia1716", 0, "pacia1716", "autia1716"
CASE "xpaclri", 0, "paciasp", "xpaclri"
.irp key, ia, ib, da, db
CASE "pac\key", 0, "", "pac\key x0, x1"
CASE "pac\key, sp", 0, "", "pac\key x0, sp"
CASE "aut\key", 0, "pac\key x0, x1", "aut\key x0, x1"
.endr
.irp op, paciza, pacizb, pacdza, pacdzb
CASE "\op", 0, "", "\op x3"
.endr
CASE "pacga", 0, "", "pacga x0, x1, x2"
CASE "xpaci", 0, "pacia x0, x1", "xpaci x0"
CASE "xpacd", 0, "pacda x0, x1", "xpacd x0"

/* ---- emulated: what is relative to the instruction ---- */

.irp reg, 0, 1, 8, 15, 19, 29, 30
CASE "adr x\reg", 0, "", "adr x\reg, 2f"
CASE "adrp x\reg", 0, "", "adrp x\reg, diff_data"
CASE "ldr x\reg literal", 0, "", "ldr x\reg, 4f"
CASE "ldr w\reg literal", 0, "", "ldr w\reg, 4f"
CASE "ldrsw x\reg literal", 0, "", "ldrsw x\reg, 4f + 4"
.endr
CASE "adr backwards", 0, "", "adr x3, 3b"
CASE "adr odd", 0, "", "adr x3, . + 7"
CASE "adr far", 0, "", "adr x3, . - 0x100000"
CASE "adr xzr", 0, "", "adr xzr, 2f"
CASE "adrp far", 0, "", "adrp x3, . - 0x80000000"
CASE "adrp ahead", 0, "", "adrp x3, . + 0x7ffff000"
CASE "ldr xzr literal", 0, "", "ldr xzr, 4f"
CASE "ldrsw, no sign", 0, "", "ldrsw x5, 4f + 8"
CASE "ldr x literal, unaligned", 0, "", "ldr x5, 4f + 4"
CASE "ldr literal backwards", 0, "", "ldr w5, 3b"
CASE "prfm literal", 0, "", "prfm pldl1keep, 4f"
CASE "prfm literal, store", 0, "", "prfm pstl2strm, 4f"
.irp reg, 0, 7, 16, 31
CASE "ldr s\reg literal", FPU, "", "ldr s\reg, 4f"
CASE "ldr d\reg literal", FPU, "", "ldr d\reg, 4f"
CASE "ldr q\reg literal", FPU, "", "ldr q\reg, 4f"
.endr

/* ---- emulated: direct branches ---- */

BRANCH "b", 0, "", "b 2f"
BRANCH "b backwards", 0, "", "b 3b"
BRANCH "bl", 0, "", "bl 2f"
BRANCH "bl backwards", 0, "", "bl 3b"
.irp cc, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le, al, nv
BRANCH "b.\cc", 0, "", "b.\cc 2f"
BRANCH "b.\cc backwards", 0, "", "b.\cc 3b"
.endr
.irp op, cbz, cbnz
.irp reg, x0, w0, x15, w29, x30, xzr, wzr
BRANCH "\op \reg", 0, "", "\op \reg, 2f"
.endr
BRANCH "\op x2, zero", 0, "mov x2, #0", "\op x2, 2f"
BRANCH "\op w2, zero but for the upper half", 0, "mov x2, #0x100000000", "\op w2, 2f"
BRANCH "\op x2, zero but for the upper half", 0, "mov x2, #0x100000000", "\op x2, 2f"
BRANCH "\op w2 backwards", 0, "and x2, x2, #1", "\op w2, 3b"
.endr
.irp op, tbz, tbnz
.irp bit, 0, 1, 15, 31
BRANCH "\op w3 \bit", 0, "", "\op w3, #\bit, 2f"
.endr
.irp bit, 32, 47, 63
BRANCH "\op x30 \bit", 0, "", "\op x30, #\bit, 2f"
.endr
BRANCH "\op xzr", 0, "", "\op xzr, #5, 2f"
BRANCH "\op backwards", 0, "", "\op x4, #8, 3b"
.endr

/* ---- emulated: indirect branches ---- */

.irp reg, x0, x1, x8, x15, x16, x17, x19, x29, x30
INDIRECT "br \reg", \reg, "nop", "br \reg"
INDIRECT "blr \reg", \reg, "nop", "blr \reg"
INDIRECT "ret \reg", \reg, "nop", "ret \reg"
.endr
.irp op, br, blr
INDIRECT "\op\()aa", x5, "pacia x5, x6", "\op\()aa x5, x6"
INDIRECT "\op\()ab", x5, "pacib x5, x6", "\op\()ab x5, x6"
INDIRECT "\op\()aa, sp", x5, "pacia x5, sp", "\op\()aa x5, sp"
INDIRECT "\op\()ab, sp", x5, "pacib x5, sp", "\op\()ab x5, sp"
INDIRECT "\op\()aaz", x5, "paciza x5", "\op\()aaz x5"
INDIRECT "\op\()abz", x5, "pacizb x5", "\op\()abz x5"
.endr
INDIRECT "retaa", x30, "paciasp", "retaa"
INDIRECT "retab", x30, "pacibsp", "retab"

/* ---- emulated: interrupt masks ---- */

CASE "mrs daif", 0, "", "mrs x0, daif"
CASE "mrs daif, xzr", 0, "", "mrs xzr, daif"
CASE "msr daif", 0, "", "msr daif, x1"
CASE "msr daif, xzr", 0, "", "msr daif, xzr"
.irp masks, 0, 1, 2, 3, 4, 8, 13, 15
CASE "msr daifset \masks", 0, "", "msr daifset, #\masks"
CASE "msr daifclr \masks", 0, "", "msr daifclr, #\masks"
.endr

/* ---- out of line: the processor ---- */

.irp reg, nzcv, midr_el1, ctr_el0, dczid_el0, currentel, sctlr_el1, tcr_el1, sp_el0, tpidr_el0, cntfrq_el0, id_aa64pfr0_el1
CASE "mrs \reg", 0, "", "mrs x7, \reg"
.endr
CASE "msr nzcv", 0, "", "msr nzcv, x1"
CASE "cfinv", 0, "", "cfinv"
CASE "xaflag", 0, "", "xaflag"
CASE "axflag", 0, "", "axflag"
CASE "rmif", 0, "", "rmif x1, #9, #11"
CASE "setf8", 0, "", "setf8 w1"
CASE "setf16", 0, "", "setf16 w1"
CASE "dsb sy", 0, "", "dsb sy"
CASE "dmb ish", 0, "", "dmb ish"
CASE "isb", 0, "", "isb"
/* The kernel has a macro of that name. */
CASE "sb", 0, "", ".inst 0xd50330ff"
CASE "dc cvac", DATA(X1), "", "dc cvac, x1"
CASE "dc civac", DATA(X1), "", "dc civac, x1"
CASE "ic ivau", DATA(X1), "", "ic ivau, x1"
CASE "prfm", DATA(X1), "", "prfm pldl1keep, [x1]"

/* ---- out of line: arithmetic ---- */

.irp op, add, adds, sub, subs
CASE "\op x, imm", 0, "", "\op x1, x2, #0x123"
CASE "\op w, imm", 0, "", "\op w1, w2, #0xfff"
CASE "\op x, imm shifted", 0, "", "\op x30, x29, #0x12, lsl #12"
CASE "\op x, x", 0, "", "\op x1, x2, x3"
CASE "\op w, w", 0, "", "\op w1, w2, w3"
CASE "\op x, x, lsl", 0, "", "\op x1, x2, x3, lsl #5"
CASE "\op w, w, asr", 0, "", "\op w1, w2, w3, asr #31"
CASE "\op x, x, lsr", 0, "", "\op x1, x2, x3, lsr #60"
.irp ext, uxtb, uxth, uxtw, sxtb, sxth, sxtw
CASE "\op x, \ext", 0, "", "\op x1, x2, w3, \ext #2"
.endr
.endr
CASE "cmp x", 0, "", "cmp x1, x2"
CASE "cmn w", 0, "", "cmn w1, w2"
CASE "neg", 0, "", "neg x1, x2"
CASE "negs", 0, "", "negs w1, w2"
.irp op, adc, adcs, sbc, sbcs, and, ands, bic, bics, orr, orn, eor, eon
CASE "\op x", 0, "", "\op x1, x2, x3"
CASE "\op w", 0, "", "\op w1, w2, w3"
.endr
.irp op, and, ands, bic, bics, orr, orn, eor, eon
CASE "\op x, ror", 0, "", "\op x1, x2, x3, ror #17"
CASE "\op w, asr", 0, "", "\op w1, w2, w3, asr #7"
.endr
.irp op, and, ands, orr, eor
CASE "\op x, imm", 0, "", "\op x1, x2, #0x00ff00ff00ff00ff"
CASE "\op w, imm", 0, "", "\op w1, w2, #0x7ffe"
.endr
CASE "tst imm", 0, "", "tst x1, #0xf0f0f0f0f0f0f0f0"
CASE "tst", 0, "", "tst w1, w2"
.irp op, movz, movn, movk
CASE "\op x", 0, "", "\op x1, #0x1234, lsl #48"
CASE "\op w", 0, "", "\op w1, #0x8765, lsl #16"
.endr
.irp op, lsl, lsr, asr, ror
CASE "\op x, x", 0, "", "\op x1, x2, x3"
CASE "\op w, imm", 0, "", "\op w1, w2, #13"
.endr
.irp op, madd, msub
CASE "\op x", 0, "", "\op x1, x2, x3, x4"
CASE "\op w", 0, "", "\op w1, w2, w3, w4"
.endr
.irp op, smaddl, smsubl, umaddl, umsubl
CASE "\op", 0, "", "\op x1, w2, w3, x4"
.endr
.irp op, smulh, umulh, sdiv, udiv
CASE "\op", 0, "", "\op x1, x2, x3"
.endr
CASE "sdiv by zero", 0, "mov x3, #0", "sdiv x1, x2, x3"
CASE "udiv w", 0, "", "udiv w1, w2, w3"
CASE "bfi", 0, "", "bfi x1, x2, #5, #20"
CASE "bfxil", 0, "", "bfxil w1, w2, #5, #20"
CASE "sbfx", 0, "", "sbfx x1, x2, #7, #9"
CASE "ubfx", 0, "", "ubfx w1, w2, #7, #9"
CASE "sxtw", 0, "", "sxtw x1, w2"
CASE "extr", 0, "", "extr x1, x2, x3, #11"
.irp op, clz, cls, rbit, rev, rev16
CASE "\op x", 0, "", "\op x1, x2"
CASE "\op w", 0, "", "\op w1, w2"
.endr
CASE "rev32", 0, "", "rev32 x1, x2"
.irp op, crc32b, crc32h, crc32w, crc32cb, crc32ch, crc32cw
CASE "\op", 0, "", "\op w1, w2, w3"
.endr
CASE "crc32cx", 0, "", "crc32cx w1, w2, x3"

/* ---- out of line: conditional ---- */

.irp cc, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le, al, nv
CASE "csel \cc", 0, "", "csel x1, x2, x3, \cc"
CASE "csinc \cc", 0, "", "csinc w1, w2, w3, \cc"
CASE "csinv \cc", 0, "", "csinv x1, x2, x3, \cc"
CASE "csneg \cc", 0, "", "csneg x1, x2, x3, \cc"
CASE "ccmp \cc", 0, "", "ccmp x1, x2, #5, \cc"
CASE "ccmn \cc", 0, "", "ccmn w1, #7, #10, \cc"
CASE "fcsel \cc", FPU, "", "fcsel d1, d2, d3, \cc"
CASE "fccmp \cc", FPU, "", "fccmp d2, d3, #9, \cc"
.endr

/* ---- out of line: the stack pointer ---- */

CASE "add sp", 0, "", "add sp, sp, #48"
CASE "sub sp", HOLE, "", "sub sp, sp, #64"
CASE "sub sp, x", HOLE, "and x2, x2, #0x30", "sub sp, sp, x2"
CASE "mov x, sp", 0, "", "mov x29, sp"
CASE "mov sp, x", STACK(X2), "and x2, x2, #~15", "mov sp, x2"
CASE "add x, sp", 0, "", "add x0, sp, #8"
CASE "and sp", HOLE, "mov x2, sp", "and sp, x2, #~63"
.irp down, 16, 32, 64, 128, 240
CASE "stp x29, x30, [sp, -\down]!", HOLE, "", "stp x29, x30, [sp, #-\down]!", "ldp x0, x1, [sp]"
CASE "str x19, [sp, -\down]!", HOLE, "", "str x19, [sp, #-\down]!", "ldr x0, [sp]"
CASE "ldp x29, x30, [sp], \down", 0, "", "ldp x29, x30, [sp], #\down"
CASE "ldr x19, [sp], \down", 0, "", "ldr x19, [sp], #\down"
.endr
CASE "stp x, [sp]!", 0, "", "stp x1, x2, [sp, #-16]!"
CASE "stp w, [sp]!", HOLE, "", "stp w1, w2, [sp, #-16]!", "ldr x0, [sp]"
CASE "stp q, [sp]!", FPU, "", "stp q1, q2, [sp, #-32]!"
CASE "str q, [sp]!", FPU, "", "str q7, [sp, #-16]!"
CASE "ldp d, [sp]", FPU, "", "ldp d8, d9, [sp], #16"
CASE "stp x, [sp, 16]", 0, "", "stp x19, x20, [sp, #16]"
CASE "ldp x, [sp, 32]", 0, "", "ldp x19, x20, [sp, #32]"
CASE "str x, [sp, 24]", 0, "", "str x0, [sp, #24]"
CASE "ldrb [sp, 5]", 0, "", "ldrb w0, [sp, #5]"
CASE "str x, [sp], up", 0, "", "str x0, [sp], #16"
CASE "ldr x, [sp, x]", SMALL(X2), "", "ldr x0, [sp, x2, lsl #3]"

/* ---- out of line: loads and stores ---- */

.irp op, ldr, str
.irp reg, x2, w2
CASE "\op \reg", DATA(X1), "", "\op \reg, [x1]"
CASE "\op \reg, imm", DATA(X1), "", "\op \reg, [x1, #16]"
CASE "\op \reg, pre", DATA(X1), "", "\op \reg, [x1, #-24]!"
CASE "\op \reg, post", DATA(X1), "", "\op \reg, [x1], #40"
CASE "\op \reg, unscaled", DATA(X1), "", "\op \reg, [x1, #-13]"
CASE "\op \reg, register", DATA(X1)+SMALL(X3), "", "\op \reg, [x1, x3]"
CASE "\op \reg, sxtw", DATA(X1)+SMALL(X3), "neg w3, w3", "\op \reg, [x1, w3, sxtw]"
.endr
CASE "\op x, register shifted", DATA(X1)+SMALL(X3), "", "\op x2, [x1, x3, lsl #3]"
CASE "\op w, uxtw shifted", DATA(X1)+SMALL(X3), "", "\op w2, [x1, w3, uxtw #2]"
CASE "\op xzr, memory", DATA(X1), "", "\op xzr, [x1]"
.irp reg, b3, h3, s3, d3, q3
CASE "\op \reg", DATA(X1)+FPU, "", "\op \reg, [x1, #16]"
CASE "\op \reg, pre", DATA(X1)+FPU, "", "\op \reg, [x1, #-24]!"
CASE "\op \reg, post", DATA(X1)+FPU, "", "\op \reg, [x1], #16"
.endr
.endr
.irp op, ldrb, ldrh, ldrsb, ldrsh, strb, strh
CASE "\op", DATA(X1), "", "\op w2, [x1, #6]"
CASE "\op, pre", DATA(X1), "", "\op w2, [x1, #-3]!"
CASE "\op, post", DATA(X1), "", "\op w2, [x1], #5"
CASE "\op, register", DATA(X1)+SMALL(X3), "", "\op w2, [x1, x3]"
.endr
.irp op, ldrsb, ldrsh, ldrsw
CASE "\op x", DATA(X1), "", "\op x2, [x1, #4]"
.endr
CASE "ldr, own base", DATA(X1), "", "ldr x1, [x1]"
.irp op, ldp, stp
CASE "\op x", DATA(X1), "", "\op x2, x3, [x1, #16]"
CASE "\op w", DATA(X1), "", "\op w2, w3, [x1, #-8]"
CASE "\op x, pre", DATA(X1), "", "\op x2, x3, [x1, #-32]!"
CASE "\op x, post", DATA(X1), "", "\op x2, x3, [x1], #16"
CASE "\op q", DATA(X1)+FPU, "", "\op q2, q3, [x1, #32]"
CASE "\op d, pre", DATA(X1)+FPU, "", "\op d2, d3, [x1, #-16]!"
.endr
CASE "ldpsw", DATA(X1), "", "ldpsw x2, x3, [x1, #4]"
CASE "ldnp", DATA(X1), "", "ldnp x2, x3, [x1]"
CASE "stnp", DATA(X1), "", "stnp x2, x3, [x1]"
.irp op, ldar, ldapr, ldlar, stlr, stllr
CASE "\op x", DATA(X1), "", "\op x2, [x1]"
CASE "\op w", DATA(X1), "", "\op w2, [x1]"
.endr
.irp op, ldarb, ldaprh, stlrb, stlrh
CASE "\op", DATA(X1), "", "\op w2, [x1]"
.endr
CASE "ldapur", DATA(X1), "", "ldapur x2, [x1, #-8]"
CASE "stlur", DATA(X1), "", "stlur w2, [x1, #12]"
CASE "ldapursw", DATA(X1), "", "ldapursw x2, [x1, #4]"
CASE "ldraa", DATA(X1), "pacdza x1", "ldraa x2, [x1]"
CASE "ldrab, pre", DATA(X1), "pacdzb x1", "ldrab x2, [x1, #16]!"

/* ---- out of line: atomics ---- */

.irp op, swp, ldadd, ldclr, ldeor, ldset, ldsmax, ldsmin, ldumax, ldumin
.irp order, , a, l, al
CASE "\op\order x", DATA(X1), "", "\op\order x2, x3, [x1]"
.endr
CASE "\op w", DATA(X1), "", "\op w2, w3, [x1]"
CASE "\op\()b", DATA(X1), "", "\op\()b w2, w3, [x1]"
CASE "\op\()alh", DATA(X1), "", "\op\()alh w2, w3, [x1]"
.endr
.irp op, stadd, stclr, steor, stset, stsmax, stumin
CASE "\op x", DATA(X1), "", "\op x2, [x1]"
CASE "\op w", DATA(X1), "", "\op w2, [x1]"
.endr
.irp order, , a, l, al
CASE "cas\order, differs", DATA(X1), "", "cas\order x2, x3, [x1]"
CASE "cas\order, the same", DATA(X1), "ldr x2, [x1]", "cas\order x2, x3, [x1]"
.endr
CASE "casb", DATA(X1), "ldr x2, [x1]", "casb w2, w3, [x1]"
CASE "casp", DATA(X1), "and x1, x1, #~15; ldp x2, x3, [x1]", "casp x2, x3, x4, x5, [x1]"
CASE "casp, differs", DATA(X1), "and x1, x1, #~15", "caspal x2, x3, x4, x5, [x1]"

/* ---- out of line: vectors ---- */

CASE "fmov d, x", FPU, "", "fmov d5, x2"
CASE "fmov x, d", FPU, "", "fmov x2, d5"
CASE "fmov imm", FPU, "", "fmov d5, #1.5"
CASE "movi", FPU, "", "movi v5.16b, #0x5a"
CASE "umov", FPU, "", "umov x2, v5.d[1]"
CASE "ins", FPU, "", "ins v5.s[2], w2"
CASE "dup", FPU, "", "dup v5.4s, w2"
CASE "add", FPU, "", "add v5.4s, v6.4s, v7.4s"
CASE "addv", FPU, "", "addv s5, v6.4s"
CASE "mul", FPU, "", "mul v5.8h, v6.8h, v7.8h"
CASE "cmeq", FPU, "", "cmeq v5.2d, v6.2d, v7.2d"
CASE "tbl", FPU, "", "tbl v5.16b, {v6.16b, v7.16b}, v8.16b"
CASE "ext", FPU, "", "ext v5.16b, v6.16b, v7.16b, #5"
CASE "cnt", FPU, "", "cnt v5.16b, v6.16b"
CASE "sqadd", FPU, "", "sqadd v5.4s, v6.4s, v7.4s"
CASE "fadd", FPU, "", "fadd d5, d6, d7"
CASE "fmul v", FPU, "", "fmul v5.4s, v6.4s, v7.4s"
CASE "fmadd", FPU, "", "fmadd d5, d6, d7, d8"
CASE "fdiv", FPU, "", "fdiv s5, s6, s7"
CASE "fsqrt", FPU, "", "fsqrt d5, d6"
CASE "fcmp", FPU, "", "fcmp d5, d6"
CASE "fcmp zero", FPU, "", "fcmp s5, #0.0"
CASE "fcvtzs", FPU, "", "fcvtzs x2, d5"
CASE "scvtf", FPU, "", "scvtf d5, x2"
CASE "fcvt", FPU, "", "fcvt h5, d6"
CASE "frintx", FPU, "", "frintx d5, d6"
CASE "aese", FPU, "", "aese v5.16b, v6.16b"
CASE "aesmc", FPU, "", "aesmc v5.16b, v6.16b"
CASE "pmull", FPU, "", "pmull v5.1q, v6.1d, v7.1d"
CASE "sha1h", FPU, "", "sha1h s5, s6"
CASE "sha256h", FPU, "", "sha256h q5, q6, v7.4s"
CASE "sha512h", FPU, "", "sha512h q5, q6, v7.2d"
CASE "eor3", FPU, "", "eor3 v5.16b, v6.16b, v7.16b, v8.16b"
CASE "sm4e", FPU, "", "sm4e v5.4s, v6.4s"
CASE "sdot", FPU, "", "sdot v5.4s, v6.16b, v7.16b"
CASE "bfdot", FPU, "", "bfdot v5.4s, v6.8h, v7.8h"
CASE "mrs fpsr", FPU, "sqadd v5.4s, v6.4s, v7.4s", "mrs x2, fpsr"
CASE "msr fpsr", FPU, "", "msr fpsr, x2"
CASE "ld1", DATA(X1)+FPU, "", "ld1 {v5.16b}, [x1]"
CASE "ld1, four, post", DATA(X1)+FPU, "", "ld1 {v5.2d, v6.2d, v7.2d, v8.2d}, [x1], #64"
CASE "ld1, lane", DATA(X1)+FPU, "", "ld1 {v5.s}[1], [x1]"
CASE "ld1r", DATA(X1)+FPU, "", "ld1r {v5.4s}, [x1]"
CASE "ld2, post by register", DATA(X1)+FPU, "", "ld2 {v5.8h, v6.8h}, [x1], x2"
CASE "ld4", DATA(X1)+FPU, "", "ld4 {v5.8b, v6.8b, v7.8b, v8.8b}, [x1]"
CASE "st1", DATA(X1)+FPU, "", "st1 {v5.16b, v6.16b}, [x1]"
CASE "st3, post", DATA(X1)+FPU, "", "st3 {v5.4s, v6.4s, v7.4s}, [x1], #48"
CASE "st4, lane", DATA(X1)+FPU, "", "st4 {v5.b, v6.b, v7.b, v8.b}[3], [x1]"

	.section .data.diff_cases, "aw", %progbits
	.globl	diff_cases_end
diff_cases_end:

	.section .note.GNU-stack, "", %progbits
