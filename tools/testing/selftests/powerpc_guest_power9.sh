# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# machine: powernv9
# smp: 1
# timeout: 400
# modules: kvm kvm-hv lkp_sweep
# programs: guest
# files: powerpc_guest.sh
#
# The same on a POWER9, where KVM enters and leaves guests in virtual mode.
# shellcheck shell=sh

# shellcheck source=tools/testing/selftests/powerpc_guest.sh
. ./powerpc_guest.sh
