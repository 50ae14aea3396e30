#!/usr/bin/env bash
# Reports of three scenes, and one of two runs, in a real browser, without a network: see reports_live_in_a_browser.mjs. Once, in release.
set -euo pipefail
thud=$1 source=$2 build=$3
skip() { echo "skipped: $1"; exit 77; }
grep -q '^THUD_SANITIZE:STRING=.' "$build/CMakeCache.txt" && skip "sanitized programs write the same pages, and are tested by program_keeps_its_contract"
command -v chromium >/dev/null || skip "chromium is not installed (tools/bootstrap.sh browser)"
[ -d "$source/web/node_modules/playwright-core" ] || skip "playwright-core is not installed (npm ci in web/)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report() { # SCENE SECONDS [OPTION...]
    "$thud" run "$source/scenes/$1.xml" --time "$2" --report "$work/$1.html" --json "${@:3}" >"$work/$1.json"
}
report humanoid 2
grep -q data-run "$work/humanoid.html" || skip "this program was built without the viewer"
report dominoes 0.6 --keyframe start
report gyroscope 1 --keyframe spin
"$thud" run "$source/scenes/humanoid.xml" --time 1.5 --record "$work/cone.h5" >/dev/null
"$thud" run "$source/scenes/humanoid.xml" --time 1.2 --law box --record "$work/box.h5" --json >"$work/compare.json"
"$thud" report "$work/cone.h5" "$work/box.h5" --out "$work/compare.html" >/dev/null
node "$source/test/all/reports_live_in_a_browser.mjs" "$source/web" "$work"
