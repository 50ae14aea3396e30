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
"$thud" run "$source/scenes/humanoid.xml" --time 1.5 --record "$work/cone.h5" --record-contacts >/dev/null
"$thud" run "$source/scenes/humanoid.xml" --time 1.2 --law box --record "$work/box.h5" --record-contacts --json >"$work/compare.json"
"$thud" report "$work/cone.h5" "$work/box.h5" --out "$work/compare.html" >/dev/null
# Ten seconds of a humanoid are less than 3 MB, viewer and all; writing the page of a quadruped's takes less than 5 s.
mkdir "$work/more"
"$thud" run "$source/scenes/humanoid.xml" --time 10 --report "$work/more/size.html" >/dev/null
[ "$(stat -c %s "$work/more/size.html")" -lt 3000000 ] || { echo "10 s of a humanoid are $(stat -c %s "$work/more/size.html") bytes"; exit 1; }
seconds() { # COMMAND...     of the processor
    local TIMEFORMAT="%U %S" spent
    spent=$({ time "$@" >/dev/null; } 2>&1)
    awk '{ print $1 + $2 }' <<<"$spent"
}
bare=$(seconds "$thud" run "$source/scenes/quadruped.xml" --time 10)
page=$(seconds "$thud" run "$source/scenes/quadruped.xml" --time 10 --report "$work/more/quadruped.html")
awk "BEGIN { exit !($page - $bare < 5) }" || { echo "a report of a quadruped takes $page s, its run $bare s"; exit 1; }
node "$source/test/all/reports_live_in_a_browser.mjs" "$source/web" "$work"
