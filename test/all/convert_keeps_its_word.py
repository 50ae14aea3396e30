"""thud convert: what it writes is the same robot, found from anywhere; it never overwrites what it reads, and leaves no half of a file.

usage: convert_keeps_its_word.py THUD SOURCE_DIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
robot = root / "scenes/picker.urdf"
faults = []


def run(*command, **where):
    return subprocess.run([thud, *map(str, command)], capture_output=True, text=True, check=False, **where)


def claim(what, holds):
    if not holds:
        faults.append(what)


def forward(scene, *state):
    ran = run("forward", scene, *state, "--json")
    return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr


def refused(code, says, *command, **where):
    ran = run("convert", *command, **where)
    claim(f"convert {command} gives {ran.returncode}: {ran.stderr.strip()!r}, not {code}: {says!r}",
          ran.returncode == code and says in ran.stderr and ran.stderr.count("\n") == 1 and not ran.stdout)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "deep/down").mkdir(parents=True)
    (folder / "parts").mkdir()

    # The same robot, at a state that bends every joint.
    flat = folder / "picker.xml"
    state = ["--qpos=0.3,-0.5,0.7,0.9,-1.1,1.3,0.01,0.01", "--qvel=1,-1,1,-1,1,-1,0.1,0.1"]
    ran = run("convert", robot, flat)
    claim(f"convert picker.urdf: {ran.stderr}", ran.returncode == 0 and "to the bit" in ran.stdout)
    claim("the converted robot is another one", forward(robot, *state) == forward(flat, *state))
    claim("it has as many bodies as links", json.loads(run("info", flat, "--json").stdout)["bodies"] == 11)
    claim("a floating base is free", run("convert", robot, folder / "free.xml", "--base", "floating").returncode == 0
          and len(forward(folder / "free.xml")["qpos"]) == 8 + 7)

    # A scene with an include and a mesh, written elsewhere: its mesh is found from there, and when the two move together.
    (folder / "parts/part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (folder / "parts/body.xml").write_text('<mujoco><worldbody><body name="b"><freejoint/><geom type="mesh" mesh="part"/></body></worldbody></mujoco>')
    scene = folder / "scene.xml"
    scene.write_text('<mujoco><compiler meshdir="parts"/><asset><mesh file="part.obj"/></asset><include file="parts/body.xml"/></mujoco>')
    claim("a mesh is not found from another folder",
          run("convert", "scene.xml", "deep/down/flat.xml", cwd=folder).returncode == 0
          and 'file="../../parts/part.obj"' in (folder / "deep/down/flat.xml").read_text()
          and forward(folder / "deep/down/flat.xml") == forward(scene))

    # What is read is not written.
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (folder / "link.xml").symlink_to(scene)
    os.link(scene, folder / "twin.xml")
    refused(1, "would be overwritten", scene, scene)
    refused(1, "would be overwritten", scene, folder / "deep/../scene.xml")
    refused(1, "would be overwritten", scene, folder / "link.xml")
    refused(1, "would be overwritten", scene, folder / "twin.xml")
    refused(1, "would be overwritten", scene, folder / "parts/body.xml")
    refused(1, "would be overwritten", scene, folder / "parts/part.obj")
    claim("a source was changed", all(path.read_bytes() == text for path, text in before.items()))

    # What fails leaves nothing, and what was there stays.
    (folder / "bad.urdf").write_text("<robot>\n<link name='a'/>\n<link name='b'/>\n</robot>")
    refused(1, "bad.urdf:3:1: a second root", folder / "bad.urdf", folder / "new.xml", "--strict-file")
    refused(1, "bad.urdf:3:1: a second root", folder / "bad.urdf", flat, "--strict-file")
    refused(1, "No such file", folder / "gone.urdf", folder / "new.xml")
    refused(1, "No such file", robot, folder / "nowhere/new.xml")
    refused(2, "name the output .xml", robot, folder / "new.urdf")
    refused(2, "--base is for URDF", scene, folder / "new.xml", "--base", "floating")
    refused(2, "", robot)
    refused(2, "", robot, flat, "--base", "flying")
    claim("a failure changed a file", flat.read_bytes() == before[flat] and not (folder / "new.xml").exists())
    claim("half of a file is left", not list(folder.rglob("*.part")))

print("\n".join(faults))
sys.exit(bool(faults))
