# SPDX-License-Identifier: GPL-2.0-only
#
# The KTAP output of a selftest. A selftest sources this file first and ends with
# ktap_end:
#
#	. ./ktap.sh
#	check "the list is empty" test -z "$(cat "$list")"
#	ktap_end
# shellcheck shell=sh

ktap_count=0
ktap_failures=0

# What the kernel has said last: often the reason, and a failure may not come twice.
ktap_log() { dmesg 2>/dev/null | tail -n 5 | sed 's/^/# log: /'; }

# ok NAME, not_ok NAME [WHY], skip NAME WHY: one result.
ok() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1"
}

not_ok() {
	ktap_count=$((ktap_count + 1))
	ktap_failures=$((ktap_failures + 1))
	[ -z "${2-}" ] || echo "# $2"
	ktap_log
	echo "not ok $ktap_count - $1"
}

skip() {
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

# check NAME COMMAND...: expects success.
check() {
	ktap_name=$1
	shift
	if "$@"; then ok "$ktap_name"; else not_ok "$ktap_name" "failed: $*"; fi
}

# refuse NAME COMMAND...: expects failure.
refuse() {
	ktap_name=$1
	shift
	if "$@"; then not_ok "$ktap_name" "succeeded: $*"; else ok "$ktap_name"; fi
}

# same NAME GOT WANTED
same() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got '$2', wanted '$3'"
	fi
}

# all_passed FILE: as many of a module's cases as were planned, and some were; else says what else there is.
all_passed() {
	ktap_planned=$(sed -n 's/^1\.\.//p' "$1")
	[ "${ktap_planned:-0}" -gt 0 ] && [ "$(grep -c '^ok' "$1")" = "$ktap_planned" ] && return
	sed -n '/^ok/d; s/^#* */# /p' "$1" >&2
	return 1
}

# run_cases MODULE [COMMAND...]: runs the cases in MODULE.ko (modules/ktap.h) as a subtest. The
# command comes first, when the module is loaded.
run_cases() {
	ktap_module=$1
	shift
	# Of an earlier run.
	rm -f "/tmp/$ktap_module"
	echo "    # Subtest: $ktap_module"
	if insmod "./$ktap_module.ko" && { [ $# = 0 ] || "$@"; } &&
		cat "/sys/kernel/debug/$ktap_module" >"/tmp/$ktap_module" && rmmod "$ktap_module"; then
		sed 's/^/    /' "/tmp/$ktap_module"
	else
		echo "    not ok - $ktap_module runs"
	fi
	if all_passed "/tmp/$ktap_module" 2>/dev/null; then
		ok "$ktap_module"
	else
		not_ok "$ktap_module"
	fi
}

# has_run MODULE CASE: run_cases has seen it pass, and not be skipped.
has_run() { grep -q "^ok [0-9]* - $2\$" "/tmp/$1"; }

ktap_end() {
	echo "1..$ktap_count"
	[ "$ktap_failures" = 0 ]
	exit
}
