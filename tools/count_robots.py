#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts which MJCF files load in MuJoCo and in Thud, and prints what keeps the others out, by cause.

usage: tools/count_robots.py [--cache FILE] [--page] [--list] THUD FOLDER...

Every .xml file below a FOLDER whose root element is <mujoco> is loaded by MuJoCo (the Python package) and by `thud info`. A cause is
the sentence of the diagnostic with its names and numbers taken out. --list prints every file that only MuJoCo loads. --page writes the
counts, a row for each FOLDER, into the table under <!-- counted --> of docs/robots.md. --cache keeps MuJoCo's verdicts in FILE, by
path, size and time of change.
"""
import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path("docs/robots.md")
SECONDS = 120  # for one file


def is_mjcf(path):
    text = re.sub(rb"<!--.*?-->|<\?.*?\?>", b"", path.read_bytes(), flags=re.S).lstrip(b"\xef\xbb\xbf \t\r\n")
    return re.match(rb"<mujoco[\s>/]", text) is not None


def mujoco_loads(path):
    """"" if MuJoCo loads the file, else its first line of complaint. Runs in a process of its own: MuJoCo may end it."""
    import mujoco

    try:
        mujoco.MjModel.from_xml_path(path)
    except Exception as error:  # any of MuJoCo's
        return str(error).strip().splitlines()[0] if str(error).strip() else "error"
    return ""


def ask_mujoco(paths, cache_path):
    cache = json.loads(cache_path.read_text()) if cache_path and cache_path.exists() else {}
    key = {p: f"{p}:{p.stat().st_size}:{p.stat().st_mtime_ns}" for p in paths}
    missing = [p for p in paths if key[p] not in cache]
    context = multiprocessing.get_context("spawn")
    while missing:
        with context.Pool(1) as pool:
            while missing:
                path = missing.pop(0)
                try:
                    cache[key[path]] = pool.apply_async(mujoco_loads, (str(path),)).get(SECONDS)
                except multiprocessing.TimeoutError:
                    cache[key[path]] = f"does not answer in {SECONDS} s"
                    break  # the process is ended with its pool
    if cache_path:
        cache_path.write_text(json.dumps(cache))
    return {p: cache[key[p]] for p in paths}


def ask_thud(thud, path):
    try:
        run = subprocess.run([thud, "info", str(path)], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"does not answer in {SECONDS} s"
    if run.returncode == 0:
        return ""
    lines = run.stderr.strip().splitlines()
    return lines[0] if lines else f"ends with {run.returncode}"


def cause(sentence):
    text = re.sub(r"^.*?:\d+:\d+: ", "", sentence)
    text = re.sub(r'"[^"]*/[^"]*"', '"FILE"', text)
    text = re.sub(r"\b(body|joint|geom|mesh|site|tendon|actuator) [\w./-]+", r"\1 NAME", text)
    return re.sub(r"-?\b\d[\d.e+-]*", "N", text)[:150]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("thud")
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    rows, causes, refused = [], collections.Counter(), []
    for folder in args.folder:
        paths = sorted(p for p in folder.rglob("*.xml") if is_mjcf(p))
        theirs = ask_mujoco(paths, args.cache)
        loadable = [p for p in paths if not theirs[p]]
        ours = {p: ask_thud(args.thud, p) for p in loadable}
        loaded = sum(not said for said in ours.values())
        rows.append((folder.name, len(paths), len(loadable), loaded))
        for path, said in ours.items():
            if said:
                causes[cause(said)] += 1
                refused.append((path, said))
    total = ("all",) + tuple(sum(row[k] for row in rows) for k in (1, 2, 3))
    table = [f"| {name} | {files} | {mujoco} | {thud} | {100 * thud / max(mujoco, 1):.1f} % |\n" for name, files, mujoco, thud in rows + [total]]
    print("| folder | MJCF files | MuJoCo loads | Thud loads, of those | |\n|---|---|---|---|---|\n" + "".join(table))
    for what, count in causes.most_common():
        print(f"{count:5}  {what}")
    if args.list:
        for path, said in refused:
            print(f"{path}\n       {said}")
    if args.page:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(r"(<!-- counted -->\n\|.*\n\|[-|]+\n)(?:\|.*\n)*", lambda m: m.group(1) + "".join(table), page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
