# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # the test's
#
# What sync and fsync call.  Clang inlines the kernel's usual functions into the system calls, gcc that
# of fsync in some kernels.

. ./kernel.sh

synced=ksys_sync fsynced=vfs_fsync_range
! has_symbol do_fsync || fsynced=do_fsync
if built_by_clang; then
	# /tmp is a tmpfs, which has nothing to bring to a disk.
	case $(uname -m) in
	aarch64) synced=__arm64_sys_sync fsynced=noop_fsync ;;
	x86_64)	 synced=__x64_sys_sync fsynced=noop_fsync ;;
	esac
fi
