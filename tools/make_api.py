#!/usr/bin/env python3
"""Writes the reference of the library, docs/api/*.md, from the public headers; the comments there are the manual.

usage: tools/make_api.py [--check]        --check: writes nothing, and fails when a page is not what the headers say

A header becomes a page: its head is the introduction, a line of dashes starts a section, and every comment with the declarations
below it, up to a blank line or the next comment, is an entry.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS, PAGES = ROOT / "include/thud", ROOT / "docs/api"
RULE = re.compile(r"^// -{20,} *(.*)$")
SKIP = re.compile(r"^(#pragma once|#include .*|// SPDX.*|// clang-format.*)$")
GUARD = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\n", re.M | re.S)
DECLARED = [
    re.compile(r"^typedef (?:struct|enum|union) \w* ?\{?.*?\}? ?(thud_\w+);", re.M | re.S),
    re.compile(r"^typedef [^;{]*\(\*(thud_\w+)\)", re.M),
    re.compile(r"^(?!typedef|#|\s)[\w\s*]*?\b(thud_\w+)\(", re.M),
    re.compile(r"^#define (THUD_\w+)", re.M),
    re.compile(r"^enum \{ (THUD_\w+)", re.M),
    re.compile(r"^(?:static inline|extern)[\w\s*]* \*?(\w+)\(", re.M),
]


def prose(lines):
    """Comment lines as Markdown: what is indented stays as it is, the rest is folded by the reader."""
    out, text = [], []
    for line in [*lines, ""]:
        if line.startswith("    ") or not line.strip():
            if text:
                out.append(re.sub(r" {2,}", " ", " ".join(text)))
                text = []
            if line.strip() and out and out[-1].startswith("    "):
                out[-1] += "\n" + line.rstrip()
            elif line.strip():
                out.append(line.rstrip())
        else:
            text.append(re.sub(r"([*<|])", r"\\\1", line.strip()) if "`" not in line else line.strip())
    return "\n\n".join(out)


def dedent(code):
    """Declarations without what only the linker and the compiler read; continuation lines move with their first."""
    out, shift = [], 0
    for line in code:
        start = re.match(r"^((?:THUD_API |THUD_MUST_USE )+)", line)
        if start or not line.startswith(" "):
            shift = len(start.group(1)) if start else 0
            out.append(line[shift:])
        else:
            out.append(line[min(shift, len(line) - len(line.lstrip())):])
    return "\n".join(re.sub(r"\s+\\$", r" \\", line).rstrip() for line in out)


def without_bodies(text):
    """Inline functions as declarations, those without a comment above them in one block."""
    text = re.sub(r"^(static inline [^{;]*?)( //[^\n]*)?\n\{\n.*?^\}$", r"\1;\2", text, flags=re.M | re.S)
    return re.sub(r"(^static inline [^;]*;[^\n]*\n)\n(?=static inline)", r"\1", text, flags=re.M)


def names_of(code):
    found = []
    for pattern in DECLARED:
        found += [(match.start(1), match.group(1)) for match in pattern.finditer(code)]
    names = [name for _, name in sorted(found)]
    return [name for i, name in enumerate(names) if name not in names[:i] and not name.endswith("_ENUM")]


def entries_of(lines):
    """(section or None, comment lines, code lines) in the header's order."""
    comment, code = [], []
    for line in [*lines, ""]:
        rule = RULE.match(line)
        is_comment = line.startswith("//") and not rule
        inside = any(c.endswith("\\") for c in code[-1:]) or "".join(code).count("{") > "".join(code).count("}")
        if inside and not rule:
            code.append(line)
            continue
        if rule or not line or (is_comment and code):
            if comment or code:
                yield None, comment, code
            comment, code = [], []
        if rule:
            yield rule.group(1), [], []
        elif is_comment:
            comment.append(line[3:] if line != "//" else "")
        elif line:
            code.append(line)


def page_of(header):
    """The page of a header, its first sentence, and the names it declares."""
    text = without_bodies(GUARD.sub("", header.read_text(encoding="utf-8")))
    text = text.split("#pragma once")
    head = [line[3:] if line != "//" else "" for line in text[0].splitlines() if line.startswith("//") and not SKIP.match(line)]
    title, _, first = head[0].partition(": ")
    about = prose([first[:1].upper() + first[1:], *head[1:]])
    out = [f"# {title}", about]
    names = []
    for section, comment, code in entries_of([line for line in text[1].splitlines() if not SKIP.match(line)]):
        if section is not None:
            out.append(f"## {section[:1].upper()}{section[1:]}" if section else "---")
            continue
        shown = dedent(code)
        declared = names_of(shown)
        if declared:
            out.append("".join(f'<a id="{name}"></a>' for name in declared))
        if code:
            out.append(f"```c\n{shown}\n```")
        if comment:
            out.append(prose(comment))
        names += declared
    source = f"[{title}](../../include/{title})"
    out.append(f"*Made from {source} by `tools/make_api.py`.*")
    return "\n\n".join(part for part in out if part) + "\n", first_sentences(about), names


def first_sentences(text):
    """As many as a line of a table takes, at least one."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text.split("\n")[0])
    short = len(sentences) > 1 and len(sentences[0]) + len(sentences[1]) < 110
    return " ".join(sentences[: 2 if short else 1])


def rooms():
    """Rooms from the top of the house down, those of one storey in LAYERS' order."""
    lines = [line for line in (ROOT / "LAYERS").read_text().splitlines() if line and not line.startswith("#")]
    return [room for line in lines for room in line.split()]


def index_of(pages, names):
    rows = [f"| [thud/{stem}.h]({stem}.md) | {sentence} |" for stem, sentence in pages]
    listed = [f"[{name}]({stem}.md#{name})" for name, stem in sorted(names.items(), key=lambda item: item[0].lower())]
    return f"""# The library

Made from the headers in [include/thud](../../include/thud/), which are the manual, by `tools/make_api.py` (`make docs`). Programs include
[thud.h](thud.md), which includes them all. [Conventions](../conventions.md) · [Examples](../../examples/README.md) · a first program: [step.h](step.md)

| header | what for |
|---|---|
""" + "\n".join(rows) + "\n\n## Every name\n\n" + " ·\n".join(listed) + "\n"


def main():
    order = rooms()
    headers = sorted(HEADERS.glob("*.h"), key=lambda h: (order.index(h.stem.split("_")[0]) if h.stem.split("_")[0] in order else -1, h.stem))
    made, pages, names = {}, [], {}
    for header in headers:
        text, sentence, declared = page_of(header)
        made[PAGES / f"{header.stem}.md"] = text
        pages.append((header.stem, sentence))
        names.update({name: header.stem for name in declared if name not in names})
    made[PAGES / "README.md"] = index_of(pages, names)
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    stale += [path for path in PAGES.glob("*.md") if path not in made]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the headers say: run make docs")
        return 1 if stale else 0
    PAGES.mkdir(exist_ok=True)
    for path in stale:
        if path in made:
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    print(f"api: {len(made)} pages, {len(stale)} written")
    return 0


sys.exit(main())
