#!/usr/bin/env bash
# Checks the layout of every C and C++ file with clang-format, and that docs/api/ is what the headers say; with --write, mends both.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cpp')
if [ "${1:-}" = --write ]; then
    clang-format -i "${files[@]}"
    python3 tools/make_api.py
else
    clang-format --dry-run --Werror "${files[@]}" || { echo "layout differs: run 'make format'"; exit 1; }
    python3 tools/make_api.py --check
    echo "format: ${#files[@]} files in order"
fi
