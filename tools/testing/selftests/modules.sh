# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_probe test_target test_refuser
# once: yes
#
# Probed modules, and clients, that are loaded and unloaded.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

lists() { grep -Eq "$1" "$dir"/list; }
insmod kprobes.ko

# probed_module_goes NAME SYMBOL [PARAMETER...]: the module is unloaded while it has a probe
probed_module_goes() {
	kind=$1 symbol=$2
	shift 2
	insmod test_target.ko
	check "$kind: registered" insmod test_probe.ko symbol="$symbol" "$@"
	same "$kind: hit" "$(hits_of target_call)" 1
	check "$kind: the probed module unloads" rmmod test_target
	check "$kind: listed as gone" lists '\[GONE\]'
	refuse "$kind: not as disabled too" lists DISABLED
	check "$kind: it says so" grep -q gone $parameters/flags
	check "$kind: it counts as disabled" grep -q disabled $parameters/flags
	check "$kind: enabling is EINVAL" told_error 'Invalid argument' disabled 0
	check "$kind: disabling is no error" tell disabled 1
	echo 0 >$dir/enabled
	echo 1 >$dir/enabled
	check "$kind: the probed module comes back" insmod test_target.ko
	same "$kind: that does not revive it" "$(hits_of target_call)" 0
	check "$kind: still gone" lists '\[GONE\]'
	check "$kind: unregistered" tell planted 0
	same "$kind: the list is empty" "$(cat $dir/list)" ''
	check "$kind: registered anew" tell planted 1
	same "$kind: hit again" "$(hits_of target_call)" 1
	check "$kind: the probed module unloads again" rmmod test_target
	check "$kind: the client unloads" rmmod test_probe
	same "$kind: nothing is left" "$(cat $dir/list)" ''
}

insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
rmmod test_target
probed_module_goes trap lkp_target_fn offset="$at"
probed_module_goes 'trap and post_handler' test_target:lkp_target_fn offset="$at" post=1
probed_module_goes 'trap and fault_handler' lkp_target_fn offset="$at" fault=1
probed_module_goes entry lkp_target_in_c

# Disabled when the module is unloaded.
insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_in_c off=1
check "disabled: the probed module unloads" rmmod test_target
check "disabled: listed as gone" lists '\[GONE\]'
check "disabled: the client unloads" rmmod test_probe

# All probes off when the module is unloaded.
insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
echo 0 >$dir/enabled
check "all off: the probed module unloads" rmmod test_target
echo 1 >$dir/enabled
check "all off: the client unloads" rmmod test_probe

# A probe does not pin the probed module.
insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
same "a probed module is not in use" "$(awk '$1 == "test_target" { print $3 }' /proc/modules)" 0
rmmod test_probe test_target

# Init text can be probed while it exists.
insmod test_probe.ko symbol=lkp_target_in_init when=1
same "registered while the module is coming" "$(value error)" -1
check "the module loads" insmod test_target.ko
same "registered then" "$(value error)" 0
same "hit" "$(value hits)" 1
[ -z "$init_text_goes" ] || check "gone with the init text" lists '\[GONE\]'
same "nothing else is hit" "$(hits_of target_call)" 0
check "the module unloads" rmmod test_target
check "the client unloads" rmmod test_probe

insmod test_probe.ko symbol=lkp_target_in_init when=1 post=1
refuse "a module fails to load" insmod test_target.ko fail=1
same "its init text was probed" "$(value error) $(value hits) $(value posts)" '0 1 1'
check "and is gone" lists '\[GONE\]'
rmmod test_probe

insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_in_init lazy=1
[ -z "$init_text_goes" ] || check "init text that has gone is ENOENT" told_error 'No such file' planted 1
rmmod test_probe test_target

# What the kernel still waits for runs its text, when everybody has been told that it goes.
insmod test_probe.ko symbol=lkp_target_in_init when=1
check "a module that calls its init text late loads" insmod test_target.ko late=1
same "its init text was probed" "$(value error) $(value hits)" "0 $([ "$init_text_goes" ] && echo 1 || echo 2)"
rmmod test_probe
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
wait_for 5 grep -q 'lkp_target_fn.* jump$' $dir/status
check "and unloads, where it is called late, too" rmmod test_target
check "with a probe that is gone then" lists '\[GONE\]'
rmmod test_probe

# Another notifier refuses it: all are told that it goes while it still counts as coming.
insmod test_refuser.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$at" when=2
refuse "a module is refused by a notifier" insmod test_target.ko
same "registering when it goes is ENOENT" "$(value error)" -2
same "nothing is left of that attempt" "$(cat $dir/list)" ''
rmmod test_probe test_refuser

# Not after it has been freed.
insmod test_target.ko
insmod test_probe.ko symbol=lkp_target_fn offset="$at" when=2
rmmod test_target
same "a module that is going is ENOENT" "$(value error)" -2
same "nothing is left of the attempt" "$(cat $dir/list)" ''
rmmod test_probe

# Clients.
insmod test_probe.ko symbol=$synced
refuse "kprobes.ko with a client does not unload" rmmod kprobes
check "and works on" test "$(hits_of sync)" = 1
rmmod test_probe

# forgetful NAME [PARAMETER...]: a client that unloads with its probe registered
forgetful() {
	kind=$1
	shift
	dmesg -c >/dev/null
	insmod test_probe.ko forget=1 "$@"
	sync
	check "$kind: a client that forgets unloads" rmmod test_probe
	dmesg >/tmp/log
	check "$kind: the log says so" \
		grep -q 'module test_probe goes and leaves its probe at .* registered' /tmp/log
	sync
	same "$kind: nothing is left" "$(cat $dir/list)" ''
}
insmod test_target.ko
forgetful entry symbol=ksys_sync
forgetful 'entry, both handlers' symbol=ksys_sync post=1
forgetful trap symbol=lkp_target_fn offset="$at" fault=1
check "the target still works" target_call
forgetful 'on itself' symbol=handler_pre
insmod test_probe.ko forget=1 symbol=lkp_target_fn offset="$at"
rmmod test_target
check "gone: a client that forgets unloads" rmmod test_probe
same "gone: nothing is left" "$(cat $dir/list)" ''

# A client's probe on itself.
insmod test_probe.ko symbol=get_missed
same "a client probes itself" "$(hits_of value missed)" 1
check "and unloads" rmmod test_probe
same "nothing is left" "$(cat $dir/list)" ''
check "kprobes.ko unloads" rmmod kprobes
ktap_end
