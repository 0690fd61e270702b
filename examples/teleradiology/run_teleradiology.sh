#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the archive and its viewer: run_teleradiology.sh SERVER CLIENT. Checks what the client says, times excepted, and that
# the server ends by itself though someone is connected who says nothing.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
timeout 200 "$1" -ORBListenEndpoints tcp://127.0.0.1:0 4 >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 60 ior <"$work/ior"
output=$(timeout 120 "$2" "$ior")
echo "$output"
wanted=$'stream: 4194304 octets\nCORBA: 4194304 octets\nboth are the same\na forged key opens nothing\nno such image is an exception'
[ "$(sed 's/, [0-9.]* ms$//' <<<"$output")" = "$wanted" ]
wait "$server"
trap 'rm -rf "$work"' EXIT
