/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's debugger exports to the rest of the kernel, as far as kprobes.ko looks for it.
 */
#ifndef LKP_TEST_DEBUGGER_H
#define LKP_TEST_DEBUGGER_H

int kgdb_has_hit_break(unsigned long addr);
extern void *dbg_io_ops;

#endif /* LKP_TEST_DEBUGGER_H */
