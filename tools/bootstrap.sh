#!/usr/bin/env bash
# Installs the Debian packages that the named jobs need and that are missing, and the viewer's npm packages (web/); does
# nothing when all are there. Without npm Thud builds all the same, and its reports are still pages.
# The job `python` installs what builds and tests the Python package into build/venv.
# The job `oracle` installs the newest MuJoCo (library and headers are in its wheel) from PyPI into build/venv; `robots` adds the
# packages that hold robots. Delete build/venv to get a newer one.
# usage: tools/bootstrap.sh [build] [test] [check] [bench] [browser] [fuzz] [cross] [oracle] [python] [robots]
set -euo pipefail
web=${BASH_SOURCE[0]%/*}/../web
venv=${BASH_SOURCE[0]%/*}/../build/venv

build="gcc g++ cmake ninja-build pkg-config git python3 libexpat1-dev zlib1g-dev libhdf5-dev libsundials-dev"
test="libcmocka-dev libmpfr-dev locales"
check="clang-format clang-tidy"
browser="chromium python3-h5py zsh" # what shows or reads our output: a browser, Python, a shell
cross="clang musl-tools gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user emscripten dpkg-dev" # other compilers and machines
fuzz="clang libclang-rt-14-dev"
oracle="python3-venv"
oracle_wheels="mujoco numpy h5py"
robots_wheels="gymnasium dm_control robosuite metaworld pybullet example-robot-data" # their files alone, not what they need to run
python="python3-venv"
[ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ] || python+=" python3-dev"
python_wheels="scikit-build-core pytest hypothesis numpy h5py mypy cloudpickle typing_extensions farama-notifications gymnasium mujoco tqdm"
bench="libmujoco-dev libode-dev libbullet-dev libsiconos-numerics-dev libccd-dev"

wanted=""
wheels=""
for job in "${@:-build}"; do
    case "$job" in
    build) wanted+=" $build" ;;
    test) wanted+=" $test" ;;
    check) wanted+=" $check" ;;
    bench) wanted+=" $bench" ;;
    browser) wanted+=" $browser" ;;
    fuzz) wanted+=" $fuzz" ;;
    cross) wanted+=" $cross" ;;
    oracle) wanted+=" $oracle"; wheels+=" $oracle_wheels" ;;
    python) wanted+=" $python"; wheels+=" $python_wheels" ;;
    robots) wanted+=" $oracle"; wheels+=" $oracle_wheels $robots_wheels" ;;
    *) echo "tools/bootstrap.sh: no job called '$job' (build, test, check, bench, browser, fuzz, cross, oracle, python, robots)" >&2; exit 2 ;;
    esac
done

# Without apt nothing is installed: what the build needs is looked for, and what is missing is said.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    lacking=""
    for tool in cc cmake ninja pkg-config python3; do
        command -v $tool >/dev/null || lacking+=" $tool"
    done
    for library in expat zlib hdf5; do
        ! command -v pkg-config >/dev/null || pkg-config --exists $library || lacking+=" $library"
    done
    [ -n "$lacking" ] || exit 0
    cat >&2 <<END
This is no Debian system, so make installs nothing. Not found:$lacking
The library and the program need a C compiler, CMake, expat and zlib:

    Fedora    dnf install gcc cmake ninja-build pkgconf expat-devel zlib-devel
    Arch      pacman -S gcc cmake ninja pkgconf expat zlib
    openSUSE  zypper install gcc cmake ninja pkgconf libexpat-devel zlib-devel
    Alpine    apk add gcc musl-dev cmake samurai pkgconf expat-dev zlib-dev
    macOS     brew install cmake ninja pkg-config expat zlib

and then: cmake -S . -B build && cmake --build build
What make builds also has HDF5 and SUNDIALS (-DTHUD_FULL=ON); its tests need cmocka.
END
    exit 1
fi

missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=" $package"
done

install_viewer() { # a lock file newer than what is installed: install it again
    [[ " $wanted " == *" cmake "* ]] && [ "$web/package-lock.json" -nt "$web/node_modules/.package-lock.json" ] || return 0
    if ! command -v npm >/dev/null || ! (cd "$web" && npm ci --ignore-scripts --loglevel=error >/dev/null); then
        echo "the viewer's npm packages are not installed: reports will be still pages, without the 3-D replay" >&2
    fi
}

# A wheel with a stamp is installed. A wheel that cannot be had is told and tried again the next time.
install_wheels() {
    [ -n "$wheels" ] || return 0
    local stamps=$venv/stamps wheel deps
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    mkdir -p "$stamps"
    for wheel in $wheels; do
        deps=""
        [[ " $robots_wheels " != *" $wheel "* ]] || deps="--no-deps"
        [ ! -e "$stamps/$wheel" ] || continue
        echo "installing $wheel into build/venv"
        # shellcheck disable=SC2086
        if "$venv/bin/python" -m pip install -q --disable-pip-version-check --retries 2 --timeout 60 $deps "$wheel" >"$stamps/log" 2>&1; then
            : >"$stamps/$wheel"
        else
            echo "PyPI's package $wheel is not installed: $(tail -n 1 "$stamps/log")" >&2
        fi
    done
}

# Optional: asked of apt where that works, never of the user.
npm=""
if [[ " $wanted " == *" cmake "* ]] && ! command -v npm >/dev/null; then npm=" nodejs npm"; fi
if [ -z "$missing$npm" ] || { [ -z "$missing" ] && [ "$(id -u)" != 0 ]; }; then
    install_viewer
    install_wheels
    exit 0
fi
[ "$(id -u)" != 0 ] || missing+=$npm

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo="sudo"
else
    printf 'Thud needs some Debian packages. Please type:\n\n    sudo apt-get update && sudo %s\n\n' "$install" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo $install >/dev/null
install_viewer
install_wheels
