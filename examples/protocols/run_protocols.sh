#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the example of protocols and transports: run_protocols.sh SERVER CLIENT [PLUG-IN]. Checks what the client prints
# and that the server ends. PLUG-IN: a transport over TCP, such as masked.so of examples/carriers.
set -euo pipefail
work=$(mktemp -d)
mkfifo "$work/ior"
cat >"$work/server.conf" <<END
# Where the server listens.
ListenEndpoints  tcp://127.0.0.1:0
ListenEndpoints  giop_lite+tcp://127.0.0.1:0
ListenEndpoints  unix://$work/giop
ListenEndpoints  giop_lite+unix://$work/lite
ListenEndpoints  shm://$work/shm
END
timeout 280 "$1" -ORBConfigFile "$work/server.conf" >"$work/ior" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
read -r -t 120 ior <"$work/ior"
plugin=${3:-}
expected="prefers giop+tcp       goes by giop+tcp
prefers giop_lite+tcp  goes by giop_lite+tcp
prefers giop+unix      goes by giop+unix
prefers giop_lite+unix goes by giop_lite+unix
prefers giop+shm       goes by giop+shm"
if [ -n "$plugin" ]; then
  transport=$(basename "$plugin" .so)
  output=$(timeout 270 "$2" "$ior" "$plugin" "$transport://127.0.0.1:0")
  expected+="
loaded  $(printf %-14s "$transport") goes by giop+$transport
without $(printf %-14s "$transport") goes by giop+shm"
else
  output=$(timeout 270 "$2" "$ior")
fi
expected+="
each call was served once"
echo "$output"
[ "$output" = "$expected" ]
wait "$server"
trap 'rm -rf "$work"' EXIT
