# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts behind ./dev share. Sourced, never run: sets `root`, and moves there.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
caller_directory=$PWD
cd -- "$root"

# What is being done, for `dev` to tell while nothing is printed (scripts/timing.sh).
doing() { [ -z "${DEV_RUN:-}" ] || printf '%s\n' "$*" >>"$DEV_RUN/doing"; }
say() {
  printf '\n== %s\n' "$*"
  doing "$*"
}
fail() {
  printf 'dev: %s\n' "$*" >&2
  exit 2
}

# refuse_unknown_options COMMAND FOLDER ARGUMENTS...: before anything is built, ends the script if an argument is an option
# that the sources of the program in FOLDER never name.
refuse_unknown_options() {
  local command=$1 folder=$2 argument option known
  shift 2
  known=" --help -h -- $(grep -rhoE '"--[a-z][a-z-]*"' "$root/$folder" --include='*.cpp' | tr -d '"' | sort -u | tr '\n' ' ')"
  for argument in "$@"; do
    option=${argument%%=*}
    case $option in
      -*) [[ $known == *" $option "* ]] || fail "$command: unknown option '$option' (see ./dev $command --help)" ;;
    esac
  done
}

# The comment at the top of the calling script, from its third line to the first line that is no comment.
usage() { sed -n '3,${/^#/!q;s/^# \{0,1\}//p}' "$0"; }

# first_is_help ARGUMENTS...: prints the usage and ends the script if --help comes first.
first_is_help() {
  case ${1:-} in
    -h | --help)
      usage
      exit 0
      ;;
  esac
}

# absolute_path PATH: PATH as seen from where the user stands.
absolute_path() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$caller_directory/$1" ;;
  esac
}

# need GROUP...: installs the Debian packages of these groups, or stops with their names (scripts/dependencies.sh).
need() { bash "$root/scripts/dependencies.sh" "$@"; }

# What the packages hold, and what is installed but for the laboratory.
# shellcheck disable=SC2034  # of the scripts that source this
product_targets=(corbel corbel_static corbel-idl corbel-idl-man corbel-tool corbel-tool-man corbel-bridge corbel-bridge-man corbel-named corbel-named-man
  corbel_metrics corbel_naming_names corbel_real_time corbel_reflection corbel_tracing corbel_ziop corbel_ziop_plugin)

processors() { nproc 2>/dev/null || echo 2; }

# logged NAME COMMAND...: runs quietly into build/logs/NAME.log; shows its end if the command fails.
logged() {
  local log=$root/build/logs/$1.log
  shift
  mkdir -p "$root/build/logs"
  doing "$* (log: $log)"
  "$@" >"$log" 2>&1 && return
  local status=$?
  tail -n 40 "$log" >&2
  printf 'dev: failed (status %s): %s\ndev: whole log: %s\n' "$status" "$*" "$log" >&2
  return "$status"
}

# A JDK and Maven, which fetches JacORB and GlassFish's ORB.
has_java() {
  command -v javac >/dev/null && command -v mvn >/dev/null
}

has_tango() {
  [ -x /usr/lib/tango/TangoTest ] && /usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("tango"))'
}

# What scripts/peers.sh has fetched, for which cmake looks there, too.
has_newer_omniorb() {
  compgen -G "$root/build/peers/venv/omniorb-*-*" >/dev/null
}

# configure PRESET [-DNAME=VALUE...]: configures build/PRESET, unless that has been done with the same options.
configure() {
  local preset=$1 folder=$root/build/$1
  shift
  if command -v ccache >/dev/null; then set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi
  # One release build serves demo, test and bench, so it must not depend on which of them came first.
  if [ "$preset" = release ]; then set -- "$@" -DCORBEL_INTEROP=AUTO; fi
  # ./dev test has installed what it needs; said either way, as the cache keeps what another command has said.
  if has_java; then set -- "$@" -DCORBEL_JACORB=ON -DCORBEL_GLASSFISH=ON; else set -- "$@" -DCORBEL_JACORB=OFF -DCORBEL_GLASSFISH=OFF; fi
  if has_tango; then set -- "$@" -DCORBEL_TANGO=ON; else set -- "$@" -DCORBEL_TANGO=OFF; fi
  if has_newer_omniorb; then set -- "$@" -DCORBEL_OMNIORB_NEWER=ON; else set -- "$@" -DCORBEL_OMNIORB_NEWER=OFF; fi
  if [ -f "$folder/build.ninja" ] && [ ! CMakePresets.json -nt "$folder/build.ninja" ] &&
    [ "$(cat "$folder/dev-options" 2>/dev/null)" = "$*" ]; then return; fi
  say "Configuring build/$preset"
  logged "configure-$preset" cmake --preset "$preset" "$@"
  printf '%s\n' "$*" >"$folder/dev-options"
}

# build_targets PRESET [TARGET...]: builds with ninja's own progress line; one line per tenth where that would scroll. Says
# beforehand how long it takes: a step as long as in the last larger build here (in build/PRESET/step-time, in milliseconds of all
# processors together), else as in a build from nothing on two.
build_targets() {
  local preset=$1 start=$SECONDS steps step about=
  shift
  local what=${*:-everything}
  [ $# -lt 6 ] || what="$# targets"
  steps=$(ninja -C "build/$preset" -n "$@" 2>/dev/null | sed -nE 's/^\[[0-9]+\/([0-9]+)\].*/\1/p' | tail -n 1) || true
  step=$(cat "build/$preset/step-time" 2>/dev/null || echo $((1000 / $(processors))))
  if [ "${steps:-0}" -ge 50 ]; then about=", $steps steps, about $(((steps * step + 30000) / 60000)) min"; fi
  say "Building $what in build/$preset ($(processors) jobs$about)"
  if [ -t 1 ]; then
    ninja -C "build/$preset" -j "$(processors)" "$@"
  else
    ninja -C "build/$preset" -j "$(processors)" "$@" 2>&1 | thin_progress
  fi
  local seconds=$((SECONDS - start))
  if [ -n "$about" ]; then echo $((seconds * 1000 / steps)) >"build/$preset/step-time"; fi
  [ -z "${DEV_RUN:-}" ] || echo "$seconds" >>"$DEV_RUN/built"
  echo "Built in $seconds s."
}

# thin_progress: passes lines on, but of ninja's [done/all] lines only one per tenth of the way.
thin_progress() {
  local line tenth last=-1
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      tenth=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
      [ "$tenth" != "$last" ] || continue
      last=$tenth
    fi
    printf '%s\n' "$line"
  done
}

# run_in_callers_directory PRESET PROGRAM ARGUMENTS...: becomes the built program, where the user stands.
run_in_callers_directory() {
  local program
  program=$(find "$root/build/$1" -type f -name "$2" -perm -u+x | head -n 1)
  [ -n "$program" ] || fail "$2 was not built in build/$1"
  shift 2
  cd -- "$caller_directory"
  exec "$program" "$@"
}
