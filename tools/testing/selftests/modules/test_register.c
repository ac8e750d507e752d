// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a kprobe may be registered, how its place is given, and the reasons for
 * refusals.
 */
#include <linux/gcd.h>
#include <linux/kprobes.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "ktap.h"
#include "optimize.h"
#include "target.h"

TARGET(probed, SLOT_ADD(probed));

static int hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

noinline int lkp_test_in_c(int a);
noinline int lkp_test_in_c(int a)
{
	barrier();
	return a + 1;
}

static noinline int marked(int a)
{
	barrier();
	return a + 2;
}
NOKPROBE_SYMBOL(marked);

/* It is refused for this reason, and its structure is unchanged. */
static void expect_refused(struct ktap *t, struct kprobe *p, int err, const char *reason)
{
	struct kprobe before = *p;
	int got = register_kprobe(p);

	if (!EXPECT_EQ(t, got, err)) {
		seq_printf(t->m, "# %s+0x%x, %pS: %s\n", p->symbol_name ?: "", p->offset,
			   p->addr, kprobe_refusal(p) ?: "no reason");
		if (!got)
			unregister_kprobe(p);
		return;
	}
	if (EXPECT(t, kprobe_refusal(p)) && !strstr(kprobe_refusal(p), reason)) {
		seq_printf(t->m, "# refused: %s\n", kprobe_refusal(p));
		ktap_fail(t, __LINE__, reason);
	}
	before.refusal = p->refusal;
	EXPECT(t, !memcmp(&before, p, sizeof(*p)));
}

static void expect_hit(struct ktap *t, struct kprobe *p)
{
	hits = 0;
	p->pre_handler = count;
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	EXPECT(t, !kprobe_refusal(p));
	EXPECT(t, p->addr == target_at(&probed));
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(p);
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
}

static void case_by_symbol_and_offset(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "probed_fn", .offset = probed.at };

	expect_hit(t, &p);
}

static void case_by_module_symbol_and_offset(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "test_register:probed_fn", .offset = probed.at };

	expect_hit(t, &p);
}

static void case_by_address(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) };

	expect_hit(t, &p);
}

static void case_by_address_and_offset(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)probed.fn, .offset = probed.at };

	expect_hit(t, &p);
}

static void case_by_symbol_alone_is_the_entry(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "lkp_test_in_c", .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, lkp_test_in_c(1), 2);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_again_after_unregistering(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) };

	expect_hit(t, &p);
	expect_hit(t, &p);
	p.addr = NULL;
	p.symbol_name = "probed_fn";
	p.offset = probed.at;
	expect_hit(t, &p);
}

static void case_exported_kernel_function_by_symbol(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "gcd", .pre_handler = count };

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, gcd(12, 18), 6);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

/* ---- refused ---- */

static void case_address_and_symbol_is_einval(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed), .symbol_name = "probed_fn" };

	expect_refused(t, &p, -EINVAL, "both symbol_name");
}

static void case_neither_address_nor_symbol_is_einval(struct ktap *t)
{
	struct kprobe p = { };

	expect_refused(t, &p, -EINVAL, "neither symbol_name");
	p.offset = 4;
	expect_refused(t, &p, -EINVAL, "neither symbol_name");
}

static void case_unknown_symbol_is_enoent(struct ktap *t)
{
	static const char * const names[] = {
		"no_such_function", "no_such_module:vfs_read", "vmlinux:no_such_function",
		"test_register:no_such_function", "test_register:vfs_read", "vmlinux:probed_fn",
		"", ":", ":vfs_read", "vfs_read:", "vmlinux:",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct kprobe p = { .symbol_name = names[i] };

		expect_refused(t, &p, -ENOENT, "no such symbol");
	}
}

static void case_symbol_of_data_is_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "jiffies" };

	/* Some kernels have no symbols of data. */
	if (IS_ENABLED(CONFIG_KALLSYMS_ALL))
		expect_refused(t, &p, -EINVAL, "not kernel or module text");
	else
		expect_refused(t, &p, -ENOENT, "no such symbol");
}

static void case_inside_an_instruction_is_eilseq(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) + 1 };

	expect_refused(t, &p, -EILSEQ, "not on an instruction boundary");
	p = (struct kprobe){ .symbol_name = "probed_fn", .offset = probed.at + 2 };
	expect_refused(t, &p, -EILSEQ, "not on an instruction boundary");
}

static void case_inside_a_probed_instruction_is_eilseq(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) };
	struct kprobe q = { .addr = target_at(&probed) + 1 };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_refused(t, &q, -EILSEQ, "not on an instruction boundary");
	unregister_kprobe(&p);
}

