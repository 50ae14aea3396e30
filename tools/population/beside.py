"""What a row tells beside its faults: whether a 16 times finer run confirms it, its time beside MuJoCo's, its work at other tolerances."""
import numpy as np

from . import oracle, program, recording
from .timing import median_step

FINER = 16
AGREE = 0.01  # of the way a body went and of its size: below that a finer run confirms
HORIZON = 0.1  # s: truncation is told after that
TOLERANCES = (1e-8, 1e-4, 1e-3)


def with_option(args, name, value):
    """The arguments with an option set."""
    args = list(args)
    if name in args:
        args[args.index(name) + 1] = value
        return args
    return [*args, name, value]


def places(world, rec, rows):
    """Centres of mass of all bodies in some rows."""
    x = np.empty((len(rows), world.m.nbody, 3))
    for i, row in enumerate(rows):
        world.place(rec, int(row))
        x[i] = world.d.xipos
    return x


def finer_run(case, rec, dt, most):
    """The same run at a finer step as far as `most` s, and the rows of both that are at the same times."""
    end = min(most, float(rec.time[-1]))
    args = with_option(with_option(case.args, "--time", repr(end)), "--dt", repr(dt / FINER))
    ran = program.run(case.path, args, max(case.limit, 60.0), stem=case.stem + "-finer", every=FINER * case.every)
    fine = recording.read(ran.recording) if ran.recording else None
    if fine is None or len(fine) < 2:
        return ran, None, 0
    n = min(len(fine), len(rec))
    same = np.abs(fine.time[:n] - rec.time[:n]) < 0.01 * dt
    return ran, fine, int(np.argmin(same)) if not same.all() else n


def confirm(world, rec, case, figures, most=3.0):
    """Figures: `truncation`, the largest distance of a body from the finer run's after HORIZON, relative to its way and size;
    `confirmed`, whether that stays below AGREE to the end."""
    dt = float(np.min(np.diff(rec.time))) / case.every
    ran, fine, n = finer_run(case, rec, dt, most)
    if fine is None or n < 2:
        return
    rows = np.unique(np.linspace(0, n - 1, min(n, 200)).astype(int))
    a, b = places(world, rec, rows), places(world, fine, rows)
    way = np.cumsum(np.linalg.norm(np.diff(b, axis=0, prepend=b[:1]), axis=2), axis=0)
    off = np.linalg.norm(a - b, axis=2) / (way + np.maximum(0.5 * extents(world.m), 1e-9))
    off = np.where(np.isfinite(off), off, np.inf)
    early = np.flatnonzero(rec.time[rows] <= HORIZON)
    figures["truncation"] = float(np.max(off[early], initial=0.0))
    figures["truncation_end"] = float(np.max(off, initial=0.0))
    figures["confirmed"] = bool(figures["truncation_end"] <= AGREE and ran.outcome in ("finished", "stop") and n >= len(rec))
    figures["finer_doubts"] = sorted({f"{d.get('grade')}: {d.get('kind')}" for d in ran.doubts if d.get("grade") != "note"})


def extents(m):
    """The size of each body: the largest bounding radius of its geoms."""
    size = np.zeros(m.nbody)
    for g in range(m.ngeom):
        size[m.geom_bodyid[g]] = max(size[m.geom_bodyid[g]], float(m.geom_rbound[g]))
    return size


def times(world, ran, figures, controls=None, key=0):
    """Times of steps as ratios to MuJoCo's median on the same file in the same minute."""
    ours = (ran.report or {}).get("step_us")
    if not ours:
        return
    theirs = median_step(world.m, key, controls)
    figures["step_us"] = {k: ours[k] for k in ("median", "p99", "worst")}
    figures["mujoco_us"] = theirs
    for name, cone in (("ratio", "file"), ("ratio_elliptic", "elliptic")):
        if theirs[cone]:
            figures[name] = {k: ours[k] / theirs[cone] for k in ("median", "p99", "worst")}


def work(case, figures, tolerances=TOLERANCES, most=0.5):
    """Iterations and the median time of a step, us, at other tolerances."""
    found = {}
    limit = min(case.limit, 20.0)
    for tolerance in tolerances:
        args = with_option(case.args, "--tolerance", repr(tolerance))
        if "--time" in args:
            args = with_option(args, "--time", repr(min(most, float(args[args.index("--time") + 1]))))
        ran = program.run(case.path, args, limit, stem=case.stem + "-tolerance", record=False)
        report = ran.report or {}
        steps = report.get("steps") or 0
        if ran.outcome in ("finished", "stop") and steps and report.get("finished"):
            found[f"{tolerance:g}"] = {"iterations": report["iterations"] / steps, "us": report["us_per_step"]}
        else:
            found[f"{tolerance:g}"] = {"outcome": ran.outcome}
    figures["work"] = found


def slower(found, share=1.1):
    """Pairs of tolerances of which the looser one took more of both time and iterations."""
    order = [t for t in sorted(found, key=float) if "us" in found[t]]
    return [(tight, loose) for i, tight in enumerate(order) for loose in order[i + 1:]
            if found[loose]["us"] > share * found[tight]["us"] and found[loose]["iterations"] > share * found[tight]["iterations"] + 0.01]
