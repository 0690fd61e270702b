#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what the benchmark laboratory compares with and Debian does not have, below build/peers: peers.sh [jacorb]
#
# Without an argument omniORB 4.3.4, a newer one than Debian's (from PyPI), and prints its prefix, nothing else, on
# standard output. jacorb: JacORB's archives (from Maven Central, by mvn).

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

if [ "${1:-}" = jacorb ]; then
  pom=$root/bench/peers/jacorb/pom.xml archives=$root/build/peers/jacorb
  if [ -f "$archives/fetched" ] && [ ! "$pom" -nt "$archives/fetched" ]; then exit; fi
  logged peers-jacorb mvn -q -B -f "$pom" dependency:copy-dependencies "-DoutputDirectory=$archives" >&2
  touch "$archives/fetched"
  exit
fi

version=4.3.4 venv=$root/build/peers/venv
prefix_of_venv() { compgen -G "$venv/lib/python3*/site-packages/cmeel.prefix"; }

if [ ! -f "$venv/omniorb-$version" ]; then
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  logged peers-venv /usr/bin/python3 -m venv "$venv" >&2
  logged peers-pip "$venv/bin/pip" install --disable-pip-version-check "cmeel-omniorb==$version" >&2
  touch "$venv/omniorb-$version"
fi
prefix_of_venv
