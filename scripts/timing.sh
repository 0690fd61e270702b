# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How long the commands of ./dev take: said beforehand, and while they run and print nothing. Sourced by `dev`, never run:
# `root` is set. What takes most of most commands, building, is told by build_targets (scripts/common.sh) by itself.

# What the last runs on this machine took: "SECONDS<tab>COMMAND AND ARGUMENTS", without building.
# shellcheck disable=SC2154  # of `dev`
took=$root/build/took

# Seconds on two processors, for first runs; those marked * are shorter with more processors.
figures='150 demo
590* test
150* lint --tidy
300 bench --quick
4860 bench
12600 bench --thorough
420 attack names
3600 soak
1350* elsewhere'

# spoken SECONDS: as people say it.
spoken() {
  local seconds=$1
  if [ "$seconds" -lt 100 ]; then
    echo "$seconds s"
  elif [ "$seconds" -lt 600 ]; then
    echo "$((seconds / 60)) min $((seconds % 60)) s"
  elif [ "$seconds" -lt 6000 ]; then
    echo "$(((seconds + 30) / 60)) min"
  else
    echo "$((seconds / 3600)) h $((seconds % 3600 / 60)) min"
  fi
}

# what_is_known COMMAND...: what to expect of it, in words.
what_is_known() {
  local seconds='' figure
  # The last line counts.
  seconds=$(awk -F '\t' -v line="$*" '$2 == line { found = $1 } END { print found }' "$took" 2>/dev/null) || true
  if [ -n "$seconds" ]; then
    echo "takes about $(spoken "$seconds"), as the last time"
    return
  fi
  figure=$(awk -v line="$*" '{ figure = $1; sub(/^[^ ]+ /, "") } $0 == line { print figure }' <<<"$figures")
  case $figure in
    '') echo "has not run here yet: how long it takes will be known the next time" ;;
    *'*') echo "takes about $(spoken $((${figure%'*'} * 2 / $(nproc))))" ;;
    *) echo "takes about $(spoken "$figure")" ;;
  esac
}

# tell_of_silence COMMAND: until its parent ends, a line on standard error each time that nothing was printed for DEV_SILENCE
# seconds (60). Terminals and files tell when they were last written to; pipes do not by newer kernels, and what is read from one has a
# line each time.
tell_of_silence() {
  local command=$1 silence=${DEV_SILENCE:-60} written
  exec 3>&1 4>&2
  touch "$DEV_RUN/told"
  while kill -0 $$ 2>/dev/null; do
    sleep 1 >/dev/null 2>&1 3>&- 4>&- # or a reader of these would wait for it
    written=$(stat -L -c %Y /dev/fd/3 /dev/fd/4 "$DEV_RUN/told" 2>/dev/null | sort -n | tail -n 1) || true
    if [ $(($(date +%s) - ${written:-0})) -ge "$silence" ]; then
      echo "dev: $command: $(spoken $SECONDS) so far; $(tail -n 1 "$DEV_RUN/doing" 2>/dev/null)" >&2
      touch "$DEV_RUN/told"
    fi
  done
}

# run_timed COMMAND ARGUMENTS...: runs scripts/COMMAND.sh, and remembers what it took if it succeeds.
run_timed() {
  local status=0 teller built took_now words="$*"
  case " ${*:2} " in *' --help '* | *' -h '* | *' --list '*) exec bash "$root/scripts/$1.sh" "${@:2}" ;; esac
  DEV_RUN=$(mktemp -d) # no CORBEL_...: ORBs take those for options
  export DEV_RUN
  echo "dev: $words $(what_is_known "$@")" >&2
  SECONDS=0
  tell_of_silence "$1" &
  teller=$!
  # shellcheck disable=SC2064  # as they are now
  trap "kill $teller 2>/dev/null || true; rm -rf '$DEV_RUN'" EXIT
  # It ends with this process, whatever ends that.
  setpriv --pdeathsig TERM bash "$root/scripts/$1.sh" "${@:2}" || status=$?
  built=$(awk '{ sum += $1 } END { print sum + 0 }' "$DEV_RUN/built" 2>/dev/null) || true
  took_now=$((SECONDS - ${built:-0}))
  if [ "$status" = 0 ]; then
    mkdir -p "$root/build"
    { awk -F '\t' -v line="$words" '$2 != line' "$took" 2>/dev/null || true; } >"$DEV_RUN/took"
    printf '%s\t%s\n' "$took_now" "$words" >>"$DEV_RUN/took"
    cp "$DEV_RUN/took" "$took"
  fi
  [ "$SECONDS" -lt 60 ] || echo "dev: $words took $(spoken "$took_now"), and $(spoken "${built:-0}") for building" >&2
  exit "$status"
}
