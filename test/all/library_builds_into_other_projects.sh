#!/usr/bin/env bash
# Thud as a part of another project: by add_subdirectory and FetchContent, called from C17 and C++17, static and slim (no optional
# part, at most 10 shared libraries in the user's program); then installed from there, found by find_package and by pkg-config
# --static, and uninstalled without a trace.
set -euo pipefail
source_dir=$2 build_dir=$3
if grep -q '^THUD_SANITIZE:STRING=.\+' "$build_dir/CMakeCache.txt"; then
    exit 77 # once is enough
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sub=$build_dir/subproject # stays: what is built there once is not built again
fail() { echo "$*"; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "$* failed"; }; }

mkdir "$work/user"
cat >"$work/user/main.c" <<'END'
#include <stdio.h>
#include <thud/thud.h>
int main(void)
{
    const char scene[] = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    thud_spec *spec = NULL;
    thud_model *model = NULL;
    thud_state *state = NULL;
    thud_sim *sim = NULL;
    thud_diag diag;
    thud_certificate certificate;
    if (thud_load_text(scene, sizeof scene - 1, "ball.xml", NULL, &spec, &diag) != THUD_OK ||
        thud_model_build(spec, &model, &diag) != THUD_OK || thud_state_create(model, &state) != THUD_OK) {
        return 1;
    }
    const thud_step_options options = thud_step_defaults(model);
    if (thud_sim_create(model, &options, &sim, &diag) != THUD_OK ||
        thud_sim_step(sim, NULL, state, &certificate) != THUD_OK) {
        return 1;
    }
    printf("%s [%s] %.17g\n", thud_version(), thud_parts(), state->qvel[2]);
    thud_sim_destroy(sim);
    thud_state_destroy(state);
    thud_model_destroy(model);
    thud_spec_destroy(spec);
    return 0;
}
END
{ echo '#include <memory>'; cat "$work/user/main.c"; } >"$work/user/main.cpp"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
if(HOW STREQUAL "fetch")
  include(FetchContent)
  FetchContent_Declare(thud SOURCE_DIR "$source_dir")
  FetchContent_MakeAvailable(thud)
elseif(HOW STREQUAL "package")
  find_package(thud 0.1 REQUIRED COMPONENTS static)
else()
  set(THUD_INSTALL ON)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
  add_subdirectory("$source_dir" thud)
endif()
add_executable(from_c main.c)
target_link_libraries(from_c PRIVATE thud::thud)
add_executable(from_cpp main.cpp)
target_link_libraries(from_cpp PRIVATE thud::thud)
END
says() { # FOLDER: both programs run and have the same bits
    [ "$("$1/from_c")" = "$("$1/from_cpp")" ] || fail "$1: C and C++ differ"
    "$1/from_c" | tee "$work/said" | grep -q '\[\] -0.01962' || fail "$1: it says $(cat "$work/said")"
}

rm -rf "$sub/user" "$sub"/from_c*
mkdir -p "$sub"
cp -r "$work/user" "$sub/user"
quietly cmake -S "$sub/user" -B "$sub" -DHOW=sub
quietly cmake --build "$sub" -j"$(nproc)"
says "$sub"
[ -z "$(find "$sub" -name '*test_*' -type f)" ] || fail "a subproject builds tests"
libraries=$(ldd "$sub/from_c" | wc -l)
[ "$libraries" -le 10 ] || fail "a static user's program needs $libraries shared libraries"
quietly cmake -S "$work/user" -B "$work/fetched" -DHOW=fetch

quietly cmake --install "$sub" --prefix "$work/prefix"
quietly cmake -S "$work/user" -B "$work/found" -DHOW=package -DCMAKE_PREFIX_PATH="$work/prefix"
quietly cmake --build "$work/found"
says "$work/found"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name thud.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"${CC:-cc}" "$work/user/main.c" $(pkg-config --static --cflags --libs thud) -o "$work/by-pkg-config"
"$work/by-pkg-config" | grep -q '\[\] -0.01962' || fail "pkg-config --static: another answer"
outside=$(nm -g --defined-only "$(find "$work/prefix" -name libthud.a)" | awk 'NF == 3 { print $3 }' | grep -v '^thud_' || true)
[ -z "$outside" ] || fail "the static library exports $outside"
quietly cmake -DBINARY_DIR="$sub" -P "$source_dir/cmake/uninstall.cmake" # target uninstall, of a project of its own
left=$(find "$work/prefix" -type f -o -type l)
[ -z "$left" ] || fail "uninstall leaves $left"
