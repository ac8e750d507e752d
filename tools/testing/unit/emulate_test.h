/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What emulate_test.c and emulate_native.c share: one program, which counts what rows of the
 * emulation's table were run.
 */
#ifndef LKP_UNIT_EMULATE_TEST_H
#define LKP_UNIT_EMULATE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bytes.h"
#include "native.h"

#define FLAG_AF		0x10ul
#define FLAG_DF		0x400ul
#define FLAG_IOPL	0x3000ul
#define FLAG_NT		0x4000ul
#define FLAG_VM		0x20000ul
#define FLAG_AC		0x40000ul
#define FLAG_VIF	0x80000ul
#define FLAG_VIP	0x100000ul
#define FLAG_ID		0x200000ul
#define FLAG_ALWAYS	0x2ul

#define STATUS_FLAGS	(EMULATE_FLAG_CF | EMULATE_FLAG_PF | FLAG_AF | EMULATE_FLAG_ZF | \
			 EMULATE_FLAG_SF | EMULATE_FLAG_OF)

#define FS_BASE		0x7700000000ul

/* Is all of that in the memory that instructions may use? */
bool in_memory(u64 addr, unsigned int size);

/* Deterministic random numbers; and registers, with which an instruction can run. */
u64 rnd(void);
struct emulate_regs random_regs(void);

/* Decode, and emulate, what must succeed. */
struct insn decode_ok(const u8 *bytes, size_t len);
void emulate_ok(const u8 *bytes, size_t len, struct emulate_regs *regs);

void assert_regs_equal(const struct emulate_regs *a, const struct emulate_regs *b);
u64 load64(u64 addr);
void store64(u64 addr, u64 val);

/* The cases of emulate_native.c. */
void every_jcc_with_every_flag_as_native(void **state);
void every_loop_at_its_edges_as_native(void **state);
void direct_jumps_and_calls_as_native(void **state);
void returns_as_native(void **state);
void nops_as_native(void **state);
void pushf_as_native(void **state);
void popf_as_native(void **state);
void branches_through_every_register_as_native(void **state);
void every_addressing_form_as_native(void **state);

#endif /* LKP_UNIT_EMULATE_TEST_H */
