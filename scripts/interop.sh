#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the interoperability tests: omniORB, JacORB, GlassFish and Corbel as each other's client and server.
#
# usage: ./dev interop [--filter REGEX]
#
# Prints the table of what was tried with which peer in which direction. A run of all tests writes it to
# docs/interop-matrix.md.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
report=build/release/interop.xml
rm -f "$report"
status=0
bash scripts/test.sh --label interop --junit "$report" "$@" || status=$?
if [ $# -eq 0 ] && [ -f "$report" ]; then
  python3 tests/interop/matrix.py "$report" --write docs/interop-matrix.md || status=1
fi
exit "$status"
