#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# exports_test.sh LIBRARY: what the shared library exports belongs to Corbel or to an OMG module. Weak symbols are
# instances of standard templates that every C++ library carries.
set -euo pipefail
strangers=$(nm --dynamic --defined-only --demangle "$1" | grep -E ' [TDBR] ' | cut -d' ' -f3- |
  grep -vE '^((vtable|typeinfo|typeinfo name|VTT|guard variable|non-virtual thunk to|virtual thunk to|covariant return thunk to)( for)? )?(corbel|CORBA|PortableServer|PortableInterceptor|Dynamic|IOP|CONV_FRAME|DynamicAny|Messaging|BiDirPolicy|TimeBase)::' || true)
[ -z "$strangers" ] || {
  printf 'exported, but not ours:\n%s\n' "$strangers"
  exit 1
}
