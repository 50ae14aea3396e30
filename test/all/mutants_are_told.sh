#!/usr/bin/env bash
# Lines of the code that makes and moves contacts are broken, one at a time: the program must grade its own run wrong.
# usage: mutants_are_told.sh THUD SOURCE_DIR BUILD_DIR
set -euo pipefail
thud=$1 source=$2 build=$3
skip() { echo "skipped: $1"; exit 77; }
command -v ninja >/dev/null || skip "no ninja, whose database tells how the program is made"
[ -e "$build/build.ninja" ] && [ -e "$build/compile_commands.json" ] || skip "not built by ninja"
! grep -q -e '-fsanitize' "$build/compile_commands.json" || skip "the release build tells it"
exec python3 "$source/tools/mutants.py" "$build" --program "$thud"
