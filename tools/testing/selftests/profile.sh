# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_profile test_probe batch_example lkp_textcopy
# smp: 4
# timeout: 120
#
# The file "profile": how often each probe was hit and how often in vain, whatever serves it.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

profile=$dir/profile
parameters=/sys/module/test_profile/parameters
names='plain|posted|empty|entered|shared|nesting|nested|jprobed|returned|followed'

# told FILE: without what is only known to one side, the offset of an fprobe.
told() { sed -E 's/^(f .*)\+0x[0-9a-f]+/\1/' "$1" | sort; }
# agree NAME: the file says what the handlers have counted.
agree() {
	told $profile >said
	sort $parameters/counts >counted
	check "$1: $(wc -l <counted) probes" cmp -s said counted
	cmp -s said counted || diff counted said | sed 's/^/# /'
}
# sum KIND FUNCTION: hits and misses together.
sum() { awk -v is="^$1 .*:$2" '$0 ~ is { sum += $3 + $4 } END { print sum }' $profile; }
# jump: those become jumps that can.
jump() { echo 1 >/sys/module/test_probe/parameters/settle; }
jumps() { grep -c ' jump' $dir/status; }

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod kprobes.ko
same "it is for root to read and write" "$(stat -c %a $profile)" 600
same "nobody counts at first" "$(cat $profile)" off
# For the wait only: it has no probe.
insmod test_probe.ko symbol=vfs_read lazy=1
insmod test_profile.ko
jump
before=$(jumps)
check "some are jumps" test "$before" -ge 1
echo 5 >$parameters/call
same "nobody has asked" "$(cat $profile)" off

echo 1 >$profile
jump
same "as many are jumps while hits are counted" "$(jumps)" "$before"
echo 1 >$parameters/forget
check "it has a line for each probe" \
	test "$(grep -cE "^[kjrf] test_profile:lkp_($names)(_fn)?\\+0x[0-9a-f]+ 0 0\$" $profile)" = 12
cpus=$(grep -c ^processor /proc/cpuinfo)
echo 200 >$parameters/call
agree "on $cpus CPUs at once"
same "a kprobe's hits and misses are its calls" "$(sum k lkp_nested)" $((200 * cpus))
same "a return probe's are" "$(sum r lkp_returned)" $((600 * cpus))
same "an fprobe's are" "$(sum f lkp_followed)" $((600 * cpus))
check "there are misses" grep -q '^r .* [1-9][0-9]* [1-9]' $profile
echo 1 >$profile
agree "1 again changes nothing"

echo 0 >$dir/enabled
echo 10 >$parameters/call
agree "while all are off nothing is counted"
echo 1 >$dir/enabled
echo 10 >$parameters/call
agree "and it goes on when they are on again"
echo 0 >/proc/sys/debug/"$(basename $dir)"-optimization
same "none is a jump" "$(jumps)" 0
echo 100 >$parameters/call
agree "traps"
echo 1 >/proc/sys/debug/"$(basename $dir)"-optimization
echo 100 >$parameters/call
agree "jumps"

echo 0 >$profile
same "it ends" "$(cat $profile)" off
jump
same "and they are jumps as before" "$(jumps)" "$before"
echo 10 >$parameters/call
echo 1 >$profile
echo 1 >$parameters/forget
check "it begins at zero" test "$(grep -c ' 0 0$' $profile)" = 12
echo 20 >$parameters/call
agree "the second time"

# Probes that come while hits are counted.
rmmod test_profile
insmod test_profile.ko
echo 50 >$parameters/call
agree "probes that have come since"
(while :; do echo 20 >$parameters/call; done) 2>/dev/null &
busy=$!
for _ in 1 2 3 4 5 6 7 8; do
	echo 0 >$profile
	echo 1 >$profile
done
kill $busy
wait $busy 2>/dev/null
check "nothing is less than zero while it is turned on and off" \
	awk '$3 > 1000000 || $4 > 1000000 { bad = 1; print "# " $0 } END { exit bad }' $profile
for word in 2 '' yes 'on off'; do
	(echo $word >$profile) 2>/dev/null
	same "'$word' is refused" "$?" 1
done
check "and changes nothing" grep -q '^k test_profile:lkp_plain_fn' $profile
echo off >$profile
same "'off' ends it" "$(cat $profile)" off
echo on >$profile
rmmod test_profile
insmod batch_example.ko
cat /proc/version >/dev/null
check "a function of the kernel has no module" grep -Eq '^k vfs_read\+0x[0-9a-f]+ [1-9][0-9]* 0$' $profile
rmmod batch_example
rmmod test_probe
same "it is empty without probes" "$(cat $profile)" ''
check "kprobes.ko unloads while hits are counted" rmmod kprobes
check "the text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
rmmod lkp_textcopy
ktap_end
