#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the example of deferred replies: run_deferred.sh SERVER CLIENT. Checks what the client prints and that the server
# ends.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBThreads 4 -ORBListenEndpoints tcp://127.0.0.1:0 >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior")
echo "$output"
[ "$output" = $'waiting: 1000\nheard noon: 1000\nthe bell is silent' ]
wait "$server"
trap 'rm -rf "$work"' EXIT
