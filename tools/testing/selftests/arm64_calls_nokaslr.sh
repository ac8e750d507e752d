# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_calls test_probe
# files: arm64_calls.sh
# append: nokaslr
# timeout: 120
#
# arm64_calls.sh with modules near the kernel, which call it without veneers.
# shellcheck shell=sh

# shellcheck source=tools/testing/selftests/arm64_calls.sh
. ./arm64_calls.sh
