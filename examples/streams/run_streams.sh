#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one pair of the streams: run_streams.sh KIND SERVER CLIENT [OPTION...]. Two clients send a file each, one after the
# other; what the server writes must be these files, and it must end by itself.
set -euo pipefail
kind=$1 server_program=$2 client_program=$3
shift 3
work=$(mktemp -d)
mkfifo "$work/where"
timeout 60 "$server_program" "$@" 2 >"$work/out" 2>"$work/where" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
exec 3<"$work/where"
read -r -t 30 where <&3
head -c 300000 /dev/urandom | base64 >"$work/first"
echo "one line" >"$work/second"
for file in first second; do
  timeout 30 "$client_program" "$where" <"$work/$file"
  [ "$kind" = corba ] || echo "client 127.0.0.1" >>"$work/expected"  # an object does not ask who calls
  cat "$work/$file" >>"$work/expected"
done
wait "$server"
trap 'rm -rf "$work"' EXIT
cmp "$work/out" "$work/expected"
echo "$kind: $(stat -c %s "$work/expected") octets arrived as they were sent"

# A server that is gone is told, not waited for.
if timeout 30 "$client_program" "$where" <"$work/second" 2>"$work/failure"; then
  echo "$kind: nobody listens, and the client does not say so"
  exit 1
fi
[ -s "$work/failure" ]
