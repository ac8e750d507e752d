# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: fineibt
# append: cfi=off
# modules: lkp_sweep
# timeout: 300
# files: sweep_ends.sh
#
# The same where the kernel has switched off clang's checks of indirect calls: it jumps over each, and
# leaves a hash behind the jump that is no instruction.
# shellcheck shell=sh

grep -q cfi=off /proc/cmdline || exit

# shellcheck source=tools/testing/selftests/sweep_ends.sh
. ./sweep_ends.sh
