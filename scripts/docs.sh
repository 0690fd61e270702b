#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the documentation and writes the toolkit's reference.
#
# usage: ./dev docs
#
# Every link and every path that the documentation names must lead somewhere. The reference of the network programming
# toolkit (Doxygen; a warning is an error) goes to build/docs/html/index.html.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
need docs
python3 scripts/check_docs.py "$root"
python3 scripts/check_events.py "$root"
mkdir -p build/docs
{
  cat docs/Doxyfile
  echo "OUTPUT_DIRECTORY = build/docs"
} | doxygen -
echo "Reference: $root/build/docs/html/index.html"
