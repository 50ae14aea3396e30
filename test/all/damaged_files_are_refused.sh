#!/usr/bin/env bash
exec python3 "$2/test/all/damaged_files_are_refused.py" "$1" "$2"
