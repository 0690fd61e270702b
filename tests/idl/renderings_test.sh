#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# renderings_test.sh CORBEL-IDL COMPILER SOURCE_DIR: the C++ of every file in idl/ compiles without a warning, together
# with the library's own headers. Stubs and skeletons are one translation unit; the TypeCodes, whose helpers have the same
# names in each, are one per file and share a precompiled header.
set -euo pipefail
tool=$1 compiler=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tool" --werror -o "$work" "$source"/idl/*.idl
compile=("$compiler" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror "-I$work/precompiled" "-I$source/src" "-I$work")

cd "$work"
{
  for header in corbel dynamic/iop_types dynamic/corba_types dynamic/dyn_any dynamic/request dynamic/type_factory; do
    echo "#include <corbel/$header.hpp>"
  done
  printf '#include "%s"\n' *_any.hpp *_server.hpp
  for file in *.cpp; do [[ $file == *_any.cpp ]] || echo "#include \"$file\""; done
} >everything.cc
"${compile[@]}" -fsyntax-only everything.cc

mkdir -p precompiled/corbel/dynamic
"${compile[@]}" -w -x c++-header -o precompiled/corbel/dynamic/type_code.hpp.gch "$source/src/corbel/dynamic/type_code.hpp"
for file in *_any.cpp; do "${compile[@]}" -fsyntax-only "$file"; done
echo ok
