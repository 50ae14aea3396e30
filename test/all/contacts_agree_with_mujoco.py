"""thud forward finds the contacts that the newest MuJoCo finds on our own scenes, and on published robots where ../shared is: the same
pairs of geoms, and for primitives the same distances, points, normals, condim and friction.

usage: contacts_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys

import mujoco
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mujoco"))
import wheel  # noqa: E402

thud, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
shared = root.parent / "shared" / "menagerie"
OURS = ["scenes/quadruped.xml", "scenes/humanoid.xml", "scenes/slope30.xml", "scenes/balls.xml", "scenes/pinch.xml", "scenes/stack10.xml"]
ROBOTS = ["agility_cassie/scene", "anybotics_anymal_c/scene", "flexiv_rizon4/scene", "kuka_iiwa_14/scene", "robotiq_2f85/scene",
          "shadow_hand/left_hand", "shadow_hand/scene_right", "skydio_x2/scene", "trossen_wx250s/scene"]
DISTANCE = 1e-6  # m, asked for; worst reached 5.2e-15
POINT = 1e-6
GRAZE = 1e-9  # m; whether geoms that just touch do so is left to rounding


def run(*args):
    return json.loads(subprocess.run([thud, *args, "--json"], capture_output=True, text=True, check=True).stdout)


def far(a, b):
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def sink(m, d):
    """Free bodies sunk by about 1 mm, so that what stands on a plane overlaps it."""
    fall = np.zeros(m.nv)
    for j in np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        fall[m.jnt_dofadr[j] + 2] = -1e-3 * (1 + 0.1 * j)
    mujoco.mj_integratePos(m, d.qpos, fall, 1)


def compare(name, path, sunk=False):
    """The faults found on one scene."""
    faults = []
    m = wheel.load_without_looks(path)
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    if sunk:
        sink(m, d)
    mujoco.mj_forward(m, d)
    expected = [d.contact[i] for i in range(d.ncon) if d.contact[i].dist < -GRAZE]
    found = run("forward", path, "--qpos=" + ",".join(map(repr, d.qpos.tolist())))["contacts"]
    here = {(c["geom1"], c["geom2"]) for c in found if c["dist"] < -GRAZE}
    there = {tuple(sorted(map(int, c.geom))) for c in expected}
    ours = {tuple(sorted(pair)) for pair in here}
    if ours != there:
        faults.append(f"{name}: only here {sorted(ours - there)}, only in MuJoCo {sorted(there - ours)}")
    worst = 0.0
    for c in expected:
        pair = [int(g) for g in c.geom]
        if any(m.geom_type[g] in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD) for g in pair):
            continue
        near = [x for x in found if sorted((x["geom1"], x["geom2"])) == sorted(pair) and far(x["pos"], c.pos) < POINT]
        if len(near) != 1:
            faults.append(f"{name}: geoms {pair} touch at {len(near)} points near {c.pos}")
            continue
        x = near[0]
        sign = 1 if [x["geom1"], x["geom2"]] == pair else -1
        worst = max(worst, abs(x["dist"] - c.dist))
        friction = [x["friction"][k] for k in (0, 2, 3)]
        if (not abs(x["dist"] - c.dist) <= DISTANCE or not far(np.multiply(sign, x["normal"]), c.frame[:3]) <= POINT
                or x["condim"] != c.dim or not far(friction, c.friction[[0, 2, 3]]) <= 1e-9):
            faults.append(f"{name}: {x} is not {pair} {c.dist} {c.frame[:3]} {c.dim} {c.friction}")
    print(f"{name:28} {len(found)} contacts, {len(expected)} in MuJoCo, worst distance {worst:.1e}")
    return faults


print(f"MuJoCo {mujoco.__version__}")
faults = [f for name in OURS for f in compare(name, root / name, sunk=True)]
if shared.is_dir():
    faults += [f for name in ROBOTS for f in compare(name, shared / f"{name}.xml")]
else:
    print("skipped: published robots, ../shared is absent")
print("\n".join(faults))
sys.exit(bool(faults))
