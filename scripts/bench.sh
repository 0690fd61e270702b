#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs suites of the benchmark laboratory.
#
# usage: ./dev bench [--quick] [--output FOLDER]     all suites, then the report (corbel-bench-report/ unless told)
#        ./dev bench SUITE [--quick] [--json FILE] [OPTIONS]
#        ./dev bench --peers                        installs every peer that Debian has, and lists what is there
#
#   counts     instructions, system calls, allocations and bytes of one call
#   latency    percentiles of two-way calls, back to back and at fixed times
#   ttcp       streams of every type, buffer size and socket queue
#   cubit      calls that return their argument cubed, by type and protocol
#   networks   ttcp and latency over emulated networks (as root)
#   scale      many connections, many threads, memory, start-up time, footprint
#   demux      finding operations and objects in four ways
#   whitebox   where one call goes, layer by layer
#   micro      marshalling by generated code beside the same by hand
#   compile    what generated code costs the C++ compiler, and its size
#   model      linear regression over streams of earlier runs
#   report     one page of tables and charts from the figures of earlier runs
#
# `./dev bench -- --help` lists every suite with its options. Peers beside omniORB and ONC RPC are compared with if their
# packages are installed; --quick gives each suite a share of five minutes.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
[ "${1:-}" != -- ] || shift
refuse_unknown_options bench bench/suites "$@"
for argument in "$@"; do
  case $argument in
    -*) break ;;
    *)
      grep -qE "^    \\{\"$argument\", [0-9]" bench/suites/main.cpp || fail "bench: no suite '$argument' (see ./dev bench --help)"
      break
      ;;
  esac
done
need bench
if [ "${1:-}" = --peers ]; then
  need peers
  bash scripts/peers.sh jacorb || echo "bench: going on without JacORB"
fi
suite=${1:-all}
case $suite in --quick | --output | --output=* | --only | --only=*) suite=all ;; esac
case $suite in
  all | counts) bash scripts/peers.sh >/dev/null || echo "bench: going on without omniORB from PyPI" ;;
esac
configure release
# CMake looks for peers only when it configures: once more after packages were installed.
if [ /var/lib/dpkg/status -nt build/release/build.ninja ]; then logged reconfigure cmake build/release; fi
build_targets release corbel-bench corbel-bench-optional-peers
run_in_callers_directory release corbel-bench "$@"
