#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_controller.sh CONTROLLER: it says when it is ready and, when a signal ends it, what it has seen; it refuses what is not legal.
set -euo pipefail
controller=$1 bus=@corbel-field-bus-program-$$

# refused STATUS ARGUMENTS...: it ends at once with this status, and says why.
refused() {
  local wanted=$1 status=0
  shift
  said=$("$controller" "$@" 2>&1) || status=$?
  if [ "$status" != "$wanted" ] || [ -z "$said" ]; then
    echo "status $status with $*: $said"
    exit 1
  fi
}
refused 2
refused 2 "$bus" -ORBFieldBusWords 33
refused 2 "$bus" -ORBFieldBusWords
refused 2 "$bus" -ORBSomethingElse 1
refused 1 /nowhere/bus

coproc running { exec "$controller" "$bus" -ORBFieldBusMinorFrame 1000; }
process=$! # the variable of the coprocess goes when it ends
read -r line <&"${running[0]}"
[ "$line" = ready ]
refused 1 "$bus" # a bus has one controller
kill -TERM "$process"
read -r line <&"${running[0]}"
[[ $line == "frames "*", polls 0, messages 0, "* ]] || { echo "$line" && exit 1; }
wait "$process"
