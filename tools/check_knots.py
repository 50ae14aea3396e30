#!/usr/bin/env python3
"""Checks that the files of a room do not call each other round in circles, and that no room calls upward.

A knot is a set of files of one room each of which reaches every other by calls: a strongly connected component of the graph
whose edges are the names that an object file uses and another defines (readelf, so inlined, indirect and macro-made calls count).
tools/knots.txt lists what is left: the largest knot of a room, and the function pointers that a door takes, each with a reason.
The list may only shrink: a number larger than what is there is a fault as well.
usage: tools/check_knots.py [--show] [BUILD]      (BUILD: a configured and built folder; build/release)
"""
import collections
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
show = "--show" in sys.argv
operands = [a for a in sys.argv[1:] if not a.startswith("--")]
build = pathlib.Path(operands[0] if operands else root / "build/release")
LIST = root / "tools/knots.txt"
faults = []


def symbols(obj):
    """The global names that an object file defines, and those that it uses."""
    defined, used = set(), set()
    text = subprocess.run(["readelf", "-sW", str(obj)], text=True, capture_output=True, check=True).stdout
    for line in text.splitlines():
        part = line.split()
        if len(part) >= 8 and part[4] in ("GLOBAL", "WEAK"):
            (used if part[6] == "UND" else defined).add(part[7].partition("@")[0])
    return defined, used


def components(graph):
    """Strongly connected components of a graph {node: [node]} (Tarjan 1972), without recursion."""
    index, low, on, stack, out = {}, {}, set(), [], []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found = []
                    while not found or found[-1] != node:
                        found.append(stack.pop())
                        on.discard(found[-1])
                    out.append(sorted(found))
    return out


# ---------------------------------------------------------------------------------------------- what is there

storey = {}
lines = [line for line in (root / "LAYERS").read_text().splitlines() if line and not line.startswith("#")]
for height, line in enumerate(reversed(lines)):
    for room in line.split():
        storey[room] = height

objects = {}  # room: [(file, defined, used)]
for room in storey:
    for source in sorted((root / "src" / room).glob("*.c")):
        found = list(build.glob(f"CMakeFiles/thud_room_{room}.dir/src/{room}/{source.name}.o"))
        if found:  # else an optional part that is not in
            objects.setdefault(room, []).append((source.name, *symbols(found[0])))
if not objects:
    sys.exit(f"tools/check_knots.py: {build} holds no objects of rooms; build the target thud_libraries there")

where = {name: (room, file) for room, files in objects.items() for file, defined, _ in files for name in defined}
calls = collections.defaultdict(lambda: collections.defaultdict(list))  # (room, file): {file: names}
for room, files in objects.items():
    for file, _, used in files:
        for name in sorted(used & where.keys()):
            other, there = where[name]
            if other == room and there != file:
                calls[room, file][there].append(name)
            elif other != room and storey[other] >= storey[room]:
                faults.append(f"src/{room}/{file}:1:1: calls {name} of room '{other}', which is not below '{room}'")

knots = {}  # room: its knots, the largest first
for room, files in objects.items():
    graph = {file: list(calls[room, file]) for file, _, _ in files}
    knots[room] = sorted((c for c in components(graph) if len(c) > 1), key=len, reverse=True)

# Function pointers in doors: through them a room calls what it does not know.
POINTER = re.compile(r"\(\*(\w*)(?:\[\])?\)\s*\(|typedef[^;{(]*\b(?!__attribute__)(\w+)\((?!\*)[^;{]*\);")
pointers = {}
for path in sorted([*(root / "include/thud").glob("*.h"), *(root / "src").glob("*/door.h")]):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    for found in POINTER.finditer(text):
        name = found[1] or found[2] or "?"
        pointers[f"{path.relative_to(root)}:{name}"] = f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}:1"

# ---------------------------------------------------------------------------------------------- what may be

allowed = {}
for number, line in enumerate(LIST.read_text().splitlines(), 1):
    if not line.strip() or line.startswith("#"):
        continue
    kind, name, *rest = line.split(None, 3 if line.startswith("knot") else 2)
    size = int(rest.pop(0)) if kind == "knot" else 0
    if kind not in ("knot", "pointer") or not rest:
        faults.append(f"tools/knots.txt:{number}:1: want 'knot ROOM FILES REASON' or 'pointer DOOR:NAME REASON'")
        continue
    allowed[kind, name] = (number, size)
    there = len(knots[name][0]) if kind == "knot" and knots.get(name) else 0
    if kind == "knot" and there < size:
        faults.append(f"tools/knots.txt:{number}:1: the largest knot of '{name}' has {there} files, not {size}: lower the number")
    if kind == "pointer" and name not in pointers:
        faults.append(f"tools/knots.txt:{number}:1: there is no {name} any more: take the line out")
for room, found in knots.items():
    most = allowed.get(("knot", room), (0, 0))[1]
    for knot in found:
        if len(knot) > most:
            faults.append(f"src/{room}/{knot[0]}:1:1: {len(knot)} files of '{room}' call each other in a circle, {most} may: "
                          + " ".join(knot))
for name, place in pointers.items():
    if ("pointer", name) not in allowed:
        faults.append(f"{place}: a door takes the function pointer {name.rpartition(':')[2]}: through it a room below calls one above")

if show:
    for room, found in sorted(knots.items(), key=lambda k: -storey[k[0]]):
        for knot in found:
            print(f"{room}: {len(knot)} of {len(objects[room])} files")
            for file in knot:
                inside = {to: names for to, names in calls[room, file].items() if to in knot}
                for to, names in sorted(inside.items()):
                    print(f"    {file} -> {to}: {' '.join(names)}")
most = max((len(found[0]) for found in knots.values() if found), default=0)
print("\n".join(faults) if faults else f"knots: {len(objects)} rooms, the largest circle of files has {most}, no call upward")
sys.exit(1 if faults else 0)
