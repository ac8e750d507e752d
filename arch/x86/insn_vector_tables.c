// SPDX-License-Identifier: GPL-2.0-only
/*
 * The opcode tables of the VEX, EVEX and XOP encodings.
 *
 * A row: the first and the last opcode byte, the pp it is for, the values of
 * modrm.reg that exist (0xff unless the field extends the opcode), and the values
 * of the other fields.  An opcode has a row for each different form.
 */
#include "insn_tables.h"

#define NP	ON_NP
#define P66	ON_66
#define PF3	ON_F3
#define PF2	ON_F2
#define PSD	(ON_NP | ON_66)
#define SSD	(ON_F3 | ON_F2)
#define ALL	ON_ANY

#define W0	VEC_W0
#define W1	VEC_W1
#define WIG	(VEC_W0 | VEC_W1)
#define L0	VEC_L0
#define L1	VEC_L1
#define L2	VEC_L2
#define L12	(VEC_L1 | VEC_L2)
#define LIG	(VEC_L0 | VEC_L1 | VEC_L2)
#define M	VEC_MEM
#define R	VEC_REG
#define RM	(VEC_MEM | VEC_REG)
#define SIB	VEC_SIB
#define V	VEC_VVVV
#define KR	VEC_REG_8
#define KV	VEC_VVVV_8
#define GR	VEC_REG_16
#define RM0	VEC_RM_0
#define D	VEC_DISTINCT
#define K	VEC_MASK
#define KM	(VEC_MASK | VEC_MASKED)
#define ZR	VEC_ZERO_REG
#define Z	(VEC_ZERO_REG | VEC_ZERO_MEM)
#define B	VEC_BROADCAST
#define RC	VEC_ROUNDING

const struct insn_vector_row insn_vex_0f[] = {
	{ 0x10, 0x11, PSD, 0xff, WIG | LIG | RM }, /* vmovups vmovupd */
	{ 0x10, 0x11, SSD, 0xff, WIG | LIG | M }, /* vmovss vmovsd */
	{ 0x10, 0x11, SSD, 0xff, WIG | LIG | R | V }, /* vmovss vmovsd */
	{ 0x12, 0x12, NP, 0xff, WIG | L0 | RM | V }, /* vmovlps */
	{ 0x12, 0x12, P66, 0xff, WIG | L0 | M | V }, /* vmovlpd */
	{ 0x12, 0x12, SSD, 0xff, WIG | LIG | RM }, /* vmovsldup vmovddup */
	{ 0x13, 0x13, PSD, 0xff, WIG | L0 | M }, /* vmovlps vmovlpd */
	{ 0x14, 0x15, PSD, 0xff, WIG | LIG | RM | V }, /* vunpcklps vunpcklpd vunpckhps ... */
	{ 0x16, 0x16, NP, 0xff, WIG | L0 | RM | V }, /* vmovhps */
	{ 0x16, 0x16, P66, 0xff, WIG | L0 | M | V }, /* vmovhpd */
	{ 0x16, 0x16, PF3, 0xff, WIG | LIG | RM }, /* vmovshdup */
	{ 0x17, 0x17, PSD, 0xff, WIG | L0 | M }, /* vmovhps vmovhpd */
	{ 0x28, 0x29, PSD, 0xff, WIG | LIG | RM }, /* vmovaps vmovapd */
	{ 0x2a, 0x2a, SSD, 0xff, WIG | LIG | RM | V }, /* vcvtsi2ss vcvtsi2sd */
	{ 0x2b, 0x2b, PSD, 0xff, WIG | LIG | M }, /* vmovntps vmovntpd */
	{ 0x2c, 0x2d, SSD, 0xff, WIG | LIG | RM }, /* vcvttss2si vcvttsd2si vcvtss2si ... */
	{ 0x2e, 0x2f, PSD, 0xff, WIG | LIG | RM }, /* vucomiss vucomisd vcomiss ... */
	{ 0x41, 0x42, PSD, 0xff, WIG | L1 | R | V | KR | KV }, /* kandw kandq kandb ... */
	{ 0x44, 0x44, PSD, 0xff, WIG | L0 | R | KR }, /* knotw knotq knotb ... */
	{ 0x45, 0x47, PSD, 0xff, WIG | L1 | R | V | KR | KV }, /* korw korq korb ... */
	{ 0x4a, 0x4a, PSD, 0xff, WIG | L1 | R | V | KR | KV }, /* kaddw kaddq kaddb ... */
	{ 0x4b, 0x4b, NP, 0xff, WIG | L1 | R | V | KR | KV }, /* kunpckwd kunpckdq */
	{ 0x4b, 0x4b, P66, 0xff, W0 | L1 | R | V | KR | KV }, /* kunpckbw */
	{ 0x50, 0x50, PSD, 0xff, WIG | LIG | R }, /* vmovmskps vmovmskpd */
	{ 0x51, 0x51, PSD, 0xff, WIG | LIG | RM }, /* vsqrtps vsqrtpd */
	{ 0x51, 0x51, SSD, 0xff, WIG | LIG | RM | V }, /* vsqrtss vsqrtsd */
	{ 0x52, 0x53, NP, 0xff, WIG | LIG | RM }, /* vrsqrtps vrcpps */
	{ 0x52, 0x53, PF3, 0xff, WIG | LIG | RM | V }, /* vrsqrtss vrcpss */
	{ 0x54, 0x57, PSD, 0xff, WIG | LIG | RM | V }, /* vandps vandpd vandnps ... */
	{ 0x58, 0x59, ALL, 0xff, WIG | LIG | RM | V }, /* vaddps vaddpd vaddss ... */
	{ 0x5a, 0x5a, PSD, 0xff, WIG | LIG | RM }, /* vcvtps2pd vcvtpd2ps */
	{ 0x5a, 0x5a, SSD, 0xff, WIG | LIG | RM | V }, /* vcvtss2sd vcvtsd2ss */
	{ 0x5b, 0x5b, PSD | PF3, 0xff, WIG | LIG | RM }, /* vcvtdq2ps vcvtps2dq vcvttps2dq */
	{ 0x5c, 0x5f, ALL, 0xff, WIG | LIG | RM | V }, /* vsubps vsubpd vsubss ... */
	{ 0x60, 0x6d, P66, 0xff, WIG | LIG | RM | V }, /* vpunpcklbw vpunpcklwd vpunpckldq ... */
	{ 0x6e, 0x6e, P66, 0xff, WIG | L0 | RM }, /* vmovd vmovq */
	{ 0x6f, 0x6f, P66 | PF3, 0xff, WIG | LIG | RM }, /* vmovdqa vmovdqu */
	{ 0x70, 0x70, P66 | SSD, 0xff, WIG | LIG | RM }, /* vpshufd vpshufhw vpshuflw */
	{ 0x71, 0x72, P66, 0x54, WIG | LIG | R | V }, /* vpsrlw vpsrld */
	{ 0x73, 0x73, P66, 0xcc, WIG | LIG | R | V }, /* vpsrlq */
	{ 0x74, 0x76, P66, 0xff, WIG | LIG | RM | V }, /* vpcmpeqb vpcmpeqw vpcmpeqd */
	{ 0x77, 0x77, NP, 0xff, WIG | LIG | RM }, /* vzeroupper */
	{ 0x7c, 0x7d, P66 | PF2, 0xff, WIG | LIG | RM | V }, /* vhaddpd vhaddps vhsubpd ... */
	{ 0x7e, 0x7e, P66 | PF3, 0xff, WIG | L0 | RM }, /* vmovd vmovq */
	{ 0x7f, 0x7f, P66 | PF3, 0xff, WIG | LIG | RM }, /* vmovdqa vmovdqu */
	{ 0x90, 0x90, PSD, 0xff, WIG | L0 | RM | KR }, /* kmovw kmovq kmovb ... */
	{ 0x91, 0x91, PSD, 0xff, WIG | L0 | M | KR }, /* kmovw kmovq kmovb ... */
	{ 0x92, 0x92, PSD, 0xff, W0 | L0 | R | KR }, /* kmovw kmovb */
	{ 0x92, 0x92, PF2, 0xff, WIG | L0 | R | KR }, /* kmovd kmovq */
	{ 0x93, 0x93, PSD, 0xff, W0 | L0 | R }, /* kmovw kmovb */
	{ 0x93, 0x93, PF2, 0xff, WIG | L0 | R }, /* kmovd kmovq */
	{ 0x98, 0x99, PSD, 0xff, WIG | L0 | R | KR }, /* kortestw kortestq kortestb ... */
	{ 0xae, 0xae, NP, 0x0c, WIG | L0 | M }, /* vldmxcsr */
	{ 0xc2, 0xc2, ALL, 0xff, WIG | LIG | RM | V }, /* vcmpps vcmppd vcmpss ... */
	{ 0xc4, 0xc4, P66, 0xff, WIG | L0 | RM | V }, /* vpinsrw */
	{ 0xc5, 0xc5, P66, 0xff, WIG | L0 | R }, /* vpextrw */
	{ 0xc6, 0xc6, PSD, 0xff, WIG | LIG | RM | V }, /* vshufps vshufpd */
	{ 0xd0, 0xd0, P66 | PF2, 0xff, WIG | LIG | RM | V }, /* vaddsubpd vaddsubps */
	{ 0xd1, 0xd5, P66, 0xff, WIG | LIG | RM | V }, /* vpsrlw vpsrld vpsrlq ... */
	{ 0xd6, 0xd6, P66, 0xff, WIG | L0 | RM }, /* vmovq */
	{ 0xd7, 0xd7, P66, 0xff, WIG | LIG | R }, /* vpmovmskb */
	{ 0xd8, 0xe5, P66, 0xff, WIG | LIG | RM | V }, /* vpsubusb vpsubusw vpminub ... */
	{ 0xe6, 0xe6, P66 | SSD, 0xff, WIG | LIG | RM }, /* vcvttpd2dq vcvtdq2pd vcvtpd2dq */
	{ 0xe7, 0xe7, P66, 0xff, WIG | LIG | M }, /* vmovntdq */
	{ 0xe8, 0xef, P66, 0xff, WIG | LIG | RM | V }, /* vpsubsb vpsubsw vpminsw ... */
	{ 0xf0, 0xf0, PF2, 0xff, WIG | LIG | M }, /* vlddqu */
	{ 0xf1, 0xf6, P66, 0xff, WIG | LIG | RM | V }, /* vpsllw vpslld vpsllq ... */
	{ 0xf7, 0xf7, P66, 0xff, WIG | L0 | R }, /* vmaskmovdqu */
	{ 0xf8, 0xfe, P66, 0xff, WIG | LIG | RM | V }, /* vpsubb vpsubw vpsubd ... */
	{ 0 }
};

