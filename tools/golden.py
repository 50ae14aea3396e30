#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden hashes: every scene steps to the bits that test/golden/hashes.txt holds (docs/numerics.md).

    golden.py PROGRAM OPTION...            compare; exits with 1 where a hash differs, 77 where nothing could be compared
    golden.py --share K PROGRAM OPTION...  every K-th scene alone
    golden.py --write PROGRAM              write the file anew (make golden); raises src/base/numerics.h when a hash changed
    golden.py --first OPTION SCENE PROGRAM OTHER    the first step after which two programs differ

PROGRAM is build/release/test/golden, or a command in quotes that runs one ("qemu-aarch64 golden").
OPTION: default euler 1e-3 threads maximal event
"""
import argparse
import hashlib
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

root = pathlib.Path(__file__).resolve().parent.parent
golden_at = root / "test/golden/hashes.txt"
table_at = root / "test/golden/scenes.txt"
numerics_at = root / "src/base/numerics.h"
OPTIONS = ["default", "euler", "1e-3", "threads", "maximal", "event"]
HEAD = """# The state's hash after some steps of every scene: option, scene, steps, hash. Written by `make golden`, never by hand.
# A conflict of merging is resolved by `make golden`. Hashes that change raise the number below, which is thud_numerics().
"""


# ------------------------------------------------------------------------------------------------ the file

class Golden:
    """What a hashes.txt says; its conflict markers are passed over, lines of both sides are kept in `line` by the last."""

    def __init__(self, text):
        self.text = text
        self.conflict = any(row.startswith(("<<<<<<<", ">>>>>>>")) for row in text.splitlines())
        self.numerics, self.digest, self.line = 0, "", {}
        for row in text.splitlines():
            words = row.split()
            if len(words) == 2 and words[0] == "numerics":
                self.numerics = max(self.numerics, int(words[1]))
            elif len(words) == 2 and words[0] == "digest":
                self.digest = words[1]
            elif len(words) in (4, 5) and words[0] in OPTIONS:
                self.line[words[0], words[1]] = " ".join(words[2:])

    def differs_from(self, line):
        """Whether a run that both have, with the same steps, has another hash."""
        return any(key in line and line[key] != value and line[key].split()[0] == value.split()[0]
                   for key, value in self.line.items())


def digest_of(numerics, line):
    rows = [f"numerics {numerics}"] + [f"{o} {s} {value}" for (o, s), value in sorted(line.items())]
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def text_of(numerics, line):
    order = sorted(line, key=lambda key: (OPTIONS.index(key[0]), key[1]))
    rows = [f"{option} {scene} {line[option, scene]}" for option, scene in order]
    return HEAD + f"numerics {numerics}\ndigest {digest_of(numerics, line)}\n" + "\n".join(rows) + "\n"


def numerics_of_source():
    return int(re.search(r"THUD_NUMERICS (\d+)", numerics_at.read_text()).group(1))


# ------------------------------------------------------------------------------------------------ running

def table(share=1):
    rows = [row for row in table_at.read_text().splitlines() if row and not row.startswith("#")]
    return rows[::share]


def scenes_without_row():
    """Scenes in scenes/ that the table does not name."""
    named = {row.split()[0] for row in table()}
    return sorted(p.name for p in (root / "scenes").iterdir() if p.suffix in (".xml", ".urdf") and p.name not in named)


def call(program, *arguments, text=""):
    done = subprocess.run([*shlex.split(program), *arguments], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tools/golden.py: {program} {' '.join(arguments)} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def run(program, options, share=1):
    """{(option, scene): "steps hash"} by as many processes as there are cores."""
    jobs = [(option, row) for option in options for row in table(share)]
    line = {}
    with ThreadPoolExecutor(int(os.environ.get("GOLDEN_JOBS", 1))) as pool:
        for said in pool.map(lambda job: call(program, str(root / "scenes"), job[0], text=job[1] + "\n"), jobs):
            words = said.split()
            line[words[0], words[1]] = " ".join(words[2:])
    return line


def reference_platform():
    """Where the event-driven scheme has the golden bits: CVODE calls pow of the C library."""
    release = pathlib.Path("/etc/os-release")
    text = release.read_text() if release.exists() else ""
    return platform.machine() == "x86_64" and "\nID=debian\n" in text and 'VERSION_ID="12"' in text


# ------------------------------------------------------------------------------------------------ comparing

def faults_of_file(golden, program):
    if golden.conflict:
        yield "it holds a conflict of merging: run make golden"
    if golden.digest != digest_of(golden.numerics, golden.line):
        yield f"its lines changed while its number stayed {golden.numerics}: run make golden, which raises thud_numerics()"
    number = int(call(program, "--numerics"))
    if golden.numerics != number:
        yield f"it is of numerics {golden.numerics}, and thud_numerics() is {number}: run make golden"
    for scene in scenes_without_row():
        yield f"scenes/{scene} has no line in test/golden/scenes.txt: add one, then make golden"


def compare(program, options, share):
    golden = Golden(golden_at.read_text())
    faults = [f"test/golden/hashes.txt:1:1: {fault}" for fault in faults_of_file(golden, program)]
    compared = 0
    for (option, scene), now in run(program, options, share).items():
        then = golden.line.get((option, scene), "nothing: run make golden")
        if now.endswith(" absent"):
            continue
        compared += 1
        if now != then:
            faults.append(f"{option} {scene}: steps and hash are {now}; test/golden/hashes.txt has {then}")
    if faults:
        print("\n".join(faults))
        print(f"{len(faults)} faults. If the bits were meant to change: make golden, and a line in CHANGELOG.md under Numbers changed.")
        sys.exit(1)
    print(f"{compared} runs ({' '.join(options)}) end with their golden hashes, numerics {golden.numerics}")
    if compared == 0:
        sys.exit(77)


# ------------------------------------------------------------------------------------------------ writing

def versions():
    """The file as it was committed: by HEAD, and by the commit that is being merged."""
    for commit in ("HEAD", "MERGE_HEAD"):
        done = subprocess.run(["git", "-C", str(root), "show", f"{commit}:test/golden/hashes.txt"], capture_output=True, text=True)
        if done.returncode == 0:
            yield Golden(done.stdout)


def write(program):
    before = list(versions())
    number = max([g.numerics for g in before] + [1])
    options = OPTIONS if reference_platform() else OPTIONS[:-1]
    line = run(program, options)
    kept = {key: value for g in before for key, value in g.line.items() if key[0] not in options}
    line = {**kept, **{key: value for key, value in line.items() if not value.endswith(" absent")}}
    changed = sorted({" ".join(key) for g in before for key in g.line if line.get(key, g.line[key]) != g.line[key]})
    if any(g.numerics == number and g.differs_from(line) for g in before):
        number += 1
    apart = [key for key in line if key[0] == "threads" and line[key] != line["default", key[1]]]
    if apart:
        sys.exit(f"tools/golden.py: two threads have other bits than one: {' '.join(key[1] for key in apart)}. Nothing was written.")
    golden_at.write_text(text_of(number, line))
    if numerics_of_source() != number:
        numerics_at.write_text(re.sub(r"THUD_NUMERICS \d+", f"THUD_NUMERICS {number}", numerics_at.read_text()))
    print(f"test/golden/hashes.txt: {len(line)} runs, {len(changed)} changed; thud_numerics() is {number}")
    if changed:
        print("Changed: " + ", ".join(changed[:8]) + (" ..." if len(changed) > 8 else ""))
        print("Say why in CHANGELOG.md under Numbers changed.")


def first(option, scene, program, other):
    row = next(row for row in table() if row.split()[0] == scene)
    said = [call(p, "--trace", str(root / "scenes"), option, text=row + "\n").splitlines() for p in (program, other)]
    for number, (a, b) in enumerate(zip(*said), 1):
        if a != b:
            print(f"{option} {scene}: the first step that differs is {number}")
            return
    print(f"{option} {scene}: no step differs")


parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--share", type=int, default=1)
parser.add_argument("--write", action="store_true")
parser.add_argument("--first", action="store_true")
parser.add_argument("words", nargs="+")
given = parser.parse_args()
if given.first:
    first(*given.words)
elif given.write:
    write(*given.words)
else:
    compare(given.words[0], given.words[1:], given.share)
