/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes, as provided by the module kprobes.ko.
 *
 * A client that is built with our include/ first on its path gets this header
 * in place of the kernel's own <linux/kprobes.h>.  It provides mainline's
 * interface with the same names and the same meaning.
 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/kprobes_arguments.h>
#include <linux/kprobes_names.h>

#ifdef KPROBES_OWN_DECODER
/* Our decoder's names are those of <asm/insn.h>, too, which comes with <asm/kprobes.h>. */
#include <asm-generic/kprobes.h>
#else
#include <asm/kprobes.h>
#endif

/* What mainline's header includes in some versions only. */
#ifdef __has_include
#if __has_include("linux/freelist.h")
#include <linux/freelist.h>
#endif
#if __has_include("linux/objpool.h")
#include <linux/objpool.h>
#endif
#if __has_include("linux/rethook.h")
#include <linux/rethook.h>
#endif
#endif

/* A kernel with kprobes has the same type in its asm/kprobes.h. */
#if defined(CONFIG_X86)
typedef u8 kprobe_opcode_t;
#else
typedef u32 kprobe_opcode_t;
#endif

struct kprobe;
struct probe_counts;
struct probe_kind;
struct probe_point;

typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);
typedef int (*kprobe_fault_handler_t)(struct kprobe *p, struct pt_regs *regs, int trapnr);

/**
 * struct kprobe - one probe of one client
 * @addr: the probe point; set by the client, or by a successful registration
 *	that was given @symbol_name
 * @symbol_name: function (or other text symbol) that the probe is in, also as
 *	"module:symbol" (or "vmlinux:symbol"); NULL if @addr is given
 * @offset: bytes added to @symbol_name or @addr
 * @pre_handler: called before the probed instruction.  Runs with interrupts
 *	off and may not sleep.  The instruction pointer in @regs is the probe
 *	point, on x86 one byte behind it, as after a breakpoint.  Returns 0 to
 *	continue normally; any other value means that it has set the instruction
 *	pointer itself: the instruction is not executed and no post_handler
 *	runs.  May be NULL.
 * @post_handler: called after the probed instruction, with its effects in
 *	@regs; @flags is 0.  Runs with interrupts off.  May be NULL.
 * @fault_handler: called when the probed instruction, or a handler of this
 *	probe other than itself, faults with trap number @trapnr.  Returns non-zero if it has
 *	handled the fault: execution continues at @regs.  Returns 0 to leave the
 *	fault to the kernel.  May be NULL.
 * @flags: KPROBE_FLAG_DISABLED may be set before registration; the other bits
 *	are state, to be read only
 * @nmissed: hits whose handlers did not run, because a handler was already
 *	running on that CPU; or that could not be redirected, as a live patch or BPF
 *	program decides where the function goes on
 * @opcode: the first unit of the instruction that the probe replaced
 *
 * The other members are private.  A registered kprobe may not be moved, freed
 * or written to.
 */
struct kprobe {
	/* private: */
	struct list_head list;
	/* public: */
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	kprobe_opcode_t opcode;
	u32 flags;
	/* private: */
	struct probe_point *point;
	struct {
		unsigned long nmissed;
		kprobe_opcode_t *addr;
		kprobe_opcode_t opcode;
		u32 flags;
	} given;
	const struct probe_kind *kind;
	struct probe_counts __percpu *counts;
	const char *refusal;
};

/* struct kprobe's flags */
#define KPROBE_FLAG_GONE		1	/* the probed code has been unloaded */
#define KPROBE_FLAG_DISABLED		2	/* no handler runs until enable_kprobe() */
#define KPROBE_FLAG_OPTIMIZED		4	/* a jump, not a trap, leads here */
#define KPROBE_FLAG_FTRACE		8	/* served by the function tracer */
#define KPROBE_FLAG_ON_FUNC_ENTRY	16	/* on the first instruction of a function */

/* private: set before registration, it is left out of its array if it can't be registered */
#define KPROBE_FLAG_MAY_BE_REFUSED	(1u << 31)

/**
 * kprobe_gone() - has the probed code been unloaded under the probe
 * @p: a registered kprobe
 */
static inline bool kprobe_gone(const struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_GONE;
}

/**
 * kprobe_disabled() - is the probe disabled, or the probed code gone
 * @p: a registered kprobe
 */
static inline bool kprobe_disabled(const struct kprobe *p)
{
	return READ_ONCE(p->flags) & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

/**
 * kprobe_optimized() - is the probe point a jump
 * @p: a registered kprobe
 */
static inline bool kprobe_optimized(const struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_OPTIMIZED;
}

/**
 * kprobe_ftrace() - is the probe served through the kernel's function tracer
 * @p: a registered kprobe
 */
static inline bool kprobe_ftrace(const struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_FTRACE;
}

/**
 * kprobes_built_in() - is there a register_kprobe() that works
 *
 * For clients written for a mainline before 5.11.
 */
static inline int kprobes_built_in(void)
{
	return 1;
}

struct kretprobe;
struct return_hook;

/**
 * struct kretprobe_instance - one call of a function that has a kretprobe
 * @rp: the kretprobe
 * @task: the task that made the call
 * @ret_addr: where the function returns to
 * @node: the same address as @node.ret_addr, the name in mainline's instances on a
 *	kernel with CONFIG_KRETPROBE_ON_RETHOOK
 * @data: data_size bytes for the client; the entry_handler may store data here
 *	for the handler
 */
struct kretprobe_instance {
	struct kretprobe *rp;
	struct task_struct *task;
	union {
		kprobe_opcode_t *ret_addr;
		struct {
			unsigned long ret_addr;
		} node;
	};
	char data[] __aligned(sizeof(void *));
};

typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri, struct pt_regs *regs);

