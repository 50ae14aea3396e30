#!/usr/bin/env bash
# tools/check_knots.py, check_stages.py and check_map.py pass on the tree as it is, and fail where a file calls another in a circle, a
# room calls upward, a door takes a function pointer, a stage grows or is written by a stranger, the map names what is not there.
set -euo pipefail
source_dir=$2
build=$3
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for name in "$source_dir"/*; do # all but what a build makes
    case "${name##*/}" in build | out) ;; *) cp -r "$name" "$copy" ;; esac
done
mkdir -p "$copy/objects/CMakeFiles"
for room in "$build"/CMakeFiles/thud_room_*.dir; do
    cp -r "$room" "$copy/objects/CMakeFiles/"
done

passes() { # CHECK: it passes
    python3 "$copy/tools/check_$1.py" ${2:+"$2"} >"$copy/said" || { cat "$copy/said"; exit 1; }
}
refused() { # CHECK WORDS [BUILD]: it fails and says WORDS
    if python3 "$copy/tools/check_$1.py" ${3:+"$3"} >"$copy/said"; then
        echo "check_$1.py let pass what should be '$2'"
        exit 1
    fi
    grep -qF -- "$2" "$copy/said" || { echo "check_$1.py did not say '$2':"; cat "$copy/said"; exit 1; }
}
broken() { # SOURCE C-CODE: compiles SOURCE with a function more, into the copy's objects
    cp "$source_dir/src/$1" "$copy/src/$1"
    printf '%s\n' "$2" >>"$copy/src/$1"
    cc -std=gnu17 -w -fPIC -I"$copy/src" -I"$copy/include" -I"$build/generated" -DTHUD_BUILDING=1 -c "$copy/src/$1" \
        -o "$copy/objects/CMakeFiles/thud_room_${1%%/*}.dir/src/$1.o"
    cp "$source_dir/src/$1" "$copy/src/$1"
}
mended() { cp "$build/CMakeFiles/thud_room_${1%%/*}.dir/src/$1.o" "$copy/objects/CMakeFiles/thud_room_${1%%/*}.dir/src/$1.o"; }

objects=$copy/objects
passes knots "$objects"
broken step/go.c 'void calls_back(thud_sim *sim); void calls_back(thud_sim *sim) { (void)step_euler(sim, 0, 0); }'
refused knots "2 files of 'step' call each other in a circle, 0 may: euler.c go.c" "$objects"
mended step/go.c
broken law/laws.c 'void calls_up(void); void sim_look(void); void calls_up(void) { sim_look(); }'
refused knots "calls sim_look of room 'step', which is not below 'law'" "$objects"
mended law/laws.c
passes knots "$objects"
echo 'void thud_rows_ask(int (*whom)(void *of), void *of);' >>"$copy/include/thud/contact.h"
refused knots 'takes the function pointer whom' "$objects"
cp "$source_dir/include/thud/contact.h" "$copy/include/thud/contact.h"
echo 'knot base 2 no reason' >>"$copy/tools/knots.txt"
refused knots "the largest knot of 'base' has 0 files, not 2: lower the number" "$objects"
cp "$source_dir/tools/knots.txt" "$copy/tools/knots.txt"

passes stages
sed -i 's/^typedef struct sight_stage {/& int one_more, and_another;/' "$copy/src/step/sim.h"
refused stages 'sight_stage has 22 fields, 20 are the most'
cp "$source_dir/src/step/sim.h" "$copy/src/step/sim.h"
echo 'void strange(thud_sim *sim) { sim->judge.certify = false; }' >>"$copy/src/step/go.c"
refused stages 'src/step/go.c:1:1: writes sim->judge'
cp "$source_dir/src/step/go.c" "$copy/src/step/go.c"

passes map
sed -i 's/`settle_positions`/`settle_position`/' "$copy/ARCHITECTURE.md"
refused map 'there is no settle_position in src/settle/project.c'
