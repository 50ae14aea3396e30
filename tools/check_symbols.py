#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the libraries export: names with our prefix only, and those of cmake/thud.symbols.

    check_symbols.py [--write] [BUILD-FOLDER]     default build/release

--write replaces the list by what the shared library exports. A name that left the list is a change of the interface
(docs/versions.md says what that means for the version)."""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
listed_at = root / "cmake/thud.symbols"
arguments = [a for a in sys.argv[1:] if a != "--write"]
build = pathlib.Path(arguments[0]) if arguments else root / "build/release"
shared, static = build / "libthud.so", build / "libthud.a"
if not shared.exists():
    sys.exit(f"check_symbols: {shared} is not built (cmake --build {build} --target thud_libraries)")


def names(*command):
    said = subprocess.run(["nm", *command], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines()]
    return {row[-1].partition("@")[0] for row in rows if len(row) == 3 and row[1] in "TDBRVWGSiCu"}


exported = names("-D", "--defined-only", str(shared))
faults = [f"{shared.name}: it exports {name}, which does not begin with thud_" for name in sorted(exported)
          if not name.startswith("thud_")]
if static.exists():
    outside = {name for name in names("-g", "--defined-only", str(static)) if not name.startswith("thud_")}
    faults += [f"{static.name}: it exports {name}, which does not begin with thud_" for name in sorted(outside)]
if "--write" in sys.argv:
    listed_at.write_text("".join(f"{name}\n" for name in sorted(exported)))
listed = set(listed_at.read_text().split())
faults += [f"cmake/thud.symbols: {name} is listed and no longer exported" for name in sorted(listed - exported)]
faults += [f"cmake/thud.symbols: {name} is exported and not listed" for name in sorted(exported - listed)]
print("\n".join(faults) if faults else f"symbols: {len(exported)} names exported, all listed")
sys.exit(1 if faults else 0)
