#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds Corbel.
#
# usage: ./dev build [--preset NAME] [TARGET...]
#
#   --preset NAME   one of the presets of CMakePresets.json: release (default), dev, asan, tsan, fuzz, coverage
#   TARGET          build only these targets
#
# The result is in build/NAME. demo, test and bench share build/release.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

preset=release targets=()
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --preset) preset=${2:?--preset needs a name} && shift ;;
    -*) fail "build: unknown option '$1' (see ./dev build --help)" ;;
    *) targets+=("$1") ;;
  esac
  shift
done
need build
[ "$preset" != fuzz ] || need fuzz
configure "$preset"
build_targets "$preset" "${targets[@]}"
