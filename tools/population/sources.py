"""Files that hold robots: ../shared/menagerie and the packages that `tools/bootstrap.sh robots` installs. What is absent is told."""
import pathlib
import sys
import sysconfig

from .case import SHARED

PACKAGES = pathlib.Path(sysconfig.get_paths()["purelib"])
# A package's folder, patterns of robot files in it, and parts of paths that are not robots.
REGISTRIES = (
    ("gymnasium", "gymnasium/envs/mujoco/assets", ("*.xml",), ()),
    ("dm_control", "dm_control", ("suite/*.xml", "locomotion/walkers/assets/*.xml", "locomotion/walkers/assets/*/*.xml"), ("build_", "skeleton")),
    ("robosuite", "robosuite/models/assets", ("robots/*/robot.xml", "grippers/*.xml"), ()),
    ("metaworld", "metaworld/assets/sawyer_xyz", ("sawyer_*.xml",), ("dependencies",)),
    ("pybullet", "pybullet_data", ("**/*.urdf", "mjcf/*.xml"), ("random_urdfs", "objects/")),
    ("example-robot-data", "cmeel.prefix/share/example-robot-data/robots", ("**/*.urdf",), ()),
)


def menagerie():
    folder = SHARED / "menagerie"
    found = []
    for robot in sorted(p for p in folder.glob("*/") if p.name != "mujoco"):
        scenes = sorted(robot.glob("scene*.xml"))
        found += [(f"menagerie/{robot.name}/{p.stem}", p) for p in (scenes or sorted(robot.glob("*.xml")))]
    return found


def all_robots():
    """(name, path) of every file, the sources taken in turn so that every share holds some of each; and what is absent."""
    lists, absent = [], []
    if SHARED.is_dir():
        lists.append(menagerie())
    else:
        absent.append("../shared/menagerie")
    for name, folder, patterns, leave in REGISTRIES:
        root = PACKAGES / folder
        if not root.is_dir():
            absent.append(f"{name} (tools/bootstrap.sh robots)")
            continue
        files = sorted({p for pattern in patterns for p in root.glob(pattern)})
        lists.append([(f"{name}/{p.relative_to(root).with_suffix('')}", p) for p in files if not any(x in str(p.relative_to(root)) for x in leave)])
    turns = max(map(len, lists), default=0)
    return [some[k] for k in range(turns) for some in lists if k < len(some)], absent


def tell_absent(absent):
    if absent:
        print("skipped, not here: " + ", ".join(absent), file=sys.stderr)
