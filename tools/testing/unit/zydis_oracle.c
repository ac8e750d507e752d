// SPDX-License-Identifier: GPL-2.0-only
/*
 * Millions of random byte strings, decoded by arch/x86/insn.c and by Zydis:
 * validity, length, class and the reason of a refusal must agree, except where
 * a row of the table below says why they don't.  Of what insn_is_local() is true for Zydis
 * must know no operand but general registers, without rsp, and flags.
 *
 *	zydis_oracle [strings [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "../../../arch/x86/insn.h"

#define MAX_SHOWN	40

/* One string and the results of both decoders. */
struct trial {
	u8 bytes[INSN_MAX_LENGTH];
	enum insn_status status;
	struct insn insn;
	bool z_ok;
	ZydisDecodedInstruction z;
};

struct verdict {
	u8 class;
	u8 refuse;
};

/* Mnemonics that can't be probed, and why. */
static const struct {
	ZydisMnemonic mnemonic;
	enum insn_refuse why;
} refused[] = {
	{ ZYDIS_MNEMONIC_INT3, INSN_REFUSE_BREAKPOINT },
	{ ZYDIS_MNEMONIC_INT1, INSN_REFUSE_BREAKPOINT },
	{ ZYDIS_MNEMONIC_INT, INSN_REFUSE_SOFT_INTERRUPT },
	{ ZYDIS_MNEMONIC_UD0, INSN_REFUSE_UNDEFINED },
	{ ZYDIS_MNEMONIC_UD1, INSN_REFUSE_UNDEFINED },
	{ ZYDIS_MNEMONIC_UD2, INSN_REFUSE_UNDEFINED },
	{ ZYDIS_MNEMONIC_SYSCALL, INSN_REFUSE_SYSCALL },
	{ ZYDIS_MNEMONIC_SYSRET, INSN_REFUSE_SYSCALL },
	{ ZYDIS_MNEMONIC_SYSENTER, INSN_REFUSE_SYSCALL },
	{ ZYDIS_MNEMONIC_SYSEXIT, INSN_REFUSE_SYSCALL },
	{ ZYDIS_MNEMONIC_IRET, INSN_REFUSE_FAR_TRANSFER },
	{ ZYDIS_MNEMONIC_IRETD, INSN_REFUSE_FAR_TRANSFER },
	{ ZYDIS_MNEMONIC_IRETQ, INSN_REFUSE_FAR_TRANSFER },
	{ ZYDIS_MNEMONIC_RSM, INSN_REFUSE_FAR_TRANSFER },
	{ ZYDIS_MNEMONIC_GETSEC, INSN_REFUSE_FAR_TRANSFER },
	{ ZYDIS_MNEMONIC_SWAPGS, INSN_REFUSE_SWAPGS },
	{ ZYDIS_MNEMONIC_HLT, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_MWAIT, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_MWAITX, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_UMWAIT, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_TPAUSE, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_TDCALL, INSN_REFUSE_HALT },
	{ ZYDIS_MNEMONIC_VMLAUNCH, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_VMRESUME, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_VMFUNC, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_VMRUN, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_SKINIT, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_SEAMRET, INSN_REFUSE_VIRT },
	{ ZYDIS_MNEMONIC_XBEGIN, INSN_REFUSE_TRANSACTION },
	{ ZYDIS_MNEMONIC_XABORT, INSN_REFUSE_TRANSACTION },
	{ ZYDIS_MNEMONIC_XEND, INSN_REFUSE_TRANSACTION },
	{ ZYDIS_MNEMONIC_UIRET, INSN_REFUSE_USER_INTERRUPT },
	{ ZYDIS_MNEMONIC_TESTUI, INSN_REFUSE_USER_INTERRUPT },
	{ ZYDIS_MNEMONIC_CLUI, INSN_REFUSE_USER_INTERRUPT },
	{ ZYDIS_MNEMONIC_STUI, INSN_REFUSE_USER_INTERRUPT },
	{ ZYDIS_MNEMONIC_SENDUIPI, INSN_REFUSE_USER_INTERRUPT },
};

