#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails unless time probes are absent from (or present in) a library.
#
# usage: trace_test.sh absent|present LIBRARY
set -euo pipefail
expected=$1 library=$2

# The function that notes a probe, and the name of a layer that only a probe mentions.
found=absent
if nm -C "$library" | grep -q 'corbel::base::probe(' || grep -q 'wait and receive' "$library"; then found=present; fi
# A library without symbols would prove nothing.
nm -C "$library" | grep -q 'corbel::connection::Connection::call(' || {
  echo "trace_test: $library has no symbols to judge by" >&2
  exit 1
}
[ "$found" = "$expected" ] || {
  echo "trace_test: time probes are $found in $library, not $expected" >&2
  exit 1
}
