"""POP=robots: published robots (sources.py), each (a) held in its keyframe or reference pose, (b) with smooth random controls, (c) dropped
at a random attitude where it is free, (d) with three random objects dropped onto it. The file is what `thud convert` writes of the robot."""
import math
import subprocess
import xml.etree.ElementTree as xml

import mujoco
import numpy as np

from . import oracle, program, sources
from .case import OUT, Case, numbers, random_of, random_quaternion
from .judge import Fault

ROBOTS, ABSENT = sources.all_robots()
VARIANTS = ("held", "driven", "dropped", "objects")
COUNT = len(VARIANTS) * len(ROBOTS)
sources.tell_absent(ABSENT)


def flatten(name, path):
    """The robot as one MJCF file without includes, or why not."""
    OUT.mkdir(parents=True, exist_ok=True)
    flat = OUT / ("robot-" + name.replace("/", "-") + ".xml")
    try:
        ran = subprocess.run([program.frozen, "convert", path, flat], capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return None, "thud convert takes longer than 60 s"
    return (flat, None) if ran.returncode == 0 else (None, f"{ran.returncode}: {ran.stderr.strip()[:200]}")


def smooth_controls(rng, m, time, base):
    """A table of smooth random controls over the ranges of the actuators, and its rows."""
    base = np.array(base)
    low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0)
    waves = [[(rng.uniform(0.3, 2.0), rng.uniform(0, 2 * math.pi)) for _ in range(3)] for _ in range(m.nu)]
    rows, text = [], ["time linear," + ",".join(f"ctrl[{i}]" for i in range(m.nu))]
    for t in np.arange(0, time + 0.02, 0.01):
        wave = [sum(math.sin(2 * math.pi * f * t + p) for f, p in waves[i]) / 6 for i in range(m.nu)]
        goal = 0.5 * (low + high) + (high - low) * wave
        c = base + min(1.0, t / 0.2) * (goal - base)
        rows.append(c)
        text.append(",".join(map(repr, [round(float(t), 6), *map(float, c)])))
    return "\n".join(text) + "\n", rows


def lowest_and_highest(m, d):
    """The lowest and highest points of what can collide, by bounding balls; planes left out."""
    mujoco.mj_kinematics(m, d)
    z = [(d.geom_xpos[g][2] - m.geom_rbound[g], d.geom_xpos[g][2] + m.geom_rbound[g]) for g in range(m.ngeom)
         if m.geom_rbound[g] > 0 and m.geom_bodyid[g] > 0 and (m.geom_contype[g] or m.geom_conaffinity[g])]
    return (min(a for a, _ in z), max(b for _, b in z)) if z else (0.0, 1.0)


def add_objects(rng, root, m, d, qpos):
    """Three random objects above the robot."""
    world = root.find("worldbody")
    low, high = lowest_and_highest(m, d)
    extent = min(max(high - low, 0.1), 2.0)
    compiler = root.find("compiler")
    group = (compiler.get("inertiagrouprange", "0 5") if compiler is not None else "0 5").split()[0]  # of geoms that have mass
    for k in range(3):
        a = extent * rng.uniform(0.03, 0.1)
        x, y = (float(d.subtree_com[0][i]) + rng.uniform(-0.2, 0.2) * extent for i in (0, 1))
        at = (x, y, high + (0.2 + 0.3 * k) * extent + a)
        body = xml.SubElement(world, "body", name=f"dropped{k}", pos=numbers(at))
        xml.SubElement(body, "freejoint")
        shape = rng.choice(("box", "sphere", "capsule", "cylinder"))
        size = {"box": (a, 0.7 * a, 0.5 * a), "sphere": (a,), "capsule": (0.5 * a, 0.5 * a), "cylinder": (0.7 * a, 0.6 * a)}[shape]
        xml.SubElement(body, "geom", type=shape, size=numbers(size), density="800", group=group)
        qpos = [*qpos, *at, 1, 0, 0, 0]
    return qpos


def make(seed, index, quick=False):
    rng = random_of("robots", seed, index)
    name, path = ROBOTS[(index // len(VARIANTS)) % len(ROBOTS)]
    variant = VARIANTS[index % len(VARIANTS)]  # a share of every 4th, 8th, ... row sees one variant alone: take every 5th
    case = Case("robots", seed, index, f"{name} {variant}", limit=60.0)
    flat, why = flatten(name, path)
    if flat is None:
        case.facts = {"refused": why, "path": path}
        return case
    m, why = oracle.load(flat)
    if m is None:
        case.facts = {"refused": f"MuJoCo: {why}", "path": path}
        return case
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_forward(m, d)
    root = xml.parse(flat).getroot()
    qpos, ctrl, time = list(d.qpos), list(d.ctrl), {"held": 10.0, "driven": 2.0, "dropped": 2.0, "objects": 2.0}[variant]
    time = min(time, 0.5) if quick else time
    free = [j for j in range(m.njnt) if int(m.jnt_type[j]) == oracle.FREE and m.jnt_bodyid[j] > 0]
    if variant in ("dropped", "objects") and not any(int(t) == oracle.PLANE for t in m.geom_type):
        floor = lowest_and_highest(m, d)[0]
        xml.SubElement(root.find("worldbody"), "geom", name="added_floor", type="plane", size="0 0 1", pos=numbers((0, 0, floor)))
    if variant == "dropped" and free:
        a = int(m.jnt_qposadr[free[0]])
        d.qpos[a + 3:a + 7] = random_quaternion(rng)
        d.qpos[a + 2] += 0.3 + max(0.0, 0.0 - lowest_and_highest(m, d)[0])
        qpos = list(d.qpos)
    if variant == "objects":
        qpos = add_objects(rng, root, m, d, qpos)
    for key in root.findall("keyframe"):
        root.remove(key)
    keyframe = xml.SubElement(root, "keyframe")
    key = xml.SubElement(keyframe, "key", name="start", qpos=numbers(qpos))
    if m.nu:
        key.set("ctrl", numbers(ctrl))
    case.xml = xml.tostring(root, encoding="unicode")
    case.args = ["--keyframe", "0", "--time", repr(time)]
    if m.nu and (variant == "driven" or variant == "dropped"):
        table, rows = smooth_controls(rng, m, time, ctrl)
        case.files = {f"{case.stem}.csv": table}
        case.args += ["--ctrl", f"out/population/{case.stem}.csv"]
        case.facts["controls"] = rows
    wanted = ("times", "finer") if variant in ("driven", "dropped") else ("times",)
    case.facts.update(overlap_share=1e-2, contacts=False, beside=wanted + (("work",) if variant == "held" else ()))
    case.every = 5 if time > 2 else 1
    return case


def expect(world, rec, ran, case, figures):
    """Speeds that are plausible."""
    speed = float(np.max(np.abs(rec.qvel[-1]), initial=0.0))
    figures["last_speed"] = speed
    return [Fault("motion", speed, 1e4, float(rec.time[-1]), "speed of a joint")] if not speed < 1e4 else []
