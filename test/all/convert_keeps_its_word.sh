#!/usr/bin/env bash
exec python3 "$2/test/all/convert_keeps_its_word.py" "$1" "$2"
