"""Three grippers on a gantry that lifts (z) and shakes (y): parallel pads, the robotiq 2F-85 and the shadow hand, the last two from
../shared/menagerie. Each is a scene with an object of a given friction that stands on a post."""
import copy
import xml.etree.ElementTree as xml

from .case import SHARED, numbers

GANTRY = 4.0e4  # N/m of the servos that lift and shake
DT = 0.002


def element(tag, **attributes):
    return xml.Element(tag, {k.rstrip("_"): v if isinstance(v, str) else (repr(v) if isinstance(v, (int, float)) else numbers(v))
                             for k, v in attributes.items()})


def object_geom(shape, size, friction, condim, mass):
    """The geom of an object; size: half extents along x (the closing axis), y, z."""
    geom = element("geom", name="object", priority=2, condim=condim, friction=[friction, 0.005, 0.0001], mass=mass)
    if shape == "box":
        geom.attrib.update(type="box", size=numbers(size))
    elif shape == "sphere":
        geom.attrib.update(type="sphere", size=numbers([size[0]]))
    elif shape == "cylinder":
        geom.attrib.update(type="cylinder", size=numbers([size[0], size[2]]))
    else:
        geom.attrib.update(type="mesh", mesh="object")
    return geom


def hull_vertices(rng, size):
    """A prism along x that is its own mirror image, so that its centre of mass is its origin."""
    corners = [(size[1] * rng.uniform(0.5, 1), size[2] * rng.uniform(-1, 1)) for _ in range(5)]
    corners += [(-y, -z) for y, z in corners] + [(0, size[2]), (0, -size[2])]
    return [c for y, z in corners for s in (-1, 1) for c in (s * size[0], y, z)]


def add_object(world, asset, grasp, height, post=True):
    """The object, centred at the height, on a post beneath it."""
    x, y, z = grasp["at"]
    if grasp["shape"] == "hull":
        asset.append(element("mesh", name="object", vertex=grasp["vertices"]))
    half = grasp["size"][0] if grasp["shape"] == "sphere" else grasp["size"][2]
    if post:
        top = z + height - half
        world.append(element("geom", name="post", type="box", size=[0.4 * grasp["size"][0], 0.4 * grasp["size"][1], 0.5],
                             pos=[x, y, top - 0.5], friction=[1, 0.005, 0.0001]))
    body = element("body", name="object", pos=[x, y, z + height])
    body.append(element("freejoint", name="object"))
    body.append(object_geom(grasp["shape"], grasp["size"], grasp["friction"], grasp["condim"], grasp["mass"]))
    world.append(body)


def gantry(world, height, fixed=False):
    """The body that carries a gripper; without joints where it is fixed."""
    if fixed:
        wrist = element("body", name="wrist", pos=[0, 0, height])
        world.append(wrist)
        return wrist
    lift = element("body", name="lift", pos=[0, 0, height])
    lift.append(element("joint", name="lift", type="slide", axis="0 0 1"))
    lift.append(element("inertial", pos="0 0 0", mass=0.5, diaginertia="1e-3 1e-3 1e-3"))
    wrist = element("body", name="wrist")
    wrist.append(element("joint", name="shake", type="slide", axis="0 1 0"))
    wrist.append(element("inertial", pos="0 0 0", mass=0.5, diaginertia="1e-3 1e-3 1e-3"))
    lift.append(wrist)
    world.append(lift)
    return wrist


def gantry_servos(actuator):
    for name in ("lift", "shake"):
        actuator.append(element("position", name=name, joint=name, kp=GANTRY, kv=2 * (GANTRY * 2) ** 0.5))


def pads(grasp):
    """Two pads on slides, each pressed by the same force, held to mirror each other."""
    root = element("mujoco", model="pads")
    root.append(element("option", timestep=DT))
    root.append(element("compiler", angle="radian"))
    asset, world, actuator = element("asset"), element("worldbody"), element("actuator")
    wrist = gantry(world, 0.2, fixed=grasp["in_grip"])
    gap = 0.0 if grasp["in_grip"] else 0.004
    for name, side in (("left", -1.0), ("right", 1.0)):
        pad = element("body", name=name, pos=[side * (grasp["size"][0] + gap + 0.005), 0, 0])
        pad.append(element("joint", name=name, type="slide", axis=[-side, 0, 0]))
        pad.append(element("geom", name=name, type="box", size=[0.005, 0.03, 0.03], mass=0.1))
        wrist.append(pad)
        actuator.append(element("motor", name=name, joint=name))
    if not grasp["in_grip"]:
        gantry_servos(actuator)
    add_object(world, asset, {**grasp, "at": (0, 0, 0)}, 0.2, post=not grasp["in_grip"])
    equality = element("equality")
    equality.append(element("joint", joint1="left", joint2="right", polycoef="0 1 0 0 0"))
    for part in (asset, world, equality, actuator):
        root.append(part)
    return xml.tostring(root, encoding="unicode")


def graft(file, folder, turn, offset, grasp, height):
    """A robot of the menagerie on the gantry; its root body is turned and put at an offset from the wrist."""
    root = xml.parse(SHARED / "menagerie" / folder / file).getroot()
    root.find("compiler").set("meshdir", str(SHARED / "menagerie" / folder / "assets"))
    root.insert(0, element("option", timestep=DT))
    asset, world, actuator = root.find("asset"), root.find("worldbody"), root.find("actuator")
    robot = world.find("body")
    world.remove(robot)
    wrist = gantry(world, height)
    robot.attrib.update(pos=numbers(offset), quat=numbers(turn))
    wrist.append(copy.deepcopy(robot))
    add_object(world, asset, grasp, height)
    gantry_servos(actuator)
    return xml.tostring(root, encoding="unicode")


def robotiq(grasp):
    return graft("2f85.xml", "robotiq_2f85", (0, 1, 0, 0), (0, 0, 0.150), {**grasp, "at": (0, 0, 0)}, 0.3)


def shadow(grasp):
    """The palm upright, the thumb above, the object before the palm."""
    at = (0.337, 0.030 + grasp["size"][1], 0.0)
    return graft("right_hand.xml", "shadow_hand", (0.5, 0.5, 0.5, 0.5), (0, 0, 0), {**grasp, "at": at}, 0.4)


SHADOW_CLOSED = {"rh_A_THJ5": 0.9, "rh_A_THJ4": 1.2, "rh_A_THJ2": 0.3, "rh_A_THJ1": 0.6,
                 **{f"rh_A_{f}J3": 1.3 for f in ("FF", "MF", "RF", "LF")}, **{f"rh_A_{f}J0": 2.4 for f in ("FF", "MF", "RF", "LF")}}
