#!/usr/bin/env python3
"""Fails when an object of ours calls a function of libm whose last bits differ between C libraries.

usage: tools/check_libm.py [BUILD]      BUILD: build/release by default; only objects of src/ are looked at

Calls that qhull, CVODE and HDF5 make inside their own libraries are not seen here: docs/numerics.md lists them.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "build/release"

# Exact, or correctly rounded by IEEE 754: the same on every machine.
EXACT = set("""sqrt fabs floor ceil trunc round rint nearbyint lround llround lrint llrint copysign fmod remainder frexp ldexp scalbn
               ilogb logb modf nextafter nan""".split())


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def names_of_libm():
    path = lines("cc", "-print-file-name=libm.so.6")[0]
    return {line.split()[-1].split("@")[0] for line in lines("nm", "-D", "--defined-only", path)}


objects = sorted(build.glob("CMakeFiles/thud_room_*.dir/src/**/*.o"))
if not objects:
    sys.exit(f"tools/check_libm.py: no objects in {build}: build it first")
forbidden = names_of_libm() - EXACT
faults = []
for line in lines("nm", "-A", "--undefined-only", *map(str, objects)):
    path, _, symbol = line.rpartition(" U ")
    if symbol.strip() in forbidden:
        source = re.sub(r"^.*?/(src/.*)\.o:?\s*$", r"\1", path.strip())
        faults.append(f"{source}:1:1: calls {symbol.strip()} of libm: use thud_{symbol.strip()} (thud/elementary.h)")
print("\n".join(faults) if faults else f"libm: {len(objects)} objects, no libm but exact functions")
sys.exit(1 if faults else 0)