static void case_behind_a_probed_instruction_works(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) };
	struct kprobe q = { .addr = target_next(&probed), .pre_handler = count };

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&q), 0)) {
		hits = 0;
		EXPECT_EQ(t, probed.fn(40, 2), 42);
		EXPECT_EQ(t, hits, 1);
		unregister_kprobe(&q);
	}
	unregister_kprobe(&p);
}

static void case_user_address_is_einval(struct ktap *t)
{
	const unsigned long addresses[] = { 1, 0x1000, 0x400000, TASK_SIZE_MAX - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct kprobe p = { .addr = (void *)addresses[i] };

		expect_refused(t, &p, -EINVAL, "user space address");
	}
}

static void case_unmapped_address_is_einval(struct ktap *t)
{
	const unsigned long addresses[] = {
		0x0100000000000000, 0x8000000000000000, 0xffff000000000000, UNMAPPED,
		-1ul, -PAGE_SIZE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct kprobe p = { .addr = (void *)addresses[i] };

		expect_refused(t, &p, -EINVAL, "not kernel or module text");
	}
}

static void case_data_address_is_einval(struct ktap *t)
{
	void *memory = kmalloc(64, GFP_KERNEL);
	const void *addresses[] = { &init_task, &hits, &probed, &t, memory };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addresses) && memory; i++) {
		struct kprobe p = { .addr = (void *)addresses[i] };

		expect_refused(t, &p, -EINVAL, "not kernel or module text");
	}
	kfree(memory);
}

/* A symbol that this kernel does not have cannot be probed either. */
static void expect_all_blacklisted(struct ktap *t, const char * const *names)
{
	for (; *names; names++) {
		struct kprobe p = { .symbol_name = *names };
		int err = register_kprobe(&p);

		if (err == -EINVAL || err == -ENOENT) {
			EXPECT(t, kprobe_refusal(&p));
			continue;
		}
		seq_printf(t->m, "# %s\n", *names);
		EXPECT_EQ(t, err, -EINVAL);
		if (!err)
			unregister_kprobe(&p);
	}
}

static void case_trap_path_is_blacklisted(struct ktap *t)
{
	static const char * const names[] = { TRAP_PATH, NULL };
	struct kprobe p = { .symbol_name = TRAP_PATH_FUNCTION };

	expect_refused(t, &p, -EINVAL, "");
	expect_all_blacklisted(t, names);
}

static void case_fault_path_is_blacklisted(struct ktap *t)
{
	static const char * const names[] = { FAULT_PATH, NULL };
	struct kprobe p = { .symbol_name = names[0] };

	expect_refused(t, &p, -EINVAL, "");
	expect_all_blacklisted(t, names);
}

static void case_entry_noinstr_and_idle_text_is_blacklisted(struct ktap *t)
{
	static const char * const names[] = { ENTRY_TEXT, NULL };

	expect_all_blacklisted(t, names);
}

static void case_offsets_into_blacklisted_functions_are_too(struct ktap *t)
{
	unsigned int offset;

	for (offset = 0; offset < 16; offset++) {
		struct kprobe p = { .symbol_name = TRAP_PATH_FUNCTION, .offset = offset };

		expect_refused(t, &p, -EINVAL, "");
	}
}

static void case_the_own_text_of_kprobes_is_refused(struct ktap *t)
{
	static void * const functions[] = {
		register_kprobe, unregister_kprobes, kprobe_running, kprobe_refusal,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		struct kprobe p = { .addr = functions[i] };

		expect_refused(t, &p, -EINVAL, "part of the kprobes module itself");
		EXPECT(t, within_kprobe_blacklist((unsigned long)functions[i]));
	}
}

static void case_nokprobe_symbol_of_a_client_is_refused(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "marked" };

	EXPECT_EQ(t, marked(1), 3);
	expect_refused(t, &p, -EINVAL, KPROBES_SIDE_BY_SIDE ? "" : "NOKPROBE_SYMBOL");
	EXPECT(t, within_kprobe_blacklist((unsigned long)marked));
	EXPECT(t, !within_kprobe_blacklist((unsigned long)lkp_test_in_c));
}

static void expect_refused_again(struct ktap *t, struct kprobe *p)
{
	if (!EXPECT_EQ(t, register_kprobe(p), 0))
		return;
	/* The optimiser changes its flags. */
	wait_for_kprobe_optimizer();
	expect_refused(t, p, -EINVAL, "already registered");
	hits = 0;
	probed.fn(40, 2);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(p);
}

