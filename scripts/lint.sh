#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks format, layers and habits: clang-format, shellcheck, the house's own checks and, on demand, clang-tidy.
#
# usage: ./dev lint [--fix] [--tidy] [FILE...]
#
#   --fix    let clang-format rewrite what it would complain about
#   --tidy   run clang-tidy as well (a few minutes)
#   FILE     look at these sources only (default: all; clang-tidy reads the sources of src/ that are no tests)

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

fix='' with_tidy='' files=()
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --fix) fix=yes ;;
    --tidy) with_tidy=yes ;;
    -*) fail "lint: unknown option '$1' (see ./dev lint --help)" ;;
    *) files+=("$(realpath --relative-to="$root" -- "$(absolute_path "$1")")") ;;
  esac
  shift
done
need lint
chosen=${files[*]}
if [ -z "$chosen" ]; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.hpp' '*.cpp' | sort -u)
fi

failed=()
# check NAME COMMAND...: runs one check, says how long it took, remembers a failure.
check() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  if "$@"; then echo "ok ($((SECONDS - start)) s)"; else failed+=("$name"); fi
}

format() {
  local existing=() file unformatted
  for file in "${files[@]}"; do [ ! -f "$file" ] || existing+=("$file"); done
  if [ -n "$fix" ]; then
    printf '%s\0' "${existing[@]}" | xargs -0 -r -n 40 -P "$(processors)" clang-format-14 -i
    return
  fi
  # shellcheck disable=SC2016  # $1 belongs to the inner shell
  unformatted=$(printf '%s\0' "${existing[@]}" | xargs -0 -r -n 1 -P "$(processors)" sh -c \
    'clang-format-14 --dry-run -Werror "$1" 2>/dev/null || echo "$1"' sh | sort)
  [ -z "$unformatted" ] || {
    printf 'not formatted (./dev lint --fix does it):\n%s\n' "$unformatted"
    return 1
  }
}
scripts() { shellcheck -x dev .ci/run scripts/*.sh; }
layers() { python3 scripts/check_layers.py "$root"; }
documents() { bash scripts/docs.sh; }
# What clang-tidy reads: the sources of src/ that are no tests. With all of them it reads each room as one, which takes a
# seventh of the time, because most of that goes into headers. What it then cannot tell (names that a source brings in and does
# not use) is told by check_looks.py. Files that were asked for are read by themselves.
tidy_sources() {
  if [ -n "$chosen" ]; then
    printf '%s\n' "${files[@]}" | grep -E '^src/.*\.cpp$' | grep -v '_test\.cpp$' || true
  else
    sed -nE 's/^  "file": "(.*)",?$/\1/p' build/tidy/compile_commands.json |
      grep -E "^$root/(build/tidy/src/.*/Unity/|src/)" | xargs -r wc -c | grep -v ' total$' | sort -rn | sed 's/^ *[0-9]* //'
  fi
}
# What clang-tidy says of a header comes once for each source that includes it, so repeated lines are dropped.
tidy() {
  local unity=ON
  [ -z "$chosen" ] || unity=OFF
  mkdir -p build/logs
  cmake --preset release -B build/tidy -DCORBEL_UNITY=$unity -DCORBEL_TESTS=OFF -DCORBEL_BENCH=OFF -DCORBEL_EXAMPLES=OFF \
    >build/logs/clang-tidy.log 2>&1 || { cat build/logs/clang-tidy.log; return 1; }
  tidy_sources | xargs -r -n 1 -P "$(processors)" clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument \
    --checks=-bugprone-suspicious-include -p build/tidy 2>>build/logs/clang-tidy.log | awk '!seen[$0]++'
}

check "Format (clang-format)" format
check "Layers and house rules" layers
check "Documentation (links, Doxygen)" documents
check "Scripts (shellcheck)" scripts
if [ -n "$with_tidy" ]; then
  check "Names and habits (clang-tidy)" tidy
fi

[ ${#failed[@]} -eq 0 ] || {
  printf '\nlint: failed: %s\n' "$(printf '%s; ' "${failed[@]}")" >&2
  exit 1
}
printf '\nlint: all clean\n'
