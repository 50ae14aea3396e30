#!/usr/bin/env bash
# A fixed share of the populations: no crash, no hang, nothing that is not finite, and no fault in silence but those that
# tools/population/known.txt names with their reason.
# usage: population_share.sh THUD SOURCE_DIR BUILD_DIR [SHARE]
set -euo pipefail
thud=$1 source=$2 build=$3 share=${4:-share}
skip() { echo "skipped: $1"; exit 77; }
python=$source/build/venv/bin/python
[ -x "$python" ] || skip "tools/bootstrap.sh oracle has not run"
"$python" -c 'import mujoco, h5py, numpy' 2>/dev/null || skip "MuJoCo, h5py or numpy is not in build/venv"
! grep -q -e '-fsanitize' "$build/compile_commands.json" 2>/dev/null || skip "the release build tells it"
cd "$source"
PYTHONPATH=tools exec "$python" -B -m population "$share" --program "$thud" --against tools/population/known.txt
