#!/usr/bin/env bash
# Checks the layout of every C and C++ file with clang-format; with --write, mends it.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cpp')
if [ "${1:-}" = --write ]; then
    clang-format -i "${files[@]}"
else
    clang-format --dry-run --Werror "${files[@]}" || { echo "layout differs: run 'make format'"; exit 1; }
    echo "format: ${#files[@]} files in order"
fi