const struct insn_vector_row insn_vex_0f38[] = {
	{ 0x00, 0x0b, P66, 0xff, WIG | LIG | RM | V }, /* vpshufb vphaddw vphaddd ... */
	{ 0x0c, 0x0d, P66, 0xff, W0 | LIG | RM | V }, /* vpermilps vpermilpd */
	{ 0x0e, 0x0f, P66, 0xff, W0 | LIG | RM }, /* vtestps vtestpd */
	{ 0x13, 0x13, P66, 0xff, W0 | LIG | RM }, /* vcvtph2ps */
	{ 0x16, 0x16, P66, 0xff, W0 | L1 | RM | V }, /* vpermps */
	{ 0x17, 0x17, P66, 0xff, WIG | LIG | RM }, /* vptest */
	{ 0x18, 0x18, P66, 0xff, W0 | LIG | RM }, /* vbroadcastss */
	{ 0x19, 0x19, P66, 0xff, W0 | L1 | RM }, /* vbroadcastsd */
	{ 0x1a, 0x1a, P66, 0xff, W0 | L1 | M }, /* vbroadcastf128 */
	{ 0x1c, 0x1e, P66, 0xff, WIG | LIG | RM }, /* vpabsb vpabsw vpabsd */
	{ 0x20, 0x25, P66, 0xff, WIG | LIG | RM }, /* vpmovsxbw vpmovsxbd vpmovsxbq ... */
	{ 0x28, 0x29, P66, 0xff, WIG | LIG | RM | V }, /* vpmuldq vpcmpeqq */
	{ 0x2a, 0x2a, P66, 0xff, WIG | LIG | M }, /* vmovntdqa */
	{ 0x2b, 0x2b, P66, 0xff, WIG | LIG | RM | V }, /* vpackusdw */
	{ 0x2c, 0x2f, P66, 0xff, W0 | LIG | M | V }, /* vmaskmovps vmaskmovpd */
	{ 0x30, 0x35, P66, 0xff, WIG | LIG | RM }, /* vpmovzxbw vpmovzxbd vpmovzxbq ... */
	{ 0x36, 0x36, P66, 0xff, W0 | L1 | RM | V }, /* vpermd */
	{ 0x37, 0x40, P66, 0xff, WIG | LIG | RM | V }, /* vpcmpgtq vpminsb vpminsd ... */
	{ 0x41, 0x41, P66, 0xff, WIG | L0 | RM }, /* vphminposuw */
	{ 0x45, 0x45, P66, 0xff, WIG | LIG | RM | V }, /* vpsrlvd vpsrlvq */
	{ 0x46, 0x46, P66, 0xff, W0 | LIG | RM | V }, /* vpsravd */
	{ 0x47, 0x47, P66, 0xff, WIG | LIG | RM | V }, /* vpsllvd vpsllvq */
	{ 0x49, 0x49, PSD, 0x01, W0 | L0 | M }, /* ldtilecfg sttilecfg */
	{ 0x49, 0x49, NP, 0x01, W0 | L0 | R | KR | RM0 }, /* tilerelease */
	{ 0x49, 0x49, PF2, 0xff, W0 | L0 | R | KR | RM0 }, /* tilezero */
	{ 0x4b, 0x4b, P66 | SSD, 0xff, W0 | L0 | SIB | KR }, /* tileloaddt1 tilestored tileloadd */
	{ 0x50, 0x53, P66, 0xff, W0 | LIG | RM | V }, /* vpdpbusd vpdpbusds vpdpwssd ... */
	{ 0x50, 0x51, NP | SSD, 0xff, W0 | LIG | RM | V }, /* vpdpbuud vpdpbsud vpdpbssd */
	{ 0x58, 0x59, P66, 0xff, W0 | LIG | RM }, /* vpbroadcastd vpbroadcastq */
	{ 0x5a, 0x5a, P66, 0xff, W0 | L1 | M }, /* vbroadcasti128 */
	{ 0x5c, 0x5c, PF3, 0xff, W0 | L0 | R | V | D | KR | KV }, /* tdpbf16ps */
	{ 0x5c, 0x5c, PF2, 0xff, W0 | L0 | R | V | D | KR | KV }, /* tdpfp16ps */
	{ 0x5e, 0x5e, ALL, 0xff, W0 | L0 | R | V | D | KR | KV }, /* tdpbuud tdpbusd tdpbsud ... */
	{ 0x6c, 0x6c, PSD, 0xff, W0 | L0 | R | V | D | KR | KV }, /* tcmmrlfp16ps tcmmimfp16ps */
	{ 0x72, 0x72, PF3, 0xff, W0 | LIG | RM }, /* vcvtneps2bf16 */
	{ 0x78, 0x79, P66, 0xff, W0 | LIG | RM }, /* vpbroadcastb vpbroadcastw */
	{ 0x8c, 0x8c, P66, 0xff, WIG | LIG | M | V }, /* vpmaskmovd vpmaskmovq */
	{ 0x8e, 0x8e, P66, 0xff, WIG | LIG | M | V }, /* vpmaskmovd vpmaskmovq */
	{ 0x90, 0x93, P66, 0xff, WIG | LIG | SIB | V | D }, /* vpgatherdd vpgatherdq ... */
	{ 0x96, 0x9f, P66, 0xff, WIG | LIG | RM | V }, /* vfmaddsub132ps vfmaddsub132pd ... */
	{ 0xa6, 0xaf, P66, 0xff, WIG | LIG | RM | V }, /* vfmaddsub213ps vfmaddsub213pd ... */
	{ 0xb0, 0xb0, ALL, 0xff, W0 | LIG | M }, /* vcvtneoph2ps vcvtneeph2ps ... */
	{ 0xb1, 0xb1, P66 | PF3, 0xff, W0 | LIG | M }, /* vbcstnesh2ps vbcstnebf162ps */
	{ 0xb4, 0xb5, P66, 0xff, W1 | LIG | RM | V }, /* vpmadd52luq vpmadd52huq */
	{ 0xb6, 0xbf, P66, 0xff, WIG | LIG | RM | V }, /* vfmaddsub231ps vfmaddsub231pd ... */
	{ 0xcb, 0xcb, PF2, 0xff, W0 | L1 | R | V }, /* vsha512rnds2 */
	{ 0xcc, 0xcd, PF2, 0xff, W0 | L1 | R }, /* vsha512msg1 vsha512msg2 */
	{ 0xcf, 0xcf, P66, 0xff, W0 | LIG | RM | V }, /* vgf2p8mulb */
	{ 0xd2, 0xd3, PSD | PF3, 0xff, W0 | LIG | RM | V }, /* vpdpwuud vpdpwusd vpdpwsud ... */
	{ 0xda, 0xda, PSD, 0xff, W0 | L0 | RM | V }, /* vsm3msg1 vsm3msg2 */
	{ 0xda, 0xda, SSD, 0xff, W0 | LIG | RM | V }, /* vsm4key4 vsm4rnds4 */
	{ 0xdb, 0xdb, P66, 0xff, WIG | L0 | RM }, /* vaesimc */
	{ 0xdc, 0xdf, P66, 0xff, WIG | LIG | RM | V }, /* vaesenc vaesenclast vaesdec ... */
	{ 0xe0, 0xef, P66, 0xff, WIG | L0 | M | V }, /* cmpoxadd ... cmpnlexadd */
	{ 0xf2, 0xf2, NP, 0xff, WIG | L0 | RM | V }, /* andn */
	{ 0xf3, 0xf3, NP, 0x0e, WIG | L0 | RM | V }, /* blsr */
	{ 0xf5, 0xf5, NP | SSD, 0xff, WIG | L0 | RM | V }, /* bzhi pext pdep */
	{ 0xf6, 0xf6, PF2, 0xff, WIG | L0 | RM | V }, /* mulx */
	{ 0xf7, 0xf7, ALL, 0xff, WIG | L0 | RM | V }, /* bextr shlx sarx ... */
	{ 0 }
};

