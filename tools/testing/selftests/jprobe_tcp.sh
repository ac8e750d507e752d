# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_tcp_seen
#
# A client as they were when kernels had jprobes: it sees each segment of a TCP connection, wakes up
# who reads that, and leaves while there is traffic.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

listening() { cat /proc/net/tcp* | grep -q ':1389 0*:0000 0A '; }
free() { ! listening; }
connected() { cat /proc/net/tcp* | grep -q ':1389 [^ ]* 01 '; }
# send BYTES: through a connection to port 5001; the result is compared. Who listens keeps the
# connection for as long as it has something to read itself. Nothing is sent before that is
# established: another CPU may be faster than the one with the handshake's last segment, and data that
# comes in its place goes to another function.
send() {
	head -c "$1" /dev/urandom >sent
	exec 3<>hold
	nc -l -p 5001 <hold >received &
	listener=$!
	wait_for 10 listening
	{ wait_for 10 connected; cat sent; } | nc 127.0.0.1 5001
	wait_for 10 cmp -s sent received
	send_result=$?
	exec 3>&-
	kill $listener 2>/dev/null
	wait $listener 2>/dev/null
	return $send_result
}
seen() { awk '/->5001 / { sum += $4 } END { print sum + 0 }' seen; }
seen_all() { [ "$(seen)" -ge "$1" ]; }
# segments: how many have come, of whatever connection.
segments() { awk '/^Tcp: [0-9]/ { print $11 }' /proc/net/snmp; }
there_is_traffic() { [ "$(segments)" -gt $((before + 10)) ]; }

mkfifo hold
ifconfig lo 127.0.0.1 up
insmod kprobes.ko
check "it loads" insmod test_tcp_seen.ko port=5001
check "its probe is listed" grep -q '  j  tcp_rcv_established+' $dir/list
cat /proc/tcp_seen >seen &
reader=$!
check "what is sent arrives" send 100000
check "the payload of all segments was seen" wait_for 10 seen_all 100000
refuse "a segment of another port was" grep -Ev ' (5001->[0-9]+|[0-9]+->5001) ' seen
check "the congestion window was" grep -Eq 'cwnd [1-9]' seen
check "and a time" grep -Eq 'srtt [1-9]' seen
refuse "one was lost" grep -Evq 'lost 0$' seen
kill $reader
wait $reader 2>/dev/null

(while :; do send 20000; done) >/dev/null 2>&1 &
traffic=$!
rounds=0
while [ $rounds -lt 4 ]; do
	before=$(segments)
	wait_for 10 there_is_traffic || break
	rmmod test_tcp_seen && insmod test_tcp_seen.ko || break
	rounds=$((rounds + 1))
done
same "it comes and goes while there is traffic" $rounds 4
kill $traffic
wait $traffic 2>/dev/null
killall nc 2>/dev/null
wait_for 10 free
check "what is sent still arrives" send 50000
check "it unloads" rmmod test_tcp_seen
check "kprobes.ko unloads" rmmod kprobes
ifconfig lo down
ktap_end
