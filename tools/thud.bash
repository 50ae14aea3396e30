# Completion of thud for bash: commands, options and their words, read from the program's own --help.
_thud() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help choices
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(thud --help | sed -n '/^commands/,/^options/s/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    help=$(thud "${COMP_WORDS[1]}" --help 2>/dev/null)
    choices=$(sed -n "s/^  $before \([a-z0-9-]*\(|[a-z0-9-]*\)\{1,\}\).*/\1/p" <<<"$help" | tr '|' ' ')
    if [[ $word == -* ]]; then
        choices=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help")
    elif [ -z "$choices" ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o filenames -F _thud thud
