#!/usr/bin/env python3
"""Checks that what ARCHITECTURE.md names is there: every file in backticks exists, every function in backticks is defined or declared in
the sources, and a function that follows its file ("`step/go.c`: `sim_go`") is in that file."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "ARCHITECTURE.md"
AWAY = {"build", "out", "node_modules", ".git"}  # folders that are not the project's own
sources = [p for folder in sorted(root.iterdir()) if folder.is_dir() and folder.name not in AWAY
           for p in folder.rglob("*.*") if p.is_file() and not AWAY & set(p.parts)]
by_name = {}
for path in sources:
    by_name.setdefault(path.name, []).append(path)
code = {p: p.read_text() for p in sources if p.suffix in (".c", ".h")}
everything = "\n".join(code.values())
faults = []


def find(name):
    """The file of a name with or without its folders; None: there is none, or more than one."""
    tail = pathlib.PurePath(name).parts
    found = [p for p in by_name.get(tail[-1], []) if p.parts[-len(tail):] == tail]
    return found[0] if found else None


for number, line in enumerate(page.read_text().splitlines(), 1):
    file = None
    for found in re.finditer(r"`([^`]+)`|(thud/\w+\.h)", line):
        name = found[1] or found[2]
        between = line[:found.start()].rstrip()
        if re.fullmatch(r"[\w/]+\.(c|h|py|sh|js|txt)", name):
            file = find(name)
            if file is None and name not in ("src/ROOM/door.h",):
                faults.append(f"ARCHITECTURE.md:{number}:{found.start() + 1}: there is no file {name}")
        elif re.fullmatch(r"[a-z]\w*_\w+", name):
            follows = file is not None and (between.endswith(":") or between.endswith(","))
            where = code.get(file, "") if follows else everything
            if not re.search(rf"\b{name}\b", where):
                faults.append(f"ARCHITECTURE.md:{number}:{found.start() + 1}: there is no {name}" + (f" in {file.relative_to(root)}" if follows else ""))
            elif follows and not re.search(rf"^[A-Za-z_][^\n;=]*\b{name}\(", where, re.M):
                faults.append(f"ARCHITECTURE.md:{number}:{found.start() + 1}: {file.relative_to(root)} does not define {name}")
        if len(line) > 200:
            faults.append(f"ARCHITECTURE.md:{number}:201: a line of {len(line)} characters")
            break

print("\n".join(faults) if faults else "map: every file and function that ARCHITECTURE.md names is there")
sys.exit(1 if faults else 0)
