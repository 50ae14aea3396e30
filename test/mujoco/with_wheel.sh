#!/usr/bin/env bash
# Runs a Python script with the interpreter in which tools/bootstrap.sh installed the newest MuJoCo. Without it the test fails;
# THUD_WITHOUT_ORACLE=1 skips it instead, aloud.
# usage: with_wheel.sh SOURCE_DIR SCRIPT [ARGUMENT...]
python=$1/build/venv/bin/python
shift
if ! "$python" -c 'import mujoco' 2>/dev/null; then
    if [ "${THUD_WITHOUT_ORACLE:-0}" = 1 ]; then
        echo "skipped: no MuJoCo in build/venv"
        exit 77
    fi
    echo "no MuJoCo in build/venv: run tools/bootstrap.sh oracle, or set THUD_WITHOUT_ORACLE=1 to skip the tests that need it"
    exit 1
fi
exec "$python" -B "$@"
