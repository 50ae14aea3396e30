#!/usr/bin/env bash
# clang-tidy over the library and the program. A file whose text and headers did not change since it last passed is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset debug -DTHUD_LTO=OFF >/dev/null
mkdir -p build/tidy
headers=$(git ls-files -co --exclude-standard -- 'include/*.h' 'src/*.h' 'view/*.h' 'cli/*.h' .clang-tidy | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-16)
todo=()
for file in $(git ls-files -co --exclude-standard -- 'src/*.c' 'view/*.c' 'cli/*.c'); do
    stamp="build/tidy/$(cat "$file" | sha256sum | cut -c1-24)-$headers"
    [ -e "$stamp" ] || todo+=("$file")
done
one() {
    clang-tidy --quiet --extra-arg=-Wno-error -p build/debug "$1" 2>/dev/null >"build/tidy/$$.out" || { cat "build/tidy/$$.out"; exit 1; }
    touch "build/tidy/$(cat "$1" | sha256sum | cut -c1-24)-$2"
}
export -f one
if [ ${#todo[@]} -gt 0 ]; then
    printf '%s\n' "${todo[@]}" | xargs -P "$(nproc)" -I{} bash -c "one {} $headers" || { echo "tidy: see above"; exit 1; }
fi
echo "tidy: ${#todo[@]} files read, the rest unchanged since they passed"
