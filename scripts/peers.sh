#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what tests and the benchmark laboratory work with and Debian does not have, below build/peers: peers.sh [jacorb]
#
# Without an argument omniORB 4.3.4, a newer one than Debian's, and omniORBpy 4.3.1 (from PyPI), and prints their prefix,
# nothing else, on standard output. jacorb: JacORB's archives (from Maven Central, by mvn).

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

if [ "${1:-}" = jacorb ]; then
  pom=$root/bench/peers/jacorb/pom.xml archives=$root/build/peers/jacorb
  if [ -f "$archives/fetched" ] && [ ! "$pom" -nt "$archives/fetched" ]; then exit; fi
  logged peers-jacorb mvn -q -B -f "$pom" dependency:copy-dependencies "-DoutputDirectory=$archives" >&2
  touch "$archives/fetched"
  exit
fi

version=4.3.4 python=4.3.1 venv=$root/build/peers/venv
prefix_of_venv() { compgen -G "$venv/lib/python3*/site-packages/cmeel.prefix"; }

stamp=$venv/omniorb-$version-$python
if [ ! -f "$stamp" ]; then
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  logged peers-venv /usr/bin/python3 -m venv "$venv" >&2
  logged peers-pip "$venv/bin/pip" install --disable-pip-version-check "cmeel-omniorb==$version" "cmeel-omniorbpy==$python" >&2
  touch "$stamp"
fi
prefix_of_venv
