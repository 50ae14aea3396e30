#compdef thud
# Completion of thud for zsh: commands, options and their words, read from the program's own --help.
_thud_commands() { # name:what it does
    thud --help | sed -n '/^commands/,/^options/s/^  \([a-z]*\)  *\(.*\)/\1:\2/p'
}
_thud_options() { # COMMAND     --name:what it does
    thud "$1" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\)[^ ]*\( [^ ]*\)\{0,1\}  *\(.*\)/\1:\3/p'
}
_thud_words() { # COMMAND OPTION     the words that an option takes, if it takes words
    thud "$1" --help 2>/dev/null | sed -n "s/^  $2 \([a-z0-9-]*\(|[a-z0-9-]*\)\{1,\}\).*/\1/p" | tr '|' '\n'
}
_thud() {
    local -a list
    if (( CURRENT == 2 )); then
        list=("${(@f)$(_thud_commands)}")
        _describe command list
        return
    fi
    list=(${(f)"$(_thud_words $words[2] $words[CURRENT-1])"})
    if [[ $words[CURRENT] == -* ]]; then
        list=("${(@f)$(_thud_options $words[2])}")
        _describe option list
    elif (( $#list )); then
        compadd -a list
    else
        _files
    fi
}
if [[ $funcstack[1] == _thud ]]; then _thud "$@"; else compdef _thud thud; fi
