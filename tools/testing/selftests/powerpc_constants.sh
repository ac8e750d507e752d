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

# constants FUNCTION FROM TO: how many words between these offsets are refused as such.
constants() {
	at=$(($2)) nr=0
	while [ $at -lt $(($3)) ]; do
		printf '%s+0x%x\n' "$1" $at >$dir/check
		grep -q 'refused: constant' $dir/check && nr=$((nr + 1))
		at=$((at + 4))
	done
	echo $nr
}

# first_constant FUNCTION FROM TO: the offset of the first of them.
first_constant() {
	at=$(($2))
	while [ $at -lt $(($3)) ]; do
		judged "$(printf '%s+0x%x' "$1" $at)" 'refused: constant' && break
		at=$((at + 4))
	done
	echo $at
}

# last_function MODULE: the one behind which are its stubs.
last_function() { grep "\[$1\]" /proc/kallsyms | grep -i ' t ' | sort | tail -n 1 | cut -d ' ' -f 3 | cut -f 1; }

check "kprobes.ko loads" insmod kprobes.ko
insmod gf128mul.ko
check "a module with constants" insmod vmx-crypto.ko
check "one that looks like an instruction is refused" judged rcon+0x10 'refused: constant'
check "and its neighbour" judged rcon+0x1c 'refused: constant'
refuse "a function of the module is not" judged p8_aes_setkey+0x40 constant
# Newer tracers look at nothing there.
case $(uname -r) in
6.1.*) check "what the tracer looks at is refused" \
	judged gf128mul_init_64k_bbe+0x8 "refused: instruction before the tracer's call" ;;
esac
check "addresses in the module's stubs are refused" [ "$(constants "$(last_function vmx_crypto)" 0 0x400)" -ge 8 ]
check "the distances of a switch are refused" [ "$(constants tty_ioctl 0x100 0x300)" -ge 40 ]
# The branch by one of them is in front of the first.
first=$(first_constant tty_ioctl 0x100 0x300)
check "a probe on the branch" insmod test_probe.ko symbol=tty_ioctl offset=$((first - 4))
check "hides none of them" [ "$(constants tty_ioctl "$first" $((first + 0x20)))" -ge 4 ]
rmmod test_probe
rmmod vmx-crypto gf128mul
check "it unloads" rmmod kprobes
ktap_end
