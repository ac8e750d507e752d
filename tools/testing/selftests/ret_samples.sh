# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: kretprobe_example jprobe_example mainline_kretprobe
#
# Our samples of kretprobes and jprobes, and the kernel's own samples.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

said() { dmesg | grep -Eq "$1"; }
insmod kprobes.ko

# sample NAME KIND FUNCTION WHEN-PLANTED ON-A-CALL WHEN-GONE [PARAMETER...]
sample() {
	name=$1 kind=$2 function=$3 planted=$4 called=$5 gone=$6
	shift 6
	dmesg -c >/dev/null
	check "$name: loads" insmod "$name.ko" "$@"
	check "$name: says so" said "$planted"
	check "$name: is listed" grep -Eq "  ${kind}  ${function}[+]" $dir/list
	sh -c true
	check "$name: sees a call" wait_for 5 said "$called"
	check "$name: unloads" rmmod "$name"
	check "$name: says what it saw" said "$gone"
	same "$name: leaves nothing" "$(cat $dir/list)" ''
}

sample kretprobe_example r kernel_clone 'planted return probe at kernel_clone' \
	'kernel_clone returned [0-9]+ after [0-9]+ ns' 'kernel_clone: [1-9][0-9]* calls'
sample kretprobe_example r vfs_read 'planted return probe at vfs_read' \
	'vfs_read returned [0-9]+ after [0-9]+ ns' 'vfs_read: [1-9][0-9]* calls' func=vfs_read
sample jprobe_example j kernel_clone 'planted jprobe at kernel_clone' \
	'kernel_clone: flags = 0x[0-9a-f]+, exit signal = 17' 'calls'
sample mainline_kretprobe r kernel_clone 'Planted return probe at kernel_clone' \
	'kernel_clone returned [0-9]+ and took [0-9]+ ns' 'kretprobe at .* unregistered' \
	func=kernel_clone
check "a function that is not there is refused" sh -c \
	'! insmod kretprobe_example.ko func=no_such_function 2>/dev/null'
check "with its reason" said 'no such symbol'
check "kprobes.ko unloads" rmmod kprobes
ktap_end
