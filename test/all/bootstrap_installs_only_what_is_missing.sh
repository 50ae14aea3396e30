#!/usr/bin/env bash
# tools/bootstrap.sh does nothing when all is there, installs what is missing as root or with sudo, and otherwise prints the
# one command to type. The machine is played by shims: PATH holds nothing else.
set -euo pipefail
script=$2/tools/bootstrap.sh
shims=$(mktemp -d)
trap 'rm -rf "$shims"' EXIT

for tool in bash grep; do ln -s "$(command -v $tool)" "$shims/$tool"; done
shim() { # NAME SCRIPT
    printf '#!%s\n%s\n' "$shims/bash" "$2" >"$shims/$1"
    chmod +x "$shims/$1"
}
machine() { # USER-ID MISSING-PACKAGE-OR-NONE
    rm -f "$shims"/{sudo,log}
    shim npm ""
    shim id "echo $1"
    shim dpkg-query "for last; do :; done; [ \"\$last\" != '$2' ] && echo 'install ok installed'"
    shim apt-get "echo \"apt-get \$*\" >>'$shims/log'"
}
bootstrap() { PATH=$shims bash "$script" "$@"; }
expect() { # WHAT GOT PATTERN
    # shellcheck disable=SC2254
    case "$2" in $3) ;; *) echo "$1: '$2'"; exit 1 ;; esac
}

machine 1000 none
expect "nothing is missing, so nothing is said" "$(bootstrap build test check bench 2>&1)" ''
expect "nothing is missing, so nothing is installed" "$(ls "$shims")" 'apt-get*dpkg-query*grep*id*npm'

machine 1000 libcmocka-dev
if said=$(bootstrap build test 2>&1); then echo "an unprivileged user with a missing package must be told"; exit 1; fi
expect "the one command to type" "$said" '*sudo apt-get update && sudo apt-get install -y --no-install-recommends libcmocka-dev*'
expect "one command only" "$(grep -c 'apt-get install' <<<"$said")" 1
[ ! -e "$shims/log" ] || { echo "apt-get was run without the right to"; exit 1; }

machine 0 libcmocka-dev
expect "root is told what is installed" "$(bootstrap build test 2>&1)" '*libcmocka-dev*'
expect "root installs exactly that" "$(cat "$shims/log")" '*apt-get install -y --no-install-recommends libcmocka-dev'
rm "$shims/log"
expect "a job that does not need it does not install it" "$(bootstrap build 2>&1)$(find "$shims" -name log)" ''

rm "$shims/npm"
bootstrap build >/dev/null 2>&1
expect "root also gets npm, for the viewer of reports" "$(cat "$shims/log")" '*apt-get install -y --no-install-recommends nodejs npm'
machine 1000 none
rm "$shims/npm"
expect "others need no npm to build" "$(bootstrap build 2>/dev/null)" ''

machine 1000 clang-tidy
# shellcheck disable=SC2016
shim sudo '[ "$1" = -n ] && shift; [ "$1" = true ] && exit 0; echo "sudo $*" >>"'"$shims"'/log"; "$@"'
bootstrap check >/dev/null 2>&1
expect "sudo is used where it works" "$(cat "$shims/log")" '*sudo apt-get install -y --no-install-recommends clang-tidy*'

if bootstrap nonsense >/dev/null 2>&1; then echo "a job that does not exist must be refused"; exit 1; fi
