"""Poses, mass matrix, forces and free acceleration agree with MuJoCo's newest wheel in a state that moves, at driven controls: to 1e-9
of the largest number of each kind (of forces: of the largest force, or of the largest inertia times 1 rad/s^2 where none is larger; of
accelerations: M times their difference, of the same), for every MJCF file of this repository's own (test/mujoco/robots, scenes), of the folder ../shared/menagerie
and of those in THUD_ROBOTS (separated by colons). A file that one of the two does not load, or whose elements Thud notes as not simulated, is
left out and told. Skipped where the Python package mujoco is absent.

usage: robots_agree_with_mujoco.py THUD SOURCE_DIR [--verbose] [FILE...]
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

try:
    import mujoco
    import numpy as np
except ImportError:
    print("the Python package mujoco is not installed: tools/bootstrap.sh bench")
    sys.exit(77)

TOLERANCE = 1e-9
KINDS = ["xpos", "xquat", "M", "bias", "qfrc_passive", "qfrc_actuator", "qacc_free"]


def is_mjcf(path):
    head = path.read_bytes()[:4000]
    return b"<mujoco" in head and b"<mujocoinclude" not in head


def moving_state(model):
    """A state away from the reference pose: the same numbers on every run."""
    data = mujoco.MjData(model)
    random = np.random.default_rng(7)
    mujoco.mj_integratePos(model, data.qpos, random.uniform(-0.4, 0.4, model.nv), 1.0)
    data.qvel[:] = random.uniform(-1, 1, model.nv)
    low, high = model.actuator_ctrlrange.T if model.nu else (np.zeros(0), np.zeros(0))
    limited = model.actuator_ctrllimited.astype(bool)
    data.ctrl[:] = np.where(limited, low + (high - low) * random.uniform(0.2, 0.8, model.nu), random.uniform(-0.5, 0.5, model.nu))
    data.act[:] = random.uniform(0.2, 0.8, model.na)
    return data


def theirs(model):
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = moving_state(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, M) if mujoco.mj_version() >= 4000000 else mujoco.mj_fullM(model, M, data.qM)
    return data, {"xpos": data.xpos, "xquat": data.xquat, "M": M, "bias": data.qfrc_bias, "qfrc_passive": data.qfrc_passive,
                  "qfrc_actuator": data.qfrc_actuator, "qacc_free": data.qacc_smooth}


def upright(quats):
    quats = np.array(quats, dtype=float).reshape(-1, 4)
    largest = quats[np.arange(len(quats)), np.abs(quats).argmax(axis=1)]
    return quats * np.where(largest < 0, -1, 1)[:, None]


def error(kind, got, want):
    mine, other = (upright(got[kind]), upright(want[kind])) if kind == "xquat" else (np.array(got[kind], dtype=float), want[kind])
    if mine.size != other.size:
        return float("inf")
    if not other.size:
        return 0.0
    difference, scale = mine.ravel() - other.ravel(), np.abs(other).max() or 1
    if kind in KINDS[3:]:
        scale = max(np.abs(want[k]).max() for k in ("M", "bias", "qfrc_passive", "qfrc_actuator"))
    if kind == "qacc_free":
        difference = want["M"] @ difference
    return np.abs(difference).max() / scale


def compare(thud, path):
    """(sentence, errors): errors None where there is nothing to compare."""
    try:
        with contextlib.redirect_stdout(None):
            model = mujoco.MjModel.from_xml_path(str(path))
    except Exception as reason:  # any of MuJoCo's
        return f"not in MuJoCo: {str(reason).splitlines()[0][:90]}", None
    data, want = theirs(model)
    state = [f"--{name}=" + ",".join(map(repr, x.tolist())) for name, x in
             (("qpos", data.qpos), ("qvel", data.qvel), ("ctrl", data.ctrl), ("act", data.act)) if x.size]
    ran = subprocess.run([thud, "forward", path, *state, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode:
        return f"not in Thud: {ran.stderr.strip()[:150]}", None
    info = json.loads(subprocess.run([thud, "info", path, "--json"], capture_output=True, text=True, check=True).stdout)
    got = json.loads(ran.stdout)
    errors = [error(kind, got, want) for kind in KINDS]
    return ", ".join(info.get("not_simulated", [])), errors


def main():
    args = [a for a in sys.argv[1:] if a != "--verbose"]
    thud, root, files = args[0], pathlib.Path(args[1]).resolve(), [pathlib.Path(f) for f in args[2:]]
    folders = [root / "test/mujoco", root / "scenes", root.parent / "shared" / "menagerie", *map(pathlib.Path, filter(None, os.environ.get("THUD_ROBOTS", "").split(":")))]
    if not files:
        files = [p for folder in folders if folder.is_dir() for p in sorted(folder.rglob("*.xml")) if is_mjcf(p)]
    good, compared, left_out = True, 0, 0
    print(f"{'':44}" + "".join(f"{kind:>14}" for kind in KINDS))
    for path in files:
        said, errors = compare(thud, path)
        name = str(path)[-43:]
        if errors is None or said:
            left_out += 1
            print(f"{name:44}  left out: {said}")
            continue
        fine = all(e <= TOLERANCE for e in errors)  # false for NaN
        compared += 1
        good &= fine
        if not fine or "--verbose" in sys.argv:
            print(f"{name:44}" + "".join(f"{e:14.1e}" for e in errors))
    print(f"{compared} files compared, {left_out} left out")
    return 0 if good and compared else 1


if __name__ == "__main__":
    sys.exit(main())
