#!/usr/bin/env python3
"""Where the time of a step goes: samples of perf, by the room of the source line they hit, as a table in Markdown.

usage: tools/profile.py SCENE...        scenes of `thud bench`; needs perf and, for the line tables, `make bench` before
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
THUD = ROOT / "build/bench/thud"
rooms = {path.name: path.parent.name for path in [*ROOT.glob("src/*/*.[ch]"), *ROOT.glob("cli/*.c")]}
rooms |= {path.name: path.name.split("_")[0].removesuffix(".h") for path in ROOT.glob("include/thud/*.h")}
STAGES = ("step", "law", "cone", "lcp", "linalg", "contact", "collide", "shape", "dynamics", "spatial")


def share_of_rooms(scene, data):
    """Percent of the samples by room, and the ten source files that have most of them."""
    record = ["perf", "record", "-q", "-F", "2000", "-o", data, THUD, "bench", scene, "--peers", "none", "--repeats", "5", "--patience", "4"]
    subprocess.run(record, check=True, capture_output=True, cwd=ROOT)
    report = subprocess.run(["perf", "report", "-i", data, "--sort", "srcfile", "--stdio"], check=True, capture_output=True, text=True)
    share, files = collections.Counter(), collections.Counter()
    for percent, name in re.findall(r"^\s+([\d.]+)%\s+(\S*)\s*$", report.stdout, flags=re.M):
        room = rooms.get(name, "other")
        share[room if room in STAGES else "other"] += float(percent)
        files[name or "(libraries)"] += float(percent)
    return share, files.most_common(8)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    head = [*STAGES, "other"]
    print("| scene |", " | ".join(head), "| most in |")
    print("|---|" + "---:|" * len(head) + "---|")
    with tempfile.TemporaryDirectory() as folder:
        for scene in sys.argv[1:]:
            share, files = share_of_rooms(scene, pathlib.Path(folder) / "perf.data")
            most = ", ".join(f"{name} {percent:.0f}" for name, percent in files[:5])
            print(f"| {scene} |", " | ".join(f"{share[room]:.0f}" for room in head), f"| {most} |", flush=True)


main()
