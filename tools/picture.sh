#!/usr/bin/env bash
# Draws the README's picture again: docs/acrobat.svg.
set -euo pipefail
cd "$(dirname "$0")/.."
build/thud run scenes/acrobat.xml --keyframe leap --time 1.2 --picture docs/acrobat.svg
