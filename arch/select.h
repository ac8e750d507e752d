/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place that chooses the architecture to build for: the paths of its
 * headers, relative to this folder, for the shared files.
 */
#ifndef LKP_ARCH_SELECT_H
#define LKP_ARCH_SELECT_H

#ifdef CONFIG_X86_64
#define ARCH_HOST_H	"x86/host_arch.h"
#define ARCH_PROBE_H	"x86/probe.h"
#define ARCH_ENTRY_H	"x86/entry.h"
#define ARCH_DETOUR_H	"x86/detour.h"
#endif
#ifdef CONFIG_ARM64
#define ARCH_HOST_H	"arm64/host_arch.h"
#define ARCH_PROBE_H	"arm64/probe.h"
#define ARCH_ENTRY_H	"arm64/entry.h"
#define ARCH_DETOUR_H	"arm64/detour.h"
#endif
#ifdef CONFIG_PPC64
#define ARCH_HOST_H	"powerpc/host_arch.h"
#define ARCH_PROBE_H	"powerpc/probe.h"
#define ARCH_ENTRY_H	"powerpc/entry.h"
#define ARCH_DETOUR_H	"powerpc/detour.h"
#endif

#include ARCH_HOST_H

#endif /* LKP_ARCH_SELECT_H */
