#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the release and installs headers, libraries, commands, the CMake and pkg-config files.
#
# The commands are corbel-idl, corbel, corbel-bridge, corbel-named, and those of the laboratory: corbel-bench, corbel-ttcp.
#
# usage: ./dev install [--prefix FOLDER]        (default: /usr/local)

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

prefix=/usr/local
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --prefix) prefix=$(absolute_path "${2:?--prefix needs a folder}") && shift ;;
    *) fail "install: unknown argument '$1' (see ./dev install --help)" ;;
  esac
  shift
done
need build
configure release
build_targets release "${product_targets[@]}" corbel-bench corbel-ttcp corbel-ttcp-man corbel-bench-optional-peers
say "Installing to $prefix"
mkdir -p "$prefix" 2>/dev/null || true
[ -w "$prefix" ] || fail "cannot write to $prefix; run as root or choose another --prefix"
logged install cmake --install build/release --prefix "$prefix"
echo "Installed. CMake: find_package(Corbel) with CMAKE_PREFIX_PATH=$prefix; pkg-config: corbel."
