#!/usr/bin/env bash
exec python3 "$2/test/all/pictures_are_drawn.py" "$1" "$2"
