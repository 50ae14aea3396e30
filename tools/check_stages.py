#!/usr/bin/env python3
"""Checks the structs of src/step/sim.h: a sim has at most 40 fields, a stage at most 20, and a stage is written only by the files
that tools/stages.txt lists. Seen are assignments to sim->STAGE.FIELD and what is below it, not writes through pointers taken from
there. The list may only shrink: a file that is listed and does not write is a fault as well."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
MOST, MOST_OF_A_STAGE = 40, 20
ROOMS = ("step", "settle", "sense", "event", "sim")
faults = []

text = re.sub(r"//[^\n]*", "", (root / "src/step/sim.h").read_text())


def fields(body):
    """How many names a struct declares."""
    return sum(declaration.count(",") + 1 for declaration in re.sub(r"\[[^\]]*\]", "", body).split(";") if declaration.strip())


stages = {}
for found in re.finditer(r"typedef struct\s+(\w+)_stage \{([^{}]*)\}", text):
    stages[found[1]] = fields(found[2])
    if stages[found[1]] > MOST_OF_A_STAGE:
        faults.append(f"src/step/sim.h:1:1: {found[1]}_stage has {stages[found[1]]} fields, {MOST_OF_A_STAGE} are the most")
sim = fields(re.search(r"struct thud_sim \{([^{}]*)\}", text)[1])
if sim > MOST:
    faults.append(f"src/step/sim.h:1:1: thud_sim has {sim} fields, {MOST} are the most")

WRITE = re.compile(r"(?:(?:\+\+|--)sim->(\w+)\.\w+)|(?:\bsim->(\w+)\.\w+(?:\[[^\]]*\]|\.\w+|->\w+)*\s*(?:[-+*/&|]?=(?!=)|\+\+|--))")
writers = collections.defaultdict(set)
for room in ROOMS:
    for path in sorted((root / "src" / room).glob("*.[ch]")):
        for found in WRITE.finditer(re.sub(r"//[^\n]*", "", path.read_text())):
            stage = found[1] or found[2]
            if stage in stages and path.name != "create.c":
                writers[stage].add(f"{room}/{path.name}")

listed = {}
for line in (root / "tools/stages.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        stage, *files = line.split()
        listed[stage] = set(files)
for stage in stages:
    for file in sorted(writers[stage] - listed.get(stage, set())):
        faults.append(f"src/{file}:1:1: writes sim->{stage}, and tools/stages.txt does not list it")
    for file in sorted(listed.get(stage, set()) - writers[stage]):
        faults.append(f"tools/stages.txt:1:1: {file} does not write sim->{stage} any more: take it out")

most = max(stages.values(), default=0)
print("\n".join(faults) if faults else f"stages: {len(stages)}, of at most {most} fields; a sim has {sim}")
sys.exit(1 if faults else 0)
