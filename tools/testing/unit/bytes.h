/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the unit tests of x86 give an instruction as: its bytes, and how many they are.
 */
#ifndef LKP_UNIT_BYTES_H
#define LKP_UNIT_BYTES_H

#define BYTES(...)	(const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

#endif /* LKP_UNIT_BYTES_H */
