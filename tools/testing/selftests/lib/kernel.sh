# SPDX-License-Identifier: GPL-2.0-only
#
# What the selftests ask the kernel, and how they wait for it.
# shellcheck shell=sh

# To find a fixed string in the list of all symbols takes busybox a tenth of the seconds that a regular
# expression takes it, or awk; to read the list takes as long again, and what the kernel has itself
# stays the same.
symbols_of_kernel() {
	[ -s /tmp/.symbols ] || grep -vF '[' /proc/kallsyms >/tmp/.symbols
	cat /tmp/.symbols
}

# symbol NAME: its address; nothing if there is none.
symbol() {
	for symbols in symbols_of_kernel "cat /proc/kallsyms"; do
		$symbols | grep -Fw "$1" | awk -v name="$1" '
			$3 == name { print "0x" $1; found = 1; exit }
			END { exit !found }' && break
	done
}

# has_symbol NAME: does the kernel, or a module, have one that is called just that?
has_symbol() { grep -Fw -- "$1" /proc/kallsyms | awk -v name="$1" '$3 == name { found = 1; exit } END { exit !found }'; }

built_by_clang() { grep -q clang /proc/version; }

# our_log: what kprobes.ko has said. Others say something at any time, if the machine is busy.
our_log() { dmesg | grep 'kprobes: '; }

# addresses NAME...: of the functions that this kernel has, with their names; not of
# init text, which has been freed.
addresses() {
	echo "$*" | awk -v end="$(symbol _etext)" '
		NR == FNR { for (i = 1; i <= NF; i++) wanted[$i] = 1; next }
		NF == 3 && $3 in wanted && tolower($2) == "t" && "0x" $1 < "" end {
			print "0x" $1, $3
		}' \
		- /proc/kallsyms
}

# wait_for SECONDS COMMAND...: repeats the command until it succeeds, for five times
# SECONDS, as the machine may be slow or busy.
wait_for() {
	tries=$(($1 * 50))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

unloaded() { ! grep -q "^$1 " /proc/modules; }

# unloads SECONDS MODULE: it is unloaded in that time. A hanging rmmod is left running.
# lsmod does not list a module that is being unloaded, but shows what it uses as in
# use until rmmod is done.
unloads() {
	rmmod "$2" &
	wait_for "$1" unloaded "$2" && wait $!
}
