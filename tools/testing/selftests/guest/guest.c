// SPDX-License-Identifier: GPL-2.0-only
/*
 * guest EXITS: runs a guest of a few instructions until it has exited so often to this program.
 * Each time round it also makes exits that the kernel serves by itself.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static int check(const char *what, int result)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

#ifdef __aarch64__

#define MEMORY	0x40000000ul	/* where the guest has its memory */
#define SIZE	0x10000ul
#define PC	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |	\
		 KVM_REG_ARM_CORE_REG(regs.pc))

static const unsigned int code[] = {
	0xd2a20002,	/*	mov x2, #0x10000000, where nothing is */
	0xd5380401,	/* 1:	mrs x1, id_aa64pfr0_el1 */
	0xd5380600,	/*	mrs x0, id_aa64isar0_el1 */
	0xb9000041,	/*	str w1, [x2] */
	0x17fffffd,	/*	b 1b */
};

static void begin(int vm, int vcpu)
{
	struct kvm_vcpu_init init;
	unsigned long pc = MEMORY;
	struct kvm_one_reg reg = { .id = PC, .addr = (unsigned long)&pc };

	check("target", ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init));
	check("init", ioctl(vcpu, KVM_ARM_VCPU_INIT, &init));
	check("pc", ioctl(vcpu, KVM_SET_ONE_REG, &reg));
}

/* Is it the guest's exit to this program? */
static int is_expected(struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO;
}

#else /* Power */

#define MEMORY	0ul
#define SIZE	0x1000000ul
#define MSR	0x8000000000000001ul	/* 64 bits, real mode, little-endian */

/*
 * Without address translation. Of the hypercalls the kernel serves two, where the guest's page
 * tables are hashed, and leaves the third to this program.
 */
static const unsigned int code[] = {
	0x38600008,	/* 1:	li 3,H_ENTER */
	0x38800000,	/*	li 4,0: no flags */
	0x38a00000,	/*	li 5,0: the first group */
	0x38c00001,	/*	li 6,1: valid */
	0x38e00190,	/*	li 7,0x190: of the first page; memory, referenced, changed */
	0x44000022,	/*	sc 1 */
	0x7c852378,	/*	mr 5,4: the entry that was taken */
	0x38600004,	/*	li 3,H_REMOVE */
	0x38800000,	/*	li 4,0 */
	0x38c00000,	/*	li 6,0 */
	0x44000022,	/*	sc 1 */
	0x38600058,	/*	li 3,H_PUT_TERM_CHAR */
	0x44000022,	/*	sc 1 */
	0x4bffffcc,	/*	b 1b */
};

static void begin(int vm, int vcpu)
{
	struct kvm_enable_cap papr = { .cap = KVM_CAP_PPC_PAPR };
	struct kvm_regs regs;

	check("hypercalls", ioctl(vcpu, KVM_ENABLE_CAP, &papr));
	check("get registers", ioctl(vcpu, KVM_GET_REGS, &regs));
	regs.pc = MEMORY;
	regs.msr = MSR;
	check("set registers", ioctl(vcpu, KVM_SET_REGS, &regs));
}

static int is_expected(struct kvm_run *run)
{
	if (run->exit_reason == KVM_EXIT_PAPR_HCALL)
		run->papr_hcall.ret = 0;
	return run->exit_reason == KVM_EXIT_PAPR_HCALL;
}

#endif

static void *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	check("mmap", at == MAP_FAILED ? -1 : 0);
	return at;
}

static int make_vcpu(int vm)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = MEMORY, .memory_size = SIZE,
	};
	void *memory = map(-1, SIZE);
	int vcpu;

	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	region.userspace_addr = (unsigned long)memory;
	check("memory", ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region));
	vcpu = check("vcpu", ioctl(vm, KVM_CREATE_VCPU, 0));
	begin(vm, vcpu);
	return vcpu;
}

int main(int argc, char **argv)
{
	int kvm = check("/dev/kvm", open("/dev/kvm", O_RDWR));
	int vm = check("vm", ioctl(kvm, KVM_CREATE_VM, 0));
	int vcpu = make_vcpu(vm);
	struct kvm_run *run = map(vcpu, check("size", ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0)));
	long exits = argc > 1 ? atol(argv[1]) : 1000;

	while (exits--) {
		check("run", ioctl(vcpu, KVM_RUN, 0));
		if (!is_expected(run)) {
			fprintf(stderr, "exit reason %u\n", run->exit_reason);
			return 1;
		}
	}
	return 0;
}
