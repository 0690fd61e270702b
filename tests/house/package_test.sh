#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# package_test.sh SOURCE BUILD COMPILER: makes the Debian packages, installs them into a root of their own with dpkg, builds and
# runs against them what a user would, and removes them again: then nothing is left. Also looks whether `./dev package` builds
# all that the packages hold.
set -euo pipefail
source=$1 build=$2 compiler=$3
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing: install dpkg-dev" && exit 1; }
# dpkg installs as root only; a user is one in a name space of its own.
if [ "$(id -u)" != 0 ] && [ -z "${CORBEL_AS_ROOT:-}" ]; then CORBEL_AS_ROOT=1 exec unshare --map-root-user "$0" "$@"; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CXX=$compiler CCACHE_DISABLE=1

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }; }
expect() { [ "$1" = "$2" ] || { printf 'expected: %s\ngot:      %s\n' "$2" "$1" && exit 1; }; }

# What is installed and built, but not by the targets of ./dev package, is missing there when nothing else was built before.
if command -v ninja >/dev/null && [ -f "$build/build.ninja" ]; then
  product_targets=()
  eval "$(sed -n '/^product_targets=(/,/)/p' "$source/scripts/common.sh")"
  # Of the laboratory, which is in no package, nothing counts.
  find "$build/cmake_install.cmake" "$build"/{src,services,tools} -name cmake_install.cmake -exec grep -ohE "\"$build/[^\"]*\"" {} + | tr -d '"' |
    sort -u >"$work/installed"
  ninja -C "$build" -t targets all | sed -n 's/: .*//p' | sed "s|^[^/]|$build/&|" | sort -u >"$work/buildable"
  comm -12 "$work/installed" "$work/buildable" | sed "s|^$build/||" >"$work/needed"
  [ "$(wc -l <"$work/needed")" -gt 10 ] || { echo "the build says nothing of what it installs" && exit 1; }
  xargs ninja -C "$build" -t commands <"$work/needed" | sort -u >"$work/needs"
  ninja -C "$build" -t commands "${product_targets[@]}" | sort -u >"$work/does"
  expect "$(comm -23 "$work/needs" "$work/does" | grep -oE '(-o|qc) [^ ]+' | head -n 5)" ""
  echo "whole: ok"
fi

quietly cpack --config "$build/CPackConfig.cmake" -B "$work/made"
packages=("$work"/made/*.deb)
expect "$(for p in "${packages[@]}"; do dpkg-deb -f "$p" Package; done | sort | tr '\n' ' ')" "corbel corbel-named libcorbel-dev libcorbel0.1 "
dpkg-deb -f "$work"/made/libcorbel0.1_*.deb Depends | grep -q 'libc6 (>=' || { echo "the library needs no C library?" && exit 1; }
dpkg-deb -f "$work"/made/corbel-named_*.deb Depends | grep -q 'libsqlite3-0 (>=' || { echo "corbel-named needs no SQLite?" && exit 1; }
[[ $(dpkg-deb -f "$work"/made/corbel_*.deb Description) == "command for CORBA"* ]] || { echo "no description" && exit 1; }
echo "made: ok"

# What they need is installed on this machine, of which the new root knows nothing.
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
dpkg_there() { dpkg --root="$root" --log=/dev/null --force-depends --force-script-chrootless "$@"; }
quietly dpkg_there -i "${packages[@]}"
expect "$(find "$root/usr" -perm /022 ! -type l | head -n 3)" ""
bin=$root/usr/bin library=$(find "$root/usr/lib" -name libcorbel.so -exec readlink -f {} +)
quietly cmake -S "$source/tests/house/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr"
quietly cmake --build "$work/consumer" --target consumer consumer_static
expect "$("$work/consumer/consumer")" "connect: refused"
expect "$("$work/consumer/consumer_static")" "connect: refused"
for program in corbel corbel-bridge corbel-idl corbel-named; do
  [[ $("$bin/$program" --version) == $program\ [0-9]* ]] || { echo "$program does not run" && exit 1; }
  page=$root/usr/share/man/man1/$program.1
  grep -q '^\.TH' "$page" || { echo "no man page of $program" && exit 1; }
  if command -v man >/dev/null; then expect "$(MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null)" ""; fi
done
[[ $("$bin/corbel" describe --idl "$root/usr/share/corbel/idl/CosNaming.idl") == *resolve* ]] || { echo "no IDL" && exit 1; }
"$bin/corbel-idl" -o "$work/generated" "$source/examples/hello/hello.idl"
expect "$(cd "$work/generated" && echo *.cpp)" "hello.cpp hello_any.cpp hello_server.cpp"
echo "installed: ok"

# The hello world with what was installed, called by its own client and by the command.
quietly cmake -S "$source/examples/hello" -B "$work/hello" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr"
quietly cmake --build "$work/hello"
expect "$(ldd "$work/hello/hello_server" | sed -n 's/.*libcorbel\.so[^ ]* => \([^ ]*\).*/\1/p' | xargs readlink -f)" "$library"
quietly "$source/examples/hello/run_hello.sh" "$work/hello/hello_server" "$work/hello/hello_client"
timeout 120 "$work/hello/hello_server" -ORBListenEndpoints tcp://127.0.0.1:0 >"$work/hello.ior" &
server=$!
for _ in $(seq 300); do [ -s "$work/hello.ior" ] && break; sleep 0.1; done
expect "$("$bin/corbel" call "$work/hello.ior" greet packages --idl "$source/examples/hello/hello.idl")" '"Hello, packages!"'
quietly "$bin/corbel" call "$work/hello.ior" shutdown --idl "$source/examples/hello/hello.idl"
wait "$server"
echo "hello world: ok"

# The naming service in the way its unit starts it.
unit=$root/lib/systemd/system/corbel-named.service
[ -e "$unit" ] || unit=$root/usr/lib/systemd/system/corbel-named.service
grep -q '^ExecStart=corbel-named' "$unit"
CORBEL_NAMED_DATA=$work/names.db "$bin/corbel-named" --host 127.0.0.1 --port 0 --ior-file "$work/names.ior" >"$work/named.log" 2>&1 &
named=$!
for _ in $(seq 100); do [ -s "$work/names.ior" ] && break; sleep 0.1; done
quietly "$bin/corbel" ns context -p telescope/dome --service "$(cat "$work/names.ior")"
[[ $("$bin/corbel" ns tree --service "$(cat "$work/names.ior")") == *dome* ]] || { echo "no such name" && exit 1; }
kill "$named"
wait "$named"
echo "naming service: ok"

quietly dpkg_there -P corbel-named corbel libcorbel-dev libcorbel0.1
expect "$(find "$root" -mindepth 1 ! -path "$root/var" ! -path "$root/var/lib" ! -path "$root/var/lib/dpkg*" | head -n 3)" ""
expect "$(grep -l . "$root"/var/lib/dpkg/info/*corbel* 2>/dev/null)" ""
echo "removed: ok"
