#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a suite of the benchmark laboratory.
#
# usage: ./dev bench SUITE [--json FILE] [OPTIONS]
#
#   counts    instructions, system calls, allocations and bytes of one call, beside omniORB's
#
# `./dev bench -- --help` lists every suite with its options.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
[ "${1:-}" != -- ] || shift
need bench
if [ "${1:-}" = counts ]; then
  CORBEL_OMNIORB_PREFIX=$(bash scripts/peers.sh) || echo "bench: going on without omniORB from PyPI"
  export CORBEL_OMNIORB_PREFIX
fi
if [ "${1:-}" = whitebox ]; then  # a library with time probes, in a build of its own
  configure probes
  build_targets probes corbel-bench-layers
fi
configure release
build_targets release corbel-bench
run_in_callers_directory release corbel-bench "$@"
