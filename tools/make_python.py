#!/usr/bin/env python3
"""Makes what the Python package takes from the headers: the members of a certificate with their meanings, for C
(python/src/fields.h) and for type checkers (python/thud/_core.pyi).
With --check: says what is not as it would be made, and changes nothing."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def members(header, struct):
    """(type, name, meaning) of each member of a struct of numbers, in order; comments behind and below a member are its meaning."""
    body = re.search(r"typedef struct " + struct + r" \{(.*?)\n\} " + struct + ";", header, re.S).group(1)
    body = re.sub(r"\b(double|int)\s*\n\s*", r"\1 ", body)
    found = []
    for line in body.splitlines():
        code, _, comment = line.partition("//")
        declared = re.match(r"\s*(double|int) ([\w, ]+);", code)
        if declared:
            for name in declared.group(2).split(","):
                found.append([declared.group(1), name.strip(), comment.strip()])
            group = len(declared.group(2).split(","))
        elif comment and found:
            for member in found[-group:]:
                member[2] = f"{member[2]} {comment.strip()}".strip()
    return found


def fields():
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// fields.h: made by tools/make_python.py from include/thud/step.h. X(type, name, meaning).",
             "#pragma once", "", "// clang-format off", "#define THUD_CERTIFICATE_FIELDS(X) \\"]
    all_members = members((root / "include/thud/step.h").read_text(), "thud_certificate")
    for kind, name, meaning in all_members:
        quoted = meaning.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'    X({kind}, {name}, "{quoted}") \\')
    lines[-1] = lines[-1][:-2]
    return "\n".join(lines + ["// clang-format on", ""])


def stub():
    lines = []
    for kind, name, meaning in members((root / "include/thud/step.h").read_text(), "thud_certificate"):
        lines += ["    @property", f"    def {name}(self) -> {'int' if kind == 'int' else 'float'}:", f'        """{meaning}"""']
    template = (root / "python/core.pyi.in").read_text()
    return template.replace("@CERTIFICATE@", "\n".join(lines))


made = {"python/src/fields.h": fields(), "python/thud/_core.pyi": stub()}

wrong = 0
for name, text in made.items():
    path = root / name
    if "--check" in sys.argv[1:]:
        if not path.exists() or path.read_text() != text:
            print(f"{name}:1:1: not as tools/make_python.py makes it")
            wrong = 1
    else:
        path.write_text(text)
sys.exit(wrong)
