/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembles code that saves all registers, as a trap does, and calls C.
 */
#ifndef LKP_X86_ASSEMBLY_H
#define LKP_X86_ASSEMBLY_H

#include <linux/build_bug.h>
#include <linux/kconfig.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/ptrace.h>

#include "../../core/dispatch.h"
#include "reach.h"

#define X86_JNE8	0x75
#define X86_JE32	0x0f, 0x84
#define X86_JNE32	0x0f, 0x85
#define X86_PUSH32	0x68
#define X86_STORE	0x89
#define X86_LOAD	0x8b

/* Of X86_JNE32 and its like, with the distance. */
#define X86_JCC32_SIZE	6

#define PT_REGS_IP	128
#define PT_REGS_FLAGS	144
#define PT_REGS_SP	152
#define PT_REGS_SIZE	168
static_assert(offsetof(struct pt_regs, ip) == PT_REGS_IP);
static_assert(offsetof(struct pt_regs, flags) == PT_REGS_FLAGS);
static_assert(offsetof(struct pt_regs, sp) == PT_REGS_SP);
static_assert(sizeof(struct pt_regs) == PT_REGS_SIZE);
static_assert(offsetof(struct hit_state, running) == 0);

/* With more handlers than this, hits are looked up. */
#define DETOUR_MAX_HANDLERS	8

/* The maximum size of a detour; a kprobe can have two handlers. */
#define DETOUR_FIXED_SIZE	480
#define DETOUR_HANDLER_SIZE	(35 + 29)
#define DETOUR_MAX		(DETOUR_FIXED_SIZE + REACH_MAX_COPY +	\
				 DETOUR_MAX_HANDLERS * DETOUR_HANDLER_SIZE)

/* The sizes of what emit_set_ip(), emit_general() and emit_frame_pointer() emit. */
#define SET_IP_SIZE		12
#define GENERAL_SIZE		(15 * 5)
#define FRAME_POINTER_SIZE	(IS_ENABLED(CONFIG_FRAME_POINTER) ? 5 : 0)

/**
 * struct assembly - code that is being assembled, for an address
 * @bytes: the code
 * @nr: number of bytes so far
 * @addr: the address where it will run
 * @failed: the code is too long, or something is out of reach
 */
struct assembly {
	u8 bytes[DETOUR_MAX];
	unsigned int nr;
	unsigned long addr;
	bool failed;
};

/* In bytes. */
static inline unsigned int assembly_size(const struct assembly *a)
{
	return a->nr;
}

/* Takes the place of the next @nr bytes.  Returns NULL if there are not so many. */
static __always_inline u8 *assembly_take(struct assembly *a, unsigned int nr)
{
	u8 *place = a->bytes + a->nr;

	if (a->nr + nr > sizeof(a->bytes)) {
		a->failed = true;
		return NULL;
	}
	a->nr += nr;
	return place;
}

/* Inline: a detour is made of some dozen pieces, most of whose sizes the compiler knows. */
static __always_inline void emit(struct assembly *a, const void *bytes, unsigned int nr)
{
	u8 *place = assembly_take(a, nr);

	if (place)
		memcpy(place, bytes, nr);
}

static __always_inline void emit32(struct assembly *a, u32 value)
{
	emit(a, &value, sizeof(value));
}

#define EMIT(a, ...) do {						\
	static const u8 emitted[] = { __VA_ARGS__ };			\
									\
	emit(a, emitted, sizeof(emitted));				\
} while (0)

/* And a value behind that, which is asked for before anything is emitted. */
#define EMIT_WITH(a, value, ...) do {					\
	static const u8 emitted[] = { __VA_ARGS__ };			\
	typeof(value) operand = (value);				\
	u8 *taken = assembly_take(a, sizeof(emitted) + sizeof(operand));	\
									\
	if (taken) {							\
		memcpy(taken, emitted, sizeof(emitted));		\
		memcpy(taken + sizeof(emitted), &operand, sizeof(operand));	\
	}								\
} while (0)

/* An address in text, extended by its sign; the second pushes it. */
void emit_addr32(struct assembly *a, unsigned long addr);
void emit_push_addr(struct assembly *a, unsigned long addr);

/* X86_JMP32 or X86_CALL32; the second to a function of our own. */
void emit_branch(struct assembly *a, u8 opcode, unsigned long target);
void emit_branch_to(struct assembly *a, u8 opcode, void (*target)(void));

/* The first argument of what is called next, and struct pt_regs as the second. */
void emit_first_argument(struct assembly *a, const void *pointer);
void emit_regs_argument(struct assembly *a);

/*
 * emit_save() makes a struct pt_regs on the stack, with @ip, below a return address for who follows
 * stacks, @place, and sets flags as for handlers, with interrupts off.  emit_restore() undoes that.
 */
void emit_save(struct assembly *a, unsigned long place, unsigned long ip);
void emit_restore(struct assembly *a);
void emit_clear_flags(struct assembly *a);
void emit_frame_pointer(struct assembly *a);

/* X86_LOAD or X86_STORE, of all general registers but rsp, from or to struct pt_regs. */
void emit_general(struct assembly *a, u8 opcode);
void emit_set_ip(struct assembly *a, unsigned long addr);

/* Words of this CPU: struct hit_state, and the preemption count. */
u32 guard_offset(void);
#define HIT_STATE(member)	(guard_offset() + (u32)offsetof(struct hit_state, member))
void emit_set(struct assembly *a, u32 word, u32 value);
void emit_guard_free(struct assembly *a);
void emit_wait_for_current(struct assembly *a);
void emit_raise_preempt_count(struct assembly *a);
void emit_lower_preempt_count(struct assembly *a);

int assembly_write(const struct assembly *a);

#endif /* LKP_X86_ASSEMBLY_H */
