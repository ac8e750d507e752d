# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# heavy: yes
# modules: lkp_sweep test_probe
# programs: kexec_into workload
# kernel: yes
# mem: 1G
# timeout: 200
#
# Another kernel is started while probes are all over this one.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh
. ./next_kernel.sh

: "${seed:=9}" "${size:=4000}"
chmod +x kexec_into workload
# First: the checksums of what is loaded take minutes under probes.
next_kernel /tmp/initramfs kexec 6 "the next kernel is up" "test -e /proc/version"
check "the next kernel is loaded" \
	./kexec_into later vmlinuz* /tmp/initramfs "console=ttyS0,115200 panic=-1"
./workload >/dev/null 2>&1 &
insmod kprobes.ko
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" seed="$seed"
check "probes are registered" sh -c "echo 'pick 1 $size' >$control"
sleep 2
many_hits() { [ "$(swept hits)" -gt 100 ]; }
wait_for 20 many_hits
echo drop >$control
check "most of them are armed" test "$(swept armed)" -gt $((size / 2))
check "and hit" test "$(swept hits)" -gt 100
check "they are there again" sh -c "echo 'pick 1 $size' >$control"
# Called when there is no table of interrupts and no per-CPU data any more.
insmod test_probe.ko symbol=cc_platform_has post=1 lazy=1
(echo 1 >/sys/module/test_probe/parameters/planted) 2>/dev/null
leave_for_it ./kexec_into now
