#!/usr/bin/env bash
# Builds Thud by how it runs (gcc's profiles): once so that it notes what it does in the scenes of the bench, then for that. What
# both builds make of a few scenes must have the same bits. Leaves build/trained/, to be run from there or installed:
#     make trained && cmake --install build/trained --prefix DIR
set -euo pipefail
cd "$(dirname "$0")/.."
at=build/trained
jobs=${JOBS:-$(nproc)}
scenes="box slide rod balls humanoid hand trot quadruped pendulum3 pendulum3_low pendulum24 stack10 card_house mass_ratio humanoids22
        pile100_spheres pile100_boxes"

build() { # note|use TARGET...
    cmake --preset trained -DTHUD_PROFILE="$1" >"$at.log" 2>&1 && cmake --build "$at" -j"$jobs" --target "${@:2}" >>"$at.log" 2>&1 ||
        { tail -n 30 "$at.log"; exit 1; }
}
states() { # FOLDER: where a few scenes lead to
    mkdir -p "$1"
    for scene in box gripper humanoid pile100; do
        "$at/thud" run "scenes/$scene.xml" --time 0.3 --save-state "$1/$scene.state" >/dev/null
    done
}

mkdir -p build
rm -rf "$at"
echo "building a program that notes what it does"
build note thud
echo "noting:" $scenes
# shellcheck disable=SC2086
"$at/thud" bench $scenes --peers none --repeats 1 --patience 1 >/dev/null
states "$at/noted"
echo "building it anew by what was noted"
build use thud thud_shared
states "$at/used"
diff -r "$at/noted" "$at/used" || { echo "tools/train.sh: the trained program does not have the same bits" >&2; exit 1; }
echo "$at/thud is trained; it has the same bits"