static bool far_branch(const ZydisDecodedInstruction *z)
{
	return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

/* Its immediate is relative: a direct branch. */
static bool direct(const ZydisDecodedInstruction *z)
{
	return z->attributes & ZYDIS_ATTRIB_IS_RELATIVE;
}

static enum insn_class branch_class(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		return direct(z) && !(z->attributes & ZYDIS_ATTRIB_HAS_MODRM) ?
		       INSN_JMP : INSN_JMP_IND;
	case ZYDIS_MNEMONIC_CALL:
		return direct(z) && !(z->attributes & ZYDIS_ATTRIB_HAS_MODRM) ?
		       INSN_CALL : INSN_CALL_IND;
	case ZYDIS_MNEMONIC_RET:
		return INSN_RET;
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
		return INSN_LOOP;
	default:
		return z->meta.category == ZYDIS_CATEGORY_COND_BR ? INSN_JCC : INSN_SLOT;
	}
}

static bool has_66(const ZydisDecodedInstruction *z)
{
	return z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;
}

static bool names_ss(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_MOV && z->opcode == 0x8e &&
	       z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->raw.modrm.reg == 2;
}

static enum insn_class other_class(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
		/* The rest of the hint space may get a meaning and goes to the slot. */
		return z->opcode == 0x90 || (z->opcode == 0x1f && z->raw.modrm.reg == 0) ?
		       INSN_NOP : INSN_SLOT;
	case ZYDIS_MNEMONIC_ENDBR32:
	case ZYDIS_MNEMONIC_ENDBR64:
		return INSN_NOP;
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return INSN_PUSHF;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ:
		return INSN_POPF;
	case ZYDIS_MNEMONIC_CLI:
		return INSN_CLI;
	case ZYDIS_MNEMONIC_STI:
		return INSN_STI;
	default:
		return INSN_SLOT;
	}
}

static struct verdict expected(const ZydisDecodedInstruction *z)
{
	struct verdict v = { INSN_REFUSED, INSN_REFUSE_NONE };
	unsigned int i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (refused[i].mnemonic == z->mnemonic) {
			v.refuse = refused[i].why;
			return v;
		}
	}
	if (far_branch(z)) {
		v.refuse = INSN_REFUSE_FAR_TRANSFER;
		return v;
	}
	if (names_ss(z)) {
		v.refuse = INSN_REFUSE_STACK_SHADOW;
		return v;
	}
	v.class = branch_class(z);
	if (v.class == INSN_SLOT) {
		v.class = other_class(z);
	} else if (has_66(z) && !z->raw.rex.W) {
		v.class = INSN_REFUSED;
		v.refuse = INSN_REFUSE_BRANCH16;
	}
	return v;
}

/* Explained differences */

struct explained {
	bool (*holds)(const struct trial *t, const struct explained *row);
	u8 encoding, map, first, last;
	const char *name;
	const char *why;
	u64 count;
};

/* Only Zydis takes it. */
static bool only_zydis(const struct trial *t)
{
	return t->z_ok && t->status == INSN_INVALID;
}

/* Only we take it, and it is one of the row's opcodes. */
static bool newer(const struct trial *t, const struct explained *row)
{
	const struct insn *insn = &t->insn;

	return !t->z_ok && t->status == INSN_OK && insn->encoding == row->encoding &&
	       insn->map == row->map && insn->opcode >= row->first && insn->opcode <= row->last;
}

static bool newer_memory(const struct trial *t, const struct explained *row)
{
	return newer(t, row) && t->insn.flags & INSN_HAS_MEM;
}

static bool lkgs(const struct trial *t, const struct explained *row)
{
	return newer(t, row) && t->insn.prefixes & INSN_PFX_F2 && (t->insn.modrm & 0x38) == 0x30;
}

