"""docs/trust.md: the table of the populations as a page, misses first."""
import datetime
import json

from . import table
from .case import ROOT
from .sources import all_robots

HEAD = """# How far it can be trusted

Scenes that nobody here chose, run by the program and judged from their recordings alone: masses and energies by the judge's own formulas,
overlaps and distances by MuJoCo's geometry, the way *between* two rows swept, momentum against the recorded impulses, and the same run at a 16
times finer step. `make population` makes, runs and judges them; each row has the one command that repeats it. This page is written by

    {command}

on {date}, {machine}, beside other work: times are ratios to MuJoCo {mujoco} on the same file in the same minute. `--finished` takes rows that were run before;
`make population POP=NAME SEED=N COUNT=N` (with `QUICK=1` where the row says so) runs them.

*Silent* is a fault with exit code 0 and no [doubt](failed-step.md#doubts) of the same kind: the worst there is. *Told* is a fault that the
program graded itself. *Stop* is exit code 3: a step that could not be taken, or a run that the program grades wrong.
"""

WHAT = {
    "random": "a factory over shapes, sizes, masses, joints, limits, springs, loops, tendons, actuators, friction, restitution, laws, schemes and steps;\n"
              "even rows are tame: no overlaps and no contradictions at the start",
    "corners": "seams, tiles, drawers, pegs, passing bodies, ledges; fast small bodies shot at thin plates",
    "grasps": "objects gripped, lifted, shaken at 1 g and 3 Hz and held at 0.999 and 1.001 of the least friction that holds",
    "robots": "published robots held, driven by smooth random controls, dropped at a random attitude, and with three objects dropped onto them",
    "piles": "heaps of every shape, towers, dominoes, ropes, chain mail, lattices, terrain, heaps of humanoids",
    "environments": "Gymnasium's eleven MuJoCo environments under random actions",
    "tolerances": "rows of the others at 1e-10 to 1e-3: a looser tolerance is never slower",
    "order": "single bodies that fall, slide, stick, tip, roll and take off: observed order over four halvings, wanted 1.8",
}
MOST = 40  # rows of a population that are listed


def cell(text):
    return str(text).replace("|", "\\|")


def summary(populations):
    lines = ["| population | rows | finished | silent | told | stopped | refused | hang | crash | not finite |", "|---|---|---|---|---|---|---|---|---|---|"]
    for name, rows in populations.items():
        outcome, silent, _ = table.counts(rows)
        told = sum(bool(r["faults"]) and not r["silent"] and r["outcome"] == "finished" for r in rows)
        lines.append(f"| {name} | {len(rows)} | {outcome['finished']} | {sum(bool(r['silent']) for r in rows)} | {told} | {outcome['stop']} | "
                     f"{outcome['refused']} | {outcome['hang']} | {outcome['crash']} | {silent['not finite']} |")
    return lines


def kinds(rows):
    """Silent and told kinds, and why runs stopped."""
    _, silent, told = table.counts(rows)
    lines = []
    if silent:
        lines.append("Silent: " + ", ".join(f"{k} {n}" for k, n in silent.most_common()) + ".")
    if told:
        lines.append("Told: " + ", ".join(f"{k} {n}" for k, n in told.most_common()) + ".")
    stops = [r for r in rows if r["outcome"] == "stop"]
    why = {"no solution of a contact problem": sum("could not be solved" in r["said"] for r in stops),
           "the motion was lost": sum("no longer finite" in r["said"] for r in stops),
           "graded wrong at the end": sum("graded wrong" in r["said"] for r in stops)}
    if stops:
        lines.append("Stopped: " + ", ".join(f"{k} {n}" for k, n in why.items() if n) + ".")
    tame = [r for r in rows if r["population"] == "random" and r["name"].startswith("tame")]
    if tame:
        stopped = sum(r["outcome"] != "finished" for r in tame)
        lines.append(f"Tame rows: {len(tame)}, {stopped} of them did not finish ({100 * stopped / len(tame):.1f} %), "
                     f"{sum(bool(r['silent']) for r in tame)} silent.")
    return lines


def short(words, most=170):
    return words if len(words) <= most else words[:most - 3] + "..."


def section(name, rows):
    lines = [f"## {name}", "", WHAT[name][0].upper() + WHAT[name][1:] + ".", ""]
    lines += [f"- {line}" for line in kinds(rows) + [b[0].upper() + b[1:] + "." for b in table.beside_lines(rows)]]
    bad = sorted((r for r in rows if r["outcome"] in table.BAD or r["silent"] or r["outcome"] == "stop" or any(f["kind"] in ("order", "slower") for f in r["faults"])),
                 key=table.rank)
    if bad:
        lines += ["", "| row | what | repeat |", "|---|---|---|"]
        for row in bad[:MOST]:
            mark = "**silent** " if row["silent"] else ""
            lines.append(f"| {cell(short(row['name'], 50))} | {mark}{cell(short(table.describe(row), 90))} | `SEED={row['seed']} ONLY={row['index']}"
                         f"{' QUICK=1' if 'QUICK' in row['repeat'] else ''}` |")
        if len(bad) > MOST:
            lines.append(f"\n{len(bad) - MOST} more rows that stopped are not listed; `make population POP={name}` lists all.")
    return lines


def clean(text):
    """Without this machine's paths."""
    for path in (str(ROOT) + "/", str(ROOT.parent) + "/"):
        text = text.replace(path, "")
    return text


def write(path, rows, command):
    import mujoco
    populations = {}
    for row in rows:
        populations.setdefault(row["population"], []).append(row)
    order = sorted(populations, key=lambda n: -sum(bool(r["silent"]) for r in populations[n]) / len(populations[n]))
    _, absent = all_robots()
    head = HEAD.format(command=f"PYTHONPATH=tools build/venv/bin/python -m population {command}", date=datetime.date.today().isoformat(), machine="2 cores", mujoco=mujoco.__version__)
    lines = [head, *summary({n: populations[n] for n in order}), ""]
    total = sum(bool(r["silent"]) for r in rows)
    builds = ", ".join(sorted({r.get("build", "?") for r in rows}))
    lines.append(f"Programs (first twelve digits of their SHA-256): {builds}.\n")
    lines.append(f"{len(rows)} rows in all, {total} of them silent." + (f" Not here, and so not run: {', '.join(absent)}." if absent else ""))
    for name in order:
        lines += ["", *section(name, populations[name])]
    path.write_text(clean("\n".join(lines)) + "\n")
    return path


def load(files):
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]
