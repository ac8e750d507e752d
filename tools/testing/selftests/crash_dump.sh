# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# heavy: yes
# modules: lkp_sweep mainline_fprobe/fprobe_example
# programs: kexec_into workload
# kernel: yes
# mem: 1G
# append: crashkernel=320M
# timeout: 200
# allow: ^Kernel panic - not syncing: sysrq triggered crash
# allow: ^Call Trace:
#
# A panic while probes are all over the kernel, and on all functions of its way to the kernel
# that saves the dump.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh
. ./next_kernel.sh

: "${seed:=9}" "${size:=4000}"
way='sysrq_handle_crash,panic*,crash*,__crash*,oops_enter,nmi*,kdump*,native_machine*,machine*
disable_IO*,clear_IO*,lapic*,hpet*,cpu_em*,default*,append*,restore*,x86_pmu*,apic*,native*,x2apic*
physflat*,flat*,notifier*,atomic*,console*,printk*,vprintk*'

chmod +x kexec_into workload
# First: the checksums of what is loaded take minutes under probes.
next_kernel /tmp/initramfs crash_dump 6 "the next kernel has the dump" "test -s /proc/vmcore"
check "the next kernel is loaded" ./kexec_into panic vmlinuz* /tmp/initramfs \
	"console=ttyS0,115200 panic=-1 irqpoll nr_cpus=1 reset_devices"
./workload >/dev/null 2>&1 &
insmod kprobes.ko
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" seed="$seed"
check "probes are registered" sh -c "echo 'pick 1 $size' >$control"
check "fprobes on the way" insmod fprobe_example.ko stackdump=0 use_trace=1 \
	symbol="$(echo "$way" | tr '\n' ',' | sed 's/,$//')"
sleep 2
many_hits() { [ "$(swept hits)" -gt 100 ]; }
wait_for 20 many_hits
echo drop >$control
check "they are hit" test "$(swept hits)" -gt 100
check "they are there again" sh -c "echo 'pick 1 $size' >$control"
leave_for_it sh -c "echo c >/proc/sysrq-trigger"