/* The maximum of struct kretprobe's data_size, in bytes. */
#define KRETPROBE_MAX_DATA_SIZE	4096

/* The maximum of struct kretprobe's maxactive. */
#define KRETPROBE_MAX_ACTIVE	8192

/**
 * struct kretprobe - a probe on the return of a function
 * @kp: where: addr or symbol_name, which must be a function's entry; flags
 *	may be KPROBE_FLAG_DISABLED. The client must not set its handlers; when it
 *	has been unregistered it has none.
 * @handler: called when the function returns, before its caller continues: @regs
 *	have the return value, which may be changed, and ip is the return
 *	address. Runs with interrupts off and may not sleep. Its return value is
 *	ignored. May be NULL.
 * @entry_handler: called on entry. If it returns non-zero this call is not
 *	followed: @handler does not run, and the instance is freed. May be NULL.
 * @maxactive: how many calls can be followed at a time; calls beyond that are
 *	missed. 0 or less: max(10, 2 * number of CPUs).
 * @nmissed: calls that were missed: no instance was free, or a probe handler
 *	was running on that CPU
 * @data_size: bytes of client data in each instance
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	int nmissed;
	size_t data_size;
	/* private: */
	struct return_hook *hook;
	void __percpu *pools;
	int given_nmissed;
};

/**
 * get_kretprobe() - the kretprobe that an instance belongs to
 * @ri: an instance, as passed to a handler
 */
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->rp;
}

/**
 * get_kretprobe_retaddr() - where the function returns to
 * @ri: an instance, as passed to a handler
 */
static inline unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

/* For the kernel's exit path: instances of tasks that end are reclaimed without it. */
#define kprobe_flush_task(tk)	do { } while (0)

int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);
int enable_kretprobe(struct kretprobe *rp);
int disable_kretprobe(struct kretprobe *rp);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
bool is_kretprobe_trampoline(unsigned long addr);

/**
 * struct jprobe - a function of the client that is called before the probed one
 * @kp: where: addr or symbol_name, which must be a function's entry. The
 *	client must not set its handlers; when it has been unregistered it has none.
 * @entry: the client's function, with the prototype of the probed one. It gets
 *	the same arguments: those in registers and 128 bytes of those on the
 *	stack. Runs with interrupts off and may not sleep. Ends with
 *	jprobe_return(). Its changes to registers and arguments and its return
 *	value have no effect.
 *
 * A function can have one jprobe, beside any number of kprobes and
 * kretprobes, whose handlers run before it.
 */
struct jprobe {
	struct kprobe kp;
	void *entry;
};

/* What clients of old kernels wrote for @entry. */
#define JPROBE_ENTRY(handler)	(handler)

int register_jprobe(struct jprobe *jp);
void unregister_jprobe(struct jprobe *jp);
int register_jprobes(struct jprobe **jps, int num);
void unregister_jprobes(struct jprobe **jps, int num);
int enable_jprobe(struct jprobe *jp);
int disable_jprobe(struct jprobe *jp);
void jprobe_return(void);

int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int enable_kprobe(struct kprobe *p);
int disable_kprobe(struct kprobe *p);
struct kprobe *kprobe_running(void);
struct kprobe *get_kprobe(void *addr);
void dump_kprobe(struct kprobe *p);
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym, unsigned long offset);
bool within_kprobe_blacklist(unsigned long addr);
const char *kprobe_refusal(const struct kprobe *p);
void wait_for_kprobe_optimizer(void);

/*
 * NOKPROBE_SYMBOL() in a client on a kernel without kprobes: the module loader
 * of that kernel does not keep the section for it.  So a module parameter, which
 * every loader keeps, holds the address.  Its name has a blank, so it can't be
 * set; perm 0 keeps it out of sysfs.
 */
extern const struct kernel_param_ops kprobe_nokprobe_ops;

#if !KPROBES_SIDE_BY_SIDE && defined(MODULE)

#undef NOKPROBE_SYMBOL
#define NOKPROBE_SYMBOL(fname)							\
	static struct kernel_param __moduleparam_const __used			\
	__section("__param") __aligned(__alignof__(struct kernel_param))	\
	__nokprobe_##fname = {							\
		.name = "nokprobe symbol",					\
		.mod = THIS_MODULE,						\
		.ops = &kprobe_nokprobe_ops,					\
		.level = -1,							\
		.arg = (void *)fname,						\
	}

#undef nokprobe_inline
#define nokprobe_inline	__always_inline

/* That kernel's own is empty.  A module keeps its sections, and we look for this one. */
#undef __kprobes
#define __kprobes	__section(".kprobes.text")

#endif /* !KPROBES_SIDE_BY_SIDE && MODULE */

#endif /* _LINUX_KPROBES_H */
