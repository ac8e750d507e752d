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

static int check(const char *what, int result)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

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
	struct kvm_vcpu_init init;
	unsigned long pc = MEMORY;
	struct kvm_one_reg reg = { .id = PC, .addr = (unsigned long)&pc };
	void *memory = map(-1, SIZE);
	int vcpu;

	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	region.userspace_addr = (unsigned long)memory;
	check("memory", ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region));
	vcpu = check("vcpu", ioctl(vm, KVM_CREATE_VCPU, 0));
	check("target", ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init));
	check("init", ioctl(vcpu, KVM_ARM_VCPU_INIT, &init));
	check("pc", ioctl(vcpu, KVM_SET_ONE_REG, &reg));
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
		if (run->exit_reason != KVM_EXIT_MMIO) {
			fprintf(stderr, "exit reason %u\n", run->exit_reason);
			return 1;
		}
	}
	return 0;
}
