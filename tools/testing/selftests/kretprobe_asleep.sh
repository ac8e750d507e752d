# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace notasks
# once: yes
# timeout: 300
# modules: test_rets test_asleep test_target
#
# Tasks that sleep, are killed or exit inside functions with return probes, while the
# probes are unregistered, or their client is unloaded.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters

# at_least NUMBER FILE, exactly NUMBER FILE
at_least() { [ "$(cat "$2")" -ge "$1" ]; }
exactly() { [ "$(cat "$2")" -eq "$1" ]; }

threads() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3; }
no_threads() { [ -z "$(threads)" ]; }
unload() { rmmod "$1" 2>/dev/null; }

# sleepers NUMBER [mortal]: starts NUMBER threads, which sleep inside.
sleepers() {
	before=$(cat $asleep/inside)
	echo "$1" >"$asleep/start${2:+_$2}"
	wait_for 30 exactly $((before + $1)) $asleep/inside
}

# woken NUMBER: that many threads return, without errors.
woken() {
	before=$(cat $asleep/back)
	echo 1 >$asleep/release
	wait_for 30 exactly $((before + $1)) $asleep/back && exactly 0 $asleep/wrong &&
		wait_for 30 no_threads
}

# traced, by trap, and both within each other
functions="lkp_asleep lkp_asleep_in_asm_target_fn lkp_doze"

for module in kprobes test_asleep; do insmod $module.ko; done

# ---- unregistered while tasks are inside ----

for function in $functions; do
	check "$function: three return probes" insmod test_rets.ko func=$function nr=3 maxactive=200
	check "$function: threads are asleep inside" sleepers 40
	check "$function: all were seen" at_least 120 $rets/entries
	check "$function: none was missed" exactly 0 $rets/missed
	hits=$(cat $rets/hits)
	echo 1 >$rets/drop
	same "$function: unregistering calls no handler" "$(cat $rets/hits)" "$hits"
	check "$function: threads come back past the other two" woken 40
	entries=$(cat $rets/entries)
	same "$function: which see the returns" "$(cat $rets/hits)" $((entries / 3 * 2))

	check "$function: asleep again" sleepers 40
	echo 0 >$rets/drop
	check "$function: the client unloads" unloads 60 test_rets
	check "$function: threads come back without any probe" woken 40
done

# The whole subsystem is unloaded, too.  Nothing of it may stay on their stacks.
for function in $functions; do
	insmod test_rets.ko func=$function nr=2 maxactive=200
	check "$function: threads are asleep inside" sleepers 40
	check "$function: the client unloads" unloads 60 test_rets
	check "$function: kprobes.ko unloads under them" unloads 60 kprobes
	check "$function: they come back" woken 40
	insmod kprobes.ko
done

# ---- the client is unloaded without unregistering its probe ----

forgotten() {
	what=$1
	shift
	dmesg -c >/dev/null
	check "$what: registered" insmod test_rets.ko "$@" maxactive=100
	check "$what: threads are asleep inside" sleepers 20
	check "$what: the client goes" unloads 60 test_rets
	check "$what: that is said" sh -c "dmesg | grep -q 'leaves its probe'"
	same "$what: nothing is registered" "$(cat $dir/list)" ''
	check "$what: threads come back" woken 20
	check "$what: and once more" sleepers 5
	check "$what: and come back" woken 5
}

for function in $functions; do
	forgotten "forgotten on $function" func=$function nr=2 forget=1
	forgotten "forgotten and allocated, on $function" func=$function nr=2 forget=1 allocated=1
	forgotten "forgotten jprobe on $function" func=$function nr=0 jumper=1 forget=1 allocated=1
	forgotten "forgotten both on $function" func=$function nr=1 jumper=1 forget=1
done

# ---- tasks that exit inside ----

