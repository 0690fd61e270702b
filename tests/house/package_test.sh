#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# package_test.sh SOURCE BUILD COMPILER: makes the Debian packages, installs them into a root of their own with dpkg, builds and
# runs against them what a user would, and removes them again: then nothing is left.
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
quietly cmake -S "$source/tests/house/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr"
quietly cmake --build "$work/consumer"
expect "$("$work/consumer/consumer")" "connect: refused"
expect "$("$work/consumer/consumer_static")" "connect: refused"
[[ $("$root/usr/bin/corbel" --version) == corbel\ * ]] || { echo "corbel does not run" && exit 1; }
[[ $("$root/usr/bin/corbel" describe --idl "$root/usr/share/corbel/idl/CosNaming.idl") == *resolve* ]] || { echo "no IDL" && exit 1; }
grep -q '^\.TH' "$root/usr/share/man/man1/corbel.1" || { echo "no man page" && exit 1; }
echo "installed: ok"

# The naming service in the way its unit starts it.
unit=$root/lib/systemd/system/corbel-named.service
[ -e "$unit" ] || unit=$root/usr/lib/systemd/system/corbel-named.service
grep -q '^ExecStart=corbel-named' "$unit"
CORBEL_NAMED_DATA=$work/names.db "$root/usr/bin/corbel-named" --host 127.0.0.1 --port 0 --ior-file "$work/names.ior" >"$work/named.log" 2>&1 &
named=$!
for _ in $(seq 100); do [ -s "$work/names.ior" ] && break; sleep 0.1; done
quietly "$root/usr/bin/corbel" ns context -p telescope/dome --service "$(cat "$work/names.ior")"
[[ $("$root/usr/bin/corbel" ns tree --service "$(cat "$work/names.ior")") == *dome* ]] || { echo "no such name" && exit 1; }
kill "$named"
wait "$named"
echo "naming service: ok"

quietly dpkg_there -P corbel-named corbel libcorbel-dev libcorbel0.1
expect "$(find "$root" -mindepth 1 ! -path "$root/var*" -type f | head -n 3)" ""
echo "removed: ok"
