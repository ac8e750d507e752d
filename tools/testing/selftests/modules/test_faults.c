// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probed instructions that fault: user accesses behave as without a probe,
 * and fault handlers are called and may repair.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/extable.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "find_kprobes.h"
#include "ktap.h"
#include "optimize.h"
#include "settled.h"
#include "target.h"

#define ANSWER		0x1122334455667788l

TARGET(load_user, LOAD_USER(load_user));

TARGET(load_user_reg, LOAD_USER_REG(load_user_reg));

TARGET(load, LOAD(load));
TARGET(witness, SLOT_ADD(witness));

static long answer = ANSWER;
static int pres, posts, faults, last_trap;
static unsigned long fault_ip;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

static void note_fault(struct pt_regs *regs, int trapnr)
{
	faults++;
	last_trap = trapnr;
	fault_ip = instruction_pointer(regs);
}

static int leave_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note_fault(regs, trapnr);
	return 0;
}

static int repair_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note_fault(regs, trapnr);
	FIRST(regs) = (unsigned long)&answer;
	SECOND(regs) = 2;
	return 1;
}

static int skip_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note_fault(regs, trapnr);
	RESULT(regs) = 4711;
	instruction_pointer_set(regs, (unsigned long)p->addr + FAULTING_SIZE);
	return 1;
}

static bool plant(struct ktap *t, struct kprobe *p, const struct target *target)
{
	p->addr = target_at(target);
	p->flags = 0;
	pres = posts = faults = 0;
	last_trap = -1;
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return false;
	settle(p);
	return true;
}

/* The state of this CPU is correct, and probes are hit. */
static void expect_sound(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&witness), .pre_handler = count_pre };
	int before = pres;

	EXPECT(t, !irqs_disabled());
	EXPECT(t, may_sleep_here());
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	settle(&p);
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, pres, before + 1);
	EXPECT_EQ(t, p.nmissed, 0);
	unregister_kprobe(&p);
}

/* ---- user accesses ---- */

static unsigned long map_user(struct ktap *t)
{
	unsigned long addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (EXPECT(t, !IS_ERR_VALUE(addr)))
		return addr;
	return 0;
}

static void unmap_user(unsigned long addr)
{
	vm_munmap(addr, PAGE_SIZE);
}

/* Where an exchange of page tables opens user memory, LOAD_USER() does not do that by itself. */
static long load_from(const struct target *target, unsigned long addr)
{
	long value;

#ifdef CONFIG_ARM64
	uaccess_ttbr0_enable();
#endif
	value = target->fn(addr, 0);
#ifdef CONFIG_ARM64
	uaccess_ttbr0_disable();
#endif
	return value;
}

/* A load from user space gives this, and its probe was hit so often. */
static void expect_load(struct ktap *t, const struct target *target, unsigned long addr,
			long value, bool completes, bool with_post)
{
	struct kprobe p = { .pre_handler = count_pre };

	if (with_post)
		p.post_handler = count_post;
	if (!plant(t, &p, target))
		return;
	EXPECT_EQ(t, load_from(target, addr), value);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, posts, completes && with_post);
	expect_sound(t);
	unregister_kprobe(&p);
}

static void expect_loads(struct ktap *t, const struct target *target, bool with_post)
{
	unsigned long present = map_user(t), untouched = map_user(t);

	if (!present || !untouched)
		return;
	EXPECT_EQ(t, put_user(ANSWER, (long __user *)present), 0);
	EXPECT_EQ(t, load_from(target, present), ANSWER);
	expect_load(t, target, present, ANSWER, true, with_post);
	expect_load(t, target, untouched, 0, true, with_post);
	unmap_user(untouched);
	expect_load(t, target, untouched, -EFAULT, false, with_post);
	expect_load(t, target, 0, -EFAULT, false, with_post);
	EXPECT_EQ(t, load_from(target, untouched), -EFAULT);
	unmap_user(present);
}

static void case_user_loads_as_without_a_probe(struct ktap *t)
{
	expect_loads(t, &load_user, false);
}

static void case_user_loads_with_a_post_handler(struct ktap *t)
{
	expect_loads(t, &load_user, true);
}

static void case_user_loads_whose_fixup_sets_a_register(struct ktap *t)
{
	expect_loads(t, &load_user_reg, false);
	expect_loads(t, &load_user_reg, true);
}

/* ---- fault handlers ---- */

