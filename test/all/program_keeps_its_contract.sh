#!/usr/bin/env bash
exec python3 "$2/test/all/program_keeps_its_contract.py" "$1" "$2"
