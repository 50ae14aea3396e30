#!/usr/bin/env bash
# make run: simulates four scenes with contact, prints their certificates and leaves reports to look at.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
show() { # SCENE SECONDS [OPTION...]
    build/thud run "scenes/$1.xml" --time "$2" --report "out/$1.html" "${@:3}"
    echo
}
show dominoes 1.2 --keyframe start
show billiards_break 2 --keyframe start
show humanoid 3 --record out/humanoid.csv
show pick 10 --keyframe home --ctrl scenes/pick.csv
echo "Look at out/pick.html, out/humanoid.html, out/billiards_break.html and out/dominoes.html: open them in any browser, no network needed."
echo "out/humanoid.csv holds every step of the humanoid."
