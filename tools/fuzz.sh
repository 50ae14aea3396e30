#!/usr/bin/env bash
# fuzz.sh [mjcf|urdf|mesh|image] [SECONDS]: throws damaged files at a reader with libFuzzer, from our own files on; crashes stay
# in build/fuzz/.
set -euo pipefail
cd "$(dirname "$0")/.."
format=${1:-mjcf} seconds=${2:-60}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target "fuzz_$format"
corpus=build/fuzz/corpus_$format
mkdir -p "$corpus"
case $format in
mjcf) find scenes test/mujoco -name '*.xml' -size -12k -exec cp {} "$corpus" \; ;;
urdf) cp scenes/*.urdf "$corpus" ;;
image) find docs -name '*.png' -size -40k -exec cp {} "$corpus" \; ;;
esac
dict=()
[ ! -e "test/fuzz/$format.dict" ] || dict=(-dict="test/fuzz/$format.dict")
build/fuzz/test/fuzz/fuzz_"$format" "$corpus" -artifact_prefix=build/fuzz/ -max_total_time="$seconds" -max_len=65536 \
    -timeout=20 -rss_limit_mb=4096 "${dict[@]}" -print_final_stats=1
