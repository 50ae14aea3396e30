"""One row of a population: makes a case, runs it, judges it, and puts it into words."""
import math
import traceback

from . import beside, oracle, program, recording
from .judge import answered, judge

# What the program says where it stops: a contact problem that no solver solves, a motion that is lost, a doubt graded wrong.
STOPS = {"unsolved": "could not be solved", "not finite": "no longer finite"}


def play_plainly(module, case):
    """One run and the judge's measures, and what the population knows besides."""
    if "refused" in case.facts:
        why = case.facts["refused"]
        return [program.Ran(f"build/thud convert {program.relative(case.facts['path'])} /tmp/x.xml", "refused", 1, why, None, None, 0.0, 0.0)], [], {}
    if "skipped" in case.facts:
        return [], [], {"skipped": case.facts["skipped"]}
    scene = case.write()
    ran = program.run(scene, case.args, case.limit, stem=case.stem, contacts=case.facts.get("contacts", True), every=case.every)
    faults, figures = [], {}
    rec = recording.read(ran.recording) if ran.recording else None
    if rec is not None and len(rec) > 1 and ran.outcome in ("finished", "stop"):
        model, why = oracle.load(scene)
        if model is None:
            figures["not in MuJoCo"] = why
        else:
            world = oracle.World(model)
            faults = judge(world, rec, ran, case)
            if hasattr(module, "expect") and not any(f.kind == "not finite" for f in faults):
                faults += module.expect(world, rec, ran, case, figures)
            measure(world, rec, ran, case, figures)
    return [ran], faults, figures


def measure(world, rec, ran, case, figures):
    """What a case wants told beside its faults: facts["beside"] holds "finer", "times", "work"."""
    wanted = case.facts.get("beside", ())
    if "finer" in wanted:
        beside.confirm(world, rec, case, figures)
    if "times" in wanted:
        beside.times(world, ran, figures, case.facts.get("controls"), 0 if world.m.nkey else None)
    if "work" in wanted and ran.outcome == "finished":
        beside.work(case, figures)


def run_row(module, population, seed, index, quick):
    """A row as a dictionary that JSON can hold."""
    case = module.make(seed, index, quick)
    repeat = f"make population POP={population} SEED={seed} ONLY={index}" + (" QUICK=1" if quick else "")
    row = {"population": population, "seed": seed, "index": index, "name": case.name, "repeat": repeat}
    try:
        runs, faults, figures = module.play(case) if hasattr(module, "play") else play_plainly(module, case)
    except Exception as fault:  # the judge's own failure is a row that says so
        row.update(outcome="judge failed", said=f"{type(fault).__name__}: {fault}", trace=traceback.format_exc()[-1500:])
        row.update(faults=[], silent=[], doubts=[])
        return row
    worst = min(runs, key=lambda r: ("crash", "hang", "stop", "refused", "interrupted", "finished").index(r.outcome), default=None)
    doubts = [d for r in runs for d in r.doubts]
    row["outcome"] = worst.outcome if worst else "no grasp" if figures.get("no_grasp") else "skipped"
    row["said"] = worst.said if worst and worst.outcome != "finished" else ""
    row["command"] = worst.command if worst else ""
    row["cpu"] = round(sum(r.cpu for r in runs), 3)
    row["us_per_step"] = (runs[-1].report or {}).get("us_per_step") if runs else None
    row["asked"] = sorted({word for r in runs for word in ("unsolved", "not finite") if r.outcome == "stop" and STOPS[word] in r.said})
    row["faults"] = [f.as_json() for f in faults]
    row["doubts"] = sorted({f"{d.get('grade')}: {d.get('kind')}" for d in doubts})
    row["silent"] = sorted({f.kind for f in faults if not answered(f, doubts)}) if row["outcome"] == "finished" else []
    row["figures"] = {k: repr(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in figures.items()}
    if worst and worst.outcome == "refused":
        row["silent"] = []
    return row
