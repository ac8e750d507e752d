/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points for tools/kprobes, with the tables that a module has.  What it must
 * say of each stands in the line with its label.  A symbol begins a function:
 * test-tool takes away those that begin with at_.
 */
	.arch armv8.3-a

	.macro function name
	.p2align 4
	.globl \name
\name:
	.endm

	.text
function plain				/* jump */
	add	x0, x0, #1
at_plain_memory:			/* jump */
	ldr	x1, [x0]
at_plain_signed:			/* jump */
	paciasp
at_plain_return:			/* jump */
	ret

function branched			/* jump */
	b.ne	at_branched_to
at_branched_call:			/* jump */
	bl	imported
at_branched_to:				/* jump */
	cbz	x0, branched
at_branched_indirect:			/* jump */
	blr	x3
at_branched_linked:			/* trap: register to spare */
	blr	x30
	ret

function faults				/* jump */
	mov	x0, #0
at_faults_here:				/* trap: exception table */
	ldtr	x0, [x1]
at_faults_fixed:			/* jump */
	ret
	.pushsection __ex_table, "a"
	.long at_faults_here - .
	.long at_faults_fixed - .
	.short 0, 0
	.popsection

function labelled			/* jump */
	mov	x0, #0
at_labelled_here:			/* refused: jump label */
	nop
at_labelled_target:			/* jump */
	ret
	.pushsection __jump_table, "a"
	.long at_labelled_here - .
	.long at_labelled_target - .
	.quad 0
	.popsection

function bugs				/* refused: BUG */
	brk	#0x800
	ret
	.pushsection __bug_table, "a"
	.long bugs - .
	.long 0
	.short 0, 0
	.popsection

function traced				/* jump */
	nop
at_traced_site:				/* ftrace: tracer */
	nop
at_traced_behind:			/* jump */
	stp	x29, x30, [sp, #-16]!
	ret
	.pushsection __patchable_function_entries, "a"
	.quad traced
	.popsection

/* From Linux 6.2 on, a word that the tracer reads may stand before a function. */
	.p2align 4
at_pointed_word:			/* refused: padding */
	nop
	nop
	.globl pointed
pointed:				/* jump */
	nop
at_pointed_site:			/* ftrace: tracer */
	nop
at_pointed_behind:			/* jump */
	ret
	.pushsection __patchable_function_entries, "a"
	.quad at_pointed_word
	.popsection

function alternative			/* jump */
	mov	x0, #0
at_alternative_here:			/* jump */
	nop
	ret
	.pushsection .altinstructions, "a"
	.long at_alternative_here - .
	.long alternative - .
	.short 0
	.byte 4, 4
	.popsection

function exclusive			/* jump */
	mov	x2, #1
at_exclusive_load:			/* refused: exclusive load or store */
	ldxr	w0, [x1]
at_exclusive_between:			/* refused: between an exclusive load */
	add	w0, w0, w2
at_exclusive_store:			/* refused: exclusive load or store */
	stxr	w3, w0, [x1]
at_exclusive_behind:			/* jump */
	cbnz	w3, at_exclusive_load
	ret

function waits				/* jump */
	nop
	ldxr	w0, [x1]
at_waits_between:			/* trap: between an exclusive load and a wait */
	eor	w0, w0, w2
	cbnz	w0, at_waits_behind
	wfe
at_waits_behind:			/* jump */
	mov	w0, #0
	ret

function literals			/* jump */
	ldr	x0, at_literals_pool
at_literals_vector:			/* trap: register to spare */
	ldr	q0, at_literals_pool
at_literals_zero:			/* trap: register to spare */
	ldr	xzr, at_literals_pool
at_literals_address:			/* jump */
	adr	x0, at_literals_pool
	ret
at_literals_pool:			/* refused: not on an instruction boundary */
	.quad	0x0600000006000000, 0

function system				/* refused: waits for an interrupt or event */
	wfe
at_system_masks:			/* jump */
	msr	daifset, #2
at_system_register:			/* refused: writes a system register */
	msr	tpidr_el1, x0
at_system_state:			/* refused: register that a trap overwrites */
	mrs	x0, esr_el1
at_system_call:				/* refused: higher exception level */
	hvc	#0
	ret
