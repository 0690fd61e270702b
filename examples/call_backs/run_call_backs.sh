#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the example: run_call_backs.sh SERVER CLIENT. No process can connect to where the client says it is.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBListenEndpoints tcp://127.0.0.1:0 >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior" -ORBListenEndpoints tcp://127.0.0.1:0 -ORBPublishHost 127.0.0.2)
echo "$output"
[ "$output" = $'tick 1\ntick 2\ntick 3' ]
wait "$server"
trap 'rm -rf "$work"' EXIT