static const struct {
	long addr;
	int trapnr;
} bad_addresses[] = {
	{ UNMAPPED, PAGE_FAULT },
	{ STRANGE, STRANGE_FAULT },
};

static void expect_repaired(struct ktap *t, kprobe_post_handler_t post)
{
	struct kprobe p = { .pre_handler = count_pre, .post_handler = post,
			    .fault_handler = repair_fault };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_addresses); i++) {
		if (!plant(t, &p, &load))
			return;
		EXPECT_EQ(t, load.fn(bad_addresses[i].addr, 0), ANSWER);
		EXPECT_EQ(t, faults, 1);
		EXPECT_EQ(t, last_trap, bad_addresses[i].trapnr);
		EXPECT_EQ(t, fault_ip, (unsigned long)target_at(&load));
		EXPECT_EQ(t, pres, 1);
		expect_sound(t);
		unregister_kprobe(&p);
	}
}

static void case_a_fault_handler_that_repairs_registers_resumes(struct ktap *t)
{
	expect_repaired(t, NULL);
}

static void case_a_repaired_fault_beside_a_post_handler(struct ktap *t)
{
	expect_repaired(t, count_post);
	EXPECT_EQ(t, posts, 1);
}

static void expect_skipped(struct ktap *t, kprobe_post_handler_t post)
{
	struct kprobe p = { .post_handler = post, .fault_handler = skip_fault };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_addresses); i++) {
		if (!plant(t, &p, &load))
			return;
		EXPECT_EQ(t, load.fn(bad_addresses[i].addr, 0), 4711);
		EXPECT_EQ(t, faults, 1);
		EXPECT_EQ(t, posts, 0);
		expect_sound(t);
		unregister_kprobe(&p);
	}
}

static void case_a_fault_handler_that_goes_elsewhere(struct ktap *t)
{
	expect_skipped(t, NULL);
}

/* "Flags not restored when a step is cancelled": it ran with interrupts off. */
static void case_a_fault_handler_goes_elsewhere_beside_a_post_handler(struct ktap *t)
{
	expect_skipped(t, count_post);
}

static void case_a_fault_handler_that_returns_0_leaves_it_to_the_kernel(struct ktap *t)
{
	struct kprobe p = { .post_handler = count_post, .fault_handler = leave_fault };

	if (!plant(t, &p, &load_user))
		return;
	EXPECT_EQ(t, load_user.fn(0, 0), -EFAULT);
	EXPECT_EQ(t, faults, 1);
	EXPECT_EQ(t, last_trap, PAGE_FAULT);
	EXPECT_EQ(t, fault_ip, (unsigned long)target_at(&load_user));
	EXPECT_EQ(t, posts, 0);
	expect_sound(t);
	unregister_kprobe(&p);
}

static void case_without_a_fault_there_is_no_call(struct ktap *t)
{
	struct kprobe p = { .fault_handler = leave_fault };

	if (!plant(t, &p, &load))
		return;
	EXPECT_EQ(t, load.fn((long)&answer, 0), ANSWER);
	EXPECT_EQ(t, faults, 0);
	unregister_kprobe(&p);
}

static void case_a_disabled_fault_handler_is_not_called(struct ktap *t)
{
	struct kprobe p = { .fault_handler = repair_fault }, other = { };

	if (!plant(t, &other, &load_user) || !plant(t, &p, &load_user))
		return;
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	EXPECT_EQ(t, load_user.fn(0, 0), -EFAULT);
	EXPECT_EQ(t, faults, 0);
	unregister_kprobe(&p);
	unregister_kprobe(&other);
}

/* ---- faults of handlers themselves ---- */

/*
 * How often read_bad() faults.  Kernels that read by the copying from user space try a single byte,
 * too, before they give up; those of arm64 that do have no function for what is the kernel's own.
 */
#if defined(CONFIG_ARM64) && !defined(__get_kernel_nofault)
#define FAULTS_OF_READ	2
#else
#define FAULTS_OF_READ	1
#endif

static int read_bad(struct kprobe *p, struct pt_regs *regs)
{
	long value;

	pres++;
	if (copy_from_kernel_nofault(&value, (void *)UNMAPPED, sizeof(value)))
		pres += 100;
	return 0;
}

static int load_bad(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	if (load.fn(UNMAPPED, 0) == ANSWER)
		pres += 100;
	return 0;
}

