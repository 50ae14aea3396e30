#!/usr/bin/env python3
"""Checks that includes point only downward, as LAYERS says, and that private headers stay in their room."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
storey = {}
lines = [line for line in (root / "LAYERS").read_text().splitlines() if line and not line.startswith("#")]
for height, line in enumerate(reversed(lines)):
    for room in line.split():
        storey[room] = height

include = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
faults = []


def room_of_door(name):
    """include/thud/ROOM.h and include/thud/ROOM_x.h are doors of ROOM."""
    stem = name.removesuffix(".h")
    while stem and stem not in storey:
        stem = stem.rpartition("_")[0]
    return stem or None


def check(path, room):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = include.match(line)
        if not found:
            continue
        quote, target = found.groups()
        where = f"{path.relative_to(root)}:{number}:1"
        if target.startswith("thud/"):
            other = room_of_door(target.removeprefix("thud/"))
            if target == "thud/view.h":  # the door of libthud_view, above all rooms
                if room is not None:
                    faults.append(f"{where}: room '{room}' includes <{target}>, which is above all rooms")
            elif target == "thud/thud.h":
                if room is not None:
                    faults.append(f"{where}: room '{room}' includes the whole library")
            elif other is None:
                faults.append(f"{where}: <{target}> is the door of no room in LAYERS")
            elif room is not None and other != room and storey[other] >= storey[room]:
                faults.append(f"{where}: room '{room}' may not include <{target}>: '{other}' is not below it")
        elif target.endswith("/door.h") and quote == "<":
            other = target.removesuffix("/door.h")
            if other not in storey or not (root / "src" / target).exists():
                faults.append(f"{where}: <{target}> is the door of no room in LAYERS")
            elif room is None:
                faults.append(f"{where}: <{target}> is a door for rooms of the library")
            elif storey[other] >= storey[room]:
                faults.append(f"{where}: room '{room}' may not include <{target}>: '{other}' is not below it")
        elif target.split("/")[0] in storey and quote == "<":
            faults.append(f"{where}: <{target}> is private to room '{target.split('/')[0]}'")
        elif quote == '"' and room is not None and not (path.parent / target).exists() and target != "thud_build_info.h":
            faults.append(f"{where}: \"{target}\" is not a header of room '{room}'")
        elif quote == '"' and "/" in target:
            faults.append(f"{where}: \"{target}\" reaches into another folder")


for path in sorted((root / "src").rglob("*.[ch]")):
    room = path.relative_to(root / "src").parts[0]
    if room not in storey:
        faults.append(f"{path.relative_to(root)}:1:1: room '{room}' is not in LAYERS")
        continue
    check(path, room)
for path in sorted((root / "include/thud").glob("*.h")):
    if path.name in ("thud.h", "view.h"):
        continue
    room = room_of_door(path.name)
    if room is None:
        faults.append(f"{path.relative_to(root)}:1:1: the door of no room in LAYERS")
    else:
        check(path, room)
for folder in ("view", "cli", "examples", "bench"):
    for path in sorted((root / folder).rglob("*.[ch]")):
        check(path, None)

names = {}
for folder in ("src", "view", "cli"):
    for path in sorted((root / folder).rglob("*.c")):
        if path.name in names:
            faults.append(f"{path.relative_to(root)}:1:1: a second file called {path.name}: see {names[path.name]}")
        names[path.name] = path.relative_to(root)

print("\n".join(faults) if faults else f"layers: {len(storey)} rooms, includes point downward")
sys.exit(1 if faults else 0)
