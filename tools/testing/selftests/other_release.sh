# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_release test_probe test_target
# once: yes
#
# insmod compares the versions of what a kernel exports, if at all.  The module needs more of it to be as
# it was built for.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

refused() { ! insmod kprobes.ko 2>/tmp/refused; }
said() { dmesg | grep -q "built for Linux $release, not for this one, $1"; }

release=$(uname -r)
insmod test_release.ko
same "the kernel is another one" "$(uname -r)" 0.0.0-other
check "the module is not loaded there" refused
check "a sentence says why" said '0.0.0-other: build it anew, or say other_kernel=1'
check "nothing of it is left" sh -c '! grep -q "^kprobes " /proc/modules'
check "it is loaded if that is asked for" insmod kprobes.ko other_kernel=1
check "which the log says" sh -c "dmesg | grep -q 'not for this one, 0.0.0-other\$'"
insmod test_target.ko
check "and probes" insmod test_probe.ko symbol=lkp_target_fn
rmmod test_probe
rmmod kprobes
rmmod test_release
same "the kernel is itself again" "$(uname -r)" "$release"
check "and needs no word" insmod kprobes.ko
rmmod kprobes
rmmod test_target
ktap_end
