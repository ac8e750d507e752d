# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_calls test_probe
# files: arm64_calls.sh
# append: nokaslr
# timeout: 120
#
# Modules are near the kernel and call it without veneers: arm64_calls.sh.
# shellcheck shell=sh

# shellcheck source=tools/testing/selftests/arm64_calls.sh
. ./arm64_calls.sh
