/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes, with the tables that a kernel has.  What it must
 * say of each stands in the line with its label.  A symbol begins a function:
 * test-tool takes away those that begin with at_.  It links this where a
 * kernel's text is, with init text far behind.
 */
	.abiversion 2
	.machine power10

	.macro function name
	.p2align 6
	.globl \name
\name:
	.endm

	.text
function plain				/* jump */
	addi	3, 3, 1
at_plain_memory:			/* jump */
	ld	3, 0(3)
at_plain_frame:				/* jump */
	stdu	1, -112(1)
at_plain_moved:				/* jump */
	mflr	0
at_plain_return:			/* jump */
	blr

function branched			/* jump */
	beq	at_branched_to
at_branched_call:			/* jump */
	bl	plain
at_branched_to:				/* jump */
	bdnz	branched
at_branched_indirect:			/* jump */
	bctrl
at_branched_linked:			/* trap: register to spare */
	blrl
at_branched_tar:			/* refused: branch to the target address register */
	bctar	20, 0
	blr

function faults				/* jump */
	li	3, 0
at_faults_here:				/* trap: exception table */
	lwz	3, 0(4)
at_faults_fixed:			/* jump */
	blr
	.pushsection __ex_table, "a"
	.long	at_faults_here - .
	.long	at_faults_fixed - .
	.popsection

function labelled			/* jump */
	li	3, 0
at_labelled_here:			/* refused: jump label */
	nop
at_labelled_target:			/* jump */
	blr
	.pushsection __jump_table, "a"
	.long	at_labelled_here - .
	.long	at_labelled_target - .
	.quad	0
	.popsection

function warns				/* jump */
	li	4, 0
at_warns_here:				/* refused: WARN */
	tdnei	3, 0
at_warns_trap:				/* refused: breakpoint */
	trap
	blr
	.pushsection __bug_table, "a"
	.long	at_warns_here - .
	.long	0
	.short	0, 0
	.popsection

function traced				/* ftrace: call site */
	mflr	0
at_traced_site:				/* ftrace: call site */
	bl	_mcount
at_traced_behind:			/* jump */
	blr
	.pushsection __mcount_loc, "a"
	.quad	at_traced_site
	.popsection

function reserved			/* jump */
	li	5, 1
at_reserved_load:			/* refused: load-reserve, whose reservation */
	lwarx	4, 0, 3
at_reserved_inside:			/* refused: between a load-reserve */
	add	4, 4, 5
at_reserved_store:			/* refused: conditional store */
	stwcx.	4, 0, 3
at_reserved_again:			/* jump */
	bne-	at_reserved_load
	blr

function switches			/* jump */
	mfmsr	3
at_switches_msr:			/* refused: writes the machine state register */
	mtmsrd	3, 1
at_switches_saved:			/* refused: register that traps overwrite */
	mtsrr0	3
at_switches_back:			/* refused: returns from an interrupt */
	rfid

function flushes			/* jump */
	nop
at_flushes_here:			/* refused: branch that decrements */
	.long	0x4c400420		/* bcctr 2,0: not for the assembler */
	blr

function prefixed			/* jump */
	pld	3, 16(3)
at_prefixed_relative:			/* jump */
	pla	3, prefixed@pcrel
at_prefixed_vector:			/* refused: PC-relative access */
	plfd	1, prefixed@pcrel(0), 1
	blr

function featured			/* jump */
	li	3, 0
at_featured_section:			/* jump */
	nop
at_featured_end:			/* jump */
	blr
	.pushsection __ftr_fixup, "a"
3:	.quad	1, 1
	.quad	at_featured_section - 3b, at_featured_end - 3b, 0, 0
	.popsection

function windowed			/* jump */
	li	3, 0
at_windowed_here:			/* refused: traps are not allowed here */
	std	3, 0(1)
at_windowed_end:			/* jump */
	blr
	.pushsection __restart_table, "a"
	.quad	at_windowed_here, at_windowed_end, at_windowed_end
	.popsection

function data				/* refused: on an instruction boundary */
	.long	0
at_data_behind:				/* refused: constant among the instructions */
	blr

function jumps_by_table			/* jump */
	mtctr	3
at_jumps_branch:			/* jump */
	bctr
at_jumps_first:			/* refused: on an instruction boundary */
	.long	0x44
at_jumps_negative:			/* refused: constant among the instructions */
	.long	-200
at_jumps_other:			/* refused: constant among the instructions */
	.long	-0x14b8
at_jumps_last:			/* refused: on an instruction boundary */
	.long	0x48
at_jumps_case:			/* jump */
	fmr	1, 2
	blr

function _mcount			/* jump */
	bctr

	.section .init.text, "ax"
	.globl __init_begin
__init_begin:
	nop
	.section .note.GNU-stack, "", @progbits
