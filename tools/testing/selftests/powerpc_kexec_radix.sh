# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: powerpc
# modules: lkp_sweep
# programs: kexec_say
# files: powerpc_kexec.sh
# smp: 1
# mem: 1G
# timeout: 120
#
# powerpc_kexec.sh in real mode, where a trap needs page tables that may be overwritten.
# shellcheck shell=sh

test_name=powerpc_kexec_radix
# shellcheck source=tools/testing/selftests/powerpc_kexec.sh
. ./powerpc_kexec.sh
