#!/usr/bin/env python3
"""Writes what `thud reproduce robots` finds now into the tables of docs/robots.md.

usage: tools/refresh_robots.py THUD MODELS        from the root of the repository; MODELS is a folder of MuJoCo Menagerie
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path("docs/robots.md")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return ["| " + " | ".join(row) + " |\n" for row in list(csv.reader(file))[1:]]


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.argv[1], "reproduce", "robots", "--models", sys.argv[2], "--out", folder], capture_output=True, text=True,
                             check=False)
        if run.returncode not in (0, 3):
            sys.exit(run.stderr)
        page = PAGE.read_text(encoding="utf-8")
        for name in ("robots", "models"):  # a table stands under <!-- name -->: its head, a line, its rows
            rows = "".join(rows_of(pathlib.Path(folder) / f"{name}.csv"))
            page = re.sub(rf"(<!-- {name} -->\n\|.*\n\|[-|]+\n)(?:\|.*\n)*", lambda m: m.group(1) + rows, page)
        PAGE.write_text(page, encoding="utf-8")


main()
