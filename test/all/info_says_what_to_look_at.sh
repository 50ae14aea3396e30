#!/usr/bin/env bash
exec python3 "$2/test/all/info_says_what_to_look_at.py" "$1" "$2"
