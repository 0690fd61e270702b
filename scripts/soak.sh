#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs attacks, kills, restarts, faults and fuzzing in turns for hours, and reports failures, leaks and stalls.
#
# usage: ./dev soak [HOURS] [--turn SECONDS] [--only NAME]... [--json FILE] [--list]
#
#   HOURS            how long (default: 1; fractions are allowed)
#   --turn SECONDS   how long each attack, restart or fuzz target has in a round (default: 60)
#   --only NAME      only this kind of work; may be repeated; --list prints them
#   --json FILE      the table, with every run
#
# Rounds go on until the time is over. What fails is kept with all its output in build/soak and the rest goes on; what takes
# three times as long as it should is a stall, is ended and counts as a failure. The tests of a round run with AddressSanitizer and its
# search for leaks. Status 1 if anything failed.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "${1:-}"
if [[ " $* " != *" --list "* ]]; then
  need fuzz
  for preset in release asan; do
    configure "$preset"
    targets=(corbel_attack)
    if [ "$preset" = release ]; then
      targets+=(corbel-named naming_crash)
    else
      mapfile -t -O 1 targets < <(python3 scripts/test_targets.py build/asan -L 'fault|siege|connection|threads')
    fi
    ASAN_OPTIONS=detect_leaks=0 build_targets "$preset" "${targets[@]}"
  done
  configure fuzz
  mapfile -t fuzz < <(bash scripts/fuzz.sh --list)
  build_targets fuzz "${fuzz[@]/#/fuzz_}"
fi
exec python3 tests/soak/soak.py "$@"
