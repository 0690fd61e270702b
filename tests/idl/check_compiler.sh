#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the IDL compiler generates is accepted without a warning by another C++ compiler.
# check_compiler.sh CORBEL_IDL SOURCE_FOLDER COMPILER
set -euo pipefail

idl=$1
source=$2
compiler=$3
generated=$source/tests/idl/generated
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Werror)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check NAME OPTION... FILE...: the generated sources as one translation unit.
check() {
  local name=$1 file
  shift
  mkdir "$folder/$name"
  "$idl" "$@" -o "$folder/$name" 2> "$folder/$name/warnings" || { cat "$folder/$name/warnings"; return 1; }
  while read -r file; do
    echo "#include \"$file\""
  done < <(cd "$folder/$name" && find . -name '*.cpp' | sort) > "$folder/$name/all.cc"
  "$compiler" "${flags[@]}" -I"$source/src" -I"$folder/$name" -I"$folder" -I"$generated" "$folder/$name/all.cc"
  echo "$name: clean"
}

check sub "$generated"/sub/*.idl
for file in "$generated"/*.idl; do
  check "$(basename "$file" .idl)" -I "$generated" "$file"
done
check two_in_a_unity_build --ami --pollers --async --amh "$source/examples/hello/hello.idl" "$source/examples/async/prices.idl"
check declared -I "$source/tests/idl/declared" "$source"/tests/idl/declared/*.idl
check interop "$source/tests/interop/interop.idl"
