#!/usr/bin/env bash
# The benchmarks; tables, JSON and pages are left in out/bench/.
# usage: tools/bench.sh              thud bench, every scene beside every peer, then piles at rest at a tolerance of 1e-3
#        tools/bench.sh quick        the quick ones
#        tools/bench.sh parts        the programs of bench/, one for each part of the engine
#        tools/bench.sh NAME...      some of those: broad, chain, cone, islands, lcp, pairs
#        tools/bench.sh SCENE...     thud bench with these scenes, files and options
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out/bench/states
case "${1:-full}" in
full)
    build/bench/thud bench --full --patience 5 --json --html out/bench/index.html >out/bench/bench.json
    exec build/bench/thud bench pile100_spheres pile100_boxes pile1000_spheres pile1000_boxes --tolerance 1e-3 --repeats 2 --patience 6 --states out/bench/states
    ;;
quick) exec build/bench/thud bench --json --html out/bench/index.html >out/bench/bench.json ;;
parts) programs=(build/bench/bench/bench_*) ;;
*)
    [ -x "build/bench/bench/bench_$1" ] || exec build/bench/thud bench "$@"
    programs=("${@/#/build/bench/bench/bench_}")
    ;;
esac
for program in "${programs[@]}"; do
    name=$(basename "$program")
    echo "== $name"
    "$program" | tee "out/bench/$name.txt"
done
