#!/usr/bin/env bash
# Draws the README's picture again, docs/report.png: a report in headless Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/bootstrap.sh build browser
mkdir -p out
build/thud run scenes/dominoes.xml --keyframe start --time 1.2 --report out/dominoes.html
node web/screenshot.mjs out/dominoes.html docs/report.png 0.42
