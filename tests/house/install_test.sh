#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_test.sh SOURCE BUILD COMPILER: installs to a folder of its own, moves it, and builds against it what a user
# would: through find_package (shared and static), through pkg-config, the hello world and the transports of examples/. Then
# runs the installed laboratory.
set -euo pipefail
source=$1 build=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CXX=$compiler CCACHE_DISABLE=1

# quietly COMMAND...: shows what it printed only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }; }
expect() { [ "$1" = "$2" ] || { printf 'expected: %s\ngot:      %s\n' "$2" "$1" && exit 1; }; }
quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
[ -z "$(find "$prefix/include" -type f ! -name '*.hpp')" ] || { echo "more than headers was installed" && exit 1; }

quietly cmake -S "$source/tests/house/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/consumer"
expect "$("$work/consumer/consumer")" "connect: refused"
expect "$("$work/consumer/consumer_static")" "connect: refused"
expect "$("$work/consumer/consumer_metrics")" 'corbel_requests_total{side="client",operation="_non_existent",outcome="system_exception"} 1'
expect "$("$work/consumer/consumer_naming")" "nobody there"
echo "find_package: ok"

# A package of IDL: generated, installed, moved, imported.
quietly cmake -S "$source/tests/house/idl_library/library" -B "$work/telescope" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/telescope"
quietly cmake --install "$work/telescope" --prefix "$work/made"
mv "$work/made" "$work/telescope_prefix"
[ -s "$work/telescope_prefix/include/telescope/dome.idl" ] && [ -s "$work/telescope_prefix/include/telescope/types_any.hpp" ]
quietly cmake -S "$source/tests/house/idl_library/user" -B "$work/user" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix;$work/telescope_prefix"
quietly cmake --build "$work/user"
expect "$("$work/user/user")" "2"
expect "$("$work/user/client")" "nil"
! nm -C "$work/user/client" | grep -q "POA::Observatory" || { echo "the client has skeletons" && exit 1; }
echo "IDL library: ok"

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name corbel.pc)")
  export PKG_CONFIG_PATH
  read -ra flags <<<"$(pkg-config --cflags --libs corbel)"
  "$compiler" -std=c++20 "$source/tests/house/consumer/main.cpp" -o "$work/by_pkg_config" "${flags[@]}"
  expect "$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir corbel) "$work/by_pkg_config")" "connect: refused"
  echo "pkg-config: ok"
fi

quietly cmake -S "$source/examples/hello" -B "$work/hello" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/hello"
quietly "$source/examples/hello/run_hello.sh" "$work/hello/hello_server" "$work/hello/hello_client"
echo "hello world: ok"

# A stranger's transports: with the suite that was installed, and as plug-ins of programs that know nothing of them.
quietly cmake -S "$source/examples/carriers" -B "$work/carriers" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
quietly cmake --build "$work/carriers"
quietly "$work/carriers/carriers_test"
export CORBEL_LOAD=$work/carriers/masked.so
quietly "$source/examples/hello/run_hello.sh" "$work/hello/hello_server" "$work/hello/hello_client" masked://127.0.0.1:0
unset CORBEL_LOAD
quietly cmake -S "$source/examples/field_bus" -B "$work/field_bus" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
quietly cmake --build "$work/field_bus"
quietly "$work/field_bus/field_bus_test"
echo "transports of others: ok"

# A stranger's message protocol: with the suite that was installed, and as a plug-in.
quietly cmake -S "$source/examples/telegrams" -B "$work/telegrams" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug
quietly cmake --build "$work/telegrams"
expect "$("$work/telegrams/telegrams" -ORBLoad "$work/telegrams/telegrams.so")" "total 500500, telegrams 1000, with names 1"
quietly "$work/telegrams/telegrams_test"
echo "message protocol of others: ok"

# The laboratory finds its programs, and they their library, where they were installed; only then is it not the build's.
if [ -x "$build/bench/corbel-bench" ]; then
  bench=$prefix/bin/corbel-bench
  peers=$("$bench" --peers)
  grep -q "corbel: found" <<<"$peers" || { echo "$peers" && exit 1; }
  library=$(ldd "$(dirname "$(readlink -f "$bench")")/corbel-bench-corbel" | sed -n 's/.*libcorbel\.so[^ ]* => \([^ ]*\).*/\1/p')
  expect "$(readlink -f "$(dirname "$library")")" "$(readlink -f "$(dirname "$(find "$prefix" -name libcorbel.so)")")"
  quietly "$bench" ttcp --quick --repeat 1 --only corbel --types octet --buffers 8192 --json "$work/ttcp.json"
  grep -q '"orb": "corbel"' "$work/ttcp.json" || { echo "no figures of Corbel" && exit 1; }
  echo "corbel-bench: ok"
fi
