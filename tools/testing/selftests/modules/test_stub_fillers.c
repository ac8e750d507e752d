// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes all stubs of returns that are in kprobes.ko's own text, so that whatever is registered
 * while it is loaded has others.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

#define OWN_STUBS	32768
#define NR_FILLERS	(OWN_STUBS / KRETPROBE_MAX_ACTIVE)

noinline __noclone long lkp_stub_filler(long a);
noinline __noclone long lkp_stub_filler(long a)
{
	barrier();
	return a + 1;
}

static int ignore(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct kretprobe fillers[NR_FILLERS], *pointers[NR_FILLERS];

static int __init fillers_init(void)
{
	unsigned int i;

	for (i = 0; i < NR_FILLERS; i++) {
		fillers[i] = (struct kretprobe){
			.kp.addr = (void *)lkp_stub_filler, .handler = ignore,
			.maxactive = KRETPROBE_MAX_ACTIVE,
		};
		pointers[i] = &fillers[i];
	}
	return register_kretprobes(pointers, NR_FILLERS);
}
module_init(fillers_init);

static void __exit fillers_exit(void)
{
	unregister_kretprobes(pointers, NR_FILLERS);
}
module_exit(fillers_exit);

MODULE_DESCRIPTION("Test of loadable kprobes");
MODULE_LICENSE("GPL");
