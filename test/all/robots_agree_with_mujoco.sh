#!/usr/bin/env bash
exec python3 "$2/test/all/robots_agree_with_mujoco.py" "$1" "$2"
