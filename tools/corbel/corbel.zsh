#compdef corbel corbel-named
# SPDX-License-Identifier: Apache-2.0
# Completion of `corbel` and `corbel-named` in zsh: subcommands and options as --help has them, else files.
local -a commands known
local word help
for word in "${(@)words[2,CURRENT-1]}"; do
  [[ $word =~ '^[a-z]+$' ]] || break
  known=(${(f)"$($words[1] $commands --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p')"})
  (( $known[(Ie)$word] )) || break
  commands+=($word)
done
help=$($words[1] $commands --help 2>/dev/null) || return 1
if [[ $PREFIX == -* ]]; then
  known=(${(f)"$(sed -n 's/^  \(-[^ ]*\).*/\1/p' <<<$help | tr ',' '\n')"})
  compadd -- $known
else
  known=(${(f)"$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p' <<<$help)"})
  compadd -- $known || _files
fi
