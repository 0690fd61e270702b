#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the sensors example: run_sensors.sh SERVER CLIENT. A sensor's reference must hold when the server is started again.
set -euo pipefail
server_program=$1
client=$2
work=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkfifo "$work/ior"

start() {
  timeout 200 "$server_program" -ORBListenEndpoints "unix://$work/socket" >"$work/ior" &
  server=$!
  read -r -t 60 station <"$work/ior"
}

start
sensor=$(timeout 60 "$client" install "$station" -ORBListenEndpoints "unix://$work/client" 2>"$work/said")
cat "$work/said"
[ "$(cat "$work/said")" = $'wind changed to 3.5, says wind\nno sensor rain' ]
[ "$(timeout 60 "$client" read "$sensor")" = "wind is 3.5" ]
timeout 60 "$client" close "$station"
wait "$server"

start
[ "$(timeout 60 "$client" read "$sensor")" = "wind is 0" ]
timeout 60 "$client" close "$station"
wait "$server"
server=
echo "the sensor's reference outlived its server"