static bool system_c6(const struct trial *t, const struct explained *row)
{
	return newer(t, row) && t->insn.modrm == 0xc6;
}

static bool fred_return(const struct trial *t, const struct explained *row)
{
	return newer(t, row) && t->insn.modrm == 0xca;
}

static bool branch16(const struct trial *t, const struct explained *row)
{
	(void)row;
	return only_zydis(t) && branch_class(&t->z) != INSN_SLOT && direct(&t->z) &&
	       has_66(&t->z) && !t->z.raw.rex.W && t->z.raw.imm[0].size == 32;
}

static bool knc_mvex(const struct trial *t, const struct explained *row)
{
	(void)row;
	return only_zydis(t) && t->z.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX;
}

static bool knc_vex(const struct trial *t, const struct explained *row)
{
	(void)row;
	if (!only_zydis(t) || t->z.encoding != ZYDIS_INSTRUCTION_ENCODING_VEX)
		return false;
	switch (t->z.mnemonic) {
	case ZYDIS_MNEMONIC_JKZD:
	case ZYDIS_MNEMONIC_JKNZD:
	case ZYDIS_MNEMONIC_KANDNR:
	case ZYDIS_MNEMONIC_KMERGE2L1H:
	case ZYDIS_MNEMONIC_KMERGE2L1L:
	case ZYDIS_MNEMONIC_KCONCATH:
	case ZYDIS_MNEMONIC_KCONCATL:
	case ZYDIS_MNEMONIC_KEXTRACT:
	case ZYDIS_MNEMONIC_KAND:
	case ZYDIS_MNEMONIC_KANDN:
	case ZYDIS_MNEMONIC_KOR:
	case ZYDIS_MNEMONIC_KXNOR:
	case ZYDIS_MNEMONIC_KXOR:
	case ZYDIS_MNEMONIC_DELAY:
	case ZYDIS_MNEMONIC_SPFLT:
	case ZYDIS_MNEMONIC_CLEVICT0:
	case ZYDIS_MNEMONIC_CLEVICT1:
	case ZYDIS_MNEMONIC_VPREFETCH0:
	case ZYDIS_MNEMONIC_VPREFETCH1:
	case ZYDIS_MNEMONIC_VPREFETCH2:
	case ZYDIS_MNEMONIC_VPREFETCHE0:
	case ZYDIS_MNEMONIC_VPREFETCHE1:
	case ZYDIS_MNEMONIC_VPREFETCHE2:
	case ZYDIS_MNEMONIC_VPREFETCHENTA:
	case ZYDIS_MNEMONIC_VPREFETCHNTA:
	case ZYDIS_MNEMONIC_POPCNT:
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_TZCNT:
	case ZYDIS_MNEMONIC_TZCNTI:
		return true;
	default:
		return false;
	}
}

static bool x87_only_zydis(const struct trial *t)
{
	return only_zydis(t) && t->z.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       t->z.opcode >= 0xd8 && t->z.opcode <= 0xdf && t->z.raw.modrm.mod == 3;
}

static bool x87_alias(const struct trial *t, const struct explained *row)
{
	(void)row;
	if (!x87_only_zydis(t))
		return false;
	switch (t->z.opcode << 4 | t->z.raw.modrm.reg) {
	case 0xd93:			/* fstpnce */
	case 0xdc2: case 0xdc3:		/* fcom, fcomp */
	case 0xdd1:			/* fxch */
	case 0xde2:			/* fcomp */
	case 0xdf1: case 0xdf2: case 0xdf3:	/* fxch, fstp, fstp */
		return true;
	default:
		return false;
	}
}

static bool x87_nop(const struct trial *t, const struct explained *row)
{
	(void)row;
	if (!x87_only_zydis(t) || t->z.opcode != 0xdb || t->z.raw.modrm.reg != 4)
		return false;
	return t->z.raw.modrm.rm < 2 || t->z.raw.modrm.rm == 4;
}

