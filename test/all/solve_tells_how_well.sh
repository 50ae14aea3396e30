#!/usr/bin/env bash
# thud solve: files of both kinds, random classes, and the exit codes of the contract.
set -euo pipefail
thud=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }

"$thud" solve --random box --count 1 --write "$work/box.hdf5" >/dev/null || fail "a box on its corners is solved"
"$thud" solve "$work/box.hdf5" --json >"$work/answer" || fail "a problem it wrote is one it reads and solves"
for key in size contacts solver outcome iterations residual wall_s; do
    grep -q "\"$key\":" "$work/answer" || fail "the answer has no $key"
done
grep -q '"outcome": "solved"' "$work/answer" || fail "the outcome is solved"
grep -q '"rank": 6' "$work/answer" || fail "a box has six degrees of freedom, whatever its corners"
[ "$("$thud" solve "$work/box.hdf5" --all | grep -c -E '^(auto|nsgs|newton|proximal|admm) ')" = 5 ] ||
    fail "--all lists every method of the cone"

"$thud" solve --random positive-definite:8 --count 1 --write "$work/lcp.txt" >/dev/null || fail "an LCP is solved"
"$thud" solve "$work/lcp.txt" --solver dantzig | grep -q solved || fail "an LCP file is solved by the method named"

code() { local want=$1; shift; local got=0; "$@" >/dev/null 2>"$work/said" || got=$?; [ "$got" = "$want" ] || fail "$*: $got, not $want"; }
code 3 "$thud" solve "$work/box.hdf5" --tolerance 1e-300
code 2 "$thud" solve "$work/box.hdf5" --solver lemke
code 2 "$thud" solve "$work/box.hdf5" --solver nonsense
code 2 "$thud" solve
code 1 "$thud" solve "$work/none.hdf5"
code 2 "$thud" solve --random nonsense
head -c 700 "$work/box.hdf5" >"$work/cut.hdf5"
code 1 "$thud" solve "$work/cut.hdf5"
grep -q '^.*cut.hdf5:1:1: ' "$work/said" || fail "a damaged file is named with its place"
[ "$(wc -l <"$work/said")" = 1 ] || fail "and in one line"
