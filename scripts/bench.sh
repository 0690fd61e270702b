#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs suites of the benchmark laboratory.
#
# usage: ./dev bench [--quick | --thorough] [--output FOLDER]
#                                                   all suites, then the report (corbel-bench-report/ unless told)
#        ./dev bench --continue FOLDER              goes on with a run that was broken off there
#        ./dev bench publish FOLDER                 makes that run the reference of the documentation: its tables, docs/reference.md
#        ./dev bench SUITE [--quick | --brief] [--json FILE] [OPTIONS]
#        ./dev bench --peers                        installs every peer that Debian has, and lists what is there
#        ./dev bench gate [COMMIT] [--repeat N]     builds COMMIT (default: HEAD) apart, and fails if a call costs 2 % more now
#
#   counts     instructions, system calls, allocations and bytes of one call
#   latency    percentiles of two-way calls, back to back and at fixed times
#   oneways    small oneway calls, by themselves and kept back until many leave together; datagrams
#   ttcp       streams of every type, buffer size and socket queue
#   cubit      calls that return their argument cubed, by type and protocol
#   networks   ttcp and latency over emulated networks (as root)
#   scale      many connections, many threads, memory, start-up time, footprint
#   fanout     calls over 1 to 1,000 connections in turn and at the same time; 10,000 idle ones
#   restart    a server is stopped and started again: time to the first good call
#   demux      finding operations and objects in four ways
#   predictability  calls of high priority against more and more of low, with lanes and without
#   whitebox   where one call goes, layer by layer
#   micro      marshalling by generated code beside the same by hand
#   compile    what generated code costs the C++ compiler, and its size
#   model      linear regression over streams of earlier runs
#   report     one page of tables and charts from the figures of earlier runs
#   gate       instructions, copies, system calls and allocations beside those of another commit
#
# `./dev bench -- --help` lists every suite with its options. Peers beside omniORB and ONC RPC are compared with if their
# packages are installed. All suites take about 80 minutes: each case is measured five times at least, then until its median is known to
# 2.5 % or its suite's share of the time is used up; --quick gives each suite a share of five minutes; --thorough measures
# as suites by their names do, three and a half hours.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
[ "${1:-}" != -- ] || shift
if [ "${1:-}" = publish ]; then
  [ $# = 2 ] || fail "bench: publish FOLDER (see ./dev bench --help)"
  exec python3 scripts/figures.py "$root" --take "$(absolute_path "$2")"
fi
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
# gate: the laboratory of another commit, in a checkout and a build of its own.
if [ "${1:-}" = gate ] && [[ " $* " != *' --help '* && " $* " != *' -h '* ]]; then
  shift
  commit=HEAD
  case ${1:-} in '' | -*) ;; *) commit=$1 && shift ;; esac
  commit=$(git rev-parse --verify --quiet "$commit^{commit}") || fail "bench: gate: no such commit"
  other=$root/build/gate
  if [ "$(cat "$other/commit" 2>/dev/null)" != "$commit" ]; then
    rm -rf "$other"
    mkdir -p "$other/source"
    git archive "$commit" | tar -x -m -C "$other/source"
    echo "$commit" >"$other/commit"
  fi
  say "Building $(git log -1 --format='%h %s' "$commit")"
  launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  logged gate-configure cmake -S "$other/source" -B "$other/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCORBEL_TESTS=OFF "${launcher[@]}"
  logged gate-build ninja -C "$other/build" -j "$(processors)" corbel-bench-corbel
  set -- gate --base "$other/build/bench" "$@"
fi
suite=${1:-all}
case $suite in --help | --peers) ;; -*) suite=all ;; esac
case $suite in
  all | counts) bash scripts/peers.sh >/dev/null || echo "bench: going on without omniORB from PyPI" ;;
esac
configure release
# CMake looks for peers only when it configures: once more after packages were installed.
if [ /var/lib/dpkg/status -nt build/release/build.ninja ]; then logged reconfigure cmake build/release; fi
build_targets release corbel-bench corbel-ttcp corbel-bench-optional-peers
CORBEL_BENCH_COMMIT=$(git -C "$root" describe --always --dirty 2>/dev/null) || true
export CORBEL_BENCH_COMMIT
run_in_callers_directory release corbel-bench "$@"
