#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one pair of the streams: run_streams.sh KIND SERVER CLIENT [OPTION...]. Two clients send a file each, one after the
# other; what the server writes must be these files, and it must end by itself.
set -euo pipefail
kind=$1 server_program=$2 client_program=$3
shift 3
work=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
mkfifo "$work/where"
head -c 300000 /dev/urandom | base64 >"$work/first"
echo "one line" >"$work/second"

# serve OPTION...: a server as long as it runs; `where` is where it was.
serve() {
  : >"$work/expected"
  timeout 200 "$server_program" "$@" 2 >"$work/out" 2>"$work/where" &
  server=$!
  exec 3<"$work/where"
  read -r -t 60 where <&3
  for file in first second; do
    timeout 60 "$client_program" "$where" <"$work/$file"
    [ "$kind" = corba ] || echo "client 127.0.0.1" >>"$work/expected"  # an object does not ask who calls
    cat "$work/$file" >>"$work/expected"
  done
  wait "$server"
  server=
  exec 3<&-
  cmp "$work/out" "$work/expected"
  echo "$kind: $(stat -c %s "$work/expected") octets arrived as they were sent"
}

# A server that is gone is told, not waited for. Again if the client finds somebody: another process may have got the port.
for _ in 1 2 3; do
  serve "$@"
  if ! timeout 60 "$client_program" "$where" <"$work/second" 2>"$work/failure" && [ -s "$work/failure" ]; then exit 0; fi
done
echo "$kind: nobody listens, and the client does not say so"
exit 1
