# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_probe lkp_textcopy
# inject: yes
# timeout: 300
#
# The kernel memory used for detour buffers, and the changes to its tracer, are
# restored when the module is unloaded, whichever step fails.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

nothing_differs() { grep -q ' 0 differ$' /proc/lkp_textcopy; }
retries() { dmesg | grep -c 'put back the kernel.s text: trying on'; }
fail=/sys/module/kprobes/parameters/fail_nth

# use: loads kprobes.ko and registers a probe that becomes a jump, which needs a detour buffer.
use() {
	insmod kprobes.ko && insmod test_probe.ko symbol=ksys_sync offset=4 &&
		wait_for 20 grep -q OPTIMIZED $dir/list
}

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _sinittext)"
check "nothing differs before" nothing_differs
check "a jump is made" use
refuse "memory is borrowed for it" nothing_differs
check "its client unloads" rmmod test_probe
check "and kprobes.ko does" wait_for 20 rmmod kprobes
check "nothing differs behind it" nothing_differs

dmesg -c >/dev/null
step=1 bad=''
while [ $step -lt 10 ]; do
	use || bad="$bad use-$step"
	rmmod test_probe
	echo $step >$fail
	wait_for 20 rmmod kprobes 2>/dev/null || bad="$bad unload-$step"
	nothing_differs || bad="$bad differs-$step"
	step=$((step + 1))
done
same "whatever fails on the way out, all is put back" "$bad" ''
echo "# $(retries) times memory was waited for"
check "memory was waited for" test "$(retries)" -gt 0
rmmod lkp_textcopy
ktap_end
