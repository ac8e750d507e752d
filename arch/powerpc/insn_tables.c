// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions that are not of the vector and floating-point units, and
 * the prefixed ones.
 */
#include "insn_tables.h"

#define F_D	0x0000ffff	/* D, SI, UI */
#define F_DS	0x0000fffc
#define F_DQ	0x0000fff0
#define F_BF	0x03800000
#define F_BFA	0x001c0000
#define F_L	0x00200000	/* L of a comparison */
#define F_X	0x00000001	/* the high bit of a vector register's number; EH */
#define F_SH6	0x0000f802
#define F_EVEN	0x03c00000	/* RT, the first of two registers */

#define TAB	(F_T | F_A | F_B)
#define TA	(F_T | F_A)
#define AB	(F_A | F_B)

/* of an extended opcode */
#define X(extended)	(OP(31) | (extended) << 1)
#define XL(extended)	(OP(19) | (extended) << 1)

#define ROW(str, bits, operands, cls, why, chk, flg)				\
	{									\
		INSN_NAMED(str)							\
		.match = (bits), .fields = (operands), .class = (cls),		\
		.refuse = (why), .check = (chk), .flags = (flg),		\
	}

/* Runs in a slot, can't fault */
#define S(str, bits, operands)							\
	ROW(str, bits, operands, INSN_SLOT, 0, 0, INSN_STEADY)
