#!/usr/bin/env bash
# make pictures: the pictures of the documents again, by our own program: docs/spiral.png plays, docs/report.png is a report in Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bootstrap.sh build browser
mkdir -p out
build/thud run scenes/spiral.xml --keyframe start --time 1.7 --video docs/spiral.png --fps 20 --speed 0.5 --size 640x360 --camera -60,34
build/thud run scenes/dominoes.xml --keyframe start --time 1.2 --report out/dominoes.html
node web/screenshot.mjs out/dominoes.html docs/report.png 0.42

# Those of docs/robots.md.
robot() { # SCENE KEYFRAME SECONDS CAMERA
    build/thud run "scenes/$1.xml" --keyframe "$2" --ctrl "scenes/$1.csv" --time "$3" --snapshot "docs/figures/$1.png" --size 480x360 --camera="$4" >out/robot.txt
}
robot trot trot 3.12 -60,15,0.85
robot pick home 4.8 -55,20,1.05
robot squat stand 2.2 -60,12,1

# That of docs/tutorial.md.
tools/run_documents.py --write build/thud docs/tutorial.md
