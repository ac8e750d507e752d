/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NAMES_H
#define NAMES_H

int call_second_twin(int a);
void *second_twin(void);

#endif /* NAMES_H */
