# SPDX-License-Identifier: Apache-2.0
# Completion of `corbel` and `corbel-named` in bash: subcommands and options as --help has them, else files.
_corbel() {
  local current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} commands=() word known
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word =~ ^[a-z]+$ ]] || break
    known=$("$program" "${commands[@]}" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p')
    grep -qx -- "$word" <<<"$known" || break
    commands+=("$word")
  done
  local help
  help=$("$program" "${commands[@]}" --help 2>/dev/null) || return
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(-[^ ]*\).*/\1/p' <<<"$help" | tr ',' '\n')" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p' <<<"$help")" -- "$current")
    [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _corbel corbel corbel-named
