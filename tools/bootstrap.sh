#!/usr/bin/env bash
# Installs the Debian packages that the named jobs need and that are missing; does nothing when all are there.
# usage: tools/bootstrap.sh [build] [test] [check] [bench]
set -euo pipefail

build="gcc g++ cmake ninja-build pkg-config git python3 libexpat1-dev libqhull-dev libhdf5-dev libsuitesparse-dev
       libopenblas-dev liblapacke-dev"
test="libcmocka-dev"
check="clang-format clang-tidy"
bench="libmujoco-dev libode-dev libbullet-dev libsiconos-numerics-dev libccd-dev"

wanted=""
for job in "${@:-build}"; do
    case "$job" in
    build) wanted+=" $build" ;;
    test) wanted+=" $test" ;;
    check) wanted+=" $check" ;;
    bench) wanted+=" $bench" ;;
    *) echo "tools/bootstrap.sh: no job called '$job' (build, test, check, bench)" >&2; exit 2 ;;
    esac
done

missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=" $package"
done
[ -n "$missing" ] || exit 0

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
