#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts what the table of the README says: check_table.sh. Lines are those with code, includes and braces alone left out.
set -euo pipefail
cd "$(dirname "$0")"
lines() {
  sed -E -e '/^\s*(\/\/|\/\*|\*|#include|[{}]*;?$)/d' -e '/^\s*$/d' -e '/^   streams_c_server/d' "$@" | wc -l
}
checks() {
  sed -E '/^(static|inline|template|T) .*(check|need)\(/d' "$@" | grep -oE '\b(check|need)\(|catch \(' | wc -l
}
row() {  # NAME FILE...
  local name=$1
  shift
  echo "| $name | $(lines "$1") | $(lines "$2") | $(checks "$1") | $(checks "$2") |"
}
status=0
while read -r wanted; do
  grep -qF "$wanted" README.md || { echo "README.md should say: $wanted"; status=1; }
done < <(
  row "C" c_client.c c_server.c
  row "wrapper facades" wrapper_client.cpp wrapper_server.cpp
  row "CORBA" corba_client.cpp corba_server.cpp
)
exit "$status"
