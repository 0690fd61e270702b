#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts mistakes into the product, one at a time, and counts which of them the tests notice.
#
# usage: ./dev mutate [MODULE...] [--id REGEX] [--tests REGEX] [--list] [--survivors] [--jobs N] [--patience X]
#                     [--json FILE]
#
#   MODULE         mutants of these files of tests/mutate only, such as connection (default: all)
#   --id REGEX     only those whose name (module/name) matches; may be repeated
#   --tests REGEX  of the tests that could notice, only those whose name matches
#   --list         print them and stop
#   --survivors    only those that the run before did not notice
#   --jobs N       so many beside each other (default: the processors)
#   --patience X   multiplies the time after which a test counts as hanging (default: 1)
#   --json FILE    where the result goes (default: build/mutate/result.json)
#
# All mistakes are compiled in once, each behind a switch, in a copy of the sources (build/mutate). The first run
# builds for some minutes. How a mutant is written: tests/mutate/README.md.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "${1:-}"
need build
exec python3 tests/mutate/run_mutants.py "$@"
