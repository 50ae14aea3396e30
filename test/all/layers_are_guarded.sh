#!/usr/bin/env bash
# tools/check_layers.py passes on the tree as it is, and fails on each kind of include that points the wrong way.
set -euo pipefail
source_dir=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/tools"
cp -r "$source_dir"/{LAYERS,include,src,view,cli} "$copy"
cp "$source_dir/tools/check_layers.py" "$copy/tools"

refused() { # FILE LINE WORDS: with LINE added to FILE the checker fails and says WORDS
    mkdir -p "$(dirname "$copy/$1")"
    echo "$2" >>"$copy/$1"
    if said=$(python3 "$copy/tools/check_layers.py"); then
        echo "'$2' in $1 was let through"
        exit 1
    fi
    grep -qF -- "$3" <<<"$said" || { echo "'$2' in $1 was refused, but not for '$3': $said"; exit 1; }
    if [ -e "$source_dir/$1" ]; then cp "$source_dir/$1" "$copy/$1"; else rm "$copy/$1"; fi
}

python3 "$copy/tools/check_layers.py" >/dev/null
refused src/base/status.c '#include <thud/spatial.h>' "room 'base' may not include <thud/spatial.h>"
refused src/spatial/inertia.c '#include <thud/linalg.h>' "'linalg' is not below it"
refused include/thud/spatial.h '#include <thud/spec.h>' "room 'spatial' may not include"
refused src/spec/spec.c '#include "../record/format.h"' "reaches into another folder"
refused src/spec/spec.c '#include "format.h"' "is not a header of room 'spec'"
refused src/spec/spec.c '#include <thud/thud.h>' "includes the whole library"
refused src/spec/spec.c '#include <thud/nothing.h>' "is the door of no room"
refused include/thud/nothing.h '#pragma once' "the door of no room"
refused src/attic/box.c '' "room 'attic' is not in LAYERS"
refused cli/spec.c '' "a second file called spec.c"
refused src/spec/spec.c '#include <step/door.h>' "'step' is not below it"
refused src/sim/handle.c '#include <step/sim.h>' "is private to room 'step'"
refused src/sim/handle.c '#include <base/door.h>' "is the door of no room"
refused cli/info.c '#include <step/door.h>' "is a door for rooms of the library"
