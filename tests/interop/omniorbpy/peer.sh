#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the omniORBpy peer: peer.sh VENV PREFIX SOURCES OUTPUT NAME...
#
# VENV and PREFIX are where scripts/peers.sh has put it. Makes stubs, and of each NAME.py beside this a program NAME.
set -euo pipefail
venv=$1 prefix=$2 sources=$3 output=$4
shift 4
generated=$output/generated
mkdir -p "$generated/idl"
# References of an interface crash omniORBpy if its version is said after it was declared: it is said at once.
sed -e '/^#pragma version Node 2.1$/d' -e 's/^  interface Node;$/  interface Node;\n#pragma version Node 2.1/' \
  "$sources/interop.idl" >"$generated/idl/interop.idl"
cp "$sources/dynamic/dynamic.idl" "$sources/values/values.idl" "$sources/deferred/deferred.idl" "$generated/idl"
for idl in "$generated"/idl/*.idl; do
  "$venv/bin/omniidl" -bpython -I"$prefix/share/idl/omniORB" -C"$generated" "$idl"
done
for name in "$@"; do
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH="%s" PYTHONPATH="%s"\nexec "%s" -B "%s" "$@"\n' \
    "$prefix/lib" "$generated" "$venv/bin/python3" "$sources/omniorbpy/$name.py" >"$output/$name"
  chmod +x "$output/$name"
done
