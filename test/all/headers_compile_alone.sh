#!/usr/bin/env bash
# Every public header compiles alone, as C17 and as C++17, without a warning.
set -euo pipefail
source_dir=$2
failed=0
for header in "$source_dir"/include/thud/*.h; do
    for try in "${CC:-cc} -std=c17 -x c -Wstrict-prototypes" "${CXX:-c++} -std=c++17 -x c++"; do
        # shellcheck disable=SC2086
        printf '#include "%s"\n' "$header" |
            $try -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror -I"$source_dir/include" - ||
            { echo "$header: does not compile alone: $try"; failed=1; }
    done
done
exit $failed
