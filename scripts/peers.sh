#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs omniORB 4.3.4, a newer one than Debian's, below build/peers and prints its prefix: peers.sh
#
# The benchmark laboratory compares with both. Prints nothing but the prefix on standard output.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

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
