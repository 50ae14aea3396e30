"""Our URDF robot stands and moves in Thud as in MuJoCo, which has a reader of its own; and what thud convert writes is to MuJoCo
the same model as what it was written from. Skipped where MuJoCo is absent.

usage: robots_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mujoco"))
import wheel  # noqa: E402

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
# Of the largest number of a kind. MuJoCo finds the principal axes of the forearm's inertia, which has products, to some digits only:
# 3.0e-10 reached in M, else 1.3e-16. Converted scenes: 1.7e-17.
TOLERANCE, SAME = 1e-9, 1e-12
KINDS = ["masses", "xpos", "xquat", "M", "bias"]
SCENES = ["arm", "balls", "fourbar", "gears", "gripper", "gyroscope", "humanoid", "pinch", "quadruped", "rattleback", "slope30",
          "table"]  # joints, loops, meshes, pairs, drives; all scenes read back in Thud: test_convert.c
faults = []
worst = {}


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def poses(program, *files):
    ran = run(program, *files)
    if ran.returncode:
        faults.append(ran.stderr.strip())
        return []
    lines = [[float(x) for x in line.split()] for line in ran.stdout.splitlines()]
    names = ["sizes", "qpos", "qvel", *KINDS]
    return [dict(zip(names, lines[i:i + len(names)])) for i in range(0, len(lines), len(names))]


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def upright(quats):
    each = [quats[i:i + 4] for i in range(0, len(quats), 4)]
    return flat([[-x for x in q] if max(q, key=abs) < 0 else q for q in each])


def compare(what, got, want, tolerance):
    for kind in KINDS:
        a, b = (upright(flat(x[kind])) if kind == "xquat" else flat(x[kind]) for x in (got, want))
        scale = max(map(abs, b), default=0) or 1
        error = max((abs(x - y) for x, y in zip(a, b)), default=0) / scale
        worst[tolerance] = max(worst.get(tolerance, 0), error)
        if len(a) != len(b) or not error <= tolerance:
            faults.append(f"{what}: {kind} differs by {error:.2g}, {len(a)} numbers against {len(b)}")


with tempfile.TemporaryDirectory() as folder:
    reader = wheel.compile_driver("pose_robot", folder)

    # MuJoCo merges fixed links unless told not to.
    robot = pathlib.Path(folder, "picker.urdf")
    robot.write_text((root / "scenes/picker.urdf").read_text().replace(
        '<robot name="picker">', '<robot name="picker"><mujoco><compiler fusestatic="false"/></mujoco>'))
    for theirs in poses(reader, robot):
        state = [f"--{name}=" + ",".join(map(repr, theirs[name])) for name in ("qpos", "qvel")]
        ours = json.loads(run(thud, "forward", root / "scenes/picker.urdf", *state, "--json").stdout)
        ours["masses"] = [body["mass"] for body in json.loads(run(thud, "info", robot, "--json").stdout)["body"]]
        compare("picker.urdf", ours, theirs, TOLERANCE)

    scenes = [root / f"scenes/{name}.xml" for name in SCENES]
    flats = [pathlib.Path(folder, f"{scene.stem}_flat.xml") for scene in scenes]
    for scene, flat_scene in zip(scenes, flats):
        ran = run(thud, "convert", scene, flat_scene)
        if ran.returncode:
            faults.append(f"thud convert {scene.name}: {ran.stderr.strip()}")
    if not faults:
        for scene, ours, theirs in zip(scenes, poses(reader, *flats), poses(reader, *scenes)):
            compare(scene.name, ours, theirs, SAME)

print("\n".join(faults) if faults else f"a robot and {len(scenes)} converted scenes are the same in MuJoCo; worst {worst}")
sys.exit(bool(faults))
