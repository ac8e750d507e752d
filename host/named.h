/* SPDX-License-Identifier: GPL-2.0-only */
/* For reserved.c and text_symbols.c. */
#ifndef LKP_NAMED_H
#define LKP_NAMED_H

#include <linux/types.h>

const char *host_name_owner(unsigned long addr);
bool host_name_tells(const char *name);

#endif /* LKP_NAMED_H */
