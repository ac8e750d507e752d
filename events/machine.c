// SPDX-License-Identifier: GPL-2.0-only
/*
 * What fetch.c and argument.c ask of the machine: registers, memory, names.
 */
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fetch.h"

/* One row for each of a processor's registers, by the names that the kernel's own probes have. */
struct register_name {
	const char *name;
	unsigned int place;
};

#define REGISTER(member)	{ #member, offsetof(struct pt_regs, member) }

static const struct register_name registers[] = {
#if defined(CONFIG_X86_64)
	REGISTER(r15), REGISTER(r14), REGISTER(r13), REGISTER(r12), REGISTER(r11), REGISTER(r10),
	REGISTER(r9), REGISTER(r8), REGISTER(bx), REGISTER(cx), REGISTER(dx), REGISTER(si),
	REGISTER(di), REGISTER(bp), REGISTER(ax), REGISTER(orig_ax), REGISTER(ip), REGISTER(cs),
	REGISTER(flags), REGISTER(sp), REGISTER(ss),
#elif defined(CONFIG_ARM64)
	{ "lr", offsetof(struct pt_regs, regs[30]) },
	REGISTER(sp), REGISTER(pc), REGISTER(pstate),
#elif defined(CONFIG_PPC64)
	REGISTER(nip), REGISTER(msr), REGISTER(ctr), REGISTER(link), REGISTER(xer), REGISTER(ccr),
	REGISTER(softe), REGISTER(trap), REGISTER(dar), REGISTER(dsisr),
#endif
};

/* Those that have numbers. */
#if defined(CONFIG_ARM64)
#define NUMBERED_PREFIX		"x"
#define NUMBERED_COUNT		31
#define NUMBERED_PLACE(n)	(offsetof(struct pt_regs, regs) + 8 * (n))
#elif defined(CONFIG_PPC64)
#define NUMBERED_PREFIX		"gpr"
#define NUMBERED_COUNT		32
#define NUMBERED_PLACE(n)	(offsetof(struct pt_regs, gpr) + 8 * (n))
#endif

static int find_numbered(const char *name, size_t length)
{
#ifdef NUMBERED_PREFIX
	size_t prefix = strlen(NUMBERED_PREFIX);
	unsigned long number;

	if (length <= prefix || length > prefix + 2 || strncmp(name, NUMBERED_PREFIX, prefix) ||
	    !isdigit(name[prefix]) || (name[prefix] == '0' && length > prefix + 1))
		return -1;
	if (parse_number(name + prefix, &number) == name + length && number < NUMBERED_COUNT)
		return NUMBERED_PLACE(number);
#endif
	return -1;
}

/**
 * definition_find_register() - look up a register of this machine
 * @name: its name, not terminated
 * @length: the name's length
 *
 * Return: its place among those of a hit; negative if there is none.
 */
int definition_find_register(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(registers); i++)
		if (strlen(registers[i].name) == length &&
		    !memcmp(registers[i].name, name, length))
			return registers[i].place;
	return find_numbered(name, length);
}

/**
 * definition_find_argument() - look up where a function that is entered has an argument
 * @n: which one, from 0
 *
 * Return: its place among the registers of a hit; negative if it is in none.
 */
int definition_find_argument(unsigned int n)
{
	unsigned long words[sizeof(struct pt_regs) / sizeof(unsigned long)];
	unsigned long found;
	unsigned int i;

	/* Each register has its own number.  There is no stack: its pointer leads to nothing. */
	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i + 1;
	found = regs_get_kernel_argument((struct pt_regs *)words, n);
	return found && found <= ARRAY_SIZE(words) ? (found - 1) * sizeof(long) : -1;
}

/**
 * fetch_function_argument() - an argument of the function that is entered
 * @regs: those of the hit
 * @n: which one, from 0
 */
unsigned long fetch_function_argument(void *regs, unsigned int n)
{
	return regs_get_kernel_argument(regs, n);
}

/**
 * fetch_return_value() - what the function returns
 * @regs: those of the hit
 */
unsigned long fetch_return_value(void *regs)
{
	return regs_return_value(regs);
}

/**
 * fetch_stack_pointer() - the stack pointer
 * @regs: those of the hit
 */
unsigned long fetch_stack_pointer(void *regs)
{
	return kernel_stack_pointer((struct pt_regs *)regs);
}

/**
 * fetch_memory() - read memory that may not be there
 * @to: where it goes
 * @from: its address
 * @size: bytes
 * @user: of the task; an address that can be nothing else needs no saying so
 *
 * A kernel thread may have the page tables of any task: what is there is not its own.
 *
 * Context: any, NMI too.
 * Return: 0 or -EFAULT.
 */
int fetch_memory(void *to, unsigned long from, size_t size, bool user)
{
	if (!user && IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE))
		user = from < TASK_SIZE;
	if (!user)
		return copy_from_kernel_nofault(to, (void *)from, size) ? -EFAULT : 0;
	if (!current->mm)
		return -EFAULT;
	return copy_from_user_nofault(to, (void __user *)from, size) ? -EFAULT : 0;
}

/**
 * fetch_comm() - the name of the task
 * @to: where it goes
 * @room: bytes there, at least 1
 *
 * Return: the size with the NUL.
 */
size_t fetch_comm(char *to, size_t room)
{
	size_t size = min_t(size_t, room, TASK_COMM_LEN);

	/* Others may change it meanwhile. */
	memcpy(to, current->comm, size);
	to[size - 1] = '\0';
	return strlen(to) + 1;
}

/**
 * fetch_symbol_name() - what an address is called, or the address as a number
 * @to: where the name goes
 * @room: bytes there, at least 1
 * @address: any address
 *
 * Return: the size with the NUL.
 */
size_t fetch_symbol_name(char *to, size_t room, unsigned long address)
{
	/* It may be a module's, which goes when RCU has waited for who looks: not for a CPU in the idle loop. */
	if (!rcu_is_watching())
		return scnprintf(to, room, "0x%lx", address) + 1;
	/* That is room for any name.  In less there is one as well, at the cost of a copy on the stack. */
	if (room >= KSYM_SYMBOL_LEN)
		return sprint_symbol(to, address) + 1;
	return scnprintf(to, room, "%pS", (void *)address) + 1;
}
