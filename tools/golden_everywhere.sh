#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library's core (C and expat) in many ways and compares each with the golden hashes (docs/numerics.md).
#
# usage: tools/golden_everywhere.sh [--share K] [--list] [NAME...]        all, or those named; every K-th scene
#
#     gcc-O0 gcc-O2 clang-O3      compilers and their levels (gcc -O3 is the release build, which make test compares)
#     sse2 v3 v4                  -march: no AVX at all; AVX2 and FMA; AVX-512. Skipped aloud where the CPU cannot run it
#     old-cpu                     the release build's kernels as a CPU without AVX chooses them at run time (qemu)
#     musl                        Debian's musl: another C library
#     aarch64                     another architecture, in qemu
#     wasm                        WebAssembly, in node
#
# musl, aarch64 and wasm need an expat of their own: it is built from Debian's source package, which apt fetches into build/golden.
set -euo pipefail
root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
work=${GOLDEN_WORK:-$root/build/golden}
jobs=${JOBS:-$(nproc)}
all="gcc-O0 gcc-O2 clang-O3 sse2 v3 v4 old-cpu musl aarch64 wasm"
share=1
names=""
while [ $# -gt 0 ]; do
    case "$1" in
    --share) share=$2; shift ;;
    --list) echo "$all"; exit ;;
    *) [[ " $all " == *" $1 "* ]] || { echo "tools/golden_everywhere.sh: no build called '$1': $all" >&2; exit 2; }; names+=" $1" ;;
    esac
    shift
done
mkdir -p "$work"
failed=""
skipped=""

