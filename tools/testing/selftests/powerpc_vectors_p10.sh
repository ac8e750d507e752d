# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: backports
# cpu: power10
# modules: libchacha chacha-p10-crypto
#
# Hand-written code with vector registers in a module, whatever its labels are called, is refused.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

why='refused: .*vector registers in use\|refused: .*traps are not allowed'

check "kprobes.ko loads" insmod kprobes.ko
insmod libchacha.ko
check "a module with such code" insmod chacha-p10-crypto.ko
for place in chacha_p10le_8x+0x20 Loop_8x+0x10 quarter_loop_8x+0x10 Loop_4x+0x10 quarter_loop+0x10; do
	check "$place" judged "$place" "$why"
done
refuse "but not what is without" judged chacha20_setkey+0x10 "$why"
rmmod chacha-p10-crypto
rmmod libchacha
check "it unloads" rmmod kprobes
ktap_end
