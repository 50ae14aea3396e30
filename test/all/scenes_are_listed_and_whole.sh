#!/usr/bin/env bash
exec python3 "$2/test/all/scenes_are_listed_and_whole.py" "$1" "$2"
