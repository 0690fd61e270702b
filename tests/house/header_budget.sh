#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# header_budget.sh CORBEL-IDL COMPILER SOURCE_DIR: what a client's generated header includes stays under 30,000 lines, whatever
# the IDL has, and closely under what it is today; a standard header too many (<algorithm> is 9,000) costs each file of each
# user. Only map and @external, whose C++ types are of <map> and <memory>, and what uses all at once may have more (ADR 22).
# And corbel/corbel.hpp, which every application includes, stays under 35,500.
set -euo pipefail
tool=$1 compiler=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# preprocess HEADER OPTION...: HEADER with all it includes.
preprocess() {
  local header=$1
  shift
  echo "#include \"$header\"" | "$compiler" -std=c++20 -E "$@" -I"$work" -I"$source/src" -x c++ -
}

# within LINES HEADER: prints how many lines HEADER has with all it includes.
within() {
  local lines
  lines=$(preprocess "$2" -P | wc -l)
  printf '%-40s %6d of %6d lines\n' "$2" "$lines" "$1"
  [ "$lines" -lt "$1" ] || { echo "$2 is over its budget" && failed=1; }
}

# without HEADER PATTERN: HEADER includes no file like that.
without() {
  if preprocess "$1" | grep -E "^# [0-9]+ \"[^\"]*$2"; then
    echo "$1 includes these" && failed=1
  fi
}

# gather NAME FILE...: NAME.idl with everything of these, each in a module.
gather() {
  local out=$work/$1.idl file
  shift
  for file; do echo "module of_$(basename "$file" .idl) {" && cat "$file" && echo '};'; done >"$out"
}

budget=$source/tests/house/budget
mapfile -t ordinary < <(find "$budget" -name '*.idl' ! -name map.idl ! -name external.idl | sort)
gather everything "${ordinary[@]}"
gather everything_and_maps "${ordinary[@]}" "$budget/map.idl" "$budget/external.idl"
for idl in "$source/examples/hello/hello.idl" "$budget"/*.idl "$work"/everything*.idl; do
  futures=()
  case $(basename "$idl") in async* | mixed.idl | everything*) futures=(--async) ;; pollers.idl) futures=(--pollers) ;; esac
  "$tool" "${futures[@]}" -o "$work" "$idl"
done

# Name of the IDL, the most lines of its header and of the one with its TypeCodes.
while read -r name lines any_lines; do
  within "$lines" "$name.hpp"
  within "$any_lines" "${name}_any.hpp"
done <<'TABLE'
hello                26600 27000
interfaces           26600 27000
ami                  27300 27700
anys                 27000 27000
async                27300 27700
async_tuples         28800 29200
bitmasks             26600 27000
exceptions           26600 27000
fixed                26700 27100
local                26700 27010
mixed                30200 30200
optional             27800 28200
pollers              27600 28000
sequences            26600 27000
unions               28500 28900
valuetypes           27000 27400
views                26700 27100
wstring              26510 27000
map                  31500 31900
external             41700 42100
everything           33900 34110
everything_and_maps  50600 50900
TABLE

# Everybody includes it; what <chrono> and <memory> cost is for those who use them.
within 35500 corbel/corbel.hpp
within 26500 corbel/mapping/with_policies.hpp
without corbel/corbel.hpp '/corbel/(messaging|transport|connection|reactor)/'
for header in corbel/corbel.hpp mixed.hpp mixed_any.hpp corbel/mapping/with_policies.hpp; do
  without "$header" '/(chrono|memory|map|atomic)"'
done
exit "$failed"
