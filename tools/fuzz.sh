#!/usr/bin/env bash
# fuzz.sh [mjcf|urdf] [SECONDS]: throws damaged files at a loader with libFuzzer, starting from the scenes; crashes stay in build/fuzz/.
set -euo pipefail
cd "$(dirname "$0")/.."
format=${1:-mjcf} seconds=${2:-60}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target "fuzz_$format"
corpus=build/fuzz/corpus_$format
mkdir -p "$corpus"
if [ "$format" = urdf ]; then cp scenes/*.urdf "$corpus"; else find scenes test/mujoco -name '*.xml' -size -12k -exec cp {} "$corpus" \;; fi
build/fuzz/test/fuzz/fuzz_"$format" "$corpus" -artifact_prefix=build/fuzz/ -max_total_time="$seconds" -max_len=16384 \
    -timeout=20 -rss_limit_mb=4096 -dict=test/fuzz/"$format".dict -print_final_stats=1