static void case_a_fault_of_a_pre_handler_is_shown_and_left(struct ktap *t)
{
	struct kprobe p = { .pre_handler = read_bad, .fault_handler = leave_fault };

	if (!plant(t, &p, &witness))
		return;
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, pres, 101);
	EXPECT_EQ(t, faults, FAULTS_OF_READ);
	EXPECT_EQ(t, last_trap, PAGE_FAULT);
	unregister_kprobe(&p);
	expect_sound(t);
}

static void case_a_fault_of_a_pre_handler_is_repaired(struct ktap *t)
{
	struct kprobe p = { .pre_handler = load_bad, .fault_handler = repair_fault };

	if (!plant(t, &p, &witness))
		return;
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, pres, 101);
	EXPECT_EQ(t, faults, 1);
	unregister_kprobe(&p);
	expect_sound(t);
}

/* It would be called for ever, but for the limit. */
static int fault_again(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note_fault(regs, trapnr);
	if (faults < 4)
		read_bad(p, regs);
	return 0;
}

static void case_a_fault_of_the_fault_handler_is_not_shown_to_it(struct ktap *t)
{
	struct kprobe p = { .pre_handler = read_bad, .fault_handler = fault_again };

	if (!plant(t, &p, &witness))
		return;
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, faults, FAULTS_OF_READ);
	EXPECT_EQ(t, pres, 101 * (1 + FAULTS_OF_READ));
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, faults, 2 * FAULTS_OF_READ);
	unregister_kprobe(&p);
	expect_sound(t);
}

/* The same for the instruction that it is for. */
static int load_again(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	note_fault(regs, trapnr);
	if (faults < 4)
		load_user.fn(0, 0);
	return 0;
}

static void case_a_fault_handler_that_comes_to_its_own_probe_is_called_once(struct ktap *t)
{
	struct kprobe p = { .fault_handler = load_again };

	if (!plant(t, &p, &load_user))
		return;
	EXPECT_EQ(t, load_user.fn(0, 0), -EFAULT);
	EXPECT_EQ(t, faults, 1);
	EXPECT_EQ(t, load_user.fn(0, 0), -EFAULT);
	EXPECT_EQ(t, faults, 2);
	unregister_kprobe(&p);
	expect_sound(t);
}

static void case_a_pre_handlers_fault_needs_no_fault_handler(struct ktap *t)
{
	struct kprobe p = { .pre_handler = read_bad };

	if (!plant(t, &p, &witness))
		return;
	EXPECT_EQ(t, witness.fn(40, 2), 42);
	EXPECT_EQ(t, pres, 101);
	unregister_kprobe(&p);
	expect_sound(t);
}

#ifdef CONFIG_X86_64

static atomic_t nmis;
static int (*in_the_nmi)(struct kprobe *p, struct pt_regs *regs);

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (atomic_read(&nmis) <= 0)
		return NMI_DONE;
	in_the_nmi(NULL, regs);
	atomic_dec(&nmis);
	return NMI_HANDLED;
}

/* Interrupts may be off. */
static int have_an_nmi(struct kprobe *p, struct pt_regs *regs)
{
	int i;

	atomic_inc(&nmis);
	apic->send_IPI(raw_smp_processor_id(), NMI_VECTOR);
	/* One that comes when nobody waits for it is unknown to the kernel. */
	for (i = 0; i < 60000 && atomic_read(&nmis); i++)
		udelay(1000);
	return 0;
}

static bool begin_nmis(struct ktap *t, int (*fn)(struct kprobe *p, struct pt_regs *regs))
{
	in_the_nmi = fn;
	return EXPECT_EQ(t, register_nmi_handler(NMI_LOCAL, on_nmi, 0, "lkp_test_faults"), 0);
}

static void end_nmis(struct ktap *t)
{
	unregister_nmi_handler(NMI_LOCAL, "lkp_test_faults");
	EXPECT_EQ(t, atomic_read(&nmis), 0);
	expect_sound(t);
}

noinline __noclone long lkp_faults_sum(long a, long b);
noinline __noclone long lkp_faults_sum(long a, long b)
{
	barrier();
	return a + b;
}

