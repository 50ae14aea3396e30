"""A bad file ends every command that takes a scene with exit code 1 and one line, file:line:column: sentence. One small file for each
kind of fault; its @ marks the line that must be told.

usage: bad_input_is_told.py THUD SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

thud = sys.argv[1]
SOLID = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
BALL = "<body name='b'><joint name='j'/><geom name='g' size='.1'/></body>"


def world(xml):
    return f"<mujoco>\n<worldbody>\n{xml}\n</worldbody>\n</mujoco>"


def mjcf(xml):
    return f"<mujoco>\n<worldbody>{BALL}</worldbody>\n{xml}\n</mujoco>"


def links(*names):
    return "".join(f"<link name='{name}'>{SOLID}</link>\n" for name in names)


def joint(name, parent, child, more="", kind="revolute"):
    return f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{more}</joint>\n"


def urdf(xml):
    return f"<robot name='r'>\n{xml}</robot>"


def inertial(mass, *moments):
    return f"<inertial><mass value='{mass}'/><inertia ixx='{moments[0]}' iyy='{moments[1]}' izz='{moments[2]}'/></inertial>"


FAULTS = [  # what it is, the file's ending, its text, a word of the sentence
    ("no XML", "xml", "@garbage", "not XML"),
    ("neither format", "xml", "\n@<sdf/>", "<mujoco>"),
    ("pid", "xml", mjcf("<actuator>\n@<pid joint='j'/></actuator>"), "not supported"),
    ("plugin", "xml", mjcf("<actuator>\n@<plugin joint='j'/></actuator>"), "plugins"),
    ("flex", "xml", world("\n@<flexcomp name='f'/>"), "rigid"),
    ("deformable", "xml", mjcf("<deformable>\n@<flex/></deformable>"), "rigid"),
    ("unknown element", "xml", world("<body>\n@<gom/></body>"), "belong"),
    ("missing mesh", "xml", mjcf("<asset>\n@<mesh file='gone.stl'/></asset>"), "gone.stl"),
    ("mesh of another format", "xml", mjcf("<asset>\n@<mesh name='m' file='part.dae'/></asset>")
     .replace("size='.1'", "type='mesh' mesh='m'"), ".stl"),
    ("mesh that is a line", "xml", mjcf("<asset>\n@<mesh name='m' vertex='0 0 0 1 0 0 2 0 0 3 0 0'/></asset>")
     .replace("size='.1'", "type='mesh' mesh='m'"), "mesh 'm'"),
    ("mesh that is a point", "xml", mjcf("<asset>\n@<mesh name='m' vertex='1 1 1 1 1 1 1 1 1 1 1 1'/></asset>")
     .replace("size='.1'", "type='mesh' mesh='m'"), "mesh 'm'"),
    ("face of a missing vertex", "xml",
     mjcf("<asset>\n@<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>"), "vertex 9"),
    ("keyframe of the wrong size", "xml", mjcf("<keyframe>\n@<key qpos='1 2'/></keyframe>"), "qpos has 2"),
    ("keyframe's control", "xml", mjcf("<keyframe>\n@<key ctrl='1'/></keyframe>"), "ctrl has 1"),
    ("actuator of a missing joint", "xml", mjcf("<actuator>\n@<motor joint='k'/></actuator>"), "no joint"),
    ("tendon through a missing site", "xml", mjcf("<tendon><spatial>\n@<site site='s'/></spatial></tendon>"), "no site"),
    ("equality of a missing body", "xml", mjcf("<equality>\n@<weld body1='x' body2='b'/></equality>"), "no body"),
    ("sensor at a missing site", "xml", mjcf("<sensor>\n@<gyro site='s'/></sensor>"), "no site"),
    ("name given twice", "xml", world(f"{BALL}\n@{BALL}"), "second body"),
    ("not a number", "xml", world("\n@<geom size='nan'/>"), "finite"),
    ("infinite", "xml", world("\n@<body pos='0 inf 0'/>"), "finite"),
    ("mass of nothing", "xml", world("\n@<body name='b'><joint/></body>"), "mass"),
    ("massless geom", "xml", world("\n@<body name='b'><joint/><geom size='.1' mass='0'/></body>"), "mass"),
    ("inertia not positive", "xml",
     world("<body><joint/>\n@<inertial mass='1' pos='0 0 0' diaginertia='1 1 -1'/></body>"), "positive"),
    ("inertia of no body", "xml", world("<body><joint/>\n@<inertial mass='1' pos='0 0 0' diaginertia='1 1 5'/></body>"),
     "no body has"),
    ("missing include", "xml", mjcf("@<include file='gone.xml'/>"), "gone.xml"),
    ("include of itself", "xml", mjcf("@<include file='file.xml'/>"), "cycle"),
    ("unclosed element", "urdf", "<robot>\n<link name='a'>\n@</robot>", "still open"),
    ("no link", "urdf", "@<robot/>", "link"),
    ("macro", "urdf", urdf(links("a") + "@<xacro:include filename='x'/>\n"), "xacro"),
    ("two parents", "urdf", urdf(links("a", "b", "c") + joint("x", "a", "c") + joint("y", "a", "b") + "@" + joint("z", "b", "c")),
     "two parents"),
    ("circle", "urdf", urdf(links("a", "b") + joint("y", "a", "b") + "@" + joint("x", "b", "a")), "circle"),
    ("two roots", "urdf", urdf(links("a") + "@" + links("b")), "second root"),
    ("missing link", "urdf", urdf(links("a") + "@" + joint("x", "a", "b")), "no link"),
    ("link given twice", "urdf", urdf(links("a") + "@" + links("a")), "second link"),
    ("joint given twice", "urdf", urdf(links("a", "b", "c") + joint("x", "a", "b") + "@" + joint("x", "a", "c")), "second joint"),
    ("no inertial", "urdf", urdf(links("a") + "@<link name='b'/>\n" + joint("x", "a", "b")), "<inertial>"),
    ("no mass", "urdf", urdf(links("a") + f"@<link name='b'>{inertial(0, 0, 0, 0)}</link>\n" + joint("x", "a", "b")), "no mass"),
    ("inertia not positive", "urdf", urdf(f"@<link name='a'>{inertial(1, 1, 1, -1)}</link>\n"), "positive"),
    ("inertia of no body", "urdf", urdf(f"@<link name='a'>{inertial(1, 1, 1, 5)}</link>\n"), "no body has"),
    ("not a number", "urdf", urdf(f"@<link name='a'>{inertial('nan', 1, 1, 1)}</link>\n"), "finite"),
    ("limits that shrink", "urdf", urdf(links("a", "b") + "@" + joint("x", "a", "b", "<limit lower='1' upper='-1'/>")), "grow"),
    ("mimic of nobody", "urdf", urdf(links("a", "b") + "@" + joint("x", "a", "b", "<mimic joint='y'/>")), "no joint"),
    ("missing mesh", "urdf", urdf("<link name='a'><collision><geometry>\n@<mesh filename='package://p/gone.stl'/></geometry>"
                                  "</collision></link>\n"), "gone.stl"),
    ("mesh of another format", "urdf", urdf("<link name='a'><collision><geometry>\n@<mesh filename='part.dae'/></geometry>"
                                            "</collision></link>\n"), ".stl"),
    ("mesh that is a line", "urdf", urdf("<link name='a'><collision><geometry>\n@<mesh filename='line.obj'/></geometry>"
                                         "</collision></link>\n"), "line"),
]

failed = []
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "part.dae").write_text("<COLLADA/>")
    pathlib.Path(folder, "line.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    for number, (what, ending, text, word) in enumerate(FAULTS):
        path = pathlib.Path(folder, f"file.{ending}")
        path.write_text(text.replace("@", ""))
        line = text[:text.index("@")].count("\n") + 1
        command = ("info", "forward", "run")[number % 3]
        ran = subprocess.run([thud, command, path, "--strict-file"], capture_output=True, text=True, check=False)
        told = re.fullmatch(rf"{re.escape(str(path))}:(\d+):\d+: (.+)\n", ran.stderr)
        if ran.returncode != 1 or not told or int(told[1]) != line or word not in told[2]:
            failed.append(f"{what} ({ending}): thud {command} gives {ran.returncode}, {ran.stderr.strip()!r}, not line {line}: ...{word}...")

print("\n".join(failed) if failed else f"{len(FAULTS)} faults are told with their lines")
sys.exit(bool(failed))
