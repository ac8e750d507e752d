/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types for the pure part of each architecture: the decoder and the emulator
 * are built into the module and also into user-space programs, which test
 * millions of instructions a second.  They include this header and nothing
 * else from outside their own folder.
 */
#ifndef LKP_ARCH_PURE_H
#define LKP_ARCH_PURE_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stddef.h>
#include <linux/string.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __always_inline
#define __always_inline	inline
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
#endif

#endif /* LKP_ARCH_PURE_H */
