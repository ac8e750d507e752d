# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: lkp_differential
# files: differential.sh
# cpu: power10
# timeout: 300
#
# Instructions with and without a probe, on a processor with prefixed instructions.
# shellcheck shell=sh

# shellcheck source=tools/testing/selftests/differential.sh
. ./differential.sh
