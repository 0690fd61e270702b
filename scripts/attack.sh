#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attacks a server beside an honest client, or restarts servers under load, and prints figures.
#
# usage: ./dev attack [SECONDS] [--attack NAME]... [--json FILE] [--memory MIB] [--threads N] [--most RATIO] [--list]
#                     [--preset NAME]
#        ./dev attack kills [N] [--preset NAME]
#        ./dev attack names [N] [--preset NAME]
#        ./dev attack restarts [--minutes N] [--seed N] [--examples N] [--json FILE] [--preset NAME]
#
#   SECONDS         for all attacks, each in turn and all together (default: 60)
#   --attack NAME   only this one; may be repeated; --list prints them
#   --memory MIB    the most memory the server may have used (default: 2048; three limits are 512 MiB)
#   --threads N     -ORBThreads of the server (default: 128)
#   --most RATIO    judge the times, too: the honest client's p99 may be so many times its undisturbed one
#   --json FILE     the figures of the table
#   --preset NAME   the build to use: release (default), dev, asan, tsan
#   --minutes N     restarts: how long (default: 1); --seed N repeats the order of events, --examples N says how many lines to print
#                   of each kind of mistake (default: 5)
#
# Each attack meets a fresh server, with default options but for -ORBThreads and -ORBShutdownTimeout. A row says how many
# connections the attackers made, how many calls the honest client had served, how many newcomers (one new connection with one call
# after the other), the honest client's p50 and p99 and its p99 beside its undisturbed one, and the most threads, memory and
# descriptors the server used. Held: no honest call and no newcomer failed within 25 s, no more threads than -ORBThreads, no more
# memory than --memory, an end in order. Times are printed, and judged only with --most. Status 1 if an attack was not held, or if
# the books do not agree.
#
# kills: servers and clients are killed (SIGKILL) at N random instants each (default: 1000), over every transport between
# processes: what the other side sees, how soon, and that it goes on. A short form is in the test fault_suite.
#
# names: corbel-named is killed (SIGKILL) N times (default: 10000, seven minutes) while four clients change names; printed are the changes
# that it had acknowledged, how many names were not as acknowledged afterwards, and how often something was there by half. A short form
# is the test naming.crash.
#
# restarts: two servers and a naming service are ended (SIGTERM), killed (SIGKILL), started again, and an object moves between the
# servers while fifteen clients call by five kinds of reference, one of them a name that is resolved each time (corbaname), each
# synchronously, asynchronously and oneway (SYNC_WITH_TARGET).

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

preset=release arguments=()
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --preset) preset=${2:?--preset needs a name} && shift ;;
    --json) arguments+=(--json "$(absolute_path "${2:?--json needs a file}")") && shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
need build
configure "$preset"
if [ "${arguments[0]:-}" = kills ]; then
  build_targets "$preset" corbel_fault_suite
  export CORBEL_KILLS=${arguments[1]:-1000} CORBEL_TEST_SECONDS=36000
  exec "build/$preset/tests/fault/corbel_fault_suite" --gtest_filter='*Killed*'
fi
if [ "${arguments[0]:-}" = names ]; then
  kills=${arguments[1]:-10000}
  build_targets "$preset" corbel-named naming_crash
  say "Killing corbel-named $kills times"
  exec "build/$preset/tests/naming/naming_crash" "build/$preset/services/naming/corbel-named" --kills "$kills"
fi
targets=(corbel_attack)
if [[ " ${arguments[*]} " == *" restarts "* ]] && grep -q '^build corbel-named:' "build/$preset/build.ninja"; then
  targets+=(corbel-named corbel-tool)
  arguments+=(--named "build/$preset/services/naming/corbel-named" --tool "build/$preset/tools/corbel/corbel")
fi
build_targets "$preset" "${targets[@]}"
exec python3 tests/attack/attack.py "${arguments[@]}" --program "build/$preset/tests/attack/corbel_attack"
