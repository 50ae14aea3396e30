#!/usr/bin/env python3
"""Runs the commands that documents show, and compares what they print with what stands there.

usage: tools/run_documents.py [--write] THUD [PAGE ...]        from the root of the repository; all pages unless named

In a page, a block that begins with ```console holds commands after "$ " and, below each, what it prints. A block that begins with
```xml NAME (csv, c, ...) is a file of that name. Each page runs in a folder of its own, in which `scenes` and `examples` are the
repository's. Numbers agree to one part in a hundred, or both are below 1e-6 in size; what is measured by a clock is not compared,
nor what a program built without the viewer cannot do.
--write puts what is printed now in the place of what no longer agrees, and pictures that the commands of PAGE.md draw as NAME.png into
figures/PAGE-NAME.png where the page shows them.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?\b(?:nan|inf)\b")
CLOCK = re.compile(r"simulated in .*|\"(?:wall_s|us_per_step)\": \S+|\([0-9a-f]{12}\)|\s\d\.\d{3}e[-+]\d\d$", re.M)

NO_VIEWER = "built without the viewer"  # such a program has no `thud report`


def agree(shown, printed):
    """Whether two texts are the same but for small differences of their numbers and for times."""
    shown, printed = CLOCK.sub("", shown), CLOCK.sub("", printed)

    def words(text):
        return [line.split() for line in NUMBER.sub(" # ", text).rstrip().splitlines()]

    if words(shown) != words(printed):
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(printed)))
    return all(a == b or abs(a - b) <= 0.01 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-6 for a, b in pairs)


class Shell:
    """Commands one after another in one folder; each sees the exit code of the one before as $?."""

    def __init__(self, folder, thud):
        self.folder, self.code = folder, 0
        self.environment = {**os.environ, "PATH": f"{pathlib.Path(thud).resolve().parent}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def run(self, command):
        done = subprocess.run(["bash", "-c", f"(exit {self.code})\n{command}"], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        self.code = done.returncode
        return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def split_console(text):
    """A console block as a list of (command, what is shown below it); a command goes on after a backslash."""
    pairs = []
    for line in text.splitlines():
        if line.startswith("$ "):
            pairs.append([line[2:], ""])
        elif pairs and pairs[-1][0].endswith("\\"):
            pairs[-1][0] += "\n" + line
        elif pairs:
            pairs[-1][1] += line + "\n"
    return pairs


def take_pictures(page, text, folder):
    for figure, name in re.findall(rf"\((figures/{page.stem}-(\w+\.png))\)", text):
        if (folder / name).exists():
            shutil.copy(folder / name, page.parent / figure)


def run_page(page, thud, faults, write):
    """The page with what its commands print now; what does not agree is added to faults."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("scenes", "examples"):
            (folder / name).symlink_to(ROOT / name)
        shell = Shell(folder, thud)

        def replace(block):
            language, name, text = block.groups()
            if language != "console":
                if name:
                    (folder / name).write_text(text, encoding="utf-8")
                return block.group(0)
            now = ""
            for command, shown in split_console(text):
                printed = shell.run(command)
                if not agree(shown, printed) and NO_VIEWER not in printed:
                    faults.append(f"{page.relative_to(ROOT)}: $ {command}\n--- shown\n{shown}--- printed\n{printed}")
                    shown = printed
                now += f"$ {command}\n{shown}"
            return f"```console\n{now}```"

        now = BLOCK.sub(replace, page.read_text(encoding="utf-8"))
        if write:
            take_pictures(page, now, folder)
        return now


def main():
    words = sys.argv[1:]
    write = "--write" in words
    words = [word for word in words if word != "--write"]
    pages = [pathlib.Path(word).resolve() for word in words[1:]]
    pages = pages or [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))] if "```console" in page.read_text()]
    faults = []
    for page in pages:
        now = run_page(page, words[0], faults, write)
        if write:
            page.write_text(now, encoding="utf-8")
    print("\n".join(faults))
    print(f"{len(pages)} pages, {len(faults)} commands that print something else")
    return 1 if faults and not write else 0


sys.exit(main())
