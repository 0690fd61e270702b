#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# header_budget.sh CORBEL-IDL COMPILER SOURCE_DIR: what a client's generated header includes stays under 26,500 lines, and
# corbel/corbel.hpp, which every application includes, under 35,500, without the ports, <chrono> and <memory>; a standard
# header too many (<algorithm> is 9,000) costs each file of each user.
set -euo pipefail
tool=$1 compiler=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# within LINES HEADER: prints how many lines HEADER has with all it includes.
within() {
  echo "#include \"$2\"" | "$compiler" -std=c++20 -E -I"$work" -I"$source/src" -x c++ - > "$work/all"
  local lines
  lines=$(echo "#include \"$2\"" | "$compiler" -std=c++20 -E -P -I"$work" -I"$source/src" -x c++ - | wc -l)
  echo "$2: $lines lines"
  [ "$lines" -lt "$1" ]
}

"$tool" -o "$work" "$source/examples/hello/hello.idl"
within 26500 hello.hpp
within 35500 corbel/corbel.hpp
for costly in '/corbel/(messaging|transport|connection|reactor)/' '/(chrono|memory)"'; do
  if grep -E "^# [0-9]+ \"[^\"]*$costly" "$work/all"; then
    echo "corbel/corbel.hpp includes these"
    exit 1
  fi
done
