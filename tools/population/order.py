"""POP=order: single bodies that fall, slide, stick, tip, roll and take off. The error against a run at a 64 times finer step is
found at four halvings of the step; its observed order is the slope. Wanted: 1.8."""
import math

import numpy as np

from . import oracle, program, recording
from .case import Case, numbers, random_of, random_quaternion
from .judge import Fault

COUNT = 20
HALVINGS, FINEST = 4, 64
WANTED = 1.8
LEAST = 1e-10  # of the way: errors below that are rounding
KINDS = ("fall", "spin", "slide", "stick", "tip", "roll", "take off", "land", "slide and stop", "turn and slide")


def scene(dt, slope, friction, geom, qpos, qvel, stiffness=0):
    tilt = numbers((math.cos(slope / 2), 0, math.sin(slope / 2), 0))
    return f"""<mujoco>
  <compiler angle="radian"/>
  <option timestep="{dt!r}"/>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="{friction!r}" quat="{tilt}"/>
    <body name="body"><freejoint/><geom {geom} density="500" friction="{friction!r}"/></body>
  </worldbody>
  <keyframe><key name="start" qpos="{numbers(qpos)}" qvel="{numbers(qvel)}"/></keyframe>
</mujoco>
"""


def on_slope(slope, x, z):
    """A point at x along and z above a slope that falls towards +x."""
    return (x * math.cos(slope) + z * math.sin(slope), 0.0, z * math.cos(slope) - x * math.sin(slope))


def make(seed, index, quick=False):
    rng = random_of("order", seed, index)
    kind = KINDS[index % len(KINDS)]
    a, dt, time = rng.uniform(0.05, 0.2), 0.008, 0.4
    box = f'type="box" size="{numbers((a, 0.7 * a, 0.5 * a))}"'
    slope, friction, geom, height = rng.uniform(0.2, 0.6), rng.uniform(0.3, 0.9), box, 0.5 * a
    q, v = (math.cos(slope / 2), 0, math.sin(slope / 2), 0), [0.0] * 6
    along = lambda speed: [speed * math.cos(slope), 0.0, -speed * math.sin(slope)]
    at = on_slope(slope, 0, height)
    if kind == "fall":
        at, v = (0, 0, 5), [rng.gauss(0, 1) for _ in range(3)] + [0.0] * 3
    elif kind == "spin":
        at, q, v = (0, 0, 5), random_quaternion(rng), [rng.gauss(0, 1) for _ in range(3)] + [rng.uniform(-4, 4) for _ in range(3)]
    elif kind == "slide":
        friction, v[:3] = rng.uniform(0.05, 0.15), along(rng.uniform(0.5, 2))
    elif kind == "stick":
        friction = math.tan(slope) * 1.2
    elif kind == "tip":
        friction, slope = 1.5, math.atan(1.0) + 0.3
        geom, height = f'type="box" size="{numbers((0.3 * a, 0.7 * a, a))}"', a
        q, at = (math.cos(slope / 2), 0, math.sin(slope / 2), 0), on_slope(slope, 0, height)
    elif kind == "roll":
        geom, at, friction = f'type="sphere" size="{a!r}"', on_slope(slope, 0, a), 1.2
    elif kind == "take off":
        slope, friction = 0.0, 0.0
        q, at, v = (1, 0, 0, 0), (0, 0, 0.5 * a), [0.3, 0, 0, 0, rng.uniform(12, 16), 0]
    elif kind == "land":
        slope = 0.0
        geom, at, q = f'type="sphere" size="{a!r}"', (0, 0, a + rng.uniform(0.1, 0.3)), (1, 0, 0, 0)
        v = [rng.uniform(0.5, 1), 0, 0, 0, rng.uniform(-5, 5), 0]
    elif kind == "slide and stop":
        slope = 0.0
        speed = math.sqrt(2 * friction * 9.81 * 0.1)
        q, at, v = (1, 0, 0, 0), (0, 0, 0.5 * a), [speed, 0, 0, 0, 0, 0]
    else:
        slope = 0.0
        q, at, v = (1, 0, 0, 0), (0, 0, 0.5 * a), [rng.uniform(0.5, 1), 0.2, 0, 0, 0, rng.uniform(2, 5)]
    xml = scene(dt, slope, friction, geom, (*at, *q), v)
    case = Case("order", seed, index, f"{kind}: {'ball' if 'sphere' in geom else 'box'} of {a:.2g} m", xml=xml)
    case.facts = {"kind": kind, "dt": dt, "time": time}
    return case


def at_end(case, dt):
    """Where the body ends at a step length: position and three columns of its rotation times its size."""
    args = ["--keyframe", "0", "--time", repr(case.facts["time"]), "--dt", repr(dt)]
    steps = round(case.facts["time"] / dt)
    ran = program.run(case.path, args, case.limit, stem=f"{case.stem}-{steps}", every=steps)
    rec = recording.read(ran.recording) if ran.recording else None
    if rec is None or ran.outcome not in ("finished", "stop"):
        return ran, None
    model, _ = oracle.load(case.path)
    world = oracle.World(model)
    world.place(rec, len(rec) - 1)
    return ran, np.concatenate([world.d.xpos[1], 0.1 * world.d.xmat[1]])


def play(case):
    case.write()
    dt, runs, ends = case.facts["dt"], [], []
    for k in range(HALVINGS + 1):
        ran, end = at_end(case, dt / 2 ** k)
        runs.append(ran)
        ends.append(end)
    ran, truth = at_end(case, dt / 2 ** HALVINGS / FINEST)
    runs.append(ran)
    if truth is None or any(e is None for e in ends):
        return runs, [], {}
    errors = [float(np.linalg.norm(e - truth)) for e in ends]
    if max(errors) < LEAST:
        return runs, [], {"errors": errors, "order": "exact"}
    halved = [math.log2(max(a, LEAST) / max(b, LEAST)) for a, b in zip(errors, errors[1:])]
    slope = float(np.polyfit(range(len(errors)), [-math.log2(max(e, LEAST)) for e in errors], 1)[0])
    figures = {"errors": errors, "orders": halved, "order": slope}
    # The errors of a run that ends at rest may all be rounding from some step on.
    faults = [] if slope >= WANTED or errors[-1] <= 10 * LEAST else [Fault("order", slope, WANTED, case.facts["time"], f"observed order of {case.name}")]
    return runs, faults, figures
