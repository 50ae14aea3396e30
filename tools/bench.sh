#!/usr/bin/env bash
# Runs every benchmark (or those named) and leaves their tables in out/bench/.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out/bench
programs=()
if [ $# -gt 0 ]; then
    for name in "$@"; do programs+=("build/bench/bench/bench_$name"); done
else
    programs=(build/bench/bench/bench_*)
fi
for program in "${programs[@]}"; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    name=$(basename "$program")
    echo "== $name"
    "$program" | tee "out/bench/$name.txt"
done
