#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails unless time probes are absent from (or present in) a library.
#
# usage: trace_test.sh absent|present LIBRARY
set -euo pipefail
expected=$1 library=$2

symbols=$(nm -C "$library")
grep -q 'corbel::connection::Connection::call(' <<<"$symbols" || {
  echo "trace_test: $library has no symbols to judge by" >&2
  exit 1
}
# The function that notes a probe, and the name of a layer that only a probe mentions.
found=absent
if grep -q 'corbel::base::probe(' <<<"$symbols" || grep -q 'wait and receive' "$library"; then found=present; fi
[ "$found" = "$expected" ] || {
  echo "trace_test: time probes are $found in $library, not $expected" >&2
  exit 1
}