/* In a trap, and at the tracer's site. */
static void case_a_fault_of_an_nmi_is_not_the_handlers(struct ktap *t)
{
	struct kprobe p = { .pre_handler = have_an_nmi, .fault_handler = leave_fault };
	struct kprobe at_site = { .symbol_name = "lkp_faults_sum", .pre_handler = have_an_nmi,
				  .fault_handler = leave_fault };

	if (!begin_nmis(t, read_bad))
		return;
	if (plant(t, &p, &witness)) {
		EXPECT_EQ(t, witness.fn(40, 2), 42);
		EXPECT_EQ(t, pres, 101);
		EXPECT_EQ(t, faults, 0);
		unregister_kprobe(&p);
	}
	if (EXPECT_EQ(t, register_kprobe(&at_site), 0)) {
		EXPECT_EQ(t, lkp_faults_sum(40, 2), 42);
		EXPECT_EQ(t, pres, 202);
		EXPECT_EQ(t, faults, 0);
		unregister_kprobe(&at_site);
	}
	end_nmis(t);
}

static int call_witness(struct kprobe *p, struct pt_regs *regs)
{
	return witness.fn(40, 2) == 42 && lkp_faults_sum(40, 2) == 42 ? 0 : pres++;
}

static void case_a_fault_of_a_handler_in_an_nmi_is(struct ktap *t)
{
	struct kprobe p = { .pre_handler = read_bad, .fault_handler = leave_fault };
	struct kprobe at_site = { .symbol_name = "lkp_faults_sum", .pre_handler = read_bad,
				  .fault_handler = leave_fault };

	if (!begin_nmis(t, call_witness))
		return;
	if (plant(t, &p, &witness)) {
		if (EXPECT_EQ(t, register_kprobe(&at_site), 0)) {
			have_an_nmi(NULL, NULL);
			EXPECT_EQ(t, pres, 202);
			EXPECT_EQ(t, faults, 2);
			unregister_kprobe(&at_site);
		}
		unregister_kprobe(&p);
	}
	end_nmis(t);
}

#endif /* CONFIG_X86_64 */

/* ---- the exception table ---- */

/*
 * Entries that lead out, which those of its own text do not, and begin where a
 * copy does: not on the last byte of one.
 */
static unsigned int entries_in_use(const struct module *mod)
{
	unsigned int i, used = 0;

	for (i = 0; i < mod->num_exentries; i++) {
		const struct exception_table_entry *e = &mod->extable[i];
		unsigned long insn = (unsigned long)&e->insn + e->insn;
		unsigned long fixup = (unsigned long)&e->fixup + e->fixup;

		used += insn % 16 == 0 && !within_module_core(fixup, mod);
	}
	return used;
}

static void wait_until_none_is_used(const struct module *mod)
{
	unsigned long until = jiffies + PATIENCE;

	while (entries_in_use(mod) && time_before(jiffies, until))
		msleep(50);
}

static void case_exception_table_entries_are_given_back(struct ktap *t)
{
	struct module *kprobes = find_kprobes();
	struct kprobe p = { };
	unsigned int before;

	if (!EXPECT(t, kprobes))
		return;
	wait_until_none_is_used(kprobes);
	before = entries_in_use(kprobes);
	EXPECT_EQ(t, before, 0);
	if (!plant(t, &p, &load_user))
		return;
	EXPECT_EQ(t, entries_in_use(kprobes), 2);
	unregister_kprobe(&p);
	wait_until_none_is_used(kprobes);
	EXPECT_EQ(t, entries_in_use(kprobes), 0);
}

/* ---- the kernel's own text ---- */

#define MAX_ACROSS	512

static struct kprobe across[MAX_ACROSS];

static unsigned long size_of(void *fn)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long size;

	sprint_symbol(text, (unsigned long)fn);
	return sscanf(strrchr(text, '/') ?: "", "/0x%lx", &size) == 1 ? size : 0;
}

/* Probes on all instructions of a function that can have one: how many. */
static unsigned int plant_across(void *fn)
{
	unsigned long size = size_of(fn), at;
	unsigned int nr = 0;

	for (at = 0; at < size && nr < MAX_ACROSS; at += IS_ENABLED(CONFIG_X86_64) ? 1 : 4) {
		across[nr] = (struct kprobe){ .addr = fn + at, .pre_handler = count_pre,
					      .post_handler = count_post };
		nr += !register_kprobe(&across[nr]);
	}
	return nr;
}

