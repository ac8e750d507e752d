/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Relays: jumps of five bytes in padding, to which short jumps lead.
 */
#ifndef LKP_X86_RELAY_H
#define LKP_X86_RELAY_H

#include <linux/types.h>

struct module;
struct relay;

extern const char * const relay_no_room;

const char *relay_room(unsigned long addr, struct module *mod, bool used_too);
const char *relay_make(struct relay **relay, unsigned long addr, struct module *mod,
		       unsigned long target);
unsigned long relay_address(const struct relay *relay);
bool relay_is_intact(const struct relay *relay);
void relay_retire(struct relay *relay);
void relays_forget(struct module *mod);
void relays_exit(void);

#endif /* LKP_X86_RELAY_H */
