# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: dropin
# machine: server-pnmi
# modules: test_arm64_state test_arm64_masks test_arm64_nmi
# timeout: 400
#
# With pseudo-NMIs interrupts are masked by their priority, PMR.  NMIs, which come all the same, hit
# probes and come amid hits.  For longer:
# run-tests --arch arm64 --host dropin --only arm64_pnmi --set duration=600 --seconds 900
# shellcheck shell=sh

. ./ktap.sh

: "${duration:=30}"

check "interrupts are masked by priority" sh -c "dmesg | grep -q 'GICv3: Pseudo-NMIs enabled'"
check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_state
run_cases test_arm64_masks
longer() { echo "$duration" >/sys/module/test_arm64_nmi/parameters/duration; }
run_cases test_arm64_nmi longer
check "it unloads" rmmod kprobes
ktap_end