/* Its fixups are far away from any module's. */
static void case_a_fault_in_the_kernels_own_text(struct ktap *t)
{
	unsigned long addr = map_user(t);
	unsigned int nr;
	char text[32];

	if (!addr)
		return;
	nr = plant_across(strncpy_from_user);
	EXPECT(t, nr > 10);
	pres = posts = 0;
	EXPECT_EQ(t, strncpy_from_user(text, (char __user *)addr, sizeof(text)), 0);
	EXPECT(t, pres > 5 && posts > 5);
	unmap_user(addr);
	EXPECT_EQ(t, strncpy_from_user(text, (char __user *)addr, sizeof(text)), -EFAULT);
	while (nr--)
		unregister_kprobe(&across[nr]);
	EXPECT_EQ(t, strncpy_from_user(text, (char __user *)addr, sizeof(text)), -EFAULT);
}

#ifdef CONFIG_X86_64

/* ---- what only this processor has ---- */

/* Copy 8 bytes from the first argument to the second; return how many are left. */
TARGET(copy_user,
       "xchg %rdi, %rsi\n"
       "mov $8, %ecx\n"
       ASM_STAC "\n"
       AT(copy_user) "rep movsb\n"
       NEXT(copy_user) "nop\n"
       ".Lcopy_user_fix:" ASM_CLAC "\n"
       "mov %rcx, %rax\n"
       _ASM_EXTABLE_UA(.Lcopy_user_at, .Lcopy_user_fix));

TARGET(divide,
       "mov %rdi, %rax\n"
       "xor %edx, %edx\n"
       AT(divide) "div %rsi\n"
       NEXT(divide) "nop\n");

static void expect_copy(struct ktap *t, unsigned long from, long value, long left, bool with_post)
{
	struct kprobe p = { .pre_handler = count_pre };
	long copied = 0;

	if (with_post)
		p.post_handler = count_post;
	if (!plant(t, &p, &copy_user))
		return;
	EXPECT_EQ(t, copy_user.fn(from, (long)&copied), left);
	EXPECT_EQ(t, pres, 1);
	EXPECT_EQ(t, posts, with_post && !left);
	if (!left)
		EXPECT_EQ(t, copied, value);
	expect_sound(t);
	unregister_kprobe(&p);
}

static void case_a_copy_by_rep_movs_as_without_a_probe(struct ktap *t)
{
	unsigned long present = map_user(t), untouched = map_user(t);
	int with_post;

	if (!present || !untouched)
		return;
	EXPECT_EQ(t, put_user(ANSWER, (long __user *)present), 0);
	EXPECT_EQ(t, put_user(ANSWER, (long __user *)(present + PAGE_SIZE - 8)), 0);
	for (with_post = 0; with_post < 2; with_post++) {
		expect_copy(t, present, ANSWER, 0, with_post);
		expect_copy(t, untouched, 0, 0, with_post);
		expect_copy(t, 0, 0, 8, with_post);
	}
	unmap_user(untouched);
	unmap_user(present);
}

/* The first place in a function that holds these bytes and takes a probe. */
static int plant_on_bytes(struct kprobe *p, const void *function, const char *bytes, size_t len)
{
	unsigned int i;

	for (i = 0; i < 128; i++) {
		if (memcmp(function + i, bytes, len))
			continue;
		p->addr = (void *)function + i;
		if (!register_kprobe(p))
			return 0;
	}
	return -ENOENT;
}

static void case_the_kernels_get_user_as_without_a_probe(struct ktap *t)
{
	struct kprobe p = { .pre_handler = count_pre, .post_handler = count_post };
	unsigned long addr = map_user(t);
	void *get_user_8 = __get_user_8;
	long value = 1;

	OPTIMIZER_HIDE_VAR(get_user_8);
	if (!addr || !EXPECT_EQ(t, plant_on_bytes(&p, get_user_8, "\x48\x8b\x10", 3), 0))
		return;
	pres = posts = 0;
	EXPECT_EQ(t, get_user(value, (long __user *)addr), 0);
	EXPECT_EQ(t, value, 0);
	EXPECT(t, pres > 0 && posts == pres);
	unmap_user(addr);
	pres = posts = 0;
	EXPECT_EQ(t, get_user(value, (long __user *)addr), -EFAULT);
	EXPECT_EQ(t, pres - posts, 1);
	unregister_kprobe(&p);
	expect_sound(t);
}

