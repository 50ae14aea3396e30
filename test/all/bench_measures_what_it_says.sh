#!/usr/bin/env bash
exec python3 "$2/test/all/bench_measures_what_it_says.py" "$1" "$2" "$3"
