#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts which URDF files load in Thud, and prints what keeps the others out, by cause.

usage: tools/count_urdf.py [--page] [--list] [--only TEXT] THUD FOLDER...

Every .urdf file below a FOLDER is loaded by `thud info`. A cause is the sentence of the diagnostic with its names and numbers taken out.
A file is broken where no program could simulate it: it is no XML, or it names a collision mesh, a link or a joint that is not there. Packages are
looked for as ROS does: every folder below FOLDER that holds a package.xml is one. --list prints every file that does not load. --page writes the
counts, a row for each FOLDER, into the table under <!-- urdf counted --> of docs/robots.md.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path("docs/robots.md")
SECONDS = 120  # for one file
BROKEN = re.compile(r"^cannot open \"|: cannot open \"FILE|no such file|is not XML|still open|does not match|the file is empty|the file ends|there is no (link|joint) |at least one <link>|no XML")


def ask(thud, path, packages):
    """The first line that `thud info` complains with, "" where it does not."""
    environment = dict(os.environ, ROS_PACKAGE_PATH=packages)
    try:
        run = subprocess.run([thud, "info", str(path)], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return f"does not answer in {SECONDS} s"
    if run.returncode == 0:
        return ""
    lines = run.stderr.strip().splitlines()
    return lines[0] if lines else f"ends with {run.returncode}"


def cause(sentence):
    text = re.sub(r"^.*?:\d+:\d+: ", "", sentence)
    text = re.sub(r"\"[^\"]*/[^\"]*\"|\S*/\S*\.\w+", '"FILE"', text)
    text = re.sub(r"\"[^\"]*\"|'[^']*'", lambda m: m.group(0) if m.group(0) == '"FILE"' else '"NAME"', text)
    text = re.sub(r"\b(body|joint|link|geom|mesh|mesh of) [\w./-]+", r"\1 NAME", text)
    return re.sub(r"-?\b\d[\d.e+-]*", "N", text)[:150]


def packages_below(folder):
    """The folders that hold packages, for ROS_PACKAGE_PATH."""
    return sorted({str(p.parent.parent) for p in folder.rglob("package.xml")})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="", help="only files whose path holds this text")
    parser.add_argument("thud")
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    rows, causes, refused = [], collections.Counter(), []
    for folder in args.folder:
        packages = ":".join(packages_below(folder))
        said = {p: ask(args.thud, p, packages) for p in sorted(folder.rglob("*.urdf")) if args.only in str(p)}
        broken = sum(bool(BROKEN.search(cause(s))) for s in said.values() if s)
        rows.append((folder.name, len(said), len(said) - broken, sum(not s for s in said.values())))
        for path, s in said.items():
            if s:
                causes[cause(s)] += 1
                refused.append((path, s))
    rows.append(("all",) + tuple(sum(row[k] for row in rows) for k in (1, 2, 3)))
    table = [f"| {name} | {files} | {whole} | {loads} | {100 * loads / max(whole, 1):.1f} % |\n" for name, files, whole, loads in rows]
    print("| folder | URDF files | not broken | Thud loads | of those not broken |\n|---|---|---|---|---|\n" + "".join(table))
    for what, count in causes.most_common():
        print(f"{count:5}  {'broken: ' if BROKEN.search(what) else ''}{what}")
    if args.list:
        for path, s in refused:
            print(f"{path}\n       {s}")
    if args.page:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"(<!-- urdf counted -->\n\|.*\n\|[-|]+\n)(?:\|.*\n)*", lambda m: m.group(1) + "".join(table), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