static void case_a_divide_error_is_shown_as_trap_0(struct ktap *t)
{
	struct kprobe p = { .fault_handler = repair_fault };

	if (!plant(t, &p, &divide))
		return;
	EXPECT_EQ(t, divide.fn(84, 0), 42);
	EXPECT_EQ(t, faults, 1);
	EXPECT_EQ(t, last_trap, X86_TRAP_DE);
	expect_sound(t);
	unregister_kprobe(&p);
}

/* ---- a jump that goes while its detour is run ---- */

/* By then it would have gone, on the slowest machine. */
#define LONGEST		(60 * HZ)

static DECLARE_COMPLETION(loaded);
static long loaded_value;
static bool jump_is_gone;
static unsigned long load_until;

static int load_in_vain(void *unused)
{
	loaded_value = load.fn(UNMAPPED, 0);
	complete(&loaded);
	return 0;
}

/* Has the same copy run again, and fault again, until there is another way to the instruction. */
static int repair_when_the_jump_is_gone(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	bool gone = READ_ONCE(jump_is_gone);

	WRITE_ONCE(faults, faults + 1);
	if (gone || time_after(jiffies, load_until))
		FIRST(regs) = (unsigned long)&answer;
	last_trap = gone;
	return 1;
}

static bool begins_to_fault(void)
{
	unsigned long until = jiffies + PATIENCE;

	while (!READ_ONCE(faults) && time_before(jiffies, until))
		msleep(20);
	return READ_ONCE(faults);
}

static void case_a_fault_in_a_detour_that_has_been_given_up(struct ktap *t)
{
	struct kprobe p = { .fault_handler = repair_when_the_jump_is_gone };

	if (num_online_cpus() == 1) {
		t->skip = "on the only CPU the faults of a kernel thread may let nobody else run";
		return;
	}
	reinit_completion(&loaded);
	loaded_value = 0;
	WRITE_ONCE(jump_is_gone, false);
	if (!plant(t, &p, &load) || !EXPECT(t, becomes_jump(&p)))
		return;
	load_until = jiffies + LONGEST;
	if (!EXPECT(t, !IS_ERR(kthread_run(load_in_vain, NULL, "lkp_test_faults"))))
		return;
	EXPECT(t, begins_to_fault());
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT(t, is_trap(&p));
	WRITE_ONCE(jump_is_gone, true);
	if (EXPECT(t, wait_for_completion_timeout(&loaded, PATIENCE)))
		EXPECT_EQ(t, loaded_value, ANSWER);
	/* It did not end before. */
	EXPECT_EQ(t, last_trap, true);
	EXPECT_EQ(t, turn_optimization(true), 0);
	unregister_kprobe(&p);
	expect_sound(t);
}

#endif /* CONFIG_X86_64 */

static const struct ktap_case cases[] = {
	CASE(user_loads_as_without_a_probe),
	CASE(user_loads_with_a_post_handler),
	CASE(user_loads_whose_fixup_sets_a_register),
	CASE(a_fault_handler_that_repairs_registers_resumes),
	CASE(a_repaired_fault_beside_a_post_handler),
	CASE(a_fault_handler_that_goes_elsewhere),
	CASE(a_fault_handler_goes_elsewhere_beside_a_post_handler),
	CASE(a_fault_handler_that_returns_0_leaves_it_to_the_kernel),
	CASE(without_a_fault_there_is_no_call),
	CASE(a_disabled_fault_handler_is_not_called),
	CASE(a_fault_of_a_pre_handler_is_shown_and_left),
	CASE(a_fault_of_a_pre_handler_is_repaired),
	CASE(a_fault_of_the_fault_handler_is_not_shown_to_it),
	CASE(a_fault_handler_that_comes_to_its_own_probe_is_called_once),
	CASE(a_pre_handlers_fault_needs_no_fault_handler),
	CASE(exception_table_entries_are_given_back),
	CASE(a_fault_in_the_kernels_own_text),
#ifdef CONFIG_X86_64
	CASE(a_fault_of_an_nmi_is_not_the_handlers),
	CASE(a_fault_of_a_handler_in_an_nmi_is),
	CASE(a_copy_by_rep_movs_as_without_a_probe),
	CASE(the_kernels_get_user_as_without_a_probe),
	CASE(a_divide_error_is_shown_as_trap_0),
	CASE(a_fault_in_a_detour_that_has_been_given_up),
#endif
	CASE(where_there_should_be_jumps_there_were),
};
KTAP_MODULE(cases);
