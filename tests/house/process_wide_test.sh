#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# process_wide_test.sh LIBRARY.a ADR: what the library keeps for the process, rather than for an ORB, is in the table of the
# ADR, and what is there, the library has. Constants are spelled kName, those that the loader fills in as well; of these the
# table names the ones that hold something that changes. What each thread has of its own does not count.
set -euo pipefail
library=$1 adr=$2
# shellcheck disable=SC2016
named=$(grep -E '^\| `' "$adr" | cut -d'|' -f2 | grep -oE '`[^`]+`' | tr -d '`')
objects=$(nm --demangle --format=sysv "$library" | awk -F'|' '$3 ~ /[bBdD]/ && $7 ~ /^\.(bss|data)/ && $7 !~ /rel\.ro/ { print $1 }' |
  sed 's/\[abi:[^]]*\]//g; s/ *$//' | grep -v '^guard variable for' | sort -u)
status=0
while IFS= read -r object; do
  [[ $object =~ (^|::)k[A-Z][A-Za-z0-9]*$ ]] && continue
  for name in $named; do
    [[ $object =~ (^|[^A-Za-z_])$name($|[^A-Za-z_]) ]] && continue 2
  done
  echo "process-wide, and not in the table of $adr: $object" && status=1
done <<<"$objects"
for name in $named; do
  grep -qE "(^|[^A-Za-z_])$name(\$|[^A-Za-z_])" <<<"$objects" || { echo "in the table of $adr, and not in the library: $name" && status=1; }
done
exit $status
