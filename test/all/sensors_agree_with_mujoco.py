"""Sensors read as in the newest MuJoCo in a state that moves, every type that Thud has: to 1e-12 of the largest number of a sensor, or
of 1. Contact, limits, dry friction and equalities are off, which are soft there; what sensors read of them is tested in
test_sensors.c. Published robots are skipped where ../shared is absent. The worst of the first scene was 2.1e-14.

Known differences, listed in DIFFERENT: since 3.4 MuJoCo's force and torque sensors count the pull of spatial tendons on the bodies
beyond them, and a rangefinder with a cutoff that hits nothing reads -cutoff instead of -1.

usage: sensors_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mujoco"))
import wheel  # noqa: E402

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
SCENES = [(root / "test/mujoco/senses.xml", 1e-12), (root.parent / "shared/menagerie/agility_cassie/cassie.xml", 1e-7)]
DIFFERENT = {"senses.xml": {5, 6, 8, 18}}  # force at grip and palm, torque at rail; rangefinder over_box with a cutoff
OFF = '<flag contact="disable" limit="disable" frictionloss="disable" equality="disable"/>'


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def error(got, want):
    """The largest difference; q and -q are one orientation."""
    signs = (1, -1) if len(want) == 4 else (1,)
    scale = max(1, *map(abs, want))
    return min(max(abs(s * a - b) for a, b in zip(got, want)) for s in signs) / scale


def compare(driver, scene, tolerance):
    said = run(driver, scene)
    if said.returncode:
        return f"{scene.name}: not in this MuJoCo: {said.stderr.strip()[:80]}", True
    lines = said.stdout.rstrip("\n").split("\n")
    start = [f"--{name}=" + ",".join(line.split()) for name, line in zip(("qpos", "qvel", "ctrl"), lines) if line.split()]
    with tempfile.TemporaryDirectory() as folder:
        free = pathlib.Path(folder) / "free.xml"
        free.write_text(f'<mujoco><include file="{scene}"/><option>{OFF}</option></mujoco>')
        forward = run(thud, "forward", free, *start, "--json")
    if forward.returncode:
        return f"{scene.name}: {forward.stderr.strip()}", False
    reading, at, worst, which, kinds = json.loads(forward.stdout)["sensordata"], 0, 0, 0, set()
    for number, line in enumerate(lines[3:]):
        kind, *want = [float(x) for x in line.split()]
        e = error(reading[at:at + len(want)], want)
        at += len(want)
        if number in DIFFERENT.get(scene.name, ()):
            print(f"{scene.name}: sensor {number} is not compared, a known difference: {e:.2g}")
            continue
        kinds.add(kind)
        worst, which = max((worst, which), (e, number)) if e == e else (float("inf"), number)
    told = f"{scene.name:12} {len(lines) - 3} sensors of {len(kinds)} kinds, worst {worst:.2e} (sensor {which})"
    return told, worst <= tolerance and at == len(reading) and at > 0


good = True
with tempfile.TemporaryDirectory() as build:
    program = wheel.compile_driver("sense_scene", build)
    for path, most in SCENES:
        if path.exists():
            line, fine = compare(program, path, most)
            print(line)
            good &= fine
        else:
            print(f"skipped: {path.name}, ../shared is absent")
sys.exit(not good)
