#!/usr/bin/env bash
# No product of the program is fused with a sum: it would round once where other kernels and machines round twice. GCC 12 forms
# vfmaddsub from sums and differences side by side even where contraction is off.
set -euo pipefail
program=$1
command -v objdump >/dev/null || exit 77
fused=$(objdump -d --no-show-raw-insn "$program" |
    awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /\tvfn?m(add|sub)/ { count[name]++ } END { for (n in count) print n, count[n] }')
if [ -n "$fused" ]; then
    echo "fused products in:"
    echo "$fused"
    exit 1
fi
