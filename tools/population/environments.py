"""POP=environments: the eleven MuJoCo environments of Gymnasium under random actions, 10^5 actions each, without a reset. Right: every run
ends, joints stay within their limits, speeds stay plausible; times of steps beside MuJoCo's under the same actions."""
import numpy as np

from . import beside, oracle, sources
from .case import Case, random_of
from .judge import Fault

# A file and how many steps an action holds.
ENVIRONMENTS = (("ant", 5), ("half_cheetah", 5), ("hopper", 4), ("humanoid", 5), ("humanoidstandup", 5), ("inverted_double_pendulum", 5),
                ("inverted_pendulum", 2), ("pusher_v5", 5), ("reacher", 2), ("swimmer", 4), ("walker2d_v5", 4))
COUNT = len(ENVIRONMENTS)
ACTIONS, QUICK = 100000, 1000
PLAUSIBLE = 1e3  # rad/s or m/s
FOLDER = sources.PACKAGES / "gymnasium/envs/mujoco/assets"


def make(seed, index, quick=False):
    name, hold = ENVIRONMENTS[index % COUNT]
    rng = random_of("environments", seed, index)
    path = FOLDER / f"{name}.xml"
    case = Case("environments", seed, index, f"gymnasium/{name}", path=path, limit=600.0)
    if not path.exists():
        case.facts = {"skipped": "gymnasium is not here (tools/bootstrap.sh robots)"}
        return case
    m, why = oracle.load(path)
    if m is None:
        case.facts = {"refused": f"MuJoCo: {why}", "path": path}
        return case
    actions = QUICK if quick else ACTIONS
    low = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0)
    draw = np.random.default_rng(rng.getrandbits(63))
    table = low + (high - low) * draw.random((actions, m.nu))
    dt = float(m.opt.timestep)
    lines = ["time," + ",".join(f"ctrl[{i}]" for i in range(m.nu))]
    lines += [",".join(map(repr, [round(k * hold * dt, 9), *map(float, row)])) for k, row in enumerate(table)]
    case.files = {f"{case.stem}.csv": "\n".join(lines) + "\n"}
    case.args = ["--ctrl", f"out/population/{case.stem}.csv", "--time", repr(round(actions * hold * dt, 9))]
    case.every = 1 if quick else max(1, actions * hold // 20000)
    case.facts = {"contacts": False, "driven": True, "overlap_share": 1e-2, "controls": np.repeat(table[:200], hold, axis=0), "beside": ("work",)}
    return case


def expect(world, rec, ran, case, figures):
    beside.times(world, ran, figures, case.facts["controls"], None)
    fastest = float(np.max(np.abs(rec.qvel), initial=0.0))
    figures["fastest"] = fastest
    row = int(np.argmax(np.max(np.abs(rec.qvel), axis=1, initial=0.0)))
    return [Fault("motion", fastest, PLAUSIBLE, float(rec.time[row]), "speed of a joint")] if not fastest < PLAUSIBLE else []
