#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tool_test.sh CORBEL-IDL: the command line of the compiler.
set -euo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect STATUS COMMAND...: what it printed is in the file `said`.
expect() {
  local status=0 wanted=$1
  shift
  "$@" >said 2>&1 || status=$?
  [ "$status" = "$wanted" ] || { echo "status $status instead of $wanted: $*" && cat said && exit 1; }
}
has() { grep -qF -- "$1" said || { echo "not said: $1" && cat said && exit 1; }; }

mkdir parts "with blank"
echo 'module Part { typedef long Number; };' >parts/part.idl
printf '#include <part.idl>\ninterface Whole { Part::Number get(in long add); };\n' >whole.idl
echo 'struct S { Nope n; };' >wrong.idl
echo 'interface F;' >odd.idl
echo 'const long x = 1;' >"with blank/x y.idl"

expect 0 "$tool" --help && has --output-dir
expect 0 "$tool" --version && has "corbel-idl "
expect 2 "$tool"
expect 2 "$tool" --no-such-option whole.idl
expect 0 "$tool" --check -I parts whole.idl
[ ! -e whole.hpp ] || { echo "--check wrote a file" && exit 1; }
expect 0 "$tool" -I parts -o out/deep --deps whole.d whole.idl
for file in whole.hpp whole.cpp whole_server.hpp whole_server.cpp whole_any.hpp whole_any.cpp; do [ -s "out/deep/$file" ]; done
grep -qF '#include "part.hpp"' out/deep/whole.hpp
grep -qF 'out/deep/whole.hpp' whole.d && grep -qF 'parts/part.idl' whole.d
expect 1 "$tool" whole.idl && has "IDL-9003"
expect 1 "$tool" wrong.idl odd.idl && has "wrong.idl:1:12: error: 'Nope' is not declared [IDL-3004]" && has "IDL-3012"
expect 0 "$tool" --check odd.idl && has warning
expect 1 "$tool" --check --werror odd.idl
expect 1 "$tool" absent.idl && has "IDL-9003"
expect 0 "$tool" -o "with blank" --deps blank.d "with blank/x y.idl" && grep -qF 'with\ blank/x\ y.idl' blank.d
expect 2 "$tool" -o /dev/null/x whole.idl -I parts && has "cannot write"
mkdir other && cp parts/part.idl other && cp parts/part.idl part_server.idl && cp parts/part.idl 'a"b.idl'
for second in other/part.idl part_server.idl; do
  expect 2 "$tool" -o same parts/part.idl "$second" && has "would take the place of the one of parts/part.idl"
  [ ! -e same ] || { echo "it wrote all the same" && exit 1; }
done
expect 2 "$tool" 'a"b.idl' && has "no #include can have this name"
expect 0 "$tool" -o same parts/part.idl parts/part.idl
{ echo 'interface Lengthy {' && for i in {1..200}; do echo "void operation_$i();"; done && echo '};'; } >long.idl
expect 2 bash -c 'trap "" XFSZ && ulimit -f 4 && "$1" -o full long.idl' _ "$tool" && has "full/long.hpp: error: cannot write"
[ ! -e full/long.hpp ] || { echo "half a file is left" && exit 1; }

# Files that never end, files that are long, files without include guards.
expect 1 "$tool" --check /dev/zero && has "IDL-9003"
expect 1 "$tool" --check . && has "IDL-9003"
{ for ((i = 0; i < 33000; ++i)); do echo; done && echo 'const long x = nothing;'; } >long.idl
expect 1 "$tool" --check --werror long.idl && has "long.idl:33001:16: error: 'nothing' is not declared [IDL-3004]"
if grep -qF 'beyond range' said; then echo "the preprocessor's limit shows" && exit 1; fi
echo 'struct Both { long a; }; typedef long Another;' >unguarded.idl
echo '#include "unguarded.idl"' >one.idl
printf '#include "one.idl"\n#include "unguarded.idl"\ninterface I {};\n' >twice.idl
expect 1 "$tool" --check twice.idl && has "twice.idl:2:1: error: 'unguarded.idl' is included a second time and has no include guard"
has "one.idl:1:1: note: first included here"
[ "$(grep -c 'error:' said)" = 1 ] || { echo "more than one word about it" && cat said && exit 1; }

# Types that hold others twice, 60 deep, are looked at once each.
{ echo 'struct A0 { long a; };' && for ((i = 1; i < 60; ++i)); do echo "struct A$i { A$((i - 1)) a; A$((i - 1)) b; };"; done &&
  echo 'interface D { A59 f(in A59 p); };'; } >deep.idl
expect 0 timeout 30 "$tool" --async deep.idl
expect 0 timeout 30 "$tool" --emit=json deep.idl
expect 0 timeout 30 "$tool" check --against deep.idl deep.idl

