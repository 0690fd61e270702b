#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: transport_syscalls.sh PROGRAM
# Counts the system calls of warm round trips: one sendmsg per send of two pieces, one sendto per send of one,
# and one recvfrom per receive over sockets, none at
# all in process or through shared memory where neither side sleeps; datagrams that wait together leave and come by one. Skipped (77) where strace is missing or not allowed to trace.
set -eu
program=$1
rounds=50
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
strace -o "$trace" true 2>/dev/null || { echo "strace does not work here"; exit 77; }

status=0
for scheme in tcp unix packet shm udp inproc; do
  case $scheme in
    shm | inproc) expected="" ;;
    *) expected="$((2 * rounds)) recvfrom, $rounds sendmsg, $rounds sendto" ;;
  esac
  # Again: where the system leaves what is sent to a thread of its own, as when it is busy, a receive may come too early.
  for _ in 1 2 3 4 5; do
    strace -o "$trace" "$program" "$scheme" "$rounds"
    between=$(sed -n '/^getppid(/,/^getpgid(/p' "$trace" | sed '1d;$d' | sed 's/(.*//' | sort | uniq -c |
      awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 }')
    [ "$between" != "$expected" ] || break
  done
  echo "$scheme: $((2 * rounds)) sends and receives: ${between:-no system call}"
  if [ "$between" != "$expected" ]; then
    echo "expected: ${expected:-no system call}" >&2
    status=1
  fi
done
for _ in 1 2 3 4 5; do
  strace -o "$trace" "$program" burst 64
  sends=$(sed -n '/^getppid(/,/^getpgid(/p' "$trace" | grep -c ^send || true)
  receives=$(sed -n '/^getppid(/,/^getpgid(/p' "$trace" | grep -c ^recv || true)
  if [ "$sends" -le 2 ] && [ "$receives" -le 2 ]; then break; fi
done
echo "64 datagrams at once: $sends sends"
echo "64 datagrams at once: $receives receives"
if [ "$sends" -gt 2 ] || [ "$receives" -gt 2 ]; then
  echo "expected: at most 2 of each" >&2
  status=1
fi
exit $status
