#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the hello world: run_hello.sh SERVER CLIENT [ENDPOINT]. Checks what the client prints and that the server ends by itself.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBListenEndpoints "${3:-tcp://127.0.0.1:0}" >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior" Corbel)
echo "$output"
[ "$output" = $'Hello, Corbel!\nnames may have 40 characters' ]
wait "$server"
trap 'rm -rf "$work"' EXIT
echo "server ended by itself"
