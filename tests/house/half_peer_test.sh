#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# half_peer_test.sh SOURCE: an omniORB of which a part is missing, or does not run, counts as absent, and the part is named; one
# that has gone since the last configuration is not remembered.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/project" "$work/broken" "$work/whole"
# shellcheck disable=SC2016
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(look LANGUAGES NONE)' "include($source/cmake/CorbelOmniorb.cmake)" \
  'message(NOTICE "missing: [${CORBEL_OMNIORB}]")' >"$work/project/CMakeLists.txt"
printf '#!/bin/sh\nexit 1\n' >"$work/broken/omniidl"
printf '#!/bin/sh\nexit 0\n' >"$work/whole/omniidl"
chmod +x "$work/broken/omniidl" "$work/whole/omniidl"

# missing FOLDER ARGUMENTS...: what is missing with the programs of FOLDER before all others and no libraries.
missing() {
  local folder=$1
  shift
  env PATH="$folder:$PATH" PKG_CONFIG_LIBDIR="$work" cmake "$@" -S "$work/project" -B "$work/build" 2>&1 | sed -n 's/^missing: \[\(.*\)\]$/\1/p'
}
expect() { [[ $1 == *$2* ]] || { printf 'expected among the missing: %s\ngot: %s\n' "$2" "$1" && exit 1; }; }

found=$(missing "$work/broken")
expect "$found" libomniorb4-dev
expect "$found" omniidl
found=$(missing "$work/whole")
expect "$found" libomniorb4-dev
[[ $found != *omniidl* ]] || { echo "an omniidl that runs counts as missing" && exit 1; }
rm "$work/whole/omniidl"
cp "$work/broken/omniidl" "$work/whole/omniidl"
expect "$(missing "$work/whole")" omniidl
echo "ok"
