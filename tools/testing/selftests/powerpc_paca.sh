# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_paca
#
# The register that leads to the data of the CPU stays the CPU's. The tracer's
# trampoline is as before when the module has gone.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_paca
check "it unloads" rmmod kprobes
ktap_end
