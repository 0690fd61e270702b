#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the tests.
#
# usage: ./dev test [--preset NAME] [--filter REGEX] [--without REGEX] [--label REGEX] [--repeat N] [--junit FILE]
#
#   --preset NAME    release (default), dev, asan, tsan, coverage; s390x, aarch64: cross-compiled and run by qemu
#                    (docs/cross-compiling.md)
#   --filter REGEX   only tests whose name matches
#   --without REGEX  only tests whose name does not match
#   --label REGEX    only tests with a matching label: a room (cdr), or unit, golden, conformance, fault, interop, house
#   --repeat N       run each test until it fails, at most N times
#   --junit FILE     also write the results there, with all that the tests print, as JUnit has them
#
# Of a part of the tests only what they run is built.
# CORBEL_TEST_AGAIN=N, for machines that others load: up to N tests that failed run once more, alone. What passes then counts as
# passed, and is told of at the end: it is a defect all the same (docs/testing.md).
# The release build also runs the interoperability tests against omniORB. `ctest -N --test-dir build/release` lists all.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

preset=release selection=() report=() without=
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --preset) preset=${2:?--preset needs a name} ;;
    --filter) selection+=(-R "${2:?--filter needs a regular expression}") ;;
    --without) without=${2:?--without needs a regular expression} ;;
    --label) selection+=(-L "${2:?--label needs a regular expression}") ;;
    --repeat) selection+=(--repeat "until-fail:${2:?--repeat needs a number}") ;;
    --junit) report=(--output-junit "$(realpath -m -- "${2:?--junit needs a file}")" --test-output-size-passed 1000000) ;;
    *) fail "test: unknown argument '$1' (see ./dev test --help)" ;;
  esac
  shift 2
done

# What of omniORB the release build has not found (cmake/CorbelOmniorb.cmake).
interop_missing() { sed -n 's/^CORBEL_INTEROP_MISSING:[A-Z]*=//p' build/release/CMakeCache.txt; }

case $preset in
  s390x | aarch64)
    need "$preset"
    configure release
    build_targets release corbel-idl
    ;;
  *) need test ;;
esac
# What Debian does not have comes from elsewhere. Without it the other tests run, but this run does not pass.
unfetched=
if [ "$preset" = release ] && ! bash scripts/peers.sh >/dev/null; then
  unfetched="omniORB 4.3.4 and omniORBpy could not be fetched (scripts/peers.sh): nothing was tested with them"
fi
configure "$preset"
# What was missing when another command configured this may be here by now. If not, the tests are not silently fewer.
if [ "$preset" = release ] && [ -n "$(interop_missing)" ]; then
  logged configure-release cmake build/release
  [ -z "$(interop_missing)" ] || fail "the interoperability tests need these Debian packages: $(interop_missing)"
fi
# Under emulation some suites are left out whole: those that need what qemu's user mode does not have (groups, the system's own counts), and
# for the other byte order those whose servers are sent octets that were written by hand for this one. Some tests fork with an exec, which
# needs binfmt_misc, or count what a slow machine does otherwise.
case $preset in
  s390x | aarch64)
    cases='GroupCalls.*:*Group*:FifoTest.MessagesKeepTheirBoundaries:EffectsOfOptions.AreSeenFromOutside'
    cases+=':OutOfMemory.TheFirstCallThatKnowsItsWayMayFindNone:LentArguments.CostNoAllocations'
    export GTEST_FILTER=${GTEST_FILTER:-"-$cases"}
    suites='transport/multicast|conformance\.transport|contract\.transport_syscalls|services\.real_time'
    [ "$preset" = aarch64 ] || suites+='|bidirectional_suite|connection_suite|log_suite|policies_suite|siege_suite'
    without+="${without:+|}^($suites)\$"
    ;;
esac

[ -z "$without" ] || selection+=(-E "$without")
# Of a part of the tests only what they run is built.
targets=()
if [ ${#selection[@]} -gt 0 ]; then mapfile -t targets < <(python3 scripts/test_targets.py "build/$preset" "${selection[@]}"); fi
# The preprocessor inside the IDL compiler gives nothing back before it exits; that must not stop the build.
ASAN_OPTIONS=detect_leaks=0 build_targets "$preset" "${targets[@]}"

# Those that take long say so (COST) and come first, so that no processor waits for them at the end.
say "Testing build/$preset"
# The sanitizers' shadow memory wants a fixed address layout; kernels that randomise more than they expect break them.
layout=()
case $preset in asan | tsan) setarch -R true 2>/dev/null && layout=(setarch -R) ;; esac
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
status=0
"${layout[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --no-label-summary \
  --timeout 300 -j "$(processors)" "${selection[@]}" "${report[@]}" || status=$?
# What the tests were made of: lines `counted: NUMBER WHAT` of their output added up, of `measured: NUMBER WHAT` the
# largest, and each `skipped: WHAT`.
awk '/^counted: / { number = $2; sub(/^counted: [^ ]+/, ""); total[$0] += number }
  /^measured: / { number = $2; sub(/^measured: [^ ]+/, ""); if (number > most[$0]) most[$0] = number }
  /^skipped: / && !seen[$0]++
  END { for (what in total) printf "%d%s\n", total[what], what; for (what in most) printf "%d%s\n", most[what], what }' \
  "build/$preset/Testing/Temporary/LastTest.log" 2>/dev/null || true
if [ "$status" != 0 ] && [ "${CORBEL_TEST_AGAIN:-0}" -gt 0 ]; then
  mapfile -t failed < <(cut -d: -f2- "build/$preset/Testing/Temporary/LastTestsFailed.log" 2>/dev/null)
  if [ "${#failed[@]}" -ge 1 ] && [ "${#failed[@]}" -le "$CORBEL_TEST_AGAIN" ]; then
    say "Once more, alone: ${failed[*]}"
    if "${layout[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-label-summary --timeout 300 --rerun-failed; then
      status=0
      echo "passed only when it ran again: ${failed[*]}"
    fi
  fi
fi
[ -z "$unfetched" ] || fail "$unfetched"
exit "$status"
