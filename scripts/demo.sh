#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Moves real files between two processes over every protocol and compares with plain sockets.
#
# usage: ./dev demo [FILE...] [--json FILE] [OPTIONS]
#        ./dev demo media [FILE] [OPTIONS]
#        ./dev demo avionics [OPTIONS]
#
# Installs what is missing, builds, and runs the demonstration; `./dev demo -- --help` shows all of its options.
#
# media: streams video and sound (of FILE, or generated) between two processes by the protocol frames over shared memory,
# unix, udp and multicast; `./dev demo media --help` shows its options. A file of that name is ./media.
#
# avionics: two boards of a mission computer on a backplane of shared memory, a remote terminal on a simulated field bus, a
# bridge between: periodic calls with deadlines beside a bulk transfer; `./dev demo avionics --help` shows its options.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
program=corbel-demo folder=bench/demo
if [ "${1:-}" = media ]; then
  program=corbel-demo-media folder=bench/media
  shift
elif [ "${1:-}" = avionics ]; then
  program=corbel-demo-avionics folder=bench/avionics
  shift
fi
[ "${1:-}" != -- ] || shift
refuse_unknown_options demo "$folder" "$@"
need build
configure release
build_targets release "$program"
run_in_callers_directory release "$program" "$@"
