# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# modules: gf128mul vmx-crypto test_probe
#
# The constants of AES are in the text, and some look like instructions. A probe there would change
# what is computed. So do the distances of a switch, and the addresses in a module's stubs: a probe on one
# of those would lead the next jump anywhere.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# refused FUNCTION FROM TO [REASON]: how many words between these offsets are, for that.
refused() {
	at=$(($2)) nr=0
	while [ $at -lt $(($3)) ]; do
		printf '%s+0x%x\n' "$1" $at >$dir/check
		grep -q "refused: $4" $dir/check && nr=$((nr + 1))
		at=$((at + 4))
	done
	echo $nr
}

# table FUNCTION FROM: the offset of the first of eight words that are refused.
table() {
	from=$(($2))
	while [ "$(refused "$1" $from $((from + 0x20)))" != 8 ]; do
		from=$((from + 4))
		[ $from -lt $(($2 + 0x200)) ] || return
	done
	echo $from
}

# last_function MODULE: the one behind which are its stubs.
last_function() { grep "\[$1\]" /proc/kallsyms | grep -i ' t ' | sort | tail -n 1 | cut -d ' ' -f 3 | cut -f 1; }

check "kprobes.ko loads" insmod kprobes.ko
insmod gf128mul.ko
check "a module with constants" insmod vmx-crypto.ko
check "one that looks like an instruction is refused" judged rcon+0x10 'refused: constant'
check "and its neighbour" judged rcon+0x1c 'refused: constant'
check "a function of the module is not" spared p8_aes_setkey+0x40 constant
check "addresses in the module's stubs are refused" \
	[ "$(refused "$(last_function vmx_crypto)" 0 0x400 constant)" -ge 8 ]
# A table of tty_ioctl()'s has 80 distances.  In newer kernels none looks like an instruction, and nothing
# looks in front of the tracer's call.
table=$(table tty_ioctl 0x100)
same "the distances of a switch are refused" "$(refused tty_ioctl $((table)) $((table + 0x140)))" 80
case $(uname -r) in
6.1.*)	check "what the tracer looks at is refused" \
		judged gf128mul_init_64k_bbe+0x8 "refused: instruction before the tracer's call"
	check "distances that look like instructions are refused" \
		[ "$(refused tty_ioctl $((table)) $((table + 0x140)) constant)" -ge 40 ] ;;
esac
check "a probe on the branch" insmod test_probe.ko symbol=tty_ioctl offset=$((table - 4))
same "hides none of them" "$(refused tty_ioctl $((table)) $((table + 0x20)))" 8
rmmod test_probe
rmmod vmx-crypto gf128mul
check "it unloads" rmmod kprobes
ktap_end