/* Runs in a slot, may fault: accesses memory, or needs a privilege or a facility */
#define M(str, bits, operands)	ROW(str, bits, operands, INSN_SLOT, 0, 0, 0)
/* the same, and its operands are restricted */
#define C(str, bits, operands, chk)						\
	ROW(str, bits, operands, INSN_SLOT, 0, INSN_CHECK_##chk, 0)
/* Refused */
#define R(str, bits, operands, why)						\
	ROW(str, bits, operands, INSN_REFUSED, INSN_REFUSE_##why, 0, 0)
#define LARX(str, bits, operands, chk)						\
	ROW(str, bits, operands, INSN_REFUSED, INSN_REFUSE_RESERVE, INSN_CHECK_##chk, INSN_LARX)
#define STCX(str, bits, operands)						\
	ROW(str, bits, operands, INSN_REFUSED, INSN_REFUSE_CONDITIONAL, 0, INSN_STCX)
/* Emulated */
#define E(str, bits, operands, cls, chk)					\
	ROW(str, bits, operands, INSN_##cls, 0, INSN_CHECK_##chk, INSN_STEADY)

#define ONE(row)	(const struct insn_row[]){ row, { } }

static const struct insn_row op6[] = {
	M("lxvp", OP(6) | 0, TA | F_DQ), M("stxvp", OP(6) | 1, TA | F_DQ), { }
};

static const struct insn_row op17[] = {
	R("scv", OP(17) | 1, 0x00000fe0, SYSCALL), R("sc", OP(17) | 2, 0x00000fe0, SYSCALL), { }
};

static const struct insn_row op19[] = {
	S("mcrf", XL(0), F_BF | F_BFA),
	E("addpcis", OP(19) | 2 << 1, TA | 0x0000ffc1, ADDPCIS, NONE),
	E("bclr", XL(16), TA | 0x00001800 | F_RC, BRANCH_LR, BO),
	R("rfid", XL(18), 0, RETURN),
	S("crnor", XL(33), TAB),
	R("rfi", XL(50), 0, RETURN),
	R("rfscv", XL(82), 0, RETURN),
	S("crandc", XL(129), TAB),
	R("rfebb", XL(146), 0x00000800, RETURN),
	S("isync", XL(150), 0),
	S("crxor", XL(193), TAB),
	S("crnand", XL(225), TAB),
	S("crand", XL(257), TAB),
	R("hrfid", XL(274), 0, RETURN),
	S("creqv", XL(289), TAB),
	R("urfid", XL(306), 0, RETURN),
	R("stop", XL(370), 0, HALT),
	S("crorc", XL(417), TAB),
	S("cror", XL(449), TAB),
	E("bcctr", XL(528), TA | 0x00001800 | F_RC, BRANCH_CTR, BO),
	ROW("bctar", XL(560), TA | 0x00001800 | F_RC, INSN_REFUSED, INSN_REFUSE_TAR,
	    INSN_CHECK_BO, 0),
	{ }
};

static const struct insn_row op30[] = {
	S("rldicl", OP(30) | 0 << 2, TAB | 0x000007e3),
	S("rldicr", OP(30) | 1 << 2, TAB | 0x000007e3),
	S("rldic", OP(30) | 2 << 2, TAB | 0x000007e3),
	S("rldimi", OP(30) | 3 << 2, TAB | 0x000007e3),
	S("rldcl", OP(30) | 8 << 1, TAB | 0x000007e1),
	S("rldcr", OP(30) | 9 << 1, TAB | 0x000007e1),
	{ }
};

static const struct insn_row op31[] = {
	/* The commonest first: the rest by what they do. */
	S("or", X(444), TAB | F_RC),
	M("ldx", X(21), TAB), M("lwzx", X(23), TAB), M("lbzx", X(87), TAB), M("lhzx", X(279), TAB),
	M("lwax", X(341), TAB), M("lhax", X(343), TAB), M("stdx", X(149), TAB),
	M("stwx", X(151), TAB), M("stbx", X(215), TAB), M("sthx", X(407), TAB),
	S("cmp", X(0), F_BF | F_L | AB), S("cmpl", X(32), F_BF | F_L | AB),
	S("add", X(266), TAB | F_OE | F_RC), S("subf", X(40), TAB | F_OE | F_RC),
	S("and", X(28), TAB | F_RC), S("extsw", X(986), TA | F_RC),
	S("isel", OP(31) | 15 << 1, TAB | F_C),
	M("mfspr", X(339), TAB), M("mtspr", X(467), TAB),
	S("mfcr", X(19), F_T), S("mtcrf", X(144), F_T | 0x000ff000),
	C("mfocrf", X(19) | 0x00100000, F_T | 0x000ff000, ONE_FIELD),
	C("mtocrf", X(144) | 0x00100000, F_T | 0x000ff000, ONE_FIELD),

	/* integers */
	S("subfc", X(8), TAB | F_OE | F_RC), S("addc", X(10), TAB | F_OE | F_RC),
	S("neg", X(104), TA | F_OE | F_RC), S("subfe", X(136), TAB | F_OE | F_RC),
	S("adde", X(138), TAB | F_OE | F_RC), S("subfze", X(200), TA | F_OE | F_RC),
	S("addze", X(202), TA | F_OE | F_RC), S("subfme", X(232), TA | F_OE | F_RC),
	S("addme", X(234), TA | F_OE | F_RC), S("addex", OP(31) | 170 << 1, TAB | 0x00000600),
	S("addg6s", OP(31) | 74 << 1, TAB),
	S("mulhdu", X(9), TAB | F_RC), S("mulhwu", X(11), TAB | F_RC),
	S("mulhd", X(73), TAB | F_RC), S("mulhw", X(75), TAB | F_RC),
	S("mulld", X(233), TAB | F_OE | F_RC), S("mullw", X(235), TAB | F_OE | F_RC),
	S("divdeu", X(393), TAB | F_OE | F_RC), S("divweu", X(395), TAB | F_OE | F_RC),
	S("divde", X(425), TAB | F_OE | F_RC), S("divwe", X(427), TAB | F_OE | F_RC),
	S("divdu", X(457), TAB | F_OE | F_RC), S("divwu", X(459), TAB | F_OE | F_RC),
	S("divd", X(489), TAB | F_OE | F_RC), S("divw", X(491), TAB | F_OE | F_RC),
	S("modud", X(265), TAB), S("moduw", X(267), TAB),
	S("modsd", X(777), TAB), S("modsw", X(779), TAB),
	S("cmprb", X(192), F_BF | F_L | AB), S("cmpeqb", X(224), F_BF | AB),
	S("setb", X(128), F_T | F_BFA), S("setbc", X(384), TA), S("setbcr", X(416), TA),
	S("setnbc", X(448), TA), S("setnbcr", X(480), TA), S("mcrxrx", X(576), F_BF),
	M("darn", X(755), F_T | 0x00030000),

	/* bits */
	S("slw", X(24), TAB | F_RC), S("sld", X(27), TAB | F_RC), S("srw", X(536), TAB | F_RC),
	S("srd", X(539), TAB | F_RC), S("sraw", X(792), TAB | F_RC), S("srad", X(794), TAB | F_RC),
	S("srawi", X(824), TAB | F_RC), S("sradi", OP(31) | 413 << 2, TA | F_SH6 | F_RC),
	S("extswsli", OP(31) | 445 << 2, TA | F_SH6 | F_RC),
	S("cntlzw", X(26), TA | F_RC), S("cntlzd", X(58), TA | F_RC),
	S("cnttzw", X(538), TA | F_RC), S("cnttzd", X(570), TA | F_RC),
	S("cntlzdm", X(59), TAB), S("cnttzdm", X(571), TAB),
	S("andc", X(60), TAB | F_RC), S("nor", X(124), TAB | F_RC), S("eqv", X(284), TAB | F_RC),
	S("xor", X(316), TAB | F_RC), S("orc", X(412), TAB | F_RC), S("nand", X(476), TAB | F_RC),
	S("extsh", X(922), TA | F_RC), S("extsb", X(954), TA | F_RC),
	S("popcntb", X(122), TA), S("popcntw", X(378), TA), S("popcntd", X(506), TA),
	S("prtyw", X(154), TA), S("prtyd", X(186), TA), S("cmpb", X(508), TAB),
	S("brw", X(155), TA), S("brd", X(187), TA), S("brh", X(219), TA),
	S("pdepd", X(156), TAB), S("pextd", X(188), TAB), S("cfuged", X(220), TAB),
	S("bpermd", X(252), TAB), S("cdtbcd", X(282), TA), S("cbcdtd", X(314), TA),

	/* memory */
	C("ldux", X(53), TAB, LOAD_UPDATE), C("lwzux", X(55), TAB, LOAD_UPDATE),
	C("lbzux", X(119), TAB, LOAD_UPDATE), C("lhzux", X(311), TAB, LOAD_UPDATE),
	C("lwaux", X(373), TAB, LOAD_UPDATE), C("lhaux", X(375), TAB, LOAD_UPDATE),
	C("stdux", X(181), TAB, UPDATE), C("stwux", X(183), TAB, UPDATE),
	C("stbux", X(247), TAB, UPDATE), C("sthux", X(439), TAB, UPDATE),
	M("ldbrx", X(532), TAB), M("lwbrx", X(534), TAB), M("lhbrx", X(790), TAB),
	M("stdbrx", X(660), TAB), M("stwbrx", X(662), TAB), M("sthbrx", X(918), TAB),
	C("lswx", X(533), TAB, STRING_INDEXED), C("lswi", X(597), TAB, STRING),
	M("stswx", X(661), TAB), M("stswi", X(725), TAB),
	M("lwat", X(582), TAB), M("ldat", X(614), TAB), M("stwat", X(710), TAB),
	M("stdat", X(742), TAB), M("copy", X(774) | 0x00200000, AB),
	M("paste.", X(902) | F_RC, AB | F_L),
	M("lwzcix", X(789), TAB), M("lhzcix", X(821), TAB), M("lbzcix", X(853), TAB),
	M("ldcix", X(885), TAB), M("stwcix", X(917), TAB), M("sthcix", X(949), TAB),
	M("stbcix", X(981), TAB), M("stdcix", X(1013), TAB),
	M("eciwx", X(310), TAB), M("ecowx", X(438), TAB), M("icswx", X(406), TAB | F_RC),
	M("pbt.", X(404) | F_RC, TAB),
	M("hashstp", X(658), TAB | F_X), M("hashchkp", X(690), TAB | F_X),
	M("hashst", X(722), TAB | F_X), M("hashchk", X(754), TAB | F_X),
	LARX("lwarx", X(20), TAB | F_X, NONE), LARX("lbarx", X(52), TAB | F_X, NONE),
	LARX("ldarx", X(84), TAB | F_X, NONE), LARX("lharx", X(116), TAB | F_X, NONE),
	LARX("lqarx", X(276), F_EVEN | AB | F_X, QUAD_INDEXED),
	STCX("stwcx.", X(150) | F_RC, TAB), STCX("stqcx.", X(182) | F_RC, F_EVEN | AB),
	STCX("stdcx.", X(214) | F_RC, TAB), STCX("stbcx.", X(694) | F_RC, TAB),
	STCX("sthcx.", X(726) | F_RC, TAB),

	/* floating-point and vector registers */
	M("lvsl", X(6), TAB), M("lvebx", X(7), TAB), M("lvsr", X(38), TAB), M("lvehx", X(39), TAB),
	M("lvewx", X(71), TAB), M("lvx", X(103), TAB), M("stvebx", X(135), TAB),
	M("stvehx", X(167), TAB), M("stvewx", X(199), TAB), M("stvx", X(231), TAB),
	M("lvxl", X(359), TAB), M("stvxl", X(487), TAB),
	M("lxsiwzx", X(12), TAB | F_X), M("lxvrbx", X(13), TAB | F_X),
	M("lxvrhx", X(45), TAB | F_X), M("lxsiwax", X(76), TAB | F_X),
	M("lxvrwx", X(77), TAB | F_X), M("lxvrdx", X(109), TAB | F_X),
	M("stxsiwx", X(140), TAB | F_X), M("stxvrbx", X(141), TAB | F_X),
	M("stxvrhx", X(173), TAB | F_X), M("stxvrwx", X(205), TAB | F_X),
	M("stxvrdx", X(237), TAB | F_X), M("lxvx", X(268), TAB | F_X),
	M("lxvl", X(269), TAB | F_X), M("lxvll", X(301), TAB | F_X),
	M("lxvdsx", X(332), TAB | F_X), M("lxvpx", X(333), TAB | F_X),
	M("lxvwsx", X(364), TAB | F_X), M("stxvx", X(396), TAB | F_X),
	M("stxvl", X(397), TAB | F_X), M("stxvll", X(429), TAB | F_X),
	M("stxvpx", X(461), TAB | F_X), M("lxsspx", X(524), TAB | F_X),
	M("lxsdx", X(588), TAB | F_X), M("stxsspx", X(652), TAB | F_X),
	M("stxsdx", X(716), TAB | F_X), M("lxvw4x", X(780), TAB | F_X),
	M("lxsibzx", X(781), TAB | F_X), M("lxvh8x", X(812), TAB | F_X),
	M("lxsihzx", X(813), TAB | F_X), M("lxvd2x", X(844), TAB | F_X),
	M("lxvb16x", X(876), TAB | F_X), M("stxvw4x", X(908), TAB | F_X),
	M("stxsibx", X(909), TAB | F_X), M("stxvh8x", X(940), TAB | F_X),
	M("stxsihx", X(941), TAB | F_X), M("stxvd2x", X(972), TAB | F_X),
	M("stxvb16x", X(1004), TAB | F_X),
	M("lfsx", X(535), TAB), C("lfsux", X(567), TAB, UPDATE), M("lfdx", X(599), TAB),
	C("lfdux", X(631), TAB, UPDATE), M("stfsx", X(663), TAB), C("stfsux", X(695), TAB, UPDATE),
	M("stfdx", X(727), TAB), C("stfdux", X(759), TAB, UPDATE),
	M("lfiwax", X(855), TAB), M("lfiwzx", X(887), TAB), M("stfiwx", X(983), TAB),
	M("mfvsrd", X(51), TA | F_X), M("mfvsrwz", X(115), TA | F_X), M("mtvsrd", X(179), TA | F_X),
	M("mtvsrwa", X(211), TA | F_X), M("mtvsrwz", X(243), TA | F_X),
	M("mfvsrld", X(307), TA | F_X), M("mtvsrws", X(403), TA | F_X),
	M("mtvsrdd", X(435), TAB | F_X), M("xxmfacc", X(177), F_BF),
	M("xxmtacc", X(177) | 0x00010000, F_BF), M("xxsetaccz", X(177) | 0x00030000, F_BF),

	/* caches and order */
	M("icbt", X(22), TAB), S("dcbtst", X(246), TAB), S("dcbt", X(278), TAB),
	S("dst", X(342), 0x02600000 | AB), S("dstst", X(374), 0x02600000 | AB),
	S("dss", X(822), 0x02600000),
	M("dcbst", X(54), AB), C("dcbf", X(86), 0x00e00000 | AB, FLUSH), M("dcbi", X(470), AB),
	M("dcbz", X(1014), AB), M("dcbzl", X(1014) | 0x00200000, AB), M("icbi", X(982), AB),
	ROW("sync", X(598), 0x00e30000, INSN_SLOT, 0, INSN_CHECK_SYNC, INSN_STEADY),
	S("eieio", X(854), 0), M("msgsync", X(886), 0), M("cpabort", X(838), 0),

	/* the supervisor */
	S("mfmsr", X(83), F_T), R("mtmsr", X(146), F_T | 0x00010000, MSR),
	R("mtmsrd", X(178), F_T | 0x00010000, MSR),
	R("tw", X(4), TAB, BREAKPOINT), R("td", X(68), TAB, BREAKPOINT),
	ROW("wait", X(30), 0x00600000, INSN_REFUSED, INSN_REFUSE_HALT, INSN_CHECK_WAIT, 0),
	M("mftb", X(371) | 12 << 16 | 8 << 11, F_T | 0x00010000), M("mtsle", X(147), F_L),
	M("mtsrd", X(82), F_T | 0x000f0000), M("mtsrdin", X(114), F_T | F_B),
	M("msgsndu", X(78), F_B), M("msgclru", X(110), F_B), M("msgsndp", X(142), F_B),
	M("msgclrp", X(174), F_B), M("msgsnd", X(206), F_B), M("msgclr", X(238), F_B),
	M("tlbiel", X(274), F_T | 0x000f0000 | F_B), M("tlbie", X(306), F_T | 0x000f0000 | F_B),
	M("tlbia", X(370), 0), M("tlbsync", X(566), 0), M("tlbld", X(978), F_B),
	M("tlbli", X(1010), F_B), M("slbsync", X(338), 0), M("slbmte", X(402), F_T | F_B),
	M("slbie", X(434), F_B), M("slbieg", X(466), F_T | F_B), M("slbia", X(498), 0x00e00000),
	M("slbiag", X(850), F_T | 0x00010000), M("slbmfev", X(851), F_T | F_B | 0x00010000),
	M("slbmfee", X(915), F_T | F_B | 0x00010000), M("slbfee.", X(979) | F_RC, F_T | F_B),
	M("rmieg", X(882), F_B), M("clrbhrb", X(430), 0), M("mfbhrbe", X(302), TAB),

	/* transactions */
	R("tbegin.", X(654) | F_RC, F_L, TRANSACTION),
	R("tend.", X(686) | F_RC, 0x02000000, TRANSACTION), S("tcheck", X(718), F_BF),
	R("tsr.", X(750) | F_RC, F_L, TRANSACTION),
	R("tabortwc.", X(782) | F_RC, TAB, TRANSACTION),
	R("tabortdc.", X(814) | F_RC, TAB, TRANSACTION),
	R("tabortwci.", X(846) | F_RC, TAB, TRANSACTION),
	R("tabortdci.", X(878) | F_RC, TAB, TRANSACTION),
	R("tabort.", X(910) | F_RC, F_A, TRANSACTION),
	R("treclaim.", X(942) | F_RC, F_A, TRANSACTION),
	R("trechkpt.", X(1006) | F_RC, 0, TRANSACTION),
	{ }
};

static const struct insn_row op57[] = {
	M("lxsd", OP(57) | 2, TA | F_DS), M("lxssp", OP(57) | 3, TA | F_DS), { }
};

static const struct insn_row op58[] = {
	M("ld", OP(58) | 0, TA | F_DS), C("ldu", OP(58) | 1, TA | F_DS, LOAD_UPDATE),
	M("lwa", OP(58) | 2, TA | F_DS), { }
};

static const struct insn_row op61[] = {
	M("lxv", OP(61) | 1, TA | F_DQ | 8), M("stxv", OP(61) | 5, TA | F_DQ | 8),
	M("stxsd", OP(61) | 2, TA | F_DS), M("stxssp", OP(61) | 3, TA | F_DS), { }
};

static const struct insn_row op62[] = {
	M("std", OP(62) | 0, TA | F_DS), C("stdu", OP(62) | 1, TA | F_DS, UPDATE),
	M("stq", OP(62) | 2, F_EVEN | F_A | F_DS), { }
};

const struct insn_row * const insn_rows[64] = {
	[0] = ONE(R("attn", 256 << 1, TAB, HALT)),
	[2] = ONE(R("tdi", OP(2), TA | F_D, BREAKPOINT)),
	[3] = ONE(R("twi", OP(3), TA | F_D, BREAKPOINT)),
	[4] = insn_op4,
	[6] = op6,
	[7] = ONE(S("mulli", OP(7), TA | F_D)),
	[8] = ONE(S("subfic", OP(8), TA | F_D)),
	[10] = ONE(S("cmpli", OP(10), F_BF | F_L | F_A | F_D)),
	[11] = ONE(S("cmpi", OP(11), F_BF | F_L | F_A | F_D)),
	[12] = ONE(S("addic", OP(12), TA | F_D)),
	[13] = ONE(S("addic.", OP(13), TA | F_D)),
	[14] = ONE(S("addi", OP(14), TA | F_D)),
	[15] = ONE(S("addis", OP(15), TA | F_D)),
	[16] = ONE(E("bc", OP(16), TA | F_D, BRANCH_COND, BO)),
	[17] = op17,
	[18] = ONE(E("b", OP(18), TA | F_D, BRANCH, NONE)),
	[19] = op19,
	[20] = ONE(S("rlwimi", OP(20), TA | F_D)),
	[21] = ONE(S("rlwinm", OP(21), TA | F_D)),
	[23] = ONE(S("rlwnm", OP(23), TA | F_D)),
	[24] = ONE(S("ori", OP(24), TA | F_D)),
	[25] = ONE(S("oris", OP(25), TA | F_D)),
	[26] = ONE(S("xori", OP(26), TA | F_D)),
	[27] = ONE(S("xoris", OP(27), TA | F_D)),
	[28] = ONE(S("andi.", OP(28), TA | F_D)),
	[29] = ONE(S("andis.", OP(29), TA | F_D)),
	[30] = op30,
	[31] = op31,
	[32] = ONE(M("lwz", OP(32), TA | F_D)),
	[33] = ONE(C("lwzu", OP(33), TA | F_D, LOAD_UPDATE)),
	[34] = ONE(M("lbz", OP(34), TA | F_D)),
	[35] = ONE(C("lbzu", OP(35), TA | F_D, LOAD_UPDATE)),
	[36] = ONE(M("stw", OP(36), TA | F_D)),
	[37] = ONE(C("stwu", OP(37), TA | F_D, UPDATE)),
	[38] = ONE(M("stb", OP(38), TA | F_D)),
	[39] = ONE(C("stbu", OP(39), TA | F_D, UPDATE)),
	[40] = ONE(M("lhz", OP(40), TA | F_D)),
	[41] = ONE(C("lhzu", OP(41), TA | F_D, LOAD_UPDATE)),
	[42] = ONE(M("lha", OP(42), TA | F_D)),
	[43] = ONE(C("lhau", OP(43), TA | F_D, LOAD_UPDATE)),
	[44] = ONE(M("sth", OP(44), TA | F_D)),
	[45] = ONE(C("sthu", OP(45), TA | F_D, UPDATE)),
	[46] = ONE(C("lmw", OP(46), TA | F_D, MULTIPLE)),
	[47] = ONE(M("stmw", OP(47), TA | F_D)),
	[48] = ONE(M("lfs", OP(48), TA | F_D)),
	[49] = ONE(C("lfsu", OP(49), TA | F_D, UPDATE)),
	[50] = ONE(M("lfd", OP(50), TA | F_D)),
	[51] = ONE(C("lfdu", OP(51), TA | F_D, UPDATE)),
	[52] = ONE(M("stfs", OP(52), TA | F_D)),
	[53] = ONE(C("stfsu", OP(53), TA | F_D, UPDATE)),
	[54] = ONE(M("stfd", OP(54), TA | F_D)),
	[55] = ONE(C("stfdu", OP(55), TA | F_D, UPDATE)),
	[56] = ONE(C("lq", OP(56), F_EVEN | F_A | F_DQ, QUAD)),
	[57] = op57,
	[58] = op58,
	[59] = insn_op59,
	[60] = insn_op60,
	[61] = op61,
	[62] = op62,
	[63] = insn_op63,
};

/* ---- prefixed ---- */

#define F_IMM16	0x0000ffff

#define P(bits, operands, ...)							\
	{ .prefix = (bits), .prefix_fields = (operands), .suffix = __VA_ARGS__ }

/* The class of these is the one with R set: PC-relative. */
#define PC(str, bits, operands, cls)	ROW(str, bits, operands, INSN_##cls, 0, 0, 0)
#define PC_VECTOR(str, bits, operands)						\
	ROW(str, bits, operands, INSN_REFUSED, INSN_REFUSE_PC_VECTOR, 0, 0)
#define PC_QUAD(str, bits, operands, chk)					\
	ROW(str, bits, operands, INSN_REFUSED, INSN_REFUSE_PC_VECTOR, INSN_CHECK_##chk, 0)

/* Without a one-word form of their own, and those that have one */
#define P8LS(row)	P(0x04000000, F_D34, row)
#define PMLS(row)	P(0x06000000, F_D34, row)
#define P8RR(row)	P(0x05000000, F_IMM16, row)
/* A product of matrices with masks for what takes part */
#define PGER(str, extended, masks)						\
	P(0x07900000, masks, ACC(str, OP(59) | (extended) << 3, F_BF | AB | 6))

const struct insn_prefixed_row insn_prefixed_rows[] = {
	PMLS(E("paddi", OP(14), TA | F_D, PADDI_PC, NONE)),
	PMLS(PC("plwz", OP(32), TA | F_D, LOAD_PC)), PMLS(PC("plbz", OP(34), TA | F_D, LOAD_PC)),
	PMLS(PC("pstw", OP(36), TA | F_D, STORE_PC)), PMLS(PC("pstb", OP(38), TA | F_D, STORE_PC)),
	PMLS(PC("plhz", OP(40), TA | F_D, LOAD_PC)), PMLS(PC("plha", OP(42), TA | F_D, LOAD_PC)),
	PMLS(PC("psth", OP(44), TA | F_D, STORE_PC)), PMLS(PC_VECTOR("plfs", OP(48), TA | F_D)),
	PMLS(PC_VECTOR("plfd", OP(50), TA | F_D)), PMLS(PC_VECTOR("pstfs", OP(52), TA | F_D)),
	PMLS(PC_VECTOR("pstfd", OP(54), TA | F_D)), P8LS(PC("plwa", OP(41), TA | F_D, LOAD_PC)),
	P8LS(PC_VECTOR("plxsd", OP(42), TA | F_D)), P8LS(PC_VECTOR("plxssp", OP(43), TA | F_D)),
	P8LS(PC_VECTOR("pstxsd", OP(46), TA | F_D)), P8LS(PC_VECTOR("pstxssp", OP(47), TA | F_D)),
	P8LS(PC_VECTOR("plxv", OP(50), TA | F_D | OP(1))),
	P8LS(PC_VECTOR("pstxv", OP(54), TA | F_D | OP(1))),
	P8LS(PC_QUAD("plq", OP(56), F_EVEN | F_A | F_D, QUAD)),
	P8LS(PC("pld", OP(57), TA | F_D, LOAD_PC)), P8LS(PC_VECTOR("plxvp", OP(58), TA | F_D)),
	P8LS(PC_QUAD("pstq", OP(60), F_EVEN | F_A | F_D, NONE)),
	P8LS(PC("pstd", OP(61), TA | F_D, STORE_PC)), P8LS(PC_VECTOR("pstxvp", OP(62), TA | F_D)),
	P(0x07000000, 0, ROW("pnop", 0, 0, INSN_NOP, 0, 0, INSN_STEADY)),
	P8RR(M("xxsplti32dx", OP(32) | 0 << 17, F_T | 0x00030000 | F_D)),
	P8RR(M("xxspltidp", OP(32) | 2 << 17, F_T | 0x00010000 | F_D)),
	P8RR(M("xxspltiw", OP(32) | 3 << 17, F_T | 0x00010000 | F_D)),
	P(0x05000000, 0, M("xxblendvb", OP(33) | 0 << 4, TAB | F_C | 15)),
	P(0x05000000, 0, M("xxblendvh", OP(33) | 1 << 4, TAB | F_C | 15)),
	P(0x05000000, 0, M("xxblendvw", OP(33) | 2 << 4, TAB | F_C | 15)),
	P(0x05000000, 0, M("xxblendvd", OP(33) | 3 << 4, TAB | F_C | 15)),
	P(0x05000000, 7, M("xxpermx", OP(34) | 0 << 4, TAB | F_C | 15)),
	P(0x05000000, 0xff, M("xxeval", OP(34) | 1 << 4, TAB | F_C | 15)),
	PGER("pmxvi8ger4pp", 2, 0xf0ff), PGER("pmxvi8ger4", 3, 0xf0ff),
	PGER("pmxvf16ger2pp", 18, 0xc0ff), PGER("pmxvf16ger2", 19, 0xc0ff),
	PGER("pmxvf32gerpp", 26, 0x00ff), PGER("pmxvf32ger", 27, 0x00ff),
	PGER("pmxvi4ger8pp", 34, 0xffff), PGER("pmxvi4ger8", 35, 0xffff),
	PGER("pmxvi16ger2spp", 42, 0xc0ff), PGER("pmxvi16ger2s", 43, 0xc0ff),
	PGER("pmxvbf16ger2pp", 50, 0xc0ff), PGER("pmxvbf16ger2", 51, 0xc0ff),
	PGER("pmxvf64gerpp", 58, 0x00fc), PGER("pmxvf64ger", 59, 0x00fc),
	PGER("pmxvi16ger2", 75, 0xc0ff), PGER("pmxvf16ger2np", 82, 0xc0ff),
	PGER("pmxvf32gernp", 90, 0x00ff), PGER("pmxvi8ger4spp", 99, 0xf0ff),
	PGER("pmxvi16ger2pp", 107, 0xc0ff), PGER("pmxvbf16ger2np", 114, 0xc0ff),
	PGER("pmxvf64gernp", 122, 0x00fc), PGER("pmxvf16ger2pn", 146, 0xc0ff),
	PGER("pmxvf32gerpn", 154, 0x00ff), PGER("pmxvbf16ger2pn", 178, 0xc0ff),
	PGER("pmxvf64gerpn", 186, 0x00fc), PGER("pmxvf16ger2nn", 210, 0xc0ff),
	PGER("pmxvf32gernn", 218, 0x00ff), PGER("pmxvbf16ger2nn", 242, 0xc0ff),
	PGER("pmxvf64gernn", 250, 0x00fc),
	{ }
};
