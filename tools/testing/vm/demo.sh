# SPDX-License-Identifier: GPL-2.0-only
#
# The script of `make demo`, run in the VM: demonstrates kprobes, as a transcript.
# shellcheck shell=sh

debug=/sys/kernel/debug
parameters=/sys/module/kprobe_example/parameters
symbol=do_sys_openat2
# The offset of an instruction that is not the first one of the function.
case $(uname -m) in x86_64) offset=5 ;; aarch64) offset=8 ;; *) offset=20 ;; esac

title() { printf '\n== %s\n' "$*"; }

# show COMMAND: prints the command and runs it.
show() {
	printf '# %s\n' "$1"
	eval "$1"
}

# must COMMAND: like show, but ends the demo if the command fails.
must() {
	show "$1" || {
		dmesg | tail -n 5
		exit 1
	}
}

# Opens files, and shows the number of hits.
workload() {
	show 'for i in 1 2 3 4 5; do cat /proc/uptime; done >/dev/null'
	show "cat $parameters/hits"
}

# Shows matching lines of the kernel log since the last call.
said() {
	show "dmesg -c | grep '$1'"
}

title 'The kernel'
show 'uname -sr'
if grep -qw register_kprobe /proc/kallsyms; then
	echo 'It has kprobes of its own; ours work side by side with them.'
	show 'grep -w register_kprobe /proc/kallsyms'
	dir=$debug/lkprobes
else
	echo 'It was built without kprobes.'
	show 'zcat /proc/config.gz | grep -w CONFIG_KPROBES'
	show 'grep -cw register_kprobe /proc/kallsyms'
	dir=$debug/kprobes
fi
dmesg -c >/dev/null

title 'Loading kprobes'
must 'insmod kprobes.ko'
said ready
show "ls $dir"

title "A client that probes an instruction in $symbol()"
must "insmod kprobe_example.ko symbol=$symbol offset=$offset"
show "cat $dir/list"

title 'Its handlers run with the workload'
workload
said handler

title 'All probes off, and on again'
show "echo 0 >$dir/enabled"
show "cat $parameters/hits"
workload
show "echo 1 >$dir/enabled"
workload

title 'Only this probe off'
show "echo 1 >$parameters/disabled"
show "cat $dir/list"
show "cat $parameters/hits"
workload
must 'rmmod kprobe_example'

title 'Without a post_handler it becomes a jump, which costs a fraction of a trap'
must "insmod kprobe_example.ko symbol=$symbol offset=$offset post=0"
show "for i in 1 2 3 4 5 6 7 8 9; do sleep 1; grep OPTIMIZED $dir/list && break; done"
workload
show "sysctl debug.${dir##*/}_optimization=0"
show "cat $dir/list $dir/status"
show "sysctl debug.${dir##*/}_optimization=1"
show "cat $dir/list"
must 'rmmod kprobe_example'

title "The same client on the function's entry"
must "insmod kprobe_example.ko symbol=$symbol"
show "cat $dir/list"
workload
must 'rmmod kprobe_example'

title 'A kretprobe: how long does a function take?'
must 'insmod kretprobe_example.ko func=vfs_read'
show "cat $dir/list"
show 'cat /proc/uptime >/dev/null'
said 'vfs_read returned' | head -n 3
must 'rmmod kretprobe_example'
said 'vfs_read:'

if [ -e kprobes ]; then
	title 'Without a client: probes by a command line'
	must 'insmod kprobes_events.ko'
	must "./kprobes trace '$symbol file=+0(\$arg2):ustring' '$symbol%return \$retval' -- cat /proc/uptime"
	must "./kprobes stat 'vfs_*' -- cat /proc/uptime"
	must 'rmmod kprobes_events'
fi

title 'A jprobe: the arguments of a function'
must 'insmod jprobe_example.ko'
show "cat $dir/list"
show 'sh -c true'
said 'flags ='
must 'rmmod jprobe_example'

title 'Kprobes on many functions, registered as a batch'
must 'insmod batch_example.ko symbols=vfs_open,vfs_read,vfs_write,do_filp_open'
show "cat $dir/list"
show 'cat /proc/uptime >/dev/null'
show 'cat /sys/module/batch_example/parameters/hits'
must 'rmmod batch_example'

title 'An fprobe: entry and return of all functions that match'
must "insmod fprobe_example.ko symbol='vfs_*' nosymbol=vfs_write"
show 'cat /proc/uptime >/dev/null'
said 'called from\|returned' | head -n 5
must 'rmmod fprobe_example'
said 'calls,'

title 'An address that cannot be probed, and why'
show "insmod kprobe_example.ko symbol=$symbol offset=2 2>/dev/null"
show "dmesg -c | grep -m 1 \"can't probe\""

title 'Unloading kprobes'
must 'rmmod kprobes'
show "ls $dir"
show 'lsmod'

title 'Power off'
