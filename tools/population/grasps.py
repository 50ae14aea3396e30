"""POP=grasps: objects gripped, lifted, shaken at 1 g and 3 Hz and held, at 0.999 and 1.001 of the least friction that holds. For pads
that least friction is known in closed form; for the others it is found by bisection. Right: no slip at 1.001, a slip at 0.999."""
import math

import mujoco
import numpy as np

from . import grippers, oracle, program, recording
from .case import Case, log_uniform, random_of
from .judge import Fault, judge

COUNT = 200
SHAPES = ("box", "cylinder", "sphere", "hull")
CYCLE = (("pads", "static"), ("2f85", "shaken"), ("pads", "shaken"), ("shadow", "shaken"))
G, FREQUENCY = 9.81, 3.0
AMPLITUDE = G / (2 * math.pi * FREQUENCY) ** 2
CLOSE, LIFT, RISE = 0.4, 0.5, 0.1  # s to close, s to lift, m
ENOUGH = 1e-4  # relative width at which a bisection ends
SLIP = 1e-8  # m: what counts as slip; worst held at 1.001: see docs/trust.md
CREEP = 1e-6  # m in the hold, of hands that are not rigid


def make(seed, index, quick=False):
    rng = random_of("grasps", seed, index)
    gripper, variant = CYCLE[(index + index // 20) % 4]  # so that every 20th row still sees every gripper and shape
    shape = SHAPES[(index // 4 + index // 80) % 4]
    width = rng.uniform(0.012, 0.03) if gripper != "shadow" else rng.uniform(0.022, 0.032)
    size = [width, width * rng.uniform(0.7, 1.1), rng.uniform(0.7, 1.2) * width]
    if shape == "sphere":
        size = [width] * 3
    if shape == "cylinder":
        size[1] = width
    if gripper == "shadow" and shape != "sphere":
        size[2] = rng.uniform(0.05, 0.07)
    mass = log_uniform(rng, *{"pads": (0.02, 1.0), "2f85": (0.1, 2.0), "shadow": (0.02, 0.2)}[gripper])
    grasp = {"shape": shape, "size": size, "mass": mass, "condim": rng.choice((3, 3, 4)), "friction": 1.0, "in_grip": variant == "static",
             "vertices": grippers.hull_vertices(rng, size)}
    case = Case("grasps", seed, index, f"{gripper} {shape} {variant} {mass * 1000:.0f} g", limit=120.0)
    case.facts = {"gripper": gripper, "variant": variant, "grasp": grasp, "quick": quick, "force": mass * G * log_uniform(rng, 2.0, 20.0),
                  "shake": 2.0 if quick else 10.0, "hold": (3.0 if variant == "static" else 1.0) if quick else 60.0}
    case.every = 1 if quick else 5
    return case


def controls(case, shake, hold):
    """The table of controls: close, lift, shake, hold; and its end."""
    f = case.facts
    closed = {"pads": {"left": f["force"], "right": f["force"]}, "2f85": {"fingers_actuator": 255.0},
              "shadow": grippers.SHADOW_CLOSED}[f["gripper"]]
    begin = 0.0 if f["gripper"] == "pads" else 0.1  # the fingers start open
    shaking = CLOSE + LIFT + 0.3
    end = shaking + shake + hold
    if f["variant"] == "static":
        shaking, end = 0.0, hold
    still = f["variant"] == "static"
    rows = ["time linear," + ("" if still else "lift,shake,") + ",".join(closed)]
    t = 0.0
    while t < (shaking if still else shaking + shake) + 0.01:
        s = min(max((t - CLOSE) / LIFT, 0.0), 1.0)
        rise = RISE * s ** 3 * (10 - 15 * s + 6 * s * s)
        phase = t - shaking
        wave = 0.0
        if 0 < phase < shake:
            taper = min(1.0, phase / 0.5, (shake - phase) / 0.3)
            wave = AMPLITUDE * taper * math.sin(2 * math.pi * FREQUENCY * phase)
        grip = min(1.0, t / begin) if begin else 1.0
        rows.append(",".join(map(repr, [round(t, 6), *([] if still else [rise, wave]), *[grip * c for c in closed.values()]])))
        t += grippers.DT
    return "\n".join(rows) + "\n", shaking, end


def attempt(case, friction, tag, shake, hold, every=1, finer=1):
    """A run at one coefficient of friction; the result of program.run and its recording."""
    grasp = {**case.facts["grasp"], "friction": friction}
    case.xml = {"pads": grippers.pads, "2f85": grippers.robotiq, "shadow": grippers.shadow}[case.facts["gripper"]](grasp)
    table, shaking, end = controls(case, shake, hold)
    stem = f"{case.stem}-{tag}"
    case.files = {f"{stem}.csv": table}
    scene = case.write(stem)
    step = ["--dt", repr(grippers.DT / finer)] if finer > 1 else []
    args = ["--ctrl", program.relative(scene.with_suffix(".csv")), "--time", repr(round(end, 6)), *step]
    ran = program.run(scene, args, case.limit, stem=stem, contacts=case.facts["gripper"] == "shadow", every=every * finer)
    return ran, recording.read(ran.recording) if ran.recording else None, shaking, end


def slip_of(world, rec, begin, frame, rigid, fixed=False):
    """How far the object moves in the frame after a time, m; across the closing axis alone where the gripper is rigid."""
    start = int(np.searchsorted(rec.time, begin))
    if rigid:
        q = world.qpos_of("object")
        path = rec.qpos[start:, [q + 1, q + 2]]
        if not fixed:
            path = path - rec.qpos[start:, [world.qpos_of("shake"), world.qpos_of("lift")]]
        return float(np.max(np.linalg.norm(path - path[0], axis=1))) if len(path) else math.inf
    places = []
    for row in (start, (start + len(rec) - 1) // 2, len(rec) - 1):
        if not world.place(rec, row):
            return math.inf
        places.append(world.relative_pose(world.body("object"), frame)[0])
    return float(max(np.linalg.norm(p - places[0]) for p in places))


def least_sliding(world, rec, begin):
    """The way that the object slides on its best contact after a time, m: a hand yields, so its object moves without sliding."""
    m, d, c = world.m, world.d, rec.contacts
    body, way = world.body("object"), 0.0
    rows = np.arange(int(np.searchsorted(rec.time, begin)), len(rec))
    first, last = np.searchsorted(c.row, rows), np.searchsorted(c.row, rows + 1)
    for row, a, b in zip(rows, first, last):
        world.place(rec, int(row))
        mujoco.mj_comVel(m, d)
        slowest = math.inf
        for k in range(a, b):
            if body in c.body[k] and np.linalg.norm(c.impulse[k]) > 0:
                v = [d.cvel[i, 3:] + np.cross(d.cvel[i, :3], c.point[k] - d.subtree_com[m.body_rootid[i]]) for i in c.body[k]]
                u = v[1] - v[0]
                slowest = min(slowest, float(np.linalg.norm(u - c.normal[k] * (u @ c.normal[k]))))
        if not math.isfinite(slowest):
            return math.inf
        way += slowest * float(rec.time[row] - rec.time[row - 1])
    return way


def left_behind(world, rec):
    """Whether the object did not follow the wrist when it rose."""
    places = []
    for row in (int(np.searchsorted(rec.time, CLOSE)), len(rec) - 1):
        if not world.place(rec, row):
            return True
        places.append(world.relative_pose(world.body("object"), world.body("wrist"))[0])
    return float(np.linalg.norm(places[1] - places[0])) > 0.5 * RISE


def slide(case, world, rec, begin):
    """Slip by the measure that suits the gripper."""
    gripper, still = case.facts["gripper"], case.facts["variant"] == "static"
    if gripper != "pads" and left_behind(world, rec):
        return math.inf
    if gripper == "shadow":
        return least_sliding(world, rec, begin)
    return slip_of(world, rec, begin, world.body("wrist"), gripper == "pads", still)


def needed(case, world, rec, shaking):
    """The least friction of pads, from the recorded motion of the wrist: m |a - g| = 2 mu F at each step."""
    if case.facts["variant"] == "static":
        need = G
    else:
        start = int(np.searchsorted(rec.time, CLOSE - 0.05))
        v = rec.qvel[start:, [world.dof_of("shake"), world.dof_of("lift")]]
        a = np.diff(v, axis=0) / np.diff(rec.time[start:])[:, None]
        need = float(np.max(np.hypot(a[:, 0], a[:, 1] + G)))
    return case.facts["grasp"]["mass"] * need / (2 * case.facts["force"])


def holds(case, friction):
    """Whether a short static hold keeps its object."""
    ran, rec, shaking, _ = attempt(case, friction, "try", 0.0, 1.5)
    if ran.outcome != "finished" or rec is None:
        return ran, None
    return ran, slide(case, world_of(case), rec, shaking + 0.7) < CREEP


def world_of(case):
    model, why = oracle.load(case.path)
    if model is None:
        raise RuntimeError(f"MuJoCo refuses {case.path}: {why}")
    return oracle.World(model)


def least_by_bisection(case):
    """(least friction that holds, None), or (None, the run that failed or a sentence)."""
    low, high = 0.01, 3.0
    ran, held = holds(case, high)
    if held is None:
        return None, ran
    if not held:
        return None, "does not hold at friction 3: no grasp"
    ran, held = holds(case, low)
    if held is None or held:
        return None, ran if held is None else "holds at friction 0.01: its shape holds it"
    while high / low > 1 + ENOUGH:
        middle = math.sqrt(low * high)
        ran, held = holds(case, middle)
        if held is None:
            return None, ran
        low, high = (low, middle) if held else (middle, high)
    return high, None


def play(case):
    """Runs a grasp at 0.999 and 1.001 of its least friction. (runs, faults, figures)"""
    f = case.facts
    rigid = f["gripper"] == "pads"
    figures, runs, faults = {}, [], []
    if f["quick"] and f["gripper"] == "shadow":  # its bisection takes half a minute
        shaken(case, 0.25, runs, faults, figures)
        return runs, faults, figures
    if rigid:
        ran, rec, shaking, _ = attempt(case, 50 * f["grasp"]["mass"] * G / f["force"], "probe", f["shake"], 0.1)
        if ran.outcome != "finished" or rec is None:
            return [ran], faults, figures
        least = needed(case, world_of(case), rec, shaking)
    else:
        least, why = least_by_bisection(case)
        if least is None:
            return ([why] if not isinstance(why, str) else []), faults, {"no_grasp": why if isinstance(why, str) else why.outcome}
    figures["least_friction"] = least
    for factor in (1.001, 0.999):
        shake = f["shake"] if rigid else 0.0
        ran, rec, shaking, end = attempt(case, factor * least, str(factor), shake, f["hold"], case.every)
        runs.append(ran)
        if ran.outcome != "finished" or rec is None:
            continue
        world = world_of(case)
        faults += judge(world, rec, ran, case)
        begin = 0.02 if f["variant"] == "static" else CLOSE + LIFT + 0.1 if rigid else shaking + 0.7
        slip = slide(case, world, rec, begin)
        figures[f"slip_{factor}"] = slip
        limit = SLIP if rigid else CREEP
        if factor > 1 and not slip <= limit:
            faults.append(Fault("friction", slip, limit, float(rec.time[-1]), f"slips at {factor} of the least friction {least:.6g}"))
        if factor < 1 and not slip > limit:
            faults.append(Fault("friction", slip, limit, float(rec.time[-1]), f"holds at {factor} of the least friction {least:.6g}"))
    if not rigid:
        shaken(case, least, runs, faults, figures)
    return runs, faults, figures


def drops_at_a_finer_step(case, least):
    """Whether the finer motion loses its object too: then the grasp is too weak for 1 g."""
    ran, rec, _, _ = attempt(case, max(1.0, 4 * least), "finer", case.facts["shake"], 0.5, finer=8)
    return ran.outcome == "finished" and rec is not None and left_behind(world_of(case), rec)


def shaken(case, least, runs, faults, figures):
    """A hand with friction to spare is shaken and then held: nothing may creep in the hold."""
    ran, rec, shaking, _ = attempt(case, max(1.0, 4 * least), "shaken", case.facts["shake"], case.facts["hold"], case.every)
    runs.append(ran)
    if ran.outcome != "finished" or rec is None:
        return
    world = world_of(case)
    faults += judge(world, rec, ran, case)
    creep = slide(case, world, rec, shaking + case.facts["shake"] + min(5.0, 0.5 * case.facts["hold"]))
    figures["creep_after_shaking"] = creep
    if not math.isfinite(creep) and drops_at_a_finer_step(case, least):
        figures["creep_after_shaking"] = "dropped while shaken, as at a step 8 times finer"
    elif not creep <= CREEP:
        faults.append(Fault("friction", creep, CREEP, float(rec.time[-1]), "creeps while held after shaking"))