static void case_registered_twice_is_einval(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed), .pre_handler = count };

	expect_refused_again(t, &p);
}

static void case_registered_twice_by_symbol_is_einval(struct ktap *t)
{
	struct kprobe p = { .symbol_name = "probed_fn", .offset = probed.at, .pre_handler = count };

	expect_refused_again(t, &p);
}

static struct kprobe by_name(void)
{
	return (struct kprobe){ .symbol_name = "probed_fn", .offset = probed.at,
				.pre_handler = count };
}

/*
 * Clients that clear their structs register anew what they have forgotten to unregister.  Meanwhile
 * no hit comes.
 */
static void overwrite(struct kprobe *p, const struct kprobe *anew)
{
	*p = *anew;
}

static void expect_mended(struct ktap *t, struct kprobe *p, const struct kprobe *anew, int others)
{
	overwrite(p, anew);
	EXPECT_EQ(t, register_kprobe(p), -EINVAL);
	EXPECT(t, !strcmp(kprobe_refusal(p), "already registered"));
	EXPECT(t, p->addr == target_at(&probed));
	hits = 0;
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1 + others);
}

static void case_registered_and_overwritten_is_einval(struct ktap *t)
{
	const struct kprobe by_symbol = by_name();
	const struct kprobe elsewhere = { .symbol_name = "lkp_test_in_c", .pre_handler = count };
	struct kprobe p = by_symbol;

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	expect_mended(t, &p, &by_symbol, 0);
	expect_mended(t, &p, &elsewhere, 0);
	EXPECT_EQ(t, lkp_test_in_c(1), 2);
	EXPECT_EQ(t, hits, 1);
	overwrite(&p, &by_symbol);
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	overwrite(&p, &by_symbol);
	unregister_kprobe(&p);
	hits = 0;
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 0);
}

static void case_one_of_several_is_overwritten(struct ktap *t)
{
	const struct kprobe anew = by_name();
	struct kprobe p[3] = { anew, anew, anew };
	struct kprobe *ps[] = { &p[0], &p[1], &p[2] };
	unsigned int i;

	if (!EXPECT_EQ(t, register_kprobes(ps, 3), 0))
		return;
	for (i = 0; i < 3; i++)
		expect_mended(t, &p[i], &anew, 2);
	for (i = 0; i < 3; i++)
		p[i] = anew;
	EXPECT_EQ(t, register_kprobes(ps, 3), -EINVAL);
	unregister_kprobes(ps, 3);
	hits = 0;
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 0);
	EXPECT(t, !get_kprobe(target_at(&probed)));
}

/* What others do at the point meanwhile goes along the probes that were overwritten. */
static void case_beside_an_overwritten_one(struct ktap *t)
{
	const struct kprobe anew = by_name();
	struct kprobe p[5] = { anew, anew, anew, anew, anew }, other = anew;
	struct kprobe *ps[] = { &p[0], &p[1], &p[2], &p[3], &p[4] };
	unsigned int i;

	if (!EXPECT_EQ(t, register_kprobes(ps, 5), 0))
		return;
	/* Also with links to where they don't belong. */
	p[4] = p[2];
	for (i = 0; i < 4; i += 2)
		memset(&p[i], 0, sizeof(p[i]));
	if (EXPECT_EQ(t, register_kprobe(&other), 0)) {
		hits = 0;
		EXPECT_EQ(t, probed.fn(40, 2), 42);
		/* Two have lost their handlers. */
		EXPECT_EQ(t, hits, 4);
		memset(&p[4], 0, sizeof(p[4]));
		unregister_kprobe(&other);
	}
	memset(&p[0], 0, sizeof(p[0]));
	EXPECT_EQ(t, disable_kprobe(&p[1]), 0);
	EXPECT_EQ(t, enable_kprobe(&p[1]), 0);
	memset(p, 0, sizeof(p));
	unregister_kprobes(ps, 5);
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT(t, !get_kprobe(target_at(&probed)));
}

/* It looks at the probes of a point, and marks them. */
static void case_the_optimiser_meets_an_overwritten_one(struct ktap *t)
{
	const struct kprobe anew = by_name();
	struct kprobe p = anew;

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	wait_for_kprobe_optimizer();
	memset(&p, 0, sizeof(p));
	EXPECT_EQ(t, turn_optimization(false), 0);
	EXPECT_EQ(t, turn_optimization(true), 0);
	wait_for_kprobe_optimizer();
	/* Meanwhile it had no handler.  The hits that follow are of a jump, or of what it becomes. */
	expect_mended(t, &p, &anew, 0);
	wait_for_kprobe_optimizer();
	hits = 0;
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT(t, !get_kprobe(target_at(&probed)));
}

