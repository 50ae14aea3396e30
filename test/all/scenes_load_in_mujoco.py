"""Every scene loads in MuJoCo as well, without a warning, and has the same sizes and mass there. Skipped where MuJoCo is absent.

usage: scenes_load_in_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mujoco"))
import wheel  # noqa: E402

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
scenes = sorted((root / "scenes").glob("*.xml"))


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    reader = wheel.compile_driver("read_scene", folder)
    read = run(reader, *scenes)

faults = read.stderr.splitlines()
for scene, line in zip(scenes, read.stdout.splitlines()) if not faults else []:
    theirs = [float(x) for x in line.split()]
    info = json.loads(run(thud, "info", scene, "--json").stdout)
    ours = [info[key] for key in ("nq", "nv", "bodies", "geoms", "keyframes", "total_mass")]
    if not all(abs(a - b) <= 1e-12 * abs(b) for a, b in zip(ours, theirs)):
        faults.append(f"{scene.name}: nq nv bodies geoms keyframes mass are {ours}, in MuJoCo {theirs}")

print("\n".join(faults) if faults else f"{len(scenes)} scenes are the same in MuJoCo")
sys.exit(bool(faults))