const struct insn_vector_row insn_vex_0f3a[] = {
	{ 0x00, 0x01, P66, 0xff, W1 | L1 | RM }, /* vpermq vpermpd */
	{ 0x02, 0x02, P66, 0xff, W0 | LIG | RM | V }, /* vpblendd */
	{ 0x04, 0x05, P66, 0xff, W0 | LIG | RM }, /* vpermilps vpermilpd */
	{ 0x06, 0x06, P66, 0xff, W0 | L1 | RM | V }, /* vperm2f128 */
	{ 0x08, 0x09, P66, 0xff, WIG | LIG | RM }, /* vroundps vroundpd */
	{ 0x0a, 0x0f, P66, 0xff, WIG | LIG | RM | V }, /* vroundss vroundsd vblendps ... */
	{ 0x14, 0x17, P66, 0xff, WIG | L0 | RM }, /* vpextrb vpextrw vpextrd ... */
	{ 0x18, 0x18, P66, 0xff, W0 | L1 | RM | V }, /* vinsertf128 */
	{ 0x19, 0x19, P66, 0xff, W0 | L1 | RM }, /* vextractf128 */
	{ 0x1d, 0x1d, P66, 0xff, W0 | LIG | RM }, /* vcvtps2ph */
	{ 0x20, 0x22, P66, 0xff, WIG | L0 | RM | V }, /* vpinsrb vinsertps vpinsrd ... */
	{ 0x30, 0x33, P66, 0xff, WIG | L0 | R | KR }, /* kshiftrb kshiftrw kshiftrd ... */
	{ 0x38, 0x38, P66, 0xff, W0 | L1 | RM | V }, /* vinserti128 */
	{ 0x39, 0x39, P66, 0xff, W0 | L1 | RM }, /* vextracti128 */
	{ 0x40, 0x40, P66, 0xff, WIG | LIG | RM | V }, /* vdpps */
	{ 0x41, 0x41, P66, 0xff, WIG | L0 | RM | V }, /* vdppd */
	{ 0x42, 0x42, P66, 0xff, WIG | LIG | RM | V }, /* vmpsadbw */
	{ 0x44, 0x44, P66, 0xff, WIG | LIG | RM | V }, /* vpclmulqdq */
	{ 0x46, 0x46, P66, 0xff, W0 | L1 | RM | V }, /* vperm2i128 */
	{ 0x48, 0x49, P66, 0xff, WIG | LIG | RM | V }, /* vpermil2ps vpermil2pd */
	{ 0x4a, 0x4c, P66, 0xff, W0 | LIG | RM | V }, /* vblendvps vblendvpd vpblendvb */
	{ 0x5c, 0x5f, P66, 0xff, WIG | LIG | RM | V }, /* vfmaddsubps vfmaddsubpd vfmsubaddps ... */
	{ 0x60, 0x63, P66, 0xff, WIG | L0 | RM }, /* vpcmpestrm vpcmpestri vpcmpistrm ... */
	{ 0x68, 0x6f, P66, 0xff, WIG | LIG | RM | V }, /* vfmaddps vfmaddpd vfmaddss ... */
	{ 0x78, 0x7f, P66, 0xff, WIG | LIG | RM | V }, /* vfnmaddps vfnmaddpd vfnmaddss ... */
	{ 0xce, 0xcf, P66, 0xff, W1 | LIG | RM | V }, /* vgf2p8affineqb vgf2p8affineinvqb */
	{ 0xde, 0xde, P66, 0xff, W0 | L0 | RM | V }, /* vsm3rnds2 */
	{ 0xdf, 0xdf, P66, 0xff, WIG | L0 | RM }, /* vaeskeygenassist */
	{ 0xf0, 0xf0, PF2, 0xff, WIG | L0 | RM }, /* rorx */
	{ 0 }
};

