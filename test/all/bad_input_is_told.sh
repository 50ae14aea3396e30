#!/usr/bin/env bash
exec python3 "$2/test/all/bad_input_is_told.py" "$1" "$2"
