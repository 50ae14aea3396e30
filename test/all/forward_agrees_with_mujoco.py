"""thud forward agrees with the newest MuJoCo on our own machines, and on published robots where ../shared is: to 1e-8 of the largest
number of each kind, in a state that bends every joint (or the first keyframe, turned a little) and moves.

usage: forward_agrees_with_mujoco.py THUD SOURCE_DIR
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
OURS = ["test/mujoco/machine.xml", "scenes/arm.xml", "scenes/hand.xml", "scenes/humanoid.xml", "scenes/quadruped.xml", "scenes/pick.xml"]
ROBOTS = ["agility_cassie/scene", "anybotics_anymal_c/scene", "flexiv_rizon4/scene", "kuka_iiwa_14/scene", "robotiq_2f85/scene",
          "shadow_hand/left_hand", "shadow_hand/scene_right", "skydio_x2/scene", "trossen_wx250s/scene"]
KINDS = ["xpos", "xquat", "M", "bias", "qfrc_passive", "qfrc_actuator", "qacc_free"]
TOLERANCE = 1e-8  # worst reached 3.0e-10 (qacc_free of cassie, whose inertia matrices are full), else 5e-14


def state_of(m):
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_integratePos(m, d.qpos, 0.1 * np.sin(1.0 + 2.0 * np.arange(m.nv)), 1)
    d.qvel[:] = 0.5 * np.cos(np.arange(m.nv))
    d.ctrl[:] = 0.3 * np.cos(np.arange(m.nu))
    mujoco.mj_forward(m, d)
    return d


def upright(quats):
    """q and -q are one orientation: the one whose largest component is positive."""
    quats = np.reshape(quats, (-1, 4))
    largest = np.argmax(np.abs(quats), axis=1)
    return (quats * np.sign(quats[np.arange(len(quats)), largest])[:, None]).ravel()


def error(got, want):
    """The largest difference relative to the largest number; infinite where the counts differ."""
    got, want = np.ravel(got), np.ravel(want)
    if len(got) != len(want):
        return float("inf")
    return float(np.abs(got - want).max(initial=0) / (np.abs(want).max(initial=0) or 1))


def compare(name, path):
    m = wheel.load_without_looks(path)
    d = state_of(m)
    want = {"xpos": d.xpos, "xquat": upright(d.xquat), "M": np.zeros((m.nv, m.nv)), "bias": d.qfrc_bias, "qfrc_passive": d.qfrc_passive,
            "qfrc_actuator": d.qfrc_actuator, "qacc_free": d.qacc_smooth}
    mujoco.mj_fullM(m, d, want["M"])
    state = [f"--{n}=" + ",".join(map(repr, x.tolist())) for n, x in (("qpos", d.qpos), ("qvel", d.qvel), ("ctrl", d.ctrl)) if len(x)]
    ran = subprocess.run([thud, "forward", path, *state, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"{name}: {ran.stderr.strip()}")
        return False
    got = json.loads(ran.stdout)
    got["xquat"] = upright(got["xquat"])
    errors = [error(got[kind], want[kind]) for kind in KINDS]
    print(f"{name:26}" + "".join(f"{e:15.2e}" for e in errors))
    return all(e <= TOLERANCE for e in errors)


print(f"{'MuJoCo ' + mujoco.__version__:26}" + "".join(f"{kind:>15}" for kind in KINDS))
good = all([compare(name, root / name) for name in OURS])
if shared.is_dir():
    good &= all([compare(name, shared / f"{name}.xml") for name in ROBOTS])
else:
    print("skipped: published robots, ../shared is absent")
sys.exit(not good)
