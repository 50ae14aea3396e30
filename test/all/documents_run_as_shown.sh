#!/usr/bin/env bash
# Every command that a document shows prints what stands below it there.
exec python3 "$2/tools/run_documents.py" "$1"
