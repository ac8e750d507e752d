// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of the cpuidle driver that is in use are refused: no RCU watches there, and only
 * some kernels mark them.  If there is no driver, one of ours is registered and really used; a
 * probe that was accepted before that shows what its handlers would have met.
 */
#include <linux/cpuidle.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "ktap.h"

#define WHY	"runs in the idle loop"

static unsigned int entered, unwatched;

static noinline int lkp_enter_idle(struct cpuidle_device *dev, struct cpuidle_driver *drv,
				   int index)
{
	WRITE_ONCE(entered, entered + 1);
	if (!rcu_is_watching())
		WRITE_ONCE(unwatched, unwatched + 1);
	return index;
}

static struct cpuidle_driver driver = {
	.name = "lkp_test",
	.owner = THIS_MODULE,
	.states[0] = { .name = "TEST", .desc = "returns at once", .enter = lkp_enter_idle,
		       .exit_latency = 1, .target_residency = 1 },
	.state_count = 1,
};

static int never(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static int never_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static int never_at_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
			  struct pt_regs *regs, void *data)
{
	return 0;
}

static void check_reason(struct ktap *t, const struct kprobe *p)
{
	const char *got = kprobe_refusal(p);

	if (EXPECT(t, got) && !strstr(got, WHY)) {
		seq_printf(t->m, "# %pS: %s\n", p->addr, got);
		ktap_fail(t, __LINE__, WHY);
	}
}

static void expect_refused(struct ktap *t, unsigned long function)
{
	struct kretprobe rp = { .kp.addr = (void *)function, .handler = never_at_return };
	struct fprobe fp = { .entry_handler = never_at_entry };
	unsigned int offset;

	for (offset = 0; offset < 12; offset += sizeof(kprobe_opcode_t)) {
		struct kprobe p = { .addr = (void *)(function + offset), .pre_handler = never };

		if (EXPECT_EQ(t, register_kprobe(&p), -EINVAL))
			check_reason(t, &p);
		else if (p.addr)
			unregister_kprobe(&p);
	}
	if (!EXPECT_EQ(t, register_kretprobe(&rp), -EINVAL))
		unregister_kretprobe(&rp);
	if (!EXPECT(t, register_fprobe_ips(&fp, &function, 1)))
		unregister_fprobe(&fp);
}

static void expect_all_refused(struct ktap *t, const struct cpuidle_driver *drv)
{
	int i;

	for (i = 0; i < drv->state_count; i++) {
		expect_refused(t, (unsigned long)drv->states[i].enter);
		if (drv->states[i].enter_s2idle)
			expect_refused(t, (unsigned long)drv->states[i].enter_s2idle);
	}
}

static void case_a_driver_that_comes_later(struct ktap *t)
{
	struct kprobe p = { .addr = (void *)lkp_enter_idle, .pre_handler = never };
	unsigned int i;

	if (cpuidle_get_driver() || !IS_ENABLED(CONFIG_CPU_IDLE)) {
		t->skip = "there is a driver, or this kernel has none";
		return;
	}
	if (!EXPECT_EQ(t, register_kprobe(&p), 0))
		return;
	unregister_kprobe(&p);
	if (!EXPECT_EQ(t, cpuidle_register(&driver, NULL), 0))
		return;
	for (i = 0; i < 300 && !READ_ONCE(unwatched); i++)
		msleep(200);
	seq_printf(t->m, "# entered %u times, RCU not watching %u times\n", entered, unwatched);
	EXPECT(t, unwatched > 0);
	expect_all_refused(t, &driver);
	cpuidle_unregister(&driver);

	p = (struct kprobe){ .addr = (void *)lkp_enter_idle, .pre_handler = never };
	if (EXPECT_EQ(t, register_kprobe(&p), 0))
		unregister_kprobe(&p);
}

static void case_the_driver_that_is_there(struct ktap *t)
{
	struct cpuidle_driver *drv = cpuidle_get_driver();
	int i;

	if (!drv) {
		t->skip = "there is no driver";
		return;
	}
	/* Sections may be the reason, too. */
	for (i = 0; i < drv->state_count; i++)
		EXPECT(t, within_kprobe_blacklist((unsigned long)drv->states[i].enter));
}

static void case_what_drivers_call(struct ktap *t)
{
	static const char * const names[] = {
		"psci_cpu_suspend_enter", "__arm_smccc_smc", "__arm_smccc_hvc",
		"acpi_processor_ffh_lpi_enter", "stop_loop", "nap_loop", "fastsleep_loop",
		"snooze_loop", "rcu_idle_enter", "rcu_idle_exit", "amd_e400_idle",
		"mwait_idle_with_hints.constprop.0",
	};
	unsigned int i, there = 0;
	int err;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct kprobe p = { .symbol_name = names[i], .pre_handler = never };

		err = register_kprobe(&p);
		there += err != -ENOENT;
		if (!err) {
			seq_printf(t->m, "# %s is accepted\n", names[i]);
			unregister_kprobe(&p);
			EXPECT(t, err);
		}
	}
	if (!there)
		t->skip = "this kernel has none of them";
}

static const struct ktap_case cases[] = {
	CASE(a_driver_that_comes_later),
	CASE(the_driver_that_is_there),
	CASE(what_drivers_call),
};
KTAP_MODULE(cases);
