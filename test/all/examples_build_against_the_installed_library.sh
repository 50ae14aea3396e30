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

says() { # WORDS COMMAND...: the command's output holds the words
    local words=$1 said
    shift
    said=$("$@") || { echo "$* failed"; exit 1; }
    echo "$said"
    grep -q -- "$words" <<<"$said" || { echo "$* does not say: $words"; exit 1; }
}

below() { # LIMIT A B: |A - B| < LIMIT, and both are numbers
    awk -v limit="$1" -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a ~ /^[-+0-9.e]+$/ && b ~ /^[-+0-9.e]+$/ && d < limit && -d < limit) }' ||
        { echo "$2 is not within $1 of $3"; exit 1; }
}

numbers() { grep -oE -- '[-+]?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?' <<<"$1"; } # one a line

run_all() { # FOLDER: the examples in it run, and what they print is right
    local scenes=$prefix/share/thud/scenes said number
    said=$(says '^energy' "$1/01_hello" "$scenes/double_pendulum.xml" | grep '^energy')
    mapfile -t number < <(numbers "$said")
    below 1e-4 "${number[0]}" "${number[1]}" # energy stays
    says '8 rods' "$1/02_build_in_code" "$work/chain.csv"
    [ "$(wc -l <"$work/chain.csv")" = 201 ] || { echo "the example's recording is not whole"; exit 1; }
    rm "$work/chain.csv"
    said=$(says 'the same bits on 1 and on 3 threads: yes' "$1/03_rollouts" 3 | grep -o 'g): [^ ]* m')
    below 1e-5 "$(numbers "$said" | head -1)" 0 # worst seen 1.1e-6 m: of v^2 / (2 mu g) in any direction
    said=$(says '^angle' "$1/04_custom_force" | grep '^angle')
    mapfile -t number < <(numbers "$said")
    below 2e-6 "${number[0]}" "${number[1]}" # the balance of moments
    said=$(says 'normal  33.84.*' "$1/05_contact_report" "$scenes/table.xml" | tail -2 | head -1)
    below 1e-3 "$(numbers "$said")" 117.72 # 12 kg
    says 'the same bits' "$1/06_save_restore" "$scenes/balls.xml"
    said=$(says 'three swings' "$1/07_control_loop")
    mapfile -t number < <(numbers "$said")
    below 1e-3 "${number[0]}" 0              # rad; worst seen 7.2e-4
    below 1e-4 "${number[2]}" "${number[3]}" # J: what the motors supply is what the arm gains
    mapfile -t number < <(numbers "$(says 'shoulder' "$1/08_sensors")")
    below 1e-6 "${number[1]}" -2.943 # N m: 1 kg at 0.15 m and 0.5 kg at 0.3 m
    below 1e-6 "${number[3]}" 4.905  # N, of the hand
    below 1e-6 "${number[7]}" 0.8    # m, by the rangefinder
    below 1e-9 "${number[7]}" "${number[8]}"
    mapfile -t number < <(numbers "$(says 'the camera sees' "$1/11_look" "$work" | head -1)")
    below 1e-3 "${number[0]}" "$(awk -v top="${number[1]}" 'BEGIN { print 3 - top }')" # m
    [ -s "$work/run.glb" ] && [ -s "$work/run.png" ] || { echo "11_look wrote nothing"; exit 1; }
    says '^2 geoms, 4.500 kg, nothing from the disk: yes' "$1/10_files_in_memory" >/dev/null
    [ "$("$1/10_files_in_memory" | grep -c '^refused: ')" = 2 ] || { echo "10_files_in_memory opens what it must not"; exit 1; }
    below 2e-3 "$(numbers "$(says 'largest' "$1/09_vary" | tail -1)")" 0 # m, of v^2 / (2 mu g)
}

export PKG_CONFIG_PATH=$lib/pkgconfig
mkdir "$work/by-pkg-config"
for example in "$source_dir"/examples/*.c; do
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" -pthread $(pkg-config --cflags --libs thud_view) -lm \
        "-Wl,-rpath,$lib" -o "$work/by-pkg-config/$(basename "$example" .c)"
done
run_all "$work/by-pkg-config"

cmake -S "$source_dir/examples" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/by-cmake" >/dev/null
run_all "$work/by-cmake"
