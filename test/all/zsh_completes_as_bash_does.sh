#!/usr/bin/env bash
# tools/thud.zsh offers commands, options and the words of an option as the program's own help has them.
set -euo pipefail
command -v zsh >/dev/null || { echo "skipped: zsh is not installed"; exit 77; }
program=$1 completion=$2/tools/thud.zsh zsh -f <<'ZSH'
thud() { $program "$@" }
compdef() { registered=$2 }
_describe() { offered=("${(@P)2}") }              # zsh's own would print them
compadd() { offered=("${(@P)2}") }
_files() { offered=(files) }
source $completion
offer() { words=("$@") CURRENT=$#; offered=(); _thud }
has() { [[ -n ${(M)offered:#$~1} ]] || { print "thud $words[2,-1]: no $1 in ${(j:, :)offered}"; exit 1 } }
[[ $registered == thud ]] || { print "compdef was not called"; exit 1 }
offer thud ''
has 'run:simulate*'; has 'report:*'
offer thud run scene.xml --
has '--solver*'; has '--report:write a page*'; has '--help:*'
offer thud run scene.xml --solver ''
has murty; has newton
offer thud run scene.xml --coordinates m
[[ "$offered" == "minimal maximal" ]] || { print "coordinates: $offered"; exit 1 }
offer thud run ''
has files
offer thud run scene.xml --record ''
has files
print "zsh completes"
ZSH
