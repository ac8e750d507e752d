#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs each argument as a command that prints TAP, as a subtest:
#
#	run-tests.sh command ...
#
# A command that fails, or prints no result, is a failure.

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

export CMOCKA_MESSAGE_OUTPUT=TAP
number=0 failed=0

echo "KTAP version 1"
echo "1..$#"
for command; do
	number=$((number + 1))
	# The program's name, which is what a result is called.
	name=${command%% *}
	name=${name##*/}
	echo "    # Subtest: ${command##*/}"
	$command >"$out" 2>&1
	status=$?
	sed 's/^/    /' "$out"
	if [ "$status" -eq 0 ] && grep -q '^ok ' "$out"; then
		echo "ok $number - $name"
	else
		echo "# exit status $status"
		echo "not ok $number - $name"
		failed=$((failed + 1))
	fi
done

[ "$failed" -eq 0 ]