const struct insn_vector_row insn_evex_0f[] = {
	{ 0x10, 0x10, NP, 0xff, W0 | LIG | RM | K | Z }, /* vmovups */
	{ 0x10, 0x10, P66, 0xff, W1 | LIG | RM | K | Z }, /* vmovupd */
	{ 0x10, 0x10, PF3, 0xff, W0 | LIG | M | K | Z }, /* vmovss */
	{ 0x10, 0x10, PF3, 0xff, W0 | LIG | R | V | K | Z }, /* vmovss */
	{ 0x10, 0x10, PF2, 0xff, W1 | LIG | M | K | Z }, /* vmovsd */
	{ 0x10, 0x10, PF2, 0xff, W1 | LIG | R | V | K | Z }, /* vmovsd */
	{ 0x11, 0x11, NP, 0xff, W0 | LIG | RM | K | ZR }, /* vmovups */
	{ 0x11, 0x11, P66, 0xff, W1 | LIG | RM | K | ZR }, /* vmovupd */
	{ 0x11, 0x11, PF3, 0xff, W0 | LIG | M | K }, /* vmovss */
	{ 0x11, 0x11, PF3, 0xff, W0 | LIG | R | V | K | Z }, /* vmovss */
	{ 0x11, 0x11, PF2, 0xff, W1 | LIG | M | K }, /* vmovsd */
	{ 0x11, 0x11, PF2, 0xff, W1 | LIG | R | V | K | Z }, /* vmovsd */
	{ 0x12, 0x12, NP, 0xff, W0 | L0 | RM | V }, /* vmovlps */
	{ 0x12, 0x12, P66, 0xff, W1 | L0 | M | V }, /* vmovlpd */
	{ 0x12, 0x12, PF3, 0xff, W0 | LIG | RM | K | Z }, /* vmovsldup */
	{ 0x12, 0x12, PF2, 0xff, W1 | LIG | RM | K | Z }, /* vmovddup */
	{ 0x13, 0x13, NP, 0xff, W0 | L0 | M }, /* vmovlps */
	{ 0x13, 0x13, P66, 0xff, W1 | L0 | M }, /* vmovlpd */
	{ 0x14, 0x15, NP, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vunpcklps vunpckhps */
	{ 0x14, 0x15, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vunpcklpd vunpckhpd */
	{ 0x16, 0x16, NP, 0xff, W0 | L0 | RM | V }, /* vmovhps */
	{ 0x16, 0x16, P66, 0xff, W1 | L0 | M | V }, /* vmovhpd */
	{ 0x16, 0x16, PF3, 0xff, W0 | LIG | RM | K | Z }, /* vmovshdup */
	{ 0x17, 0x17, NP, 0xff, W0 | L0 | M }, /* vmovhps */
	{ 0x17, 0x17, P66, 0xff, W1 | L0 | M }, /* vmovhpd */
	{ 0x28, 0x28, NP, 0xff, W0 | LIG | RM | K | Z }, /* vmovaps */
	{ 0x28, 0x28, P66, 0xff, W1 | LIG | RM | K | Z }, /* vmovapd */
	{ 0x29, 0x29, NP, 0xff, W0 | LIG | RM | K | ZR }, /* vmovaps */
	{ 0x29, 0x29, P66, 0xff, W1 | LIG | RM | K | ZR }, /* vmovapd */
	{ 0x2a, 0x2a, SSD, 0xff, WIG | LIG | RM | V | RC }, /* vcvtsi2ss vcvtsi2sd */
	{ 0x2b, 0x2b, NP, 0xff, W0 | LIG | M }, /* vmovntps */
	{ 0x2b, 0x2b, P66, 0xff, W1 | LIG | M }, /* vmovntpd */
	{ 0x2c, 0x2d, SSD, 0xff, WIG | LIG | RM | GR | RC }, /* vcvttss2si vcvttsd2si ... */
	{ 0x2e, 0x2f, NP, 0xff, W0 | LIG | RM | RC }, /* vucomiss vcomiss */
	{ 0x2e, 0x2f, P66, 0xff, W1 | LIG | RM | RC }, /* vucomisd vcomisd */
	{ 0x51, 0x51, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vsqrtps */
	{ 0x51, 0x51, P66, 0xff, W1 | LIG | RM | K | B | RC | Z }, /* vsqrtpd */
	{ 0x51, 0x51, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vsqrtss */
	{ 0x51, 0x51, PF2, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vsqrtsd */
	{ 0x54, 0x57, NP, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vandps vandnps vorps ... */
	{ 0x54, 0x57, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vandpd vandnpd vorpd ... */
	{ 0x58, 0x59, NP, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vaddps vmulps */
	{ 0x58, 0x59, P66, 0xff, W1 | LIG | RM | V | K | B | RC | Z }, /* vaddpd vmulpd */
	{ 0x58, 0x59, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vaddss vmulss */
	{ 0x58, 0x59, PF2, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vaddsd vmulsd */
	{ 0x5a, 0x5a, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtps2pd */
	{ 0x5a, 0x5a, P66, 0xff, W1 | LIG | RM | K | B | RC | Z }, /* vcvtpd2ps */
	{ 0x5a, 0x5a, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vcvtss2sd */
	{ 0x5a, 0x5a, PF2, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vcvtsd2ss */
	{ 0x5b, 0x5b, NP, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvtdq2ps vcvtqq2ps */
	{ 0x5b, 0x5b, P66 | PF3, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtps2dq vcvttps2dq */
	{ 0x5c, 0x5f, NP, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vsubps vminps vdivps ... */
	{ 0x5c, 0x5f, P66, 0xff, W1 | LIG | RM | V | K | B | RC | Z }, /* vsubpd vminpd ... */
	{ 0x5c, 0x5f, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vsubss vminss vdivss ... */
	{ 0x5c, 0x5f, PF2, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vsubsd vminsd vdivsd ... */
	{ 0x60, 0x61, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpunpcklbw vpunpcklwd */
	{ 0x62, 0x62, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpunpckldq */
	{ 0x63, 0x63, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpacksswb */
	{ 0x64, 0x65, P66, 0xff, WIG | LIG | RM | V | K | KR }, /* vpcmpgtb vpcmpgtw */
	{ 0x66, 0x66, P66, 0xff, W0 | LIG | RM | V | K | KR | B }, /* vpcmpgtd */
	{ 0x67, 0x69, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpackuswb vpunpckhbw vpunpckhwd */
	{ 0x6a, 0x6b, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpunpckhdq vpackssdw */
	{ 0x6c, 0x6d, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpunpcklqdq vpunpckhqdq */
	{ 0x6e, 0x6e, P66, 0xff, WIG | L0 | RM }, /* vmovd vmovq */
	{ 0x6f, 0x6f, P66 | SSD, 0xff, WIG | LIG | RM | K | Z }, /* vmovdqa32 vmovdqa64 ... */
	{ 0x70, 0x70, P66, 0xff, W0 | LIG | RM | K | B | Z }, /* vpshufd */
	{ 0x70, 0x70, SSD, 0xff, WIG | LIG | RM | K | Z }, /* vpshufhw vpshuflw */
	{ 0x71, 0x71, P66, 0x54, WIG | LIG | RM | V | K | Z }, /* vpsrlw */
	{ 0x72, 0x72, P66, 0x57, W0 | LIG | RM | V | K | B | Z }, /* vprord */
	{ 0x72, 0x72, P66, 0x13, W1 | LIG | RM | V | K | B | Z }, /* vprorq */
	{ 0x73, 0x73, P66, 0x88, WIG | LIG | RM | V }, /* vpsrldq vpslldq */
	{ 0x73, 0x73, P66, 0x44, W1 | LIG | RM | V | K | B | Z }, /* vpsrlq vpsllq */
	{ 0x74, 0x75, P66, 0xff, WIG | LIG | RM | V | K | KR }, /* vpcmpeqb vpcmpeqw */
	{ 0x76, 0x76, P66, 0xff, W0 | LIG | RM | V | K | KR | B }, /* vpcmpeqd */
	{ 0x78, 0x79, PSD, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvttps2udq ... */
	{ 0x78, 0x79, SSD, 0xff, WIG | LIG | RM | GR | RC }, /* vcvttss2usi vcvttsd2usi ... */
	{ 0x7a, 0x7a, P66 | SSD, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvttps2qq ... */
	{ 0x7b, 0x7b, P66, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvtps2qq vcvtpd2qq */
	{ 0x7b, 0x7b, SSD, 0xff, WIG | LIG | RM | V | RC }, /* vcvtusi2ss vcvtusi2sd */
	{ 0x7e, 0x7e, P66, 0xff, WIG | L0 | RM }, /* vmovd vmovq */
	{ 0x7e, 0x7e, PF3, 0xff, W1 | L0 | RM }, /* vmovq */
	{ 0x7f, 0x7f, P66 | SSD, 0xff, WIG | LIG | RM | K | ZR }, /* vmovdqa32 vmovdqa64 ... */
	{ 0xc2, 0xc2, NP, 0xff, W0 | LIG | RM | V | K | KR | B | RC }, /* vcmpps */
	{ 0xc2, 0xc2, P66, 0xff, W1 | LIG | RM | V | K | KR | B | RC }, /* vcmppd */
	{ 0xc2, 0xc2, PF3, 0xff, W0 | LIG | RM | V | K | KR | RC }, /* vcmpss */
	{ 0xc2, 0xc2, PF2, 0xff, W1 | LIG | RM | V | K | KR | RC }, /* vcmpsd */
	{ 0xc4, 0xc4, P66, 0xff, WIG | L0 | RM | V }, /* vpinsrw */
	{ 0xc5, 0xc5, P66, 0xff, WIG | L0 | R | GR }, /* vpextrw */
	{ 0xc6, 0xc6, NP, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vshufps */
	{ 0xc6, 0xc6, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vshufpd */
	{ 0xd1, 0xd1, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpsrlw */
	{ 0xd2, 0xd2, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vpsrld */
	{ 0xd3, 0xd3, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpsrlq */
	{ 0xd4, 0xd4, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpaddq */
	{ 0xd5, 0xd5, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmullw */
	{ 0xd6, 0xd6, P66, 0xff, W1 | L0 | RM }, /* vmovq */
	{ 0xd8, 0xda, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpsubusb vpsubusw vpminub */
	{ 0xdb, 0xdb, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpandd vpandq */
	{ 0xdc, 0xde, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpaddusb vpaddusw vpmaxub */
	{ 0xdf, 0xdf, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpandnd vpandnq */
	{ 0xe0, 0xe5, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpavgb vpsraw vpsrad ... */
	{ 0xe6, 0xe6, P66 | PF2, 0xff, W1 | LIG | RM | K | B | RC | Z }, /* vcvttpd2dq vcvtpd2dq */
	{ 0xe6, 0xe6, PF3, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvtdq2pd vcvtqq2pd */
	{ 0xe7, 0xe7, P66, 0xff, W0 | LIG | M }, /* vmovntdq */
	{ 0xe8, 0xea, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpsubsb vpsubsw vpminsw */
	{ 0xeb, 0xeb, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpord vporq */
	{ 0xec, 0xee, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpaddsb vpaddsw vpmaxsw */
	{ 0xef, 0xef, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpxord vpxorq */
	{ 0xf1, 0xf1, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpsllw */
	{ 0xf2, 0xf2, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vpslld */
	{ 0xf3, 0xf3, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpsllq */
	{ 0xf4, 0xf4, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpmuludq */
	{ 0xf5, 0xf5, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmaddwd */
	{ 0xf6, 0xf6, P66, 0xff, WIG | LIG | RM | V }, /* vpsadbw */
	{ 0xf8, 0xf9, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpsubb vpsubw */
	{ 0xfa, 0xfa, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpsubd */
	{ 0xfb, 0xfb, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpsubq */
	{ 0xfc, 0xfd, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpaddb vpaddw */
	{ 0xfe, 0xfe, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpaddd */
	{ 0 }
};

const struct insn_vector_row insn_evex_0f38[] = {
	{ 0x00, 0x00, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpshufb */
	{ 0x04, 0x04, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmaddubsw */
	{ 0x0b, 0x0b, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmulhrsw */
	{ 0x0c, 0x0c, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpermilps */
	{ 0x0d, 0x0d, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpermilpd */
	{ 0x10, 0x12, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpsrlvw vpsravw vpsllvw */
	{ 0x10, 0x12, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovuswb vpmovusdb vpmovusqb */
	{ 0x13, 0x13, P66, 0xff, W0 | LIG | RM | K | RC | Z }, /* vcvtph2ps */
	{ 0x13, 0x13, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovusdw */
	{ 0x14, 0x15, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vprorvd vprorvq vprolvd ... */
	{ 0x14, 0x15, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovusqw vpmovusqd */
	{ 0x16, 0x16, P66, 0xff, WIG | L12 | RM | V | K | B | Z }, /* vpermps vpermpd */
	{ 0x18, 0x18, P66, 0xff, W0 | LIG | RM | K | Z }, /* vbroadcastss */
	{ 0x19, 0x19, P66, 0xff, WIG | L12 | RM | K | Z }, /* vbroadcastf32x2 vbroadcastsd */
	{ 0x1a, 0x1a, P66, 0xff, WIG | L12 | M | K | Z }, /* vbroadcastf32x4 vbroadcastf64x2 */
	{ 0x1b, 0x1b, P66, 0xff, WIG | L2 | M | K | Z }, /* vbroadcastf32x8 vbroadcastf64x4 */
	{ 0x1c, 0x1d, P66, 0xff, WIG | LIG | RM | K | Z }, /* vpabsb vpabsw */
	{ 0x1e, 0x1e, P66, 0xff, W0 | LIG | RM | K | B | Z }, /* vpabsd */
	{ 0x1f, 0x1f, P66, 0xff, W1 | LIG | RM | K | B | Z }, /* vpabsq */
	{ 0x20, 0x24, P66, 0xff, WIG | LIG | RM | K | Z }, /* vpmovsxbw vpmovsxbd vpmovsxbq ... */
	{ 0x20, 0x24, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovswb vpmovsdb vpmovsqb ... */
	{ 0x25, 0x25, P66, 0xff, W0 | LIG | RM | K | Z }, /* vpmovsxdq */
	{ 0x25, 0x25, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovsqd */
	{ 0x26, 0x26, P66 | PF3, 0xff, WIG | LIG | RM | V | K | KR }, /* vptestmb vptestmw ... */
	{ 0x27, 0x27, P66 | PF3, 0xff, WIG | LIG | RM | V | K | KR | B }, /* vptestmd ... */
	{ 0x28, 0x28, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpmuldq */
	{ 0x28, 0x28, PF3, 0xff, WIG | LIG | R }, /* vpmovm2b vpmovm2w */
	{ 0x29, 0x29, P66, 0xff, W1 | LIG | RM | V | K | KR | B }, /* vpcmpeqq */
	{ 0x29, 0x29, PF3, 0xff, WIG | LIG | R | KR }, /* vpmovb2m vpmovw2m */
	{ 0x2a, 0x2a, P66, 0xff, W0 | LIG | M }, /* vmovntdqa */
	{ 0x2a, 0x2a, PF3, 0xff, W1 | LIG | R }, /* vpbroadcastmb2q */
	{ 0x2b, 0x2b, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpackusdw */
	{ 0x2c, 0x2c, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vscalefps vscalefpd */
	{ 0x2d, 0x2d, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vscalefss vscalefsd */
	{ 0x30, 0x34, P66, 0xff, WIG | LIG | RM | K | Z }, /* vpmovzxbw vpmovzxbd vpmovzxbq ... */
	{ 0x30, 0x34, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovwb vpmovdb vpmovqb ... */
	{ 0x35, 0x35, P66, 0xff, W0 | LIG | RM | K | Z }, /* vpmovzxdq */
	{ 0x35, 0x35, PF3, 0xff, W0 | LIG | RM | K | ZR }, /* vpmovqd */
	{ 0x36, 0x36, P66, 0xff, WIG | L12 | RM | V | K | B | Z }, /* vpermd vpermq */
	{ 0x37, 0x37, P66, 0xff, W1 | LIG | RM | V | K | KR | B }, /* vpcmpgtq */
	{ 0x38, 0x38, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpminsb */
	{ 0x38, 0x38, PF3, 0xff, WIG | LIG | R }, /* vpmovm2d vpmovm2q */
	{ 0x39, 0x39, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpminsd vpminsq */
	{ 0x39, 0x39, PF3, 0xff, WIG | LIG | R | KR }, /* vpmovd2m vpmovq2m */
	{ 0x3a, 0x3a, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpminuw */
	{ 0x3a, 0x3a, PF3, 0xff, W0 | LIG | R }, /* vpbroadcastmw2d */
	{ 0x3b, 0x3b, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpminud vpminuq */
	{ 0x3c, 0x3c, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmaxsb */
	{ 0x3d, 0x3d, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpmaxsd vpmaxsq */
	{ 0x3e, 0x3e, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpmaxuw */
	{ 0x3f, 0x40, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpmaxud vpmaxuq vpmulld ... */
	{ 0x42, 0x42, P66, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vgetexpps vgetexppd */
	{ 0x43, 0x43, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vgetexpss vgetexpsd */
	{ 0x44, 0x44, P66, 0xff, WIG | LIG | RM | K | B | Z }, /* vplzcntd vplzcntq */
	{ 0x45, 0x47, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpsrlvd vpsrlvq vpsravd ... */
	{ 0x4c, 0x4c, P66, 0xff, WIG | LIG | RM | K | B | Z }, /* vrcp14ps vrcp14pd */
	{ 0x4d, 0x4d, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vrcp14ss vrcp14sd */
	{ 0x4e, 0x4e, P66, 0xff, WIG | LIG | RM | K | B | Z }, /* vrsqrt14ps vrsqrt14pd */
	{ 0x4f, 0x4f, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vrsqrt14ss vrsqrt14sd */
	{ 0x50, 0x51, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpdpbusd vpdpbusds */
	{ 0x52, 0x52, P66 | PF3, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpdpwssd vdpbf16ps */
	{ 0x52, 0x52, PF2, 0xff, W0 | L2 | M | V | K | Z }, /* vp4dpwssd */
	{ 0x53, 0x53, P66, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vpdpwssds */
	{ 0x53, 0x53, PF2, 0xff, W0 | L2 | M | V | K | Z }, /* vp4dpwssds */
	{ 0x54, 0x54, P66, 0xff, WIG | LIG | RM | K | Z }, /* vpopcntb vpopcntw */
	{ 0x55, 0x55, P66, 0xff, WIG | LIG | RM | K | B | Z }, /* vpopcntd vpopcntq */
	{ 0x58, 0x58, P66, 0xff, W0 | LIG | RM | K | Z }, /* vpbroadcastd */
	{ 0x59, 0x59, P66, 0xff, WIG | LIG | RM | K | Z }, /* vbroadcasti32x2 vpbroadcastq */
	{ 0x5a, 0x5a, P66, 0xff, WIG | L12 | M | K | Z }, /* vbroadcasti32x4 vbroadcasti64x2 */
	{ 0x5b, 0x5b, P66, 0xff, WIG | L2 | M | K | Z }, /* vbroadcasti32x8 vbroadcasti64x4 */
	{ 0x62, 0x62, P66, 0xff, WIG | LIG | RM | K | Z }, /* vpexpandb vpexpandw */
	{ 0x63, 0x63, P66, 0xff, WIG | LIG | RM | K | ZR }, /* vpcompressb vpcompressw */
	{ 0x64, 0x65, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpblendmd vpblendmq ... */
	{ 0x66, 0x66, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpblendmb vpblendmw */
	{ 0x68, 0x68, PF2, 0xff, WIG | LIG | RM | V | KR | B }, /* vp2intersectd vp2intersectq */
	{ 0x70, 0x70, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpshldvw */
	{ 0x71, 0x71, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpshldvd vpshldvq */
	{ 0x72, 0x72, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpshrdvw */
	{ 0x72, 0x72, PF3, 0xff, W0 | LIG | RM | K | B | Z }, /* vcvtneps2bf16 */
	{ 0x72, 0x72, PF2, 0xff, W0 | LIG | RM | V | K | B | Z }, /* vcvtne2ps2bf16 */
	{ 0x73, 0x73, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpshrdvd vpshrdvq */
	{ 0x75, 0x75, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpermi2b vpermi2w */
	{ 0x76, 0x77, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpermi2d vpermi2q ... */
	{ 0x78, 0x79, P66, 0xff, W0 | LIG | RM | K | Z }, /* vpbroadcastb vpbroadcastw */
	{ 0x7a, 0x7b, P66, 0xff, W0 | LIG | R | K | Z }, /* vpbroadcastb vpbroadcastw */
	{ 0x7c, 0x7c, P66, 0xff, WIG | LIG | R | K | Z }, /* vpbroadcastd vpbroadcastq */
	{ 0x7d, 0x7d, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpermt2b vpermt2w */
	{ 0x7e, 0x7f, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpermt2d vpermt2q ... */
	{ 0x83, 0x83, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpmultishiftqb */
	{ 0x88, 0x89, P66, 0xff, WIG | LIG | RM | K | Z }, /* vexpandps vexpandpd vpexpandd ... */
	{ 0x8a, 0x8b, P66, 0xff, WIG | LIG | RM | K | ZR }, /* vcompressps vcompresspd ... */
	{ 0x8d, 0x8d, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpermb vpermw */
	{ 0x8f, 0x8f, P66, 0xff, W0 | LIG | RM | V | K | KR }, /* vpshufbitqmb */
	{ 0x90, 0x93, P66, 0xff, WIG | LIG | SIB | KM | D }, /* vpgatherdd vpgatherdq ... */
	{ 0x96, 0x98, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub132ps ... */
	{ 0x99, 0x99, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmadd132ss vfmadd132sd */
	{ 0x9a, 0x9a, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmsub132ps ... */
	{ 0x9a, 0x9a, PF2, 0xff, W0 | L2 | M | V | K | Z }, /* v4fmaddps */
	{ 0x9b, 0x9b, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmsub132ss vfmsub132sd */
	{ 0x9b, 0x9b, PF2, 0xff, W0 | LIG | M | V | K | Z }, /* v4fmaddss */
	{ 0x9c, 0x9c, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmadd132ps ... */
	{ 0x9d, 0x9d, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmadd132ss vfnmadd132sd */
	{ 0x9e, 0x9e, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmsub132ps ... */
	{ 0x9f, 0x9f, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmsub132ss vfnmsub132sd */
	{ 0xa0, 0xa3, P66, 0xff, WIG | LIG | SIB | KM }, /* vpscatterdd vpscatterdq ... */
	{ 0xa6, 0xa8, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub213ps ... */
	{ 0xa9, 0xa9, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmadd213ss vfmadd213sd */
	{ 0xaa, 0xaa, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmsub213ps ... */
	{ 0xaa, 0xaa, PF2, 0xff, W0 | L2 | M | V | K | Z }, /* v4fnmaddps */
	{ 0xab, 0xab, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmsub213ss vfmsub213sd */
	{ 0xab, 0xab, PF2, 0xff, W0 | LIG | M | V | K | Z }, /* v4fnmaddss */
	{ 0xac, 0xac, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmadd213ps ... */
	{ 0xad, 0xad, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmadd213ss vfnmadd213sd */
	{ 0xae, 0xae, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmsub213ps ... */
	{ 0xaf, 0xaf, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmsub213ss vfnmsub213sd */
	{ 0xb4, 0xb5, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vpmadd52luq vpmadd52huq */
	{ 0xb6, 0xb8, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub231ps ... */
	{ 0xb9, 0xb9, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmadd231ss vfmadd231sd */
	{ 0xba, 0xba, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfmsub231ps ... */
	{ 0xbb, 0xbb, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfmsub231ss vfmsub231sd */
	{ 0xbc, 0xbc, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmadd231ps ... */
	{ 0xbd, 0xbd, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmadd231ss vfnmadd231sd */
	{ 0xbe, 0xbe, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfnmsub231ps ... */
	{ 0xbf, 0xbf, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfnmsub231ss vfnmsub231sd */
	{ 0xc4, 0xc4, P66, 0xff, WIG | LIG | RM | K | B | Z }, /* vpconflictd vpconflictq */
	{ 0xc6, 0xc7, P66, 0x66, WIG | L2 | SIB | KM }, /* vgatherpf0dps vgatherpf0dpd ... */
	{ 0xc8, 0xc8, P66, 0xff, WIG | L2 | RM | K | B | RC | Z }, /* vexp2ps vexp2pd */
	{ 0xca, 0xca, P66, 0xff, WIG | L2 | RM | K | B | RC | Z }, /* vrcp28ps vrcp28pd */
	{ 0xcb, 0xcb, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vrcp28ss vrcp28sd */
	{ 0xcc, 0xcc, P66, 0xff, WIG | L2 | RM | K | B | RC | Z }, /* vrsqrt28ps vrsqrt28pd */
	{ 0xcd, 0xcd, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vrsqrt28ss vrsqrt28sd */
	{ 0xcf, 0xcf, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vgf2p8mulb */
	{ 0xdc, 0xdf, P66, 0xff, WIG | LIG | RM | V }, /* vaesenc vaesenclast vaesdec ... */
	{ 0 }
};

const struct insn_vector_row insn_evex_0f3a[] = {
	{ 0x00, 0x01, P66, 0xff, W1 | L12 | RM | K | B | Z }, /* vpermq vpermpd */
	{ 0x03, 0x03, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* valignd valignq */
	{ 0x04, 0x04, P66, 0xff, W0 | LIG | RM | K | B | Z }, /* vpermilps */
	{ 0x05, 0x05, P66, 0xff, W1 | LIG | RM | K | B | Z }, /* vpermilpd */
	{ 0x08, 0x08, PSD, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vrndscaleph vrndscaleps */
	{ 0x09, 0x09, P66, 0xff, W1 | LIG | RM | K | B | RC | Z }, /* vrndscalepd */
	{ 0x0a, 0x0a, PSD, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vrndscalesh vrndscaless */
	{ 0x0b, 0x0b, P66, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vrndscalesd */
	{ 0x0f, 0x0f, P66, 0xff, WIG | LIG | RM | V | K | Z }, /* vpalignr */
	{ 0x14, 0x17, P66, 0xff, WIG | L0 | RM }, /* vpextrb vpextrw vpextrd ... */
	{ 0x18, 0x18, P66, 0xff, WIG | L12 | RM | V | K | Z }, /* vinsertf32x4 vinsertf64x2 */
	{ 0x19, 0x19, P66, 0xff, WIG | L12 | RM | K | ZR }, /* vextractf32x4 vextractf64x2 */
	{ 0x1a, 0x1a, P66, 0xff, WIG | L2 | RM | V | K | Z }, /* vinsertf32x8 vinsertf64x4 */
	{ 0x1b, 0x1b, P66, 0xff, WIG | L2 | RM | K | ZR }, /* vextractf32x8 vextractf64x4 */
	{ 0x1d, 0x1d, P66, 0xff, W0 | LIG | RM | K | RC | ZR }, /* vcvtps2ph */
	{ 0x1e, 0x1f, P66, 0xff, WIG | LIG | RM | V | K | KR | B }, /* vpcmpud vpcmpuq vpcmpd ... */
	{ 0x20, 0x20, P66, 0xff, WIG | L0 | RM | V }, /* vpinsrb */
	{ 0x21, 0x21, P66, 0xff, W0 | L0 | RM | V }, /* vinsertps */
	{ 0x22, 0x22, P66, 0xff, WIG | L0 | RM | V }, /* vpinsrd vpinsrq */
	{ 0x23, 0x23, P66, 0xff, WIG | L12 | RM | V | K | B | Z }, /* vshuff32x4 vshuff64x2 */
	{ 0x25, 0x25, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpternlogd vpternlogq */
	{ 0x26, 0x26, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vgetmantph */
	{ 0x26, 0x26, P66, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vgetmantps vgetmantpd */
	{ 0x27, 0x27, NP, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vgetmantsh */
	{ 0x27, 0x27, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vgetmantss vgetmantsd */
	{ 0x38, 0x38, P66, 0xff, WIG | L12 | RM | V | K | Z }, /* vinserti32x4 vinserti64x2 */
	{ 0x39, 0x39, P66, 0xff, WIG | L12 | RM | K | ZR }, /* vextracti32x4 vextracti64x2 */
	{ 0x3a, 0x3a, P66, 0xff, WIG | L2 | RM | V | K | Z }, /* vinserti32x8 vinserti64x4 */
	{ 0x3b, 0x3b, P66, 0xff, WIG | L2 | RM | K | ZR }, /* vextracti32x8 vextracti64x4 */
	{ 0x3e, 0x3f, P66, 0xff, WIG | LIG | RM | V | K | KR }, /* vpcmpub vpcmpuw vpcmpb ... */
	{ 0x42, 0x42, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vdbpsadbw */
	{ 0x43, 0x43, P66, 0xff, WIG | L12 | RM | V | K | B | Z }, /* vshufi32x4 vshufi64x2 */
	{ 0x44, 0x44, P66, 0xff, WIG | LIG | RM | V }, /* vpclmulqdq */
	{ 0x50, 0x50, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vrangeps vrangepd */
	{ 0x51, 0x51, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vrangess vrangesd */
	{ 0x54, 0x54, P66, 0xff, WIG | LIG | RM | V | K | B | RC | Z }, /* vfixupimmps ... */
	{ 0x55, 0x55, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vfixupimmss vfixupimmsd */
	{ 0x56, 0x56, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vreduceph */
	{ 0x56, 0x56, P66, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vreduceps vreducepd */
	{ 0x57, 0x57, NP, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vreducesh */
	{ 0x57, 0x57, P66, 0xff, WIG | LIG | RM | V | K | RC | Z }, /* vreducess vreducesd */
	{ 0x66, 0x66, NP, 0xff, W0 | LIG | RM | K | KR | B }, /* vfpclassph */
	{ 0x66, 0x66, P66, 0xff, WIG | LIG | RM | K | KR | B }, /* vfpclassps vfpclasspd */
	{ 0x67, 0x67, NP, 0xff, W0 | LIG | RM | K | KR }, /* vfpclasssh */
	{ 0x67, 0x67, P66, 0xff, WIG | LIG | RM | K | KR }, /* vfpclassss vfpclasssd */
	{ 0x70, 0x70, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpshldw */
	{ 0x71, 0x71, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpshldd vpshldq */
	{ 0x72, 0x72, P66, 0xff, W1 | LIG | RM | V | K | Z }, /* vpshrdw */
	{ 0x73, 0x73, P66, 0xff, WIG | LIG | RM | V | K | B | Z }, /* vpshrdd vpshrdq */
	{ 0xc2, 0xc2, NP, 0xff, W0 | LIG | RM | V | K | KR | B | RC }, /* vcmpph */
	{ 0xc2, 0xc2, PF3, 0xff, W0 | LIG | RM | V | K | KR | RC }, /* vcmpsh */
	{ 0xce, 0xcf, P66, 0xff, W1 | LIG | RM | V | K | B | Z }, /* vgf2p8affineqb ... */
	{ 0 }
};

const struct insn_vector_row insn_evex_5[] = {
	{ 0x10, 0x10, PF3, 0xff, W0 | LIG | M | K | Z }, /* vmovsh */
	{ 0x10, 0x10, PF3, 0xff, W0 | LIG | R | V | K | Z }, /* vmovsh */
	{ 0x11, 0x11, PF3, 0xff, W0 | LIG | M | K }, /* vmovsh */
	{ 0x11, 0x11, PF3, 0xff, W0 | LIG | R | V | K | Z }, /* vmovsh */
	{ 0x1d, 0x1d, NP, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vcvtss2sh */
	{ 0x1d, 0x1d, P66, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtps2phx */
	{ 0x2a, 0x2a, PF3, 0xff, WIG | LIG | RM | V | RC }, /* vcvtsi2sh */
	{ 0x2c, 0x2d, PF3, 0xff, WIG | LIG | RM | GR | RC }, /* vcvttsh2si vcvtsh2si */
	{ 0x2e, 0x2f, NP, 0xff, W0 | LIG | RM | RC }, /* vucomish vcomish */
	{ 0x51, 0x51, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vsqrtph */
	{ 0x51, 0x51, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vsqrtsh */
	{ 0x58, 0x59, NP, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vaddph vmulph */
	{ 0x58, 0x59, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vaddsh vmulsh */
	{ 0x5a, 0x5a, NP, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtph2pd */
	{ 0x5a, 0x5a, P66, 0xff, W1 | LIG | RM | K | B | RC | Z }, /* vcvtpd2ph */
	{ 0x5a, 0x5a, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vcvtsh2sd */
	{ 0x5a, 0x5a, PF2, 0xff, W1 | LIG | RM | V | K | RC | Z }, /* vcvtsd2sh */
	{ 0x5b, 0x5b, NP, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvtdq2ph vcvtqq2ph */
	{ 0x5b, 0x5b, P66 | PF3, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtph2dq vcvttph2dq */
	{ 0x5c, 0x5f, NP, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vsubph vminph vdivph ... */
	{ 0x5c, 0x5f, PF3, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vsubsh vminsh vdivsh ... */
	{ 0x6e, 0x6e, P66, 0xff, WIG | L0 | RM }, /* vmovw */
	{ 0x78, 0x79, PSD, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvttph2udq vcvttph2uqq ... */
	{ 0x78, 0x79, PF3, 0xff, WIG | LIG | RM | GR | RC }, /* vcvttsh2usi vcvtsh2usi */
	{ 0x7a, 0x7a, P66, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvttph2qq */
	{ 0x7a, 0x7a, PF2, 0xff, WIG | LIG | RM | K | B | RC | Z }, /* vcvtudq2ph vcvtuqq2ph */
	{ 0x7b, 0x7b, P66, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtph2qq */
	{ 0x7b, 0x7b, PF3, 0xff, WIG | LIG | RM | V | RC }, /* vcvtusi2sh */
	{ 0x7c, 0x7c, PSD, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvttph2uw vcvttph2w */
	{ 0x7d, 0x7d, ALL, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtph2uw vcvtph2w ... */
	{ 0x7e, 0x7e, P66, 0xff, WIG | L0 | RM }, /* vmovw */
	{ 0 }
};

const struct insn_vector_row insn_evex_6[] = {
	{ 0x13, 0x13, NP, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vcvtsh2ss */
	{ 0x13, 0x13, P66, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vcvtph2psx */
	{ 0x2c, 0x2c, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vscalefph */
	{ 0x2d, 0x2d, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vscalefsh */
	{ 0x42, 0x42, P66, 0xff, W0 | LIG | RM | K | B | RC | Z }, /* vgetexpph */
	{ 0x43, 0x43, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vgetexpsh */
	{ 0x4c, 0x4c, P66, 0xff, W0 | LIG | RM | K | B | Z }, /* vrcpph */
	{ 0x4d, 0x4d, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vrcpsh */
	{ 0x4e, 0x4e, P66, 0xff, W0 | LIG | RM | K | B | Z }, /* vrsqrtph */
	{ 0x4f, 0x4f, P66, 0xff, W0 | LIG | RM | V | K | Z }, /* vrsqrtsh */
	{ 0x56, 0x56, SSD, 0xff, W0 | LIG | RM | V | K | D | B | RC | Z },
	{ 0x57, 0x57, SSD, 0xff, W0 | LIG | RM | V | K | D | RC | Z }, /* vfmaddcsh vfcmaddcsh */
	{ 0x96, 0x98, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub132ph ... */
	{ 0x99, 0x99, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmadd132sh */
	{ 0x9a, 0x9a, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmsub132ph */
	{ 0x9b, 0x9b, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmsub132sh */
	{ 0x9c, 0x9c, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmadd132ph */
	{ 0x9d, 0x9d, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmadd132sh */
	{ 0x9e, 0x9e, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmsub132ph */
	{ 0x9f, 0x9f, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmsub132sh */
	{ 0xa6, 0xa8, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub213ph ... */
	{ 0xa9, 0xa9, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmadd213sh */
	{ 0xaa, 0xaa, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmsub213ph */
	{ 0xab, 0xab, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmsub213sh */
	{ 0xac, 0xac, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmadd213ph */
	{ 0xad, 0xad, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmadd213sh */
	{ 0xae, 0xae, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmsub213ph */
	{ 0xaf, 0xaf, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmsub213sh */
	{ 0xb6, 0xb8, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmaddsub231ph ... */
	{ 0xb9, 0xb9, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmadd231sh */
	{ 0xba, 0xba, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfmsub231ph */
	{ 0xbb, 0xbb, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfmsub231sh */
	{ 0xbc, 0xbc, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmadd231ph */
	{ 0xbd, 0xbd, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmadd231sh */
	{ 0xbe, 0xbe, P66, 0xff, W0 | LIG | RM | V | K | B | RC | Z }, /* vfnmsub231ph */
	{ 0xbf, 0xbf, P66, 0xff, W0 | LIG | RM | V | K | RC | Z }, /* vfnmsub231sh */
	{ 0xd6, 0xd6, SSD, 0xff, W0 | LIG | RM | V | K | D | B | RC | Z }, /* vfmulcph vfcmulcph */
	{ 0xd7, 0xd7, SSD, 0xff, W0 | LIG | RM | V | K | D | RC | Z }, /* vfmulcsh vfcmulcsh */
	{ 0 }
};

const struct insn_vector_row insn_xop_8[] = {
	{ 0x85, 0x87, NP, 0xff, W0 | L0 | RM | V }, /* vpmacssww vpmacsswd vpmacssdql */
	{ 0x8e, 0x8f, NP, 0xff, W0 | L0 | RM | V }, /* vpmacssdd vpmacssdqh */
	{ 0x95, 0x97, NP, 0xff, W0 | L0 | RM | V }, /* vpmacsww vpmacswd vpmacsdql */
	{ 0x9e, 0x9f, NP, 0xff, W0 | L0 | RM | V }, /* vpmacsdd vpmacsdqh */
	{ 0xa2, 0xa2, NP, 0xff, WIG | LIG | RM | V }, /* vpcmov */
	{ 0xa3, 0xa3, NP, 0xff, WIG | L0 | RM | V }, /* vpperm */
	{ 0xa6, 0xa6, NP, 0xff, W0 | L0 | RM | V }, /* vpmadcsswd */
	{ 0xb6, 0xb6, NP, 0xff, W0 | L0 | RM | V }, /* vpmadcswd */
	{ 0xc0, 0xc3, NP, 0xff, W0 | L0 | RM }, /* vprotb vprotw vprotd ... */
	{ 0xcc, 0xcf, NP, 0xff, W0 | L0 | RM | V }, /* vpcomb vpcomw vpcomd ... */
	{ 0xec, 0xef, NP, 0xff, W0 | L0 | RM | V }, /* vpcomub vpcomuw vpcomud ... */
	{ 0 }
};

const struct insn_vector_row insn_xop_9[] = {
	{ 0x01, 0x01, NP, 0xfe, WIG | L0 | RM | V }, /* blcfill */
	{ 0x02, 0x02, NP, 0x42, WIG | L0 | RM | V }, /* blcmsk */
	{ 0x12, 0x12, NP, 0x03, WIG | L0 | R }, /* llwpcb */
	{ 0x80, 0x81, NP, 0xff, W0 | LIG | RM }, /* vfrczps vfrczpd */
	{ 0x82, 0x83, NP, 0xff, W0 | L0 | RM }, /* vfrczss vfrczsd */
	{ 0x90, 0x9b, NP, 0xff, WIG | L0 | RM | V }, /* vprotb vprotw vprotd ... */
	{ 0xc1, 0xc3, NP, 0xff, W0 | L0 | RM }, /* vphaddbw vphaddbd vphaddbq */
	{ 0xc6, 0xc7, NP, 0xff, W0 | L0 | RM }, /* vphaddwd vphaddwq */
	{ 0xcb, 0xcb, NP, 0xff, W0 | L0 | RM }, /* vphadddq */
	{ 0xd1, 0xd3, NP, 0xff, W0 | L0 | RM }, /* vphaddubw vphaddubd vphaddubq */
	{ 0xd6, 0xd7, NP, 0xff, W0 | L0 | RM }, /* vphadduwd vphadduwq */
	{ 0xdb, 0xdb, NP, 0xff, W0 | L0 | RM }, /* vphaddudq */
	{ 0xe1, 0xe3, NP, 0xff, W0 | L0 | RM }, /* vphsubbw vphsubwd vphsubdq */
	{ 0 }
};

const struct insn_vector_row insn_xop_a[] = {
	{ 0x10, 0x10, NP, 0xff, WIG | L0 | RM }, /* bextr */
	{ 0x12, 0x12, NP, 0x03, WIG | L0 | RM | V }, /* lwpins */
	{ 0 }
};
