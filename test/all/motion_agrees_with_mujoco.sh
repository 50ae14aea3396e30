#!/usr/bin/env bash
exec python3 "$2/test/all/motion_agrees_with_mujoco.py" "$1" "$2"
