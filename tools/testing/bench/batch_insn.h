/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BATCH_INSN_H
#define BATCH_INSN_H

unsigned long batch_insn_before(unsigned long addr, unsigned long start, unsigned long size);

#endif /* BATCH_INSN_H */
