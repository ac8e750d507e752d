# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_calls test_probe
# timeout: 120
#
# Probes on calls: the detour buffer must be within reach of the callee.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

decided() { grep -Eq 'x[0-9a-f]+ jump$|too far from a detour buffer$' "$dir"/status; }

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_calls

# No memory is near enough for both.
insmod test_arm64_calls.ko
traps=0
for way in up down; do
	insmod test_probe.ko symbol=lkp_${way}_fn offset=4
	check "as far $way as can be: that is decided" wait_for 20 decided
	sed "s/^/# /" "$dir"/status
	! grep -q 'too far' "$dir"/status || traps=$((traps + 1))
	rmmod test_probe
done
check "a trap says so where a detour cannot lead as far" test $traps -ge 1
rmmod test_arm64_calls
check "it unloads" rmmod kprobes
ktap_end
