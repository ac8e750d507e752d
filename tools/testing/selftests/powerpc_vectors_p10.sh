# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: backports
# cpu: power10
# modules: libchacha chacha-p10-crypto
#
# Hand-written code with vector registers in a module is refused by its name.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

why='refused: .*traps are not allowed'

check "kprobes.ko loads" insmod kprobes.ko
insmod libchacha.ko
check "a module with such code" insmod chacha-p10-crypto.ko
check "it is refused" judged chacha_p10le_8x+0x20 "$why"
check "but not what is without" spared chacha20_setkey+0x10 "$why"
rmmod chacha-p10-crypto
rmmod libchacha
check "it unloads" rmmod kprobes
ktap_end
