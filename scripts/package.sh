#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the release and makes Debian packages of it: the library, what one builds with, the tools, the naming service.
#
# usage: ./dev package [--output FOLDER]        (default: build/packages)
#
#   libcorbel0.1    the shared library
#   libcorbel-dev   headers, static library, corbel-idl, files for CMake and pkg-config, guides, examples
#   corbel          the commands `corbel` and `corbel-bridge`, and the IDL of the standard
#   corbel-named    the naming service, with a unit for systemd
#
# They are for the release of Debian, or of what derives from it, on which they were made: apt install ./build/packages/*.deb

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

output=$root/build/packages
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --output) output=$(absolute_path "${2:?--output needs a folder}") && shift ;;
    *) fail "package: unknown argument '$1' (see ./dev package --help)" ;;
  esac
  shift
done
need build package
configure release
build_targets release "${product_targets[@]}"
rm -rf build/package-work
logged package cpack --config build/release/CPackConfig.cmake -B build/package-work
mkdir -p "$output"
for package in build/package-work/*.deb; do
  mv "$package" "$output/"
  package=$output/${package##*/}
  printf '%-34s %6d KiB  %s\n' "$(basename "$package")" $(($(stat -c %s "$package") / 1024)) \
    "$(dpkg-deb -f "$package" Description | head -n 1)"
done
rm -rf build/package-work
echo "Made in $output. To install: apt install $output/*.deb"
