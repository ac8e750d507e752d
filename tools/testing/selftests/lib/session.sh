# SPDX-License-Identifier: GPL-2.0-only
#
# Runs selftests one after the other in a VM, each one as a KTAP subtest.
# shellcheck shell=sh

# one NAME SECONDS: prints the output of a test, indented. A test that leaves modules
# loaded fails; they are unloaded, so that the next test does not fail too. Those that can't
# be unloaded are named in /tmp/stays.
one() {
	echo "    # Subtest: $1"
	# For who reads the kernel's log.
	echo "lkp-vm: $1 begins" >/dev/kmsg
	{
		timeout -s KILL $(($2 * ${SLOW:-1})) sh "./$1.sh" 2>&1
		echo $? >/tmp/.status
	} | sed 's/^/    /'
	status=$(cat /tmp/.status)

	left=$(lsmod | sed '1d;s/ .*//' | grep -vxF "$(cat /tmp/stays 2>/dev/null)" | xargs)
	if [ "$left" ]; then
		echo "# $1 left loaded: $left"
		status=left
		# Twice: the users of kprobes.ko go first.
		# shellcheck disable=SC2086 # a list of names
		for _ in 1 2; do rmmod $left 2>/dev/null; done
	fi
	[ "$status" = 0 ]
}

# session PASSES NAME:SECONDS...
session() {
	passes=$1 number=0 bad=0
	shift
	echo 'KTAP version 1'
	echo "1..$((passes * $#))"
	for pass in $(seq "$passes"); do
		for test; do
			name=${test%:*} number=$((number + 1)) result=ok
			one "$name" "${test#*:}" || result='not ok' bad=1
			echo "$result $number - $name$([ "$pass" = 1 ] || echo ', again')"
		done
	done
	exit $bad
}