# The name of a reply handler that an included file implies is taken; that of one which may not be there is not.
echo '#pragma once
module M { interface Foo { long f(); }; @ami interface Sure { long f(); }; };' >implies.idl
printf '#include "implies.idl"\nmodule M { struct AMI_FooHandler { long a; }; interface Bar : %s { void g(in AMI_FooHandler it); }; };\n' Foo >clash.idl
expect 1 "$tool" --ami -o clash clash.idl && has "clash.idl:2:19: error: 'AMI_FooHandler' is the reply handler of interface 'M::Foo'"
has "implies.idl:2:22: note: the handler is implied"
expect 0 "$tool" -o clash clash.idl
sed 's/Bar : Foo/Bar/' clash.idl >apart.idl && expect 0 "$tool" --ami -o clash apart.idl
printf '#include "implies.idl"\nmodule M { struct AMI_SureHandler { long a; }; };\n' >sure.idl
expect 1 "$tool" -o clash sure.idl && has "sure.idl:2:19: error: 'AMI_SureHandler' is the reply handler"
printf '#include "implies.idl"\nmodule N { struct AMI_SureHandler { long a; }; };\n' >module.idl
expect 0 "$tool" --ami -o clash module.idl

# All of IDL has C++.
echo 'native N; valuetype V { public long n; }; local interface L { N f(in V a); };' >later.idl
expect 0 "$tool" later.idl && grep -qF '#include "later_native.hpp"' later.hpp

# The model and the files read, to the standard output or a folder.
expect 0 "$tool" --emit=json later.idl && has '"format": "corbel-idl"' && has '"kind": "native"'
expect 0 "$tool" --emit=json -o models later.idl whole.idl -I parts && [ -s models/later.json ] && [ -s models/whole.json ]
expect 2 "$tool" --emit=json later.idl odd.idl && has "-o"
expect 0 "$tool" --emit=wireshark later.idl whole.idl -I parts -o models --deps lua.d && grep -qF 'models/whole.lua' lua.d
grep -qF '_G.corbel_idl.add(types, operations)' models/later.lua
expect 2 "$tool" --emit=wireshark later.idl whole.idl -I parts && has "-o"
expect 0 "$tool" --emit=deps -I parts whole.idl && has "parts/part.idl" && has "./whole.hpp"
expect 2 "$tool" --emit=java whole.idl

# The label for the default is looked for from 0 up, then from the lowest.
{ printf 'union U switch (int8) {' && printf ' case %d:' {0..127} && echo ' long a; default: short b; };'; } >eight.idl
expect 0 "$tool" --emit=json eight.idl && has '"default_label": -128'

# Clients do without skeletons, but not without those of their reply handlers.
expect 0 "$tool" --stubs -I parts whole.idl && grep -qF 'class Whole' whole.hpp
if grep -q 'POA\|include' whole_server.hpp whole_server.cpp; then echo "--stubs left something" && exit 1; fi
expect 0 "$tool" --stubs --ami -I parts whole.idl && grep -qF 'class AMI_WholeHandler' whole_server.hpp
if grep -qF 'class Whole ' whole_server.hpp; then echo "--stubs left a skeleton" && exit 1; fi

# IDL 3 and 4, explanations, the renderings that come with the compiler.
echo 'typedef map<string, long> M;' >four.idl
expect 0 "$tool" --check four.idl
expect 1 "$tool" --check --idl=3 four.idl && has "IDL-8003"
expect 2 "$tool" --idl=5 four.idl
expect 0 "$tool" --explain IDL-3004 && has "name not declared"
expect 0 "$tool" --explain 3004
expect 2 "$tool" --explain IDL-1
printf '#include <CosNaming.idl>\ninterface I { CosNaming::Name f(); };\n' >shipped.idl
expect 0 "$tool" --check shipped.idl
printf '#include <orb.idl>\ninterface I { CORBA::StringSeq f(); };\n' >library.idl
expect 0 "$tool" library.idl && grep -qF '#include <corbel/mapping/corba_types.hpp>' library.hpp
if grep -qF orb.hpp library.hpp; then echo "orb.idl has no generated header" && exit 1; fi
printf '#include <ir.idl>\nstruct S { CORBA::InterfaceDef what; CORBA::ServiceOption option; };\n' >names.idl
expect 0 "$tool" --check names.idl

# mcpp compares names by memcmp() also where the one in its table is shorter: AddressSanitizer is not to mind that.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}strict_memcmp=0"

# Two versions of a file.
echo 'interface I { void f(in long a); };' >old.idl
echo 'interface I { void f(in short a); void g(); };' >new.idl
expect 0 "$tool" check --against old.idl old.idl
expect 1 "$tool" check --against old.idl new.idl
has "new.idl:1:31: WIRE+SOURCE: 'a' of operation 'I::f' was of type 'long' and is of 'short' [PARAMETER_TYPE_CHANGED]"
has "new.idl:1:40: SOURCE: operation 'I::g' is new [OPERATION_ADDED]"
expect 1 "$tool" check --against old.idl new.idl --breaks wire
if grep -q OPERATION_ADDED said; then echo "--breaks wire shows what breaks the source" && exit 1; fi
expect 0 "$tool" check --against old.idl new.idl --ignore PARAMETER_TYPE_CHANGED --ignore OPERATION_ADDED
expect 2 "$tool" check --against old.idl new.idl --ignore NO_SUCH_RULE
expect 2 "$tool" check --against old.idl wrong.idl && has "IDL-3004"
expect 2 "$tool" check old.idl
echo ok
