#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the example: run_event_loops.sh SERVER CLIENT. The server is ended by its client, or by a signal.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBListenEndpoints tcp://127.0.0.1:0 >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior")
echo "$output"
[ "$output" = "the server answered, and its own timer ticked meanwhile" ]
case $1 in
  *guest_server) kill -TERM "$server" ;; # timeout hands it on
esac
wait "$server"
trap 'rm -rf "$work"' EXIT
