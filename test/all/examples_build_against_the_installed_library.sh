#!/usr/bin/env bash
# cmake --install gives a tree against which examples/ build, by pkg-config and by find_package, and run.
set -euo pipefail
source_dir=$2 build_dir=$3
if grep -q '^THUD_SANITIZE:STRING=.\+' "$build_dir/CMakeCache.txt"; then
    exit 77 # a sanitized library cannot be linked by a plain program
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build_dir" --prefix "$prefix" >/dev/null

"$prefix/bin/thud" --version
for file in include/thud/thud.h share/man/man1/thud.1 share/thud/scenes/pendulum.xml; do
    [ -f "$prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
lib=$(dirname "$(find "$prefix" -name libthud.so)")

run_all() { # FOLDER: the examples in it run and say something
    "$1/01_hello" "$prefix/share/thud/scenes/double_pendulum.xml" | grep '^energy'
    "$1/02_build_in_code" "$work/chain.csv" | grep '8 rods'
    [ "$(wc -l <"$work/chain.csv")" = 201 ] || { echo "the example's recording is not whole"; exit 1; }
    rm "$work/chain.csv"
}

export PKG_CONFIG_PATH=$lib/pkgconfig
mkdir "$work/by-pkg-config"
for example in "$source_dir"/examples/*.c; do
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" $(pkg-config --cflags --libs thud) \
        "-Wl,-rpath,$lib" -o "$work/by-pkg-config/$(basename "$example" .c)"
done
run_all "$work/by-pkg-config"

cmake -S "$source_dir/examples" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/by-cmake" >/dev/null
run_all "$work/by-cmake"