expat_source() { # the folder with expat's lib/, from Debian's source package
    local at=$work/expat tarball
    if ! compgen -G "$at/expat-*/*/lib/xmlparse.c" >/dev/null && ! compgen -G "$at/expat-*/lib/xmlparse.c" >/dev/null; then
        mkdir -p "$at/lists/partial"
        if [ -e /etc/apt/sources.list.d/debian.sources ]; then
            sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$at/src.sources"
        else
            sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$at/src.list"
        fi
        # The security archive may lack the .dsc of an older update; upstream's tarball is all that is needed.
        (cd "$at" && apt=(-o Dir::Etc::sourcelist="$(ls "$at"/src.*)" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$at/lists" -qq) &&
            apt-get "${apt[@]}" update && apt-get "${apt[@]}" source --download-only expat) >"$work/expat.log" 2>&1 || true
        tarball=$(compgen -G "$at/expat_*.orig.tar.*" | grep -v '\.asc$' | head -n 1) ||
            { echo "expat's source package could not be fetched: $(tail -n 1 "$work/expat.log")" >&2; return 1; }
        tar -xf "$tarball" -C "$at"
    fi
    dirname "$(compgen -G "$at/*/lib/xmlparse.c" || compgen -G "$at/*/*/lib/xmlparse.c")"
}

build_expat() { # NAME CC AR: libexpat.a in the build's folder
    local name=$1 cc=$2 ar=$3 source at=$work/$1/expat part
    source=$(expat_source) || return
    mkdir -p "$at"
    printf '#define BYTEORDER 1234\n#define XML_CONTEXT_BYTES 1024\n#define XML_DTD 1\n#define XML_NS 1\n#define XML_POOR_ENTROPY 1\n' >"$at/expat_config.h"
    cp "$source/expat.h" "$source/expat_external.h" "$at"
    for part in xmlparse xmltok xmlrole; do
        [ "$at/$part.o" -nt "$source/$part.c" ] || $cc -O2 -w -I"$at" -I"$source" -c "$source/$part.c" -o "$at/$part.o" || return
    done
    $ar rcs "$at/libexpat.a" "$at/xmlparse.o" "$at/xmltok.o" "$at/xmlrole.o"
}

build() { # NAME CC FLAGS [CMAKE OPTION...]: the static library and the program golden
    local name=$1 cc=$2 flags=$3 wrap=${wrap:-}
    shift 3
    $wrap cmake -S "$root" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Golden -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS_GOLDEN="$flags -DNDEBUG" \
        -DBUILD_SHARED_LIBS=OFF -DTHUD_STATIC=ON -DTHUD_BUILD_PROGRAM=OFF -DTHUD_BUILD_VIEW=OFF -DTHUD_BUILD_PYTHON=OFF -DTHUD_INSTALL=OFF -DTHUD_LTO=OFF "$@" >"$work/$name.log" 2>&1 &&
        cmake --build "$work/$name" -j"$jobs" --target thud_static >>"$work/$name.log" 2>&1
}

link() { # NAME CC FLAGS EXPAT [SUFFIX]
    $2 -std=gnu17 -O1 $3 -I"$root/include" "$root/test/golden/golden.c" "$work/$1/libthud.a" $4 -lm -o "$work/$1/golden${5:-}" >>"$work/$1.log" 2>&1
}

verdict() { # NAME SHARE PROGRAM OPTION...
    local name=$1 every=$2 program=$3
    shift 3
    printf '%-9s ' "$name"
    GOLDEN_JOBS=$jobs python3 "$root/tools/golden.py" --share "$every" "$program" "$@" || failed+=" $name"
}

fail() {
    printf '%-9s not built: see %s\n' "$1" "$work/$1.log"
    tail -n 5 "$work/$1.log" || true
    failed+=" $1"
}

skip() {
    printf '%-9s SKIPPED: %s\n' "$1" "$2"
    skipped+=" $1"
}

native() { # NAME CC FLAGS [CMAKE OPTION...]
    local name=$1 cc=$2
    if build "$@" && link "$name" "$cc" "" -lexpat; then
        verdict "$name" "$share" "$work/$name/golden" default euler 1e-3 threads maximal
    else
        fail "$name"
    fi
}

cpu_has() { grep -qw "$1" /proc/cpuinfo; }

one() {
    case "$1" in
    gcc-O0) native gcc-O0 gcc -O0 ;;
    gcc-O2) native gcc-O2 gcc -O2 ;;
    clang-O3) if command -v clang >/dev/null; then native clang-O3 clang -O3; else skip clang-O3 "there is no clang"; fi ;;
    sse2) native sse2 gcc -O2 -DTHUD_ARCH=x86-64 ;;
    v3) if cpu_has fma; then native v3 gcc -O2 -DTHUD_ARCH=x86-64-v3; else skip v3 "this CPU has no FMA"; fi ;;
    v4) if cpu_has avx512vl; then native v4 gcc -O2 -DTHUD_ARCH=x86-64-v4; else skip v4 "this CPU has no AVX-512"; fi ;;
    old-cpu)
        if build old-cpu gcc -O3 && link old-cpu gcc "" -lexpat; then
            verdict old-cpu $((share * 8)) "qemu-x86_64 -cpu Nehalem $work/old-cpu/golden" default euler
        else
            fail old-cpu
        fi ;;
    musl)
        build_expat musl musl-gcc ar && build musl musl-gcc -O2 -DEXPAT_LIBRARY="$work/musl/expat/libexpat.a" -DEXPAT_INCLUDE_DIR="$work/musl/expat" &&
            link musl musl-gcc -static "$work/musl/expat/libexpat.a" &&
            verdict musl "$share" "$work/musl/golden" default euler 1e-3 threads maximal || fail musl ;;
    aarch64)
        local cross=aarch64-linux-gnu
        build_expat aarch64 $cross-gcc $cross-ar && build aarch64 $cross-gcc -O2 -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
            -DEXPAT_LIBRARY="$work/aarch64/expat/libexpat.a" -DEXPAT_INCLUDE_DIR="$work/aarch64/expat" &&
            link aarch64 $cross-gcc -static "$work/aarch64/expat/libexpat.a" &&
            verdict aarch64 $((share * 4)) "qemu-aarch64 $work/aarch64/golden" default euler 1e-3 threads maximal || fail aarch64 ;;
    wasm)
        build_expat wasm emcc emar && wrap=emcmake build wasm emcc -O2 -DEXPAT_LIBRARY="$work/wasm/expat/libexpat.a" -DEXPAT_INCLUDE_DIR="$work/wasm/expat" &&
            link wasm emcc "-sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1" "$work/wasm/expat/libexpat.a" .js &&
            verdict wasm $((share * 2)) "node $work/wasm/golden.js" default euler 1e-3 maximal || fail wasm ;;
    esac
}

for name in ${names:-$all}; do
    one "$name"
done
[ -z "$skipped" ] || echo "skipped:$skipped"
[ -z "$failed" ] || { echo "golden_everywhere: not the same bits, or not built:$failed" >&2; exit 1; }
echo "golden_everywhere: the same bits in all builds that ran"
