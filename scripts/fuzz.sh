#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the libFuzzer targets with AddressSanitizer and UndefinedBehaviorSanitizer.
#
# usage: ./dev fuzz [TARGET...] [--seconds N]
#        ./dev fuzz idl-names [--kinds=N]                    every name of the headers as a name in IDL: half an hour
#        ./dev fuzz idl-compile [--seed=N] [--files=N] [--size=N] [--omniidl]   random IDL and its C++
#
#   TARGET        names as `./dev fuzz --list` prints them (default: all)
#   --seconds N   how long to run each target (default: 60)
#   --list        print the targets and stop
#
# Inputs that bring new coverage are kept in build/fuzz/corpus/TARGET, failing ones in build/fuzz/findings; the seeds
# in tests/fuzz/corpus/TARGET are replayed by every `./dev test`.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

if [[ ${1:-} == idl-names || ${1:-} == idl-compile ]]; then
  build_targets dev corbel-idl
  tool=build/dev/tools/corbel-idl/corbel-idl
  [ "$1" = idl-compile ] || exec python3 tests/idl/sweep.py "$tool" "${CXX:-g++}" "$PWD" --all "${@:2}"
  exec python3 tests/idl/random_idl.py "$tool" "${CXX:-g++}" "$PWD" --files=100 "${@:2}"
fi

seconds=60 list='' wanted=()
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number} && shift ;;
    --list) list=yes ;;
    -*) fail "fuzz: unknown option '$1' (see ./dev fuzz --help)" ;;
    *) wanted+=("${1#fuzz_}") ;;
  esac
  shift
done
need fuzz
configure fuzz
mapfile -t known < <(ninja -C build/fuzz -t targets all | sed -n 's/^\([^ ]*\/\)\{0,1\}fuzz_\([a-z0-9_]*\): .*EXECUTABLE.*/\2/p' | sort -u)
[ ${#known[@]} -gt 0 ] || fail "fuzz: the build has no fuzz targets"
if [ -n "$list" ]; then
  printf '%s\n' "${known[@]}"
  exit 0
fi
[ ${#wanted[@]} -gt 0 ] || wanted=("${known[@]}")
for target in "${wanted[@]}"; do
  [[ " ${known[*]} " == *" $target "* ]] || fail "fuzz: no target '$target'; there are: ${known[*]}"
done
build_targets fuzz "${wanted[@]/#/fuzz_}"

say "Fuzzing takes $((${#wanted[@]} * seconds)) s: ${#wanted[@]} targets, $seconds s each"
layout=()
setarch -R true 2>/dev/null && layout=(setarch -R)
mkdir -p build/fuzz/findings
failed=()
for target in "${wanted[@]}"; do
  say "Fuzzing $target for $seconds s"
  corpus=build/fuzz/corpus/$target seeds=tests/fuzz/corpus/$target
  mkdir -p "$corpus"
  [ -d "$seeds" ] || seeds=
  program=$(find build/fuzz -type f -name "fuzz_$target" -perm -u+x | head -n 1)
  # Without the weights of -entropic and the symbols of what is new: their bookkeeping takes most of the time of targets
  # with much code (2,000 runs a second instead of 400 for conversation_server).
  logged "fuzz-$target" "${layout[@]}" "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -entropic=0 -reduce_inputs=0 -print_funcs=0 \
    -artifact_prefix="build/fuzz/findings/$target-" "$corpus" ${seeds:+"$seeds"} || failed+=("$target")
  tail -n 1 "build/logs/fuzz-$target.log"
done
[ ${#failed[@]} -eq 0 ] || fail "fuzz: findings in build/fuzz/findings for: ${failed[*]}"
