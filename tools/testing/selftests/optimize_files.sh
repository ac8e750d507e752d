# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# once: yes
# modules: test_probe test_target
# timeout: 120
#
# The debugfs files list, status and check, and the sysctl.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

mode() { stat -c %a "$1"; }
lists() { grep -Eq "$1" "$dir"/list; }
name=$(basename $dir)
switch=/proc/sys/debug/$name-optimization
typed=/proc/sys/debug/${name}_optimization
status() { cat $dir/status; }
status_is() { [ "$(status)" = "$1" ]; }
# verdict PLACE
verdict() {
	echo "$1" >$dir/check
	cat $dir/check
}
# refuses FILE TEXT ERROR: writing TEXT to FILE fails with ERROR.
refuses() {
	(echo "$2" >"$1") 2>&1 | grep -q "$3"
}

refuse "without the module there is no sysctl" test -e "$switch"
insmod kprobes.ko
insmod test_target.ko
at=$(printf 0x%x "$(cat /sys/module/test_target/parameters/at)")
where=test_target:lkp_target_fn+$at

same "status is for root to read" "$(mode $dir/status)" 400
same "check is for root to read and write" "$(mode $dir/check)" 600
same "the sysctl is for root to write" "$(mode "$switch")" 644
same "and so is its other name" "$(mode "$typed")" 644
same "the status is empty" "$(status)" ''
same "no question, no answer" "$(cat $dir/check)" ''
same "optimisation is on" "$(cat "$switch")" 1

# ---- status and list ----
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
check "it becomes a jump" wait_for 20 status_is "k $where jump"
check "the list says so" lists \
	"^[0-9a-f]{16}  k  lkp_target_fn\\+$at  test_target \\[OPTIMIZED\\]\$"
tell disabled 1
same "disabled: it is off" "$(status)" "k $where off (disabled)"
check "disabled: the list says that alone" lists ' \[DISABLED\]$'
tell disabled 0
check "enabled: it is hit again" test "$(hits_of target_call)" = 1
check "enabled: it becomes a jump again" wait_for 20 status_is "k $where jump"
tell planted 0
same "unregistered: the status is empty" "$(status)" ''
rmmod test_probe

# An entry of one of the kernel's functions.
insmod test_probe.ko symbol=wakeup_flusher_threads
if entry_is_the_tracers; then
	check "an entry is the tracer's" sh -c "grep -Eq '^k wakeup_flusher_threads\\+0x[048c] ftrace\$' $dir/status"
	sleep 0.5
	check "and stays the tracer's" sh -c "grep -Eq '^k wakeup_flusher_threads\\+0x[048c] ftrace\$' $dir/status"
else
	check "an entry becomes a jump" wait_for 20 grep -Eq '^k wakeup_flusher_threads\+0x[04] jump$' $dir/status
fi
same "it is hit" "$(hits_of sync)" 1
rmmod test_probe

# ---- check ----
same "a place that can be a jump" "$(verdict "lkp_target_fn+$at")" "lkp_target_fn+$at: jump"
same "decimal, with a module" "$(verdict "test_target:lkp_target_fn+$((at))")" \
	"test_target:lkp_target_fn+$at: jump"
same "asking leaves nothing" "$(cat $dir/list)" ''
check "a function without an offset" sh -c "echo wakeup_flusher_threads >$dir/check"
if entry_is_the_tracers; then
	check "its entry is the tracer's" grep -q '^wakeup_flusher_threads+0x0: ftrace$' $dir/check
else
	check "its entry can be a jump" grep -q '^wakeup_flusher_threads+0x0: jump$' $dir/check
fi
same "amid an instruction" "$(verdict "lkp_target_fn+$(printf 0x%x $((at + 1)))")" \
	"lkp_target_fn+$(printf 0x%x $((at + 1))): refused: not on an instruction boundary"
check "no such function" sh -c "echo no_such_function >$dir/check"
check "is refused, with the reason" grep -q '^no_such_function+0x0: refused: no such symbol' \
	$dir/check
check "what may never be probed" sh -c "echo ${blacklisted%% *} >$dir/check"
check "is refused, too" grep -q "^${blacklisted%% *}+0x0: refused: ." $dir/check
check "an offset that is none is refused" refuses $dir/check 'wakeup_flusher_threads+x' 'nvalid argument'
check "too much is refused" refuses $dir/check "$(head -c 1000 /dev/zero | tr '\0' a)" \
	'too long'
