#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# header_budget.sh CORBEL-IDL COMPILER SOURCE_DIR: what a client's generated header includes stays under 26,500 lines; a
# standard header too many (<algorithm> is 9,000) costs each file of each user.
set -euo pipefail
tool=$1 compiler=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tool" -o "$work" "$source/examples/hello/hello.idl"
lines=$(echo '#include "hello.hpp"' | "$compiler" -std=c++20 -E -P -I"$work" -I"$source/src" -x c++ - | wc -l)
echo "$lines lines"
[ "$lines" -lt 26500 ]