static bool prefetch_register(const struct trial *t, const struct explained *row)
{
	(void)row;
	return only_zydis(t) && t->z.opcode_map == ZYDIS_OPCODE_MAP_0F && t->z.opcode == 0x0d &&
	       t->z.raw.modrm.mod == 3;
}

static bool amd_prefix(const struct trial *t, const struct explained *row)
{
	(void)row;
	if (!only_zydis(t))
		return false;
	switch (t->z.mnemonic) {
	case ZYDIS_MNEMONIC_CLZERO:
		return memchr(t->bytes, 0xf2, t->z.length) || memchr(t->bytes, 0xf3, t->z.length);
	case ZYDIS_MNEMONIC_RDPRU:
		return memchr(t->bytes, 0x66, t->z.length) || memchr(t->bytes, 0xf2, t->z.length);
	default:
		return false;
	}
}

#define LEGACY_0F	INSN_LEGACY, INSN_MAP_0F
#define VEX_0F38	INSN_VEX, INSN_MAP_0F38

static struct explained explained[] = {
	{ branch16, 0, 0, 0, 0, "branch16", "Intel runs jmp rel32, AMD jmp rel16: no one length", 0 },
	{ knc_mvex, 0, 0, 0, 0, "knc-mvex", "Knights Corner's MVEX; #UD on every other processor", 0 },
	{ knc_vex, 0, 0, 0, 0, "knc-vex", "Knights Corner's VEX; #UD on every other processor", 0 },
	{ x87_alias, 0, 0, 0, 0, "x87-alias", "undocumented aliases, which objdump rejects too", 0 },
	{ x87_nop, 0, 0, 0, 0, "x87-nop", "feni, fdisi, fsetpm: the 8087 and 287 only", 0 },
	{ prefetch_register, 0, 0, 0, 0, "prefetch-register", "#UD on AMD, a nop on Intel", 0 },
	{ amd_prefix, 0, 0, 0, 0, "amd-prefix",
	  "clzero with F2, F3 is #UD (tried on Zen); rdpru has no 66, F2 form", 0 },
	{ newer, LEGACY_0F, 0x1a, 0x1b, "mpx",
	  "#UD by rules of MPX's; a hint on processors without it", 0 },
	{ lkgs, LEGACY_0F, 0x00, 0x00, "lkgs", "FRED: Zydis 4.0 does not know it", 0 },
	{ fred_return, LEGACY_0F, 0x01, 0x01, "erets-eretu", "FRED: Zydis 4.0 does not know it", 0 },
	{ system_c6, LEGACY_0F, 0x01, 0x01, "msrlist", "Zydis 4.0 does not know it", 0 },
	{ newer_memory, INSN_LEGACY, INSN_MAP_0F38, 0xfc, 0xfc, "rao-int",
	  "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0x50, 0x51, "avx-vnni-int8", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0xd2, 0xd3, "avx-vnni-int16", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0x5c, 0x5c, "amx-fp16", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0x6c, 0x6c, "amx-complex", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0x72, 0x72, "avx-ne-convert", "Zydis 4.0 does not know it", 0 },
	{ newer_memory, VEX_0F38, 0xb0, 0xb1, "avx-ne-load", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0xb4, 0xb5, "avx-ifma", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0xcb, 0xcd, "sha512", "Zydis 4.0 does not know it", 0 },
	{ newer, VEX_0F38, 0xda, 0xda, "sm3-sm4", "Zydis 4.0 does not know it", 0 },
	{ newer, INSN_VEX, INSN_MAP_0F3A, 0xde, 0xde, "sm3rnds2", "Zydis 4.0 does not know it", 0 },
	{ newer_memory, VEX_0F38, 0xe0, 0xef, "cmpccxadd", "Zydis 4.0 does not know it", 0 },
};

#define NR_EXPLAINED	(sizeof(explained) / sizeof(explained[0]))

/* The byte strings */

static u64 state;

static u64 rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned int rnd_below(unsigned int n)
{
	return (rnd() >> 20) % n;
}

/* True once in @n. */
static bool rnd_once_in(unsigned int n)
{
	return !rnd_below(n);
}

static unsigned int put_prefixes(u8 *bytes)
{
	static const u8 prefixes[] = {
		0x66, 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x26, 0x36, 0x64, 0x65,
	};
	unsigned int i, n = rnd_below(4);

	for (i = 0; i < n; i++) {
		bytes[i] = prefixes[rnd_below(sizeof(prefixes))];
		if (rnd_once_in(16))
			bytes[i] = 0x40 + rnd_below(16);
	}
	if (rnd_once_in(2))
		bytes[n++] = 0x40 + rnd_below(16);
	return n;
}

static void put_legacy(u8 *bytes)
{
	static const u8 escapes[][2] = { { 0 }, { 0x0f }, { 0x0f, 0x38 }, { 0x0f, 0x3a } };
	unsigned int n = put_prefixes(bytes), map = rnd_below(4);

	if (map)
		bytes[n++] = escapes[map][0];
	if (map > 1)
		bytes[n++] = escapes[map][1];
}

/* The vvvv field of @byte: unused, mostly. */
static u8 calm_vvvv(u8 byte)
{
	return rnd_once_in(2) ? byte : byte | 0x78;
}

static void put_vex(u8 *bytes)
{
	unsigned int n = rnd_once_in(8) ? put_prefixes(bytes) : 0;

	if (rnd_once_in(4)) {
		bytes[n] = 0xc5;
		bytes[n + 1] = calm_vvvv(bytes[n + 1]);
		return;
	}
	bytes[n] = 0xc4;
	bytes[n + 1] = (bytes[n + 1] & 0xe0) | (1 + rnd_below(rnd_once_in(8) ? 16 : 3));
	bytes[n + 2] = calm_vvvv(bytes[n + 2]);
}

static void put_xop(u8 *bytes)
{
	unsigned int n = rnd_once_in(8) ? put_prefixes(bytes) : 0;

	bytes[n] = 0x8f;
	bytes[n + 1] = (bytes[n + 1] & 0xe0) | (8 + rnd_below(rnd_once_in(8) ? 16 : 3));
	bytes[n + 2] = calm_vvvv(bytes[n + 2]) & (rnd_once_in(4) ? 0xff : 0xfc);
}

static void put_evex(u8 *bytes)
{
	static const u8 maps[] = { 1, 2, 3, 5, 6 };
	unsigned int n = rnd_once_in(8) ? put_prefixes(bytes) : 0;

	bytes[n] = 0x62;
	if (!rnd_once_in(8))
		bytes[n + 1] = (bytes[n + 1] & 0xf0) | maps[rnd_below(5)];
	if (rnd_once_in(2))
		bytes[n + 1] |= 0x10;
	bytes[n + 2] = calm_vvvv(bytes[n + 2]) | 0x04;
	if (rnd_once_in(2))
		bytes[n + 3] &= 0x6f;
	if (rnd_once_in(2))
		bytes[n + 3] = (bytes[n + 3] & 0xf8) | 0x08;
}

static void make_string(u8 *bytes)
{
	static void (*const put[])(u8 *bytes) = {
		put_legacy, put_legacy, put_vex, put_evex, put_evex, put_xop,
	};
	u64 random[2] = { rnd(), rnd() };
	unsigned int kind = rnd_below(8);

	memcpy(bytes, random, INSN_MAX_LENGTH);
	if (kind < sizeof(put) / sizeof(put[0]))
		put[kind](bytes);
}

/* Comparing */

static u64 nr_local;

static bool same(const struct trial *t)
{
	struct verdict v;

	if (t->z_ok != (t->status == INSN_OK))
		return false;
	if (!t->z_ok)
		return true;
	v = expected(&t->z);
	return t->z.length == t->insn.length && v.class == t->insn.class &&
	       v.refuse == t->insn.refuse;
}

static bool is_local_operand(const ZydisDecodedOperand *op)
{
	if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return true;
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return op->mem.type == ZYDIS_MEMOP_TYPE_AGEN &&
		       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
							op->mem.base) != ZYDIS_REGISTER_RSP;
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	switch (ZydisRegisterGetClass(op->reg.value)) {
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
							op->reg.value) != ZYDIS_REGISTER_RSP;
	case ZYDIS_REGCLASS_FLAGS:
		return true;
	case ZYDIS_REGCLASS_SEGMENT:
		return op->actions == ZYDIS_OPERAND_ACTION_READ;
	default:
		return false;
	}
}

