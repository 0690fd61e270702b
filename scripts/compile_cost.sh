#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What generated code costs the C++ compiler, beside omniidl's with the same flags: seconds of processor time and octets
# of text and data for stub and skeleton of an echo, the naming and a 100-operation interface.
#
# usage: scripts/compile_cost.sh CORBEL_IDL [CXX]

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
compiler=$(realpath -- "${1:?the corbel-idl program}")
cxx=${2:-g++}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit

echo 'interface Echo { string say(in string text); };' > echo.idl
# omniORB's library has CosNaming already.
sed 's/CosNaming/NamingCost/g; s/omg.org/corbel.test/' "$root/idl/CosNaming.idl" > naming.idl
{
  echo 'struct Item { long id; string name; }; typedef sequence<Item> Items; interface Hundred {'
  for number in $(seq 100); do echo "Items operation_$number(in long a, in string b, inout Item c, out double d);"; done
  echo '};'
} > hundred.idl

compile_all() {
  local file
  for file in "$@"; do "$cxx" -std=c++20 -O2 -fPIC -w -I"$root/include" -I. -c "$file" -o "$file.o"; done
}

# measure NAME LABEL SOURCE...: one row of the table.
TIMEFORMAT='%U %S'
measure() {
  local name=$1 label=$2 times size
  shift 2
  times=$({ time compile_all "$@"; } 2>&1)
  size=$(size "${@/%/.o}" | awk 'NR > 1 {sum += $1 + $2} END {print sum}')
  awk -v name="$name" -v label="$label" -v times="$times" -v size="$size" \
    'BEGIN {split(times, t, " "); printf "%-10s %-10s %6.1f s %9d octets\n", name, label, t[1] + t[2], size}'
}

for name in echo naming hundred; do
  "$compiler" -o . "$name.idl" 2> /dev/null
  measure "$name" corbel "$name.cpp" "${name}_server.cpp"
  measure "$name" corbel+any "${name}_any.cpp"
  omniidl -I/usr/share/idl/omniORB -bcxx -Wbh=.hh -Wbs=.cc "$name.idl"
  measure "$name" omniorb "$name.cc"
done
