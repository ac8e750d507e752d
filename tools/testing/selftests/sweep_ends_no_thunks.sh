# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: stock
# machine: unmitigated
# modules: lkp_sweep
# timeout: 200
# files: sweep_ends.sh
#
# The same where the kernel has written indirect jumps in place of those to thunks, with an int3 and
# nops in the rest of their bytes, as it does on processors that need no thunks.
# shellcheck shell=sh

# shellcheck source=tools/testing/selftests/sweep_ends.sh
. ./sweep_ends.sh
