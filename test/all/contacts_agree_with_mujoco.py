"""thud forward finds the contacts that MuJoCo 3.12.1 finds on published robots: the same pairs of geoms, and for
primitives the same distances (to 1e-6 m), points, normals, condim and friction.

Skipped where ../shared is absent. usage: contacts_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys

thud, shared = sys.argv[1], pathlib.Path(sys.argv[2]).parent / "shared" / "menagerie"
DISTANCE = 1e-6  # m, asked for; worst reached 5.2e-15
POINT = 1e-6
if not shared.is_dir():
    sys.exit(77)


def run(*args):
    return json.loads(subprocess.run([thud, *args, "--json"], capture_output=True, text=True, check=True).stdout)


def far(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


faults = []
for path in sorted((shared / "mujoco").glob("*.json")):
    model, scene = path.stem.rsplit("-", 1)
    want = json.loads(path.read_text())
    file = shared / model / f"{scene}.xml"
    state = [f"--{name}=" + ",".join(map(repr, want[name])) for name in ("qpos", "qvel")]
    got = run("forward", file, *state)["contacts"]
    geom = run("info", file)["geom"]
    expected = sorted(want["contacts"], key=lambda c: (c["geom"], c["pos"]))
    found = sorted(got, key=lambda c: ([c["geom1"], c["geom2"]], c["pos"]))
    if sorted({(c["geom1"], c["geom2"]) for c in found}) != sorted({tuple(c["geom"]) for c in expected}):
        faults.append(f"{path.stem}: other pairs of geoms touch")
        continue
    worst = 0.0
    for want_one in expected:
        pair = want_one["geom"]
        if any(geom[g]["type"] in ("mesh", "hfield") for g in pair):
            continue
        near = [c for c in found if [c["geom1"], c["geom2"]] == pair and far(c["pos"], want_one["pos"]) < POINT]
        if len(near) != 1:
            faults.append(f"{path.stem}: geoms {pair} do not touch at {want_one['pos']}")
            continue
        got_one = near[0]
        worst = max(worst, abs(got_one["dist"] - want_one["dist"]))
        friction = [got_one["friction"][k] for k in (0, 2, 3)]
        if (not abs(got_one["dist"] - want_one["dist"]) <= DISTANCE or far(got_one["normal"], want_one["normal"]) > POINT
                or got_one["condim"] != want_one["dim"] or far(friction, want_one["friction"]) > 1e-9):
            faults.append(f"{path.stem}: {got_one} is not {want_one}")
    print(f"{path.stem:28} {len(found)} contacts, {len(expected)} in MuJoCo, worst distance {worst:.1e}")
print("\n".join(faults))
sys.exit(bool(faults))
