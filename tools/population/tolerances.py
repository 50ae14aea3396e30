"""POP=tolerances: rows of the other populations at 1e-3, 1e-4, 1e-6, 1e-8 and 1e-10: a looser one is never slower. A row is slower where
both its time and its iterations are, beyond a tenth; the time is the least of three runs in turn."""
from . import beside, program, registry
from .case import random_of
from .judge import Fault

COUNT = 200
SOURCES = ("piles", "robots", "random", "corners")
LEVELS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3)
TURNS = 3


def make(seed, index, quick=False):
    rng = random_of("tolerances", seed, index)
    source = SOURCES[index % len(SOURCES)]
    module = registry.module(source)
    at = rng.randrange(module.COUNT) & ~1  # the tame half of random scenes
    case = module.make(seed, at, True)
    case.name = f"{source} {at}: {case.name}"
    case.population, case.seed, case.index = "tolerances", seed, index
    args = list(case.args)
    for option in ("--tolerance", "--law", "--scheme"):
        if option in args:
            i = args.index(option)
            del args[i:i + 2]
    case.args = args
    return case


def play(case):
    if "refused" in case.facts:
        return [], [], {"skipped": case.facts["refused"]}
    case.write()
    figures, best, runs = {}, {}, []
    for turn in range(TURNS):
        found = {}
        beside.work(case, found, LEVELS, most=1.0)
        for level, f in found["work"].items():
            if "us" in f and (level not in best or f["us"] < best[level].get("us", float("inf"))):
                best[level] = f
            elif "us" not in f:
                best.setdefault(level, f)
    figures["work"] = best
    runs.append(program.run(case.path, case.args, case.limit, stem=case.stem, record=False))
    pairs = beside.slower(best)
    figures["slower"] = pairs
    faults = []
    if pairs:
        tight, loose = max(pairs, key=lambda p: best[p[1]]["us"] / best[p[0]]["us"])
        faults.append(Fault("slower", best[loose]["us"] / best[tight]["us"], 1.1, 0.0, f"at {loose} than at {tight}"))
    return runs, faults, figures
