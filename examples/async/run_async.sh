#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the asynchronous example: run_async.sh SERVER CLIENT. Checks what the client prints and that the server ends.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBListenEndpoints tcp://127.0.0.1:0 >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior" -ORBListenEndpoints tcp://127.0.0.1:0)
echo "$output"
[ "$output" = $'futures: 10\ncoroutine: 10\nhandler: 6.5\npollers: 11.5' ]
wait "$server"
trap 'rm -rf "$work"' EXIT