check "nothing is no symbol" sh -c "echo >$dir/check; grep -q refused $dir/check"
for place in + +-4 lkp_target_fn+-1 lkp_target_fn++1 lkp_target_fn+zz lkp_target_fn+ \
	lkp_target_fn+0x100000000 10000000000000000 0xx 12z; do
	verdict "lkp_target_fn+$at" >/dev/null
	check "'$place' is refused" refuses $dir/check "$place" 'nvalid argument\|out of range'
	same "'$place': there is no answer then" "$(cat $dir/check)" ''
done
same "an offset that wraps is told" "$(verdict 0xffffffffffffff00+0x100)" \
	"0xffffffffffffff00+0x100: refused: the offset leads beyond the end of memory"

# An address, in both spellings, and several places at once.
addr=$(grep -Fw lkp_target_fn /proc/kallsyms | awk '$3 == "lkp_target_fn" { print $1 }')
same "an address" "$(verdict "0x$addr+$at")" "0x$addr+$at: jump"
same "the same without 0x" "$(verdict "$addr+$at")" "0x$addr+$at: jump"
lines="lkp_target_fn+$at
no_such_function
lkp_target_fn+$((at))"
same "three places, three answers" "$(verdict "$lines")" "lkp_target_fn+$at: jump
no_such_function+0x0: refused: no such symbol
lkp_target_fn+$at: jump"
check "one that is none among them" refuses $dir/check "$lines
+" 'nvalid argument'
same "and none is answered" "$(cat $dir/check)" ''

# Two who ask at a time.
exec 3<>$dir/check 4<>$dir/check
echo "lkp_target_fn+$at" >&3
echo no_such_function >&4
same "the first reads its own answer" "$(cat <&3)" "lkp_target_fn+$at: jump"
same "the other, too" "$(cat <&4)" "no_such_function+0x0: refused: no such symbol"
(echo + >&3) 2>/dev/null
same "a refused write takes its own away" "$(cat <&3)" ''
echo "lkp_target_fn+$at" >&4
same "asked again, the answer is read from its beginning" "$(cat <&4)" "lkp_target_fn+$at: jump"
exec 3>&- 4>&-
same "who opens the file to read gets the last answer" "$(cat $dir/check)" "lkp_target_fn+$at: jump"

insmod test_probe.ko symbol=lkp_target_fn offset="$at"
wait_for 20 status_is "k $where jump"
same "where a jump is there can be one" "$(verdict "lkp_target_fn+$at")" "lkp_target_fn+$at: jump"
next=$(printf 0x%x $((at + add_size)))
check "under a jump there is a place for a probe" sh -c \
	"echo lkp_target_fn+$next >$dir/check; grep -Eq ': (jump|trap)' $dir/check"
same "amid an instruction under a jump there is none" \
	"$(verdict "lkp_target_fn+$(printf 0x%x $((at + 1)))")" \
	"lkp_target_fn+$(printf 0x%x $((at + 1))): refused: not on an instruction boundary"
same "asking has changed nothing" "$(status)" "k $where jump"
same "it is hit once" "$(hits_of target_call)" 1

# ---- the sysctl ----
for file in "$switch" "$typed"; do
	for pair in '0 1' '0x0 0x1' '00000000 00000001'; do
		echo "${pair% *}" >"$file"
		same "'${pair% *}' turns it off" "$(cat "$switch") $(cat "$typed")" '0 0'
		same "at once" "$(status)" "k $where trap: optimisation is turned off"
		same "and it is hit" "$(hits_of target_call)" 1
		echo "${pair#* }" >"$file"
		same "'${pair#* }' turns it on" "$(cat "$switch") $(cat "$typed")" '1 1'
		same "and when that returns it is a jump" "$(status)" "k $where jump"
		same "and hit" "$(hits_of target_call)" 1
	done
done
echo 1 >"$switch"
same "on twice is on" "$(status)" "k $where jump"
for word in rubbish '' 2 -1 y on 1x 0000000rubbish '0      rubbish' \
		0000000000000000000000000000000000; do
	check "'$word' is refused" refuses "$switch" "$word" 'nvalid argument'
	same "and changes nothing" "$(cat "$switch") $(status)" "1 k $where jump"
done
echo 0 >"$switch"
rmmod test_probe
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
sleep 0.5
same "while it is off nothing becomes a jump" "$(status)" \
	"k $where trap: optimisation is turned off"
refuse "and nothing is listed as one" lists OPTIMIZED
same "check tells what could be" "$(verdict "lkp_target_fn+$at")" "lkp_target_fn+$at: jump"
echo 1 >"$switch"
rmmod test_probe test_target
rmmod kprobes
refuse "the sysctl goes with the module" test -e "$switch"
refuse "and so does its other name" test -e "$typed"
insmod kprobes.ko
same "it is on again when the module comes again" "$(cat "$switch")" 1
rmmod kprobes
ktap_end