static void case_an_overwritten_one_stays_disabled(struct ktap *t)
{
	const struct kprobe anew = by_name();
	struct kprobe p = anew;

	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT_EQ(t, disable_kprobe(&p), 0);
	overwrite(&p, &anew);
	EXPECT_EQ(t, register_kprobe(&p), -EINVAL);
	EXPECT(t, kprobe_disabled(&p));
	hits = 0;
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_disabled_at_registration(struct ktap *t)
{
	u8 byte = *(u8 *)target_at(&probed);
	struct kprobe p = {
		.addr = target_at(&probed),
		.pre_handler = count,
		.flags = KPROBE_FLAG_DISABLED,
	};

	hits = 0;
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	EXPECT(t, kprobe_disabled(&p));
	EXPECT_EQ(t, READ_ONCE(*(u8 *)p.addr), byte);
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 0);
	EXPECT_EQ(t, enable_kprobe(&p), 0);
	EXPECT(t, !kprobe_disabled(&p));
	EXPECT_EQ(t, probed.fn(40, 2), 42);
	EXPECT_EQ(t, hits, 1);
	unregister_kprobe(&p);
}

static void case_get_kprobe_finds_the_first(struct ktap *t)
{
	struct kprobe p = { .addr = target_at(&probed) }, q = p;

	EXPECT(t, !get_kprobe(target_at(&probed)));
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	if (EXPECT_EQ(t, register_kprobe(&q), 0)) {
		EXPECT(t, get_kprobe(p.addr) == &p);
		unregister_kprobe(&p);
		EXPECT(t, get_kprobe(q.addr) == &q);
		unregister_kprobe(&q);
	}
	EXPECT(t, !get_kprobe(target_at(&probed)));
	EXPECT(t, !get_kprobe(NULL));
}

static void case_those_of_a_failed_batch_are_as_given(struct ktap *t)
{
	struct kprobe good = { .addr = target_at(&probed), .pre_handler = count, .nmissed = 7,
			       .opcode = 1, .flags = KPROBE_FLAG_DISABLED };
	struct kprobe bad = { .symbol_name = "no_such_function" };
	struct kprobe *both[] = { &good, &bad };

	EXPECT_EQ(t, register_kprobes(both, 2), -ENOENT);
	EXPECT(t, good.addr == target_at(&probed));
	EXPECT_EQ(t, good.nmissed, 7);
	EXPECT_EQ(t, good.opcode, 1);
	EXPECT_EQ(t, good.flags, KPROBE_FLAG_DISABLED);
}

static const struct ktap_case cases[] = {
	CASE(by_symbol_and_offset),
	CASE(by_module_symbol_and_offset),
	CASE(by_address),
	CASE(by_address_and_offset),
	CASE(by_symbol_alone_is_the_entry),
	CASE(again_after_unregistering),
	CASE(exported_kernel_function_by_symbol),
	CASE(address_and_symbol_is_einval),
	CASE(neither_address_nor_symbol_is_einval),
	CASE(unknown_symbol_is_enoent),
	CASE(symbol_of_data_is_refused),
	CASE(inside_an_instruction_is_eilseq),
	CASE(inside_a_probed_instruction_is_eilseq),
	CASE(behind_a_probed_instruction_works),
	CASE(user_address_is_einval),
	CASE(unmapped_address_is_einval),
	CASE(data_address_is_einval),
	CASE(trap_path_is_blacklisted),
	CASE(fault_path_is_blacklisted),
	CASE(entry_noinstr_and_idle_text_is_blacklisted),
	CASE(offsets_into_blacklisted_functions_are_too),
	CASE(the_own_text_of_kprobes_is_refused),
	CASE(nokprobe_symbol_of_a_client_is_refused),
	CASE(registered_twice_is_einval),
	CASE(registered_twice_by_symbol_is_einval),
	CASE(registered_and_overwritten_is_einval),
	CASE(one_of_several_is_overwritten),
	CASE(beside_an_overwritten_one),
	CASE(the_optimiser_meets_an_overwritten_one),
	CASE(an_overwritten_one_stays_disabled),
	CASE(disabled_at_registration),
	CASE(get_kprobe_finds_the_first),
	CASE(those_of_a_failed_batch_are_as_given),
};
KTAP_MODULE(cases);