insmod test_rets.ko func=lkp_doze maxactive=9
for round in 1 2 3 4; do
	check "round $round: threads are asleep inside" sleepers 3 mortal
	echo 1 >$asleep/release
	check "round $round: they exit there" wait_for 30 no_threads
	# Their instances are free again when they are needed the second time.
	sleepers 3
	woken 3
done
# They are reclaimed when a call finds no free instance.
none_missed() {
	missed=$(cat $rets/missed)
	sleepers 3 && woken 3 && exactly "$missed" $rets/missed
}
check "their instances come back" wait_for 10 none_missed
check "the client unloads" unloads 60 test_rets

insmod test_rets.ko func=lkp_asleep nr=2 maxactive=100
before=$(cat $asleep/inside) pids=
echo 0 >$asleep/start
for _ in 1 2 3 4 5 6 7 8 9 10; do
	cat /sys/kernel/debug/test_asleep >/dev/null 2>&1 &
	pids="$pids $!"
done
check "processes are asleep inside" wait_for 20 exactly $((before + 10)) $asleep/inside
hits=$(cat $rets/hits)
# shellcheck disable=SC2086 # several
kill -9 $pids
wait
check "killed, they return" wait_for 20 exactly $((hits + 40)) $rets/hits
check "the client unloads" unloads 60 test_rets

# A process that exits never returns from the function in which it exits. Its task
# struct and its stack are soon reused.
for function in do_exit do_group_exit; do
	check "$function: registered" insmod test_rets.ko func=$function maxactive=100
	for _ in $(seq 40); do true & done
	wait
	check "$function: seen" at_least 40 $rets/entries
	pids=
	for _ in $(seq 40); do
		sleep 300 &
		pids="$pids $!"
	done
	check "$function: the client unloads, whoever has their stacks" unloads 60 test_rets
	# shellcheck disable=SC2086 # several
	kill $pids
	wait
	wait_for 60 unloaded test_rets
done

check "do_exit with few instances" insmod test_rets.ko func=do_exit maxactive=4
# Those of the dead are found when there is time for that.
for round in $(seq 200); do
	[ "$round" -le 10 ] || ! at_least 12 $rets/entries || break
	true &
	true &
	wait
	sleep 0.3
done
check "they come back from the dead" at_least 12 $rets/entries
same "every call is accounted for" "$(cat $rets/hits)" 0
check "the client unloads" unloads 60 test_rets

# ---- stack traces and return addresses ----

insmod test_rets.ko func=lkp_asleep nr=2 maxactive=20
check "threads are asleep inside" sleepers 3
for pid in $(threads); do cat /proc/$pid/stack; done >/tmp/stacks
sed 's/^/# /' /tmp/stacks | head -8
check "their stacks can be read" grep -q lkp_doze /tmp/stacks
check "woken" woken 3
same "list shows what they are" \
	"$(awk '{ sub("[+].*", "", $3); print $2, $3 }' $dir/list | sort | xargs)" \
	"r lkp_asleep r lkp_asleep"
check "the client unloads" unloads 60 test_rets

# ---- the probed module is unloaded ----

insmod test_target.ko
check "a probe in a module" insmod test_rets.ko func=lkp_target_in_c nr=2 jumper=1
target_call
same "the returns are seen" "$(cat $rets/hits)" 2
same "the jprobe too" "$(cat $rets/calls)" 1
same "listed by kind" "$(awk '{ print $2 }' $dir/list | xargs)" 'r r j'
if entry_is_the_tracers; then
	check "as served by the tracer" sh -c "! grep -vq FTRACE $dir/list"
else
	refuse "as served by a trap" grep -q FTRACE $dir/list
fi
check "the probed module goes" unloads 60 test_target
same "listed as gone" "$(grep -c GONE $dir/list)" 3
check "the client unloads" unloads 60 test_rets
same "nothing is left" "$(cat $dir/list)" ''

check "the sleepers' module unloads" unload test_asleep
check "kprobes.ko unloads" unload kprobes
ktap_end
