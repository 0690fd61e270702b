# SPDX-License-Identifier: Apache-2.0
# Completion of `corbel` and `corbel-named` in fish: subcommands and options as --help has them, else files.
function __corbel_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l commands
    for word in $words[2..]
        string match -qr '^[a-z]+$' -- $word; or break
        contains -- $word ($program $commands --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p'); or break
        set -a commands $word
    end
    if string match -q -- '-*' $current
        $program $commands --help 2>/dev/null | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' '\n'
    else
        $program $commands --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\).*/\1/p'
    end
end
complete -c corbel -a '(__corbel_words)'
complete -c corbel-named -a '(__corbel_words)'