static bool local_is_local(const struct trial *t, const ZydisDecoder *decoder)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	unsigned int i;

	if (t->status != INSN_OK || !t->z_ok || !insn_is_local(&t->insn))
		return true;
	nr_local++;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, t->bytes, INSN_MAX_LENGTH, &z, ops)))
		return false;
	for (i = 0; i < z.operand_count; i++)
		if (!is_local_operand(&ops[i]))
			return false;
	return true;
}

static void show(const struct trial *t)
{
	struct verdict v = t->z_ok ? expected(&t->z) : (struct verdict){ 0 };
	unsigned int i;

	printf("# ");
	for (i = 0; i < INSN_MAX_LENGTH; i++)
		printf("%02x ", t->bytes[i]);
	printf(" ours %d/%u/%s/%u", t->status, t->insn.length, insn_class_name(t->insn.class),
	       t->insn.refuse);
	if (t->z_ok)
		printf(" zydis %u/%s/%u %s\n", t->z.length, insn_class_name(v.class), v.refuse,
		       ZydisMnemonicGetString(t->z.mnemonic));
	else
		printf(" zydis invalid\n");
}

static bool explain(const struct trial *t)
{
	unsigned int i;

	for (i = 0; i < NR_EXPLAINED; i++) {
		if (explained[i].holds(t, &explained[i])) {
			explained[i].count++;
			return true;
		}
	}
	return false;
}

