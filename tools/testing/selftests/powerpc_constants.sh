# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# modules: gf128mul vmx-crypto
#
# The constants of AES are in the text, and some look like instructions. A probe there would change
# what is computed.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
insmod gf128mul.ko
check "a module with constants" insmod vmx-crypto.ko
check "one that looks like an instruction is refused" judged rcon+0x10 'refused: constant'
check "and its neighbour" judged rcon+0x1c 'refused: constant'
refuse "a function of the module is not" judged p8_aes_setkey+0x40 constant
rmmod vmx-crypto gf128mul
check "it unloads" rmmod kprobes
ktap_end
