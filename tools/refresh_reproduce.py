#!/usr/bin/env python3
"""Writes what `thud reproduce all` prints now into docs/reproduce.md and the figures it shows into docs/figures/.

usage: tools/refresh_reproduce.py THUD        from the root of the repository

A table is found by its caption, the first line of an indented block; the table of complaints by its head. Words around them are not touched.
"""
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = pathlib.Path("docs/reproduce.md")


def printed_tables(text):
    """Caption -> the lines printed under it."""
    blocks = re.split(r"\n\s*\n", text)
    return {lines[0]: lines for lines in (block.strip("\n").split("\n") for block in blocks) if len(lines) > 2}


def refresh(page, tables):
    missing = []

    def replace(match):
        caption = match.group(1).strip()
        found = [lines for key, lines in tables.items() if key[:38] == caption[:38]]
        if len(found) != 1:
            missing.append(caption)
            return match.group(0)
        return "".join(f"    {line}".rstrip() + "\n" for line in found[0])

    page = re.sub(r"(?<=\n\n) {4}(\S.*)\n(?: {4}.*\n)+", replace, page)
    if missing:
        sys.exit(f"not printed: {missing}")
    return page


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.argv[1], "reproduce", "all", "--out", folder], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 3):
            sys.exit(run.stderr)
        page = refresh(PAGE.read_text(encoding="utf-8"), printed_tables(run.stdout))
        laws = "".join(path.read_text(encoding="utf-8") for path in PAGE.parent.glob("laws/*.md"))
        for figure in re.findall(r"\((?:\.\./)?figures/([\w-]+\.svg)\)", page + laws):
            shutil.copy(pathlib.Path(folder) / figure, PAGE.parent / "figures" / figure)
        with open(pathlib.Path(folder) / "complaints.csv", newline="", encoding="utf-8") as file:
            rows = ["| " + " | ".join(row) + " |\n" for row in list(csv.reader(file))[1:]]
    head = "|---|---|---|---|---|\n"
    PAGE.write_text(page.split(head)[0] + head + "".join(rows), encoding="utf-8")


main()
