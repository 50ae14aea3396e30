#!/usr/bin/env python3
"""Measures what the table of README.md says, with the Python package that is installed.

usage: tools/measure_readme.py [NAME ...]     prints the figures (all unless named)
       tools/measure_readme.py --write        and fills the table with them
       tools/measure_readme.py --check        measures those again that no clock is needed for; exit code 1: the table says otherwise"""
import math
import pathlib
import re
import sys
import time

import numpy as np

import thud

ROOT = pathlib.Path(__file__).resolve().parent.parent


def scene(name):
    return thud.load(ROOT / "scenes" / f"{name}.xml")


def moved(name, seconds, rows=slice(0, 3)):
    m = scene(name)
    s = m.state(0) if len(m.key) else m.state()
    start = s.qpos.copy()
    with m.simulate(s, seconds=seconds) as run:
        run.finish()
    return np.abs(s.qpos - start)[rows].max(), m, s, run


def slope():
    return moved("slope20", 10)[0]


def pinch():
    m = scene("pinch")
    s = m.state()
    with m.simulate(s, seconds=10) as run:
        run.finish()
    return max(run.slip(f"pen{n}", f"{side}{n}") for n in (12, 30, 60) for side in ("left", "right")) / 10


def directions():
    """A box that is pushed off at 1 m/s in 24 directions: how different its ways are, of the mean."""
    m = scene("slide")
    b = thud.Batch(m, 24)
    angle = np.arange(24) * math.pi / 12
    b.qvel[:, 0], b.qvel[:, 1] = np.cos(angle), np.sin(angle)
    b.step(200)
    way = np.hypot(b.qpos[:, 0], b.qpos[:, 1])
    return float(np.ptp(way) / way.mean())


def stack():
    m = scene("heavy_on_stack9")
    s, sim, worst = m.state(), m.sim(), 0.0
    for _ in range(600):
        worst = max(worst, sim.step(s).penetration)
    return worst


def chain():
    m = scene("pendulum100")
    s = m.state(0) if len(m.key) else m.state()
    with m.simulate(s, seconds=2, dt=0.001, wrong="keep") as run:
        run.finish()
    return float(max(run.energy - run.energy[0]) / abs(run.energy[0]))


def smallest(work, repeats=7):
    best = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def step_us():
    m = scene("humanoid")
    s, sim = m.state(), m.sim()
    sim.run(s, 300)
    kept = s.copy()

    def work():
        s.copy_from(kept)
        for _ in range(500):
            sim.step(s)

    return smallest(work) / 500 * 1e6


def view_ns():
    s = scene("humanoid").state()

    def work():
        for _ in range(100000):
            s.qpos

    return smallest(work) / 100000 * 1e9


def rollout_ratio():
    """Steps a second of thud.Batch.rollout over those of mujoco.rollout: Gymnasium's humanoid falling, 64 worlds, 200 steps, one
    thread, both in turns. The file asks for RK4, four evaluations a step; MuJoCo is given its default, Euler's rule, instead."""
    import gymnasium
    import mujoco
    from mujoco import rollout

    path = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml"
    n, T = 64, 200
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data = mujoco.MjData(theirs)
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros((n, mujoco.mj_stateSize(theirs, spec)))
    start[:, 1:1 + theirs.nq] = theirs.qpos0
    u = np.random.default_rng(0).uniform(-0.4, 0.4, (n, T, theirs.nu))
    ours = thud.load(path)
    batch = thud.Batch(ours, n, threads=1, certify=False)
    state = ours.state()
    a = b = math.inf
    for _ in range(3):
        a = min(a, smallest(lambda: rollout.rollout(theirs, data, start, u), 1))
        b = min(b, smallest(lambda: batch.rollout(state, u), 1))
    return a / b


# name: what the table says, elsewhere, how the figure is written, whether a clock is needed
ROWS = {
    "slope": ("box at rest on a slope of 20°, 10 s: it moves", "1 to 2 mm/s", "{:.0e} m", False),
    "pinch": ("pens pinched between pads: they slide", "155 µm/s", "{:.0e} m/s", False),
    "directions": ("box pushed in 24 directions: its ways differ by", "45° is different", "{:.0e}", False),
    "stack": ("1000 kg on nine boxes of 1 kg, 1/60 s: they overlap by", "8 mm, or it collapses", "{:.0e} m", False),
    "chain": ("pendulum of 100 links, 1 ms: its energy rises by", "NaN, or blows up", "{:.0e}", False),
    "step_us": ("a certified step of a humanoid, from Python", "", "{:.0f} µs", True),
    "view_ns": ("`s.qpos`", "", "{:.0f} ns", True),
    "rollout_ratio": ("rollouts of Gymnasium's humanoid, one thread, beside `mujoco.rollout` (Euler)", "1", "{:.1f} times as many steps a second", True),
}
PLACE = re.compile(r"(<!-- tools/measure_readme.py --write -->\n).*?(\n<!-- end -->)", re.S)


def written(name, value):
    return ROWS[name][2].format(value).replace("0e+00", "0") if value == 0 else ROWS[name][2].format(value)


def table(figures):
    lines = ["| | elsewhere | Thud | measured by `tools/measure_readme.py` |", "|---|---|---|---|"]
    for name, (what, elsewhere, _, _) in ROWS.items():
        lines.append(f"| {what} | {elsewhere} | {written(name, figures[name])} | `{name}` |")
    return "\n".join(lines)


def main(words):
    page = ROOT / "README.md"
    if "--check" in words:
        text, wrong = page.read_text(), 0
        for name, (what, _, form, clock) in ROWS.items():
            if clock:
                continue
            value = globals()[name]()
            said = re.search(rf"^\|[^|]*\|[^|]*\| ([^|]*) \| `{name}` \|$", text, re.M)
            number = float(re.match(r"[-+.\de]+", said.group(1)).group()) if said else math.nan
            good = number == value or (value <= 1e-12 and number <= 1e-12) or 0.1 <= value / (number or math.inf) <= 10
            print(f"{name}: {value:.3e}, the table says {number:.3e}{'' if good else ': not the same'}")
            wrong |= not good
        return int(wrong)
    names = [word for word in words if word in ROWS] or list(ROWS)
    figures = {}
    for name in names:
        figures[name] = globals()[name]()
        print(f"{name}: {written(name, figures[name])}   ({ROWS[name][0]})", flush=True)
    if "--write" in words:
        page.write_text(PLACE.sub(lambda m: m.group(1) + table(figures) + m.group(2), page.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
