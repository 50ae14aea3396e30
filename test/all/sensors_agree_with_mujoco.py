"""Sensors read as in MuJoCo 2.2.2 in a state that moves, every type that it has: to 1e-12 of the largest number of a sensor, or of 1.
Contact, limits, dry friction and equalities are off, which are soft there; what sensors read of them is tested in test_sensors.c.
Skipped where MuJoCo is absent; published robots where ../shared is. The worst of the first scene was 2.1e-14; cassie's accelerometer
differs by 2.4e-8, because MuJoCo's principal axes of its full inertia matrices are that exact, no more.

usage: sensors_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
compiler = os.environ.get("CC", "cc")
SCENES = [(root / "test/mujoco/senses.xml", 1e-12), (root.parent / "shared/menagerie/agility_cassie/cassie.xml", 1e-7)]
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
        kinds.add(kind)
        worst, which = max((worst, which), (e, number)) if e == e else (float("inf"), number)
    told = f"{scene.name:12} {len(lines) - 3} sensors of {len(kinds)} kinds, worst {worst:.2e} (sensor {which})"
    return told, worst <= tolerance and at == len(reading) and at > 0


if run(compiler, "-fsyntax-only", "-x", "c", "-", text="#include <mujoco/mujoco.h>\n").returncode:
    print("no MuJoCo here")
    sys.exit(77)

good = True
with tempfile.TemporaryDirectory() as build:
    program = f"{build}/sense_scene"
    subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", root / "test/mujoco/sense_scene.c", "-o", program,
                    "-lmujoco", "-lm"], check=True)
    for path, most in SCENES:
        if path.exists():
            line, fine = compare(program, path, most)
            print(line)
            good &= fine
sys.exit(not good)
