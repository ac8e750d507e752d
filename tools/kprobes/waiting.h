/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of calls that have not returned.
 */
#ifndef LKP_TOOLS_WAITING_H
#define LKP_TOOLS_WAITING_H

#include "ring.h"

/* Keeps a copy; that of an older call of the same function by the same task goes. */
void waiting_keep(const struct format *format, const struct record *record);
/* That of the call that returns; NULL if there is none.  It is valid until the next one is taken. */
const struct record *waiting_take(const struct format *format, const struct record *back);
/* Forgets those of tasks that have gone; all records up to a time have been taken. */
void waiting_sweep(u64 taken);

#endif /* LKP_TOOLS_WAITING_H */
