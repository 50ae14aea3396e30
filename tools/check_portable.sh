#!/usr/bin/env bash
# Compiles libthud's core and libthud_view for systems that are not here, by zig's C compiler (pip install ziglang). Nothing is linked or run.
#
#     tools/check_portable.sh [TARGET...]       default: aarch64-macos x86_64-linux-musl
#
# ZIG names the compiler; without it `python3 -m ziglang` is taken. expat's and zlib's headers are those of this system; optional parts are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- aarch64-macos x86_64-linux-musl
zig=${ZIG:-python3 -m ziglang}
$zig version >/dev/null 2>&1 || { echo "check_portable: no zig: pip install ziglang, or ZIG=..."; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
cp /usr/include/expat*.h /usr/include/zlib.h /usr/include/zconf.h "$work/include"
generated=$(ls -d build/*/generated 2>/dev/null | head -1)
[ -n "$generated" ] || { echo "check_portable: configure a build first (build/*/generated is missing)"; exit 1; }
failed=0
for target in "$@"; do
    list=$(ls src/*/*.c view/*.c | grep -vE '/(hdf5_(read|rows)|fclib_(hdf5|matrix|read|write)|event_cvode|lapack)\.c$')
    # shellcheck disable=SC2016
    if printf '%s\n' $list | ZIG_COMMAND=$zig TARGET=$target WORK=$work GENERATED=$generated xargs -P "$(nproc)" -n 1 bash -c '
        out=$WORK/$(basename "$0").o
        $ZIG_COMMAND cc -target "$TARGET" -c -std=gnu17 -DTHUD_BUILDING=1 -ffp-contract=off -Isrc -Iinclude -I"$GENERATED" \
            -isystem "$WORK/include" -w "$0" -o "$out" 2>"$out.log" || { cat "$out.log"; exit 1; }'; then
        echo "$target: $(wc -w <<<"$list") files compiled"
    else
        echo "$target: some files do not compile"
        failed=1
    fi
done
exit $failed
