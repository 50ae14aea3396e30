#!/usr/bin/env bash
# Builds the wheel as a user would (pip wheel .), installs it into an environment of its own and runs the package's tests there. The
# builder, numpy and pytest are those of build/venv (tools/bootstrap.sh python), so nothing is fetched.
set -euo pipefail
source=$2 out=$3/python
python=$source/build/venv/bin/python
if ! "$python" -c 'import scikit_build_core, pytest, hypothesis, numpy' 2>/dev/null; then
    if [ "${THUD_WITHOUT_PYTHON:-0}" = 1 ]; then
        echo "skipped: no scikit-build-core, pytest, hypothesis and numpy in build/venv"
        exit 77
    fi
    echo "build/venv lacks what builds the wheel: run tools/bootstrap.sh python, or set THUD_WITHOUT_PYTHON=1 to skip this test"
    exit 1
fi
if [ -f "$3/python/_core.abi3.so" ]; then # a build with sanitizers: its module, with the sanitizer's library loaded first
    stage=$3/python/stage
    rm -rf "$stage" && mkdir -p "$stage"
    cp -r "$source/python/thud" "$stage/thud"
    rm -f "$stage/thud/"*.so
    cp "$3/python/_core.abi3.so" "$stage/thud/"
    cd "$stage"
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
    LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
    THUD_SOURCE=$source PYTHONPATH=$stage THUD_SANITIZED=1 "$python" -B -m pytest -q -p no:cacheprovider "$source/python/tests" -m "not slow" -x
    exit
fi
mkdir -p "$out"
rm -rf "$out/dist" "$out/clean"
"$python" -m pip wheel "$source" --no-build-isolation --no-deps --no-index -q -w "$out/dist" --disable-pip-version-check \
    -C build-dir="$out/build" -C cmake.define.THUD_LTO=OFF
wheel=$(echo "$out"/dist/*.whl)
case "$wheel" in *-cp311-abi3-*) ;; *) echo "$wheel is no wheel of the stable ABI"; exit 1 ;; esac
bytes=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $bytes bytes"
[ "$bytes" -le 4194304 ] || { echo "more than 4 MB"; exit 1; }
"$python" -m venv --without-pip "$out/clean"
"$python" -m pip --python "$out/clean/bin/python" install -q --no-deps --no-index --disable-pip-version-check "$wheel"
"$python" -c 'import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])' \
    >"$("$out/clean/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tools.pth"
"$out/clean/bin/python" -m zipfile -l "$wheel" >"$out/contents"
cd "$out" # not where the sources are
THUD_SOURCE=$source "$out/clean/bin/python" -B -m pytest -q -p no:cacheprovider "$source/python/tests"
