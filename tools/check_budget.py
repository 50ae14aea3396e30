#!/usr/bin/env python3
"""Budgets of the house: no file of more than 800 lines, no function of more than 100, no TODO, no commented-out code."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
FILE_LINES, FUNCTION_LINES = 800, 100
faults = []
todo = re.compile(r"\b(TODO|FIXME|XXX)\b")
dead = re.compile(r"^\s*//\s*[\w>.\-\[\]]+\s*(=[^=]|\()[^;]*;\s*$")

for folder in ("include", "src", "view", "cli", "bench", "examples", "test"):
    for path in sorted((root / folder).rglob("*.[ch]")):
        name = path.relative_to(root)
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LINES:
            faults.append(f"{name}:1:1: {len(lines)} lines; a file has at most {FILE_LINES}")
        start = None
        for number, line in enumerate(lines, 1):
            if todo.search(line):
                faults.append(f"{name}:{number}:1: unfinished: {line.strip()}")
            if dead.match(line) and path.suffix == ".c":  # headers show how they are used
                faults.append(f"{name}:{number}:1: commented-out code")
            if line == "{":
                start = number
            elif line == "}" and start is not None:
                if number - start > FUNCTION_LINES:
                    faults.append(f"{name}:{start}:1: a function of {number - start} lines; at most {FUNCTION_LINES}")
                start = None

print("\n".join(faults) if faults else "budget: files, functions and comments within bounds")
sys.exit(1 if faults else 0)
