#!/usr/bin/env bash
# tools/thud.bash completes commands, options and the words of an option as the program's own help has them.
set -euo pipefail
program=$1
thud() { "$program" "$@"; }
# shellcheck source=/dev/null
source "$2/tools/thud.bash"
expect() { # WANTED WORD...     the last word is being typed
    COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
    _thud
    [ "${COMPREPLY[*]}" = "$1" ] || { echo "thud ${*:3}: '${COMPREPLY[*]}', not '$1'"; exit 1; }
}
expect "run reproduce replay report" thud r
expect "--report" thud run scene.xml --repo
expect "murty" thud run scene.xml --solver m
expect "minimal maximal" thud run scene.xml --coordinates m
expect "$2/README.md" thud run "$2/READ"
