#!/usr/bin/env bash
exec python3 "$2/test/all/documents_tell_the_truth.py" "$1" "$2"
