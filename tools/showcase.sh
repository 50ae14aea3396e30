#!/usr/bin/env bash
# make run: simulates three scenes, prints their certificates and leaves reports to look at.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
show() { # SCENE KEYFRAME SECONDS
    build/thud run "scenes/$1.xml" --keyframe "$2" --time "$3" --report "out/$1.html" --record "out/$1.csv"
    echo
}
show acrobat leap 1.2
show chain30 start 5
show gyroscope spin 3
echo "Look at out/acrobat.html, out/chain30.html and out/gyroscope.html; the .csv files beside them hold every step."
