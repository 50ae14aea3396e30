#!/usr/bin/env bash
exec python3 "$2/test/all/scenes_load_in_mujoco.py" "$1" "$2"