static void run_trial(struct trial *t, const ZydisDecoder *decoder)
{
	make_string(t->bytes);
	t->status = insn_decode(&t->insn, t->bytes, INSN_MAX_LENGTH);
	t->z_ok = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, t->bytes,
							     INSN_MAX_LENGTH, &t->z));
}

static void report(u64 strings, u64 valid, u64 unexplained)
{
	unsigned int i;

	printf("# %" PRIu64 " strings, %" PRIu64 " of them valid, %" PRIu64 " local\n", strings,
	       valid, nr_local);
	for (i = 0; i < NR_EXPLAINED; i++)
		printf("# explained %8" PRIu64 " %s: %s\n", explained[i].count,
		       explained[i].name, explained[i].why);
	printf("TAP version 13\n1..1\n");
	printf("%s 1 - zydis_oracle: %" PRIu64 " unexplained differences in %" PRIu64 " strings\n",
	       unexplained || !valid ? "not ok" : "ok", unexplained, strings);
}

int main(int argc, char **argv)
{
	u64 strings = argc > 1 ? strtoull(argv[1], NULL, 0) : 10000000;
	u64 i, valid = 0, unexplained = 0;
	ZydisDecoder decoder;
	struct trial t;

	state = 0x9e3779b97f4a7c15ull + (argc > 2 ? strtoull(argv[2], NULL, 0) : 0);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (i = 0; i < strings; i++) {
		run_trial(&t, &decoder);
		valid += t.status == INSN_OK;
		if ((same(&t) || explain(&t)) && local_is_local(&t, &decoder))
			continue;
		if (unexplained++ < MAX_SHOWN)
			show(&t);
	}
	report(strings, valid, unexplained);
	return unexplained || !valid;
}
