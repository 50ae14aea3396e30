# SPDX-License-Identifier: Apache-2.0
"""thud info says in its last line what a reader of the file would want to know: one smallest scene for each hint, and one without any.
Meshes that are not convex are said with their volumes, in info and among the doubts of a run.

usage: info_says_what_to_look_at.py THUD
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def world(text, before=""):
    return f"<mujoco>{before}<worldbody>{text}</worldbody></mujoco>"


L = ("<asset><mesh name='L' vertex='0 0 0  2 0 0  2 1 0  1 1 0  1 2 0  0 2 0  0 0 1  2 0 1  2 1 1  1 1 1  1 2 1  0 2 1' "
     "face='0 2 1  0 3 2  0 5 3  3 5 4  6 7 8  6 8 9  6 9 11  9 10 11  0 1 7  0 7 6  1 2 8  1 8 7  2 3 9  2 9 8  3 4 10  3 10 9  "
     "4 5 11  4 11 10  5 0 6  5 6 11'/></asset>")
SCENES = [  # what it is, the scene, words of the line
    ("nothing", world("<body pos='0 0 1'><freejoint/><geom size='.1'/></body>"), "nothing"),
    ("no joint", world("<geom size='.1'/>"), "nothing moves"),
    ("grams", world("<body><freejoint/><geom size='.1' mass='1e-9'/></body>"), "kg/m^3"),
    ("millimetres", world("<body><freejoint/><geom type='box' size='100 60 20' mass='3'/></body>"), " m across"),
    ("degrees as radians", world("<body><joint range='-90 90'/><geom size='.1'/></body>", "<compiler angle='radian'/>"), "degrees"),
    ("overlap", world("<geom type='plane' size='1 1 1'/><body pos='0 0 .05'><freejoint/><geom size='.1'/></body>"), "overlap by 50 mm"),
    # the hull of the L is 3.5 m^3, the L 3 m^3
    ("concave", world("<body><freejoint/><geom type='mesh' mesh='L'/></body>", L), "1 mesh is not convex, and collides as its hull: 'L' with 1.17"),
    ("concave, only drawn", world("<body><freejoint/><geom type='mesh' mesh='L' contype='0' conaffinity='0'/></body>", L), "nothing"),
]


def main():
    thud, wrong = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.xml")
        for what, text, words in SCENES:
            path.write_text(text)
            said = subprocess.run([thud, "info", path], capture_output=True, text=True, check=True).stdout
            lines = said.splitlines()[-3:]
            if [line.split()[0] for line in lines] != ["left", "changed", "look"] or words not in lines[2]:
                wrong.append(f"{what}: the last lines are {lines}, not with {words!r}")
            doubts = json.loads(subprocess.run([thud, "run", path, "--time", "0.01", "--json"], capture_output=True, text=True,
                                               check=False).stdout)["doubts"]
            hulls = [d for d in doubts if d["kind"] == "mesh-as-hull"]
            if len(hulls) != (what == "concave") or any(abs(d["first"]["value"] - 3.5 / 3) > 1e-6 for d in hulls):
                wrong.append(f"{what}: doubts of meshes are {hulls}")
        # a mesh of a package of ROS 2, by the environment, and without it
        meshes = pathlib.Path(folder, "install/share/arm/meshes")
        meshes.mkdir(parents=True)
        (meshes / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        robot = pathlib.Path(folder, "elsewhere/robot.urdf")
        robot.parent.mkdir()
        robot.write_text("<robot name='r'><link name='a'><collision><geometry><mesh filename='package://arm/meshes/part.obj'/>"
                         "</geometry></collision></link></robot>")
        for prefixes, code in ((f"/nowhere::{folder}/install", 0), ("", 1)):
            ran = subprocess.run([thud, "info", robot], capture_output=True, text=True, check=False,
                                 env=dict(os.environ, AMENT_PREFIX_PATH=prefixes))
            if ran.returncode != code or (code and "AMENT_PREFIX_PATH" not in ran.stderr):
                wrong.append(f"AMENT_PREFIX_PATH={prefixes!r}: exit {ran.returncode}, {ran.stderr!r}")
    print("\n".join(wrong) if wrong else f"{len(SCENES)} scenes")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
