#!/usr/bin/env bash
exec bash "$2/test/mujoco/with_wheel.sh" "$2" "$2/test/all/images_agree_with_mujoco.py" "$1" "$2"
