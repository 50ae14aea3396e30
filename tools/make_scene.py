#!/usr/bin/env python3
"""Prints a scene that is too regular to be written by hand: stacks, walls, arches and the like, as MJCF.

usage: tools/make_scene.py NAME >scenes/NAME.xml
       tools/make_scene.py                            lists the names
"""
import colorsys
import math
import random
import sys

BLUE, ORANGE, RED, GREY = "0.16 0.42 0.80 1", "0.90 0.49 0.13 1", "0.75 0.22 0.17 1", "0.35 0.38 0.42 1"
FLOOR = '    <geom name="floor" type="plane" size="0 0 1" rgba="0.8 0.8 0.8 1"/>'


def text(*numbers):
    """Numbers as MJCF has them: the shortest that read back the same, and 0 for what rounding left of it."""
    return " ".join("0" if abs(x) < 1e-16 else f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in numbers)


def scene(name, comment, step, defaults, bodies, rest=""):
    room = '  <size nconmax="2000" njmax="8000"/>\n' if len(bodies) > 40 else ""  # what MuJoCo needs to be told
    return f"""<!-- {comment}
     Made by tools/make_scene.py {name}. -->
<mujoco model="{name}">
  <option timestep="{step}"/>
{room}  <default>
{defaults}
  </default>
  <worldbody>
{FLOOR}
{chr(10).join(bodies)}
  </worldbody>
{rest}</mujoco>"""


def body(name, pos, geom='<geom/>', turn=""):
    return f'    <body name="{name}" pos="{text(*pos)}"{turn}><freejoint/>{geom}</body>'


def stack(name, n, step, comment):
    defaults = f'    <geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5" rgba="{BLUE}"/>'
    return scene(name, comment, step, defaults, [body(f"box{i}", (0, 0, (2 * i + 1) / 10)) for i in range(n)])


def heavy_on_stack(n):
    comment = f"""A cube of iron (1000 kg) on a stack of {n} cubes of foam (1 kg each).
     Right answer: it stands; nothing sinks by more than 0.1 mm, at this step and at 5 ms."""
    defaults = '    <geom type="box" size="0.25 0.25 0.25" mass="1" friction="0.5" rgba="0.86 0.87 0.89 1"/>'
    bodies = [body(f"light{i}", (0, 0, (2 * i + 1) / 4)) for i in range(n)]
    bodies.append(body("heavy", (0, 0, (2 * n + 1) / 4), f'<geom mass="1000" rgba="{GREY}"/>'))
    return scene(f"heavy_on_stack{n}", comment, "0.016666666666666666", defaults, bodies)


def wall():
    comment = """A wall of 105 bricks in ten courses, running bond, the joints between neighbours 1 mm open.
     Right answer: it stands, and the floor carries 200 kg."""
    defaults = f"""    <geom type="box" friction="0.6" rgba="{RED}"/>
    <default class="brick">
      <geom size="0.0995 0.05 0.05" mass="2"/>
    </default>
    <default class="half">
      <geom size="0.0495 0.05 0.05" mass="1"/>
    </default>"""
    bodies = []
    for course in range(10):
        z = (2 * course + 1) / 20
        if course % 2 == 0:
            bricks = [("brick", (2 * i - 9) / 10) for i in range(10)]
        else:
            bricks = [("half", -0.95), *(("brick", (i - 4) / 5) for i in range(9)), ("half", 0.95)]
        for i, (kind, x) in enumerate(bricks):
            bodies.append(body(f"{kind}{course}.{i}", (x, 0, z), f'<geom class="{kind}"/>'))
    return scene("wall", comment, "0.002", defaults, bodies)


def pile100():
    comment = """A hundred boxes of three shapes, let go above a bin, every one turned another way; a pile of about 500 contacts.
     Right answer: all come to rest inside the bin, which carries their 100 kg; nothing passes through anything."""
    defaults = f"""    <geom type="box" friction="0.5" rgba="{BLUE}"/>
    <default class="cube"><geom size="0.05 0.05 0.05" mass="1"/></default>
    <default class="brick"><geom size="0.08 0.04 0.04" mass="1" rgba="{ORANGE}"/></default>
    <default class="plate"><geom size="0.07 0.07 0.025" mass="1" rgba="{RED}"/></default>
    <default class="bin"><geom rgba="0.8 0.8 0.8 0.3"/></default>"""
    bodies = []
    for side, (x, y) in {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}.items():
        size = (0.05, 0.65, 0.5) if x else (0.65, 0.05, 0.5)
        bodies.append(f'    <geom name="{side}" class="bin" pos="{text(0.6 * x, 0.6 * y, 0.5)}" size="{text(*size)}"/>')
    dice = random.Random(100)
    for i in range(100):
        layer, row, column = i // 25, i // 5 % 5, i % 5
        pos = ((column - 2) / 5, (row - 2) / 5, (layer + 1) / 5)
        quat = [round(dice.gauss(0, 1), 3) for _ in range(4)]
        kind = ("cube", "brick", "plate")[i % 3]
        bodies.append(body(f"box{i}", pos, f'<geom class="{kind}"/>', f' quat="{text(*quat)}"'))
    return scene("pile100", comment, "0.002", defaults, bodies)


def card_house():
    comment = """A house of seven cards on two floors. The rims of the cards are rounded (a capsule at each end), so every touch has a normal.
     Right answer: it stands, because friction 0.5 is more than the 0.26 that the feet of the lower cards need
     (H = (W/2 + P) tan 20 against N = W + P, where P = 0.75 W is what each carries of the storey above)."""
    length, r, lean = 0.087, 0.0005, math.radians(20)
    dx, dz = length / 2 * math.sin(lean), length / 2 * math.cos(lean)
    half = length / 2
    defaults = f"""    <geom friction="0.5" rgba="0.86 0.87 0.89 1"/>
    <default class="card"><geom type="box" size="{r} 0.03 {half}" mass="0.0016"/></default>
    <default class="top"><geom type="capsule" fromto="0 -0.03 {half} 0 0.03 {half}" size="{r}" mass="0.0001" rgba="{RED}"/></default>
    <default class="foot"><geom type="capsule" fromto="0 -0.03 -{half} 0 0.03 -{half}" size="{r}" mass="0.0001" rgba="{RED}"/></default>"""
    card = '<geom class="card"/><geom class="top"/><geom class="foot"/>'

    def tent(name, x, floor):
        """Two cards that lean against each other above (x, floor)."""
        z = floor + r + dz
        return [body(f"{name}.left", (x - r - dx, 0, z), card, ' euler="0 20 0"'),
                body(f"{name}.right", (x + r + dx, 0, z), card, ' euler="0 -20 0"')]

    ceiling = 2 * r + 2 * dz
    bodies = [*tent("low1", -0.032, 0), *tent("low2", 0.032, 0),
              body("floor2", (0, 0, ceiling + r), card, ' euler="0 90 0"'), *tent("high", 0, ceiling + 2 * r)]
    return scene("card_house", comment, "0.001", defaults, bodies)


def arch():
    comment = """A semicircular arch of nine wedge-shaped stones without mortar, mean radius 1 m, 0.2 m thick.
     Right answer: it stands. An arch of this shape does when it is thicker than 0.1075 of its radius (Milankovitch 1907) and does not
     slide; its line of thrust then stays inside the stones. The frame of every stone is at the arch's centre."""
    corners = []
    for y in (-0.15, 0.15):
        for radius in (0.9, 1.1):
            x, z = radius * math.sin(math.radians(10)), radius * math.cos(math.radians(10))
            corners.append(f"{text(-x, y, z)}  {text(x, y, z)}")
    vertices = "\n                           ".join(corners)
    defaults = f"""    <geom friction="0.7" rgba="{GREY}"/>
    <default class="stone">
      <geom type="mesh" mesh="stone" mass="50"/>
    </default>"""
    assets = f"""  <asset>
    <mesh name="stone" vertex="{vertices}"/>
  </asset>
"""
    bodies = [body(f"stone{i}", (0, 0, 0), '<geom class="stone"/>', f' euler="0 {20 * i - 80} 0"') for i in range(9)]
    return scene("arch", comment, "0.002", defaults, bodies, assets)


def dominoes():
    comment = """Twenty dominoes, 24 mm apart, the first being tipped over.
     Right answer: each knocks over the next, and at the end every one leans on its neighbour but the last, which lies flat."""
    d, h, omega = 0.0075, 0.048, 5
    defaults = f"""    <geom friction="0.4"/>
    <default class="domino">
      <geom type="box" size="{text(d / 2, 0.012, h / 2)}" mass="0.015" rgba="{BLUE}"/>
    </default>"""
    bodies = [body(f"domino{i}", (24 * i / 1000, 0, h / 2), '<geom class="domino"/>') for i in range(20)]
    first = f"{text(omega * h / 2, 0, omega * d / 2)}  0 {omega} 0"
    rest = f"""  <keyframe>
    <key name="start" qvel="{first}{'  0 0 0 0 0 0' * 19}"/>
  </keyframe>
"""
    return scene("dominoes", comment, "0.001", defaults, bodies, rest)


def spiral():
    n, gap, turn = 46, 0.024, 0.064  # dominoes, metres from one to the next and from winding to winding
    comment = f"""{n} dominoes on a spiral, {1000 * gap:g} mm apart, the outermost being tipped over.
     Right answer: each knocks over the next, inwards, until all are down."""
    d, h, omega = 0.0075, 0.048, 5
    defaults = f"""    <geom friction="0.4"/>
    <default class="domino">
      <geom type="box" size="{text(d / 2, 0.012, h / 2)}" mass="0.015"/>
    </default>"""
    start = 0.155
    bodies, angle, radius = [], 0.0, start
    for i in range(n):
        heading = angle + math.pi / 2 + math.atan2(turn / math.tau, radius)  # along the spiral
        pos = [round(x, 5) for x in (radius * math.cos(angle), radius * math.sin(angle), h / 2)]
        red, green, blue = colorsys.hls_to_rgb(0.58 - 0.55 * i / (n - 1), 0.5, 0.68)
        geom = f'<geom class="domino" rgba="{red:.2f} {green:.2f} {blue:.2f} 1"/>'
        bodies.append(body(f"domino{i}", pos, geom, f' euler="0 0 {math.degrees(heading):.2f}"'))
        if i == 0:
            first = (omega * h / 2 * math.cos(heading), omega * h / 2 * math.sin(heading), omega * d / 2)
        angle += gap / math.hypot(radius, turn / math.tau)
        radius = start - turn * angle / math.tau
    rest = f"""  <keyframe>
    <key name="start" qvel="{text(*(round(x, 5) for x in first))}  0 {omega} 0{'  0 0 0 0 0 0' * (n - 1)}"/>
  </keyframe>
"""
    return scene("spiral", comment, "0.001", defaults, bodies, rest)


def billiards_break():
    comment = """The break: a cue ball at 8 m/s into a rack of fifteen, 0.01 mm apart, on a table with cushions. Restitution 0.95 between balls,
     0.8 at the cushions, none on the cloth; friction 0.06 between balls, 0.2 elsewhere (cloth and cushions have priority over balls).
     Right answer: energy only falls, momentum is kept until the first cushion but for the cloth's friction, and every ball stays on the table."""
    r = 0.0286
    pitch = 2 * r + 1e-5
    defaults = f"""    <geom friction="0.2" priority="1"/>
    <default class="ball"><geom type="sphere" size="{r}" mass="0.17" friction="0.06" priority="0" rgba="{RED}"/></default>
    <default class="cushion"><geom type="box" rgba="0.20 0.50 0.35 1"/></default>"""
    bodies = []
    for side, (x, y) in {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}.items():
        size = (0.05, 0.735, 0.03) if x else (1.27, 0.05, 0.03)
        bodies.append(f'    <geom name="{side}" class="cushion" pos="{text(1.32 * x, 0.685 * y, 0.03)}" size="{text(*size)}"/>')
    bodies.append(body("cue", (-0.635, 0.002, r), '<geom name="cue" class="ball" rgba="0.86 0.87 0.89 1"/>'))
    rack = [(0.635 + row * pitch * math.sqrt(0.75), (k - row / 2) * pitch, r) for row in range(5) for k in range(row + 1)]
    for i, pos in enumerate(rack, 1):
        bodies.append(body(f"ball{i}", pos, f'<geom name="ball{i}" class="ball"/>'))
    bounce = {"cue": 0.95, **{f"ball{i}": 0.95 for i in range(1, 16)}, "east": 0.8, "west": 0.8, "north": 0.8, "south": 0.8}
    elements = "\n".join(f'      <element objtype="geom" objname="{name}" prm="{e}"/>' for name, e in bounce.items())
    rest = f"""  <custom>
    <tuple name="thud:restitution">
{elements}
    </tuple>
  </custom>
  <keyframe>
    <key name="start" qvel="8 0 0  0 0 0{'  0 0 0 0 0 0' * 15}"/>
  </keyframe>
"""
    return scene("billiards_break", comment, "0.001", defaults, bodies, rest)


def bead_on_wire():
    """The wire lies in the ring's upper corner, between two sides. In the plane of t (down the wire) and n (across it) the
    ring's axis is cos(lean) n + sin(lean) t, and the normals of the two contacts are +-beta off n, out of the plane."""
    mu, slope, wire, ring, corner, half = 0.2, math.radians(20), 0.003, 0.002, 0.02, math.pi / 8

    def hang(lean):
        """How far the force misses the centre at this lean, beta, and the corner's height above the wire's axis."""
        beta = math.atan(math.tan(half) * math.cos(lean))
        height = (wire + ring) / math.cos(beta)
        along = -math.sin(lean) * math.sin(half)  # of a side, down the wire
        shift = height * math.cos(lean) * math.sin(half) / (1 - along**2) * along
        below = height - corner * math.cos(lean) - wire * math.cos(beta)
        return corner * math.sin(lean) + shift - mu / math.cos(beta) * below, beta, height

    low, high = -math.pi / 4, 0.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if hang(middle)[0] < 0 else (low, middle)
    lean, (_, beta, height) = low, hang(low)
    rate = 9.81 * (math.sin(slope) - mu * math.cos(slope) / math.cos(beta))
    comment = f"""A bead on a wire: an eight-sided ring hangs by a corner on a wire that falls by 20 degrees, friction {mu}. It leans so that the
     line of the contact force goes through its centre: then it need not turn.
     Right answer: it slides down without turning, with the acceleration g (sin 20 - {mu} cos 20 / cos b) = {rate:.6f} m/s2; the normals
     of its two contacts are b = {math.degrees(beta):.4f} degrees off the vertical plane of the wire."""
    t, n = (math.cos(slope), -math.sin(slope)), (math.sin(slope), math.cos(slope))  # in x and z
    up = [math.cos(lean) * n[k] + math.sin(lean) * t[k] for k in (0, 1)]
    centre = [(0, 1)[k] + height * n[k] - corner * up[k] for k in (0, 1)]
    corners = [(corner * math.sin(a), corner * math.cos(a)) for a in (math.pi / 4 * i for i in range(9))]
    sides = "\n".join(f'      <geom class="side" fromto="{text(0, y0, z0, 0, y1, z1)}"/>'
                      for (y0, z0), (y1, z1) in zip(corners, corners[1:]))
    ends = text(-0.2 * t[0], 0, 1 - 0.2 * t[1], 1.8 * t[0], 0, 1 + 1.8 * t[1])
    defaults = f"""    <geom type="capsule" friction="{mu}"/>
    <default class="side"><geom size="{ring}" mass="0.001" rgba="{ORANGE}"/></default>"""
    bodies = [f"""    <geom name="wire" fromto="{ends}" size="{wire}" rgba="{GREY}"/>
    <body name="bead" pos="{text(centre[0], 0, centre[1])}" zaxis="{text(up[0], 0, up[1])}">
      <freejoint/>
{sides}
    </body>"""]
    return scene("bead_on_wire", comment, "0.001", defaults, bodies)


def push():
    comment = """A block pushed off at 2 m/s in 24 directions (start, deg15 ... deg345), friction 0.5.
     Right answer: v^2 / (2 mu g) = 0.407747 m straight on, without turning, in every direction (the load moves forward with the
     direction, and a square base has equal second moments). A friction pyramid shows here as a period of its directions."""
    defaults = '    <geom friction="0.5"/>'
    bodies = [body("block", (0, 0, 0.05), f'<geom name="block" type="box" size="0.1 0.1 0.05" mass="1" rgba="{BLUE}"/>')]
    keys = []
    for angle in range(0, 360, 15):
        a = math.radians(angle)
        keys.append(f'    <key name="{f"deg{angle}" if angle else "start"}" qvel="{text(2 * math.cos(a), 2 * math.sin(a))} 0  0 0 0"/>')
    return scene("push", comment, "0.002", defaults, bodies, "  <keyframe>\n" + "\n".join(keys) + "\n  </keyframe>\n")


def hand():
    comment = """A hand of four fingers on a palm that looks up, a ball lying on it. Every finger has three hinges, a flexor tendon along their inner sides
     pulled by a motor (1 pulls with 10 N), and a tendon whose spring makes the two outer joints bend alike; springs open it again.
     Right answer: with ctrl="1 1 1 1" the fingers close on the ball within half a second and hold it: it stays between them, on the palm."""
    defaults = f"""    <geom friction="0.8" rgba="{GREY}"/>
    <joint type="hinge" axis="0 -1 0" stiffness="0.05" damping="0.01" armature="0.0001"/>
    <default class="bone"><geom type="capsule" size="0.009" rgba="0.87 0.62 0.45 1"/></default>"""
    bodies = ['    <geom name="palm" type="box" pos="0 0 0.2" size="0.075 0.075 0.012"/>',
              body("ball", (0, 0, 0.252), f'<geom name="ball" type="sphere" size="0.04" mass="0.1" rgba="{RED}"/>')]
    tendons, motors = [], []
    for i in range(4):
        bodies.append(f"""    <body name="finger{i}" pos="{text(*((0.062, 0), (0, 0.062), (-0.062, 0), (0, -0.062))[i])} 0.212" euler="0 0 {90 * i}">
      <geom class="bone" fromto="0 0 0 0 0 0.01" mass="0.02" contype="0" conaffinity="0"/>
      <site name="root{i}" pos="-0.012 0 0.002"/>
      <body pos="0 0 0.014">
        <joint name="knuckle{i}" range="-20 90"/>
        <geom class="bone" fromto="0 0 0 0 0 0.04" mass="0.02"/>
        <site name="low{i}" pos="-0.011 0 0.03"/>
        <body pos="0 0 0.045">
          <joint name="middle{i}" range="0 100"/>
          <geom class="bone" fromto="0 0 0 0 0 0.028" mass="0.015"/>
          <site name="mid{i}" pos="-0.011 0 0.02"/>
          <body pos="0 0 0.033">
            <joint name="tip{i}" range="0 90"/>
            <geom class="bone" fromto="0 0 0 0 0 0.022" mass="0.01"/>
            <site name="top{i}" pos="-0.011 0 0.012"/>
          </body>
        </body>
      </body>
    </body>""")
        sites = "".join(f'<site site="{where}{i}"/>' for where in ("root", "low", "mid", "top"))
        tendons.append(f"""    <spatial name="flexor{i}" damping="0.5">{sites}</spatial>
    <fixed name="alike{i}" stiffness="0.2"><joint joint="middle{i}" coef="1"/><joint joint="tip{i}" coef="-1"/></fixed>""")
        motors.append(f'    <motor name="flex{i}" tendon="flexor{i}" gear="-10" ctrllimited="true" ctrlrange="0 1.2"/>')
    rest = "\n".join(["  <tendon>", *tendons, "  </tendon>", "  <actuator>", *motors, "  </actuator>\n"])
    page = scene("hand", comment, "0.002", defaults, bodies, rest)
    return page.replace("  <option", '  <compiler angle="degree" autolimits="true"/>\n  <option', 1)


def herd():
    comment = """Eight beetles, 13 links each, their knees on springs and their hips with motors, let go at different heights, a metre from each other. What keeps out of the
     others' reach is stepped by itself, by whatever thread is free.
     Right answer: each comes to rest on its six feet, and the floor carries 36.227 N of each."""
    defaults = f"""    <geom density="500" friction="0.8" rgba="0.20 0.36 0.30 1"/>
    <joint type="hinge" armature="0.001"/>
    <default class="hip">
      <joint axis="0 0 1" range="-0.6 0.6" damping="0.05" stiffness="2"/>
      <geom type="capsule" size="0.014" rgba="{ORANGE}"/>
    </default>
    <default class="knee">
      <joint axis="1 0 0" range="-0.8 0.8" damping="0.05" stiffness="8"/>
      <geom type="capsule" size="0.011" rgba="{RED}"/>
    </default>"""
    bodies, motors = [], []
    for k in range(8):
        legs = []
        for leg in range(6):
            side, ahead = (1 if leg % 2 == 0 else -1), 0.16 * (leg // 2 - 1)
            legs.append(f"""      <body pos="{ahead:g} {0.1 * side:g} 0">
        <joint name="{k}.hip{leg}" class="hip"/>
        <geom class="hip" fromto="0 {0.02 * side:g} 0 0 {0.12 * side:g} 0.05"/>
        <body pos="0 {0.12 * side:g} 0.05">
          <joint name="{k}.knee{leg}" class="knee"/>
          <geom class="knee" fromto="0 0 0 0 {0.05 * side:g} -0.2"/>
        </body>
      </body>""")
            motors.append(f'    <motor joint="{k}.hip{leg}" gear="0.5" ctrlrange="-1 1"/>')
        bodies.append("\n".join([f'    <body name="beetle{k}" pos="{k % 4} {k // 4} {0.3 + 0.05 * k:g}" euler="0 0 {0.5 * k:g}">',
                                 '      <freejoint/>\n      <geom type="box" size="0.2 0.1 0.04"/>', *legs, "    </body>"]))
    page = scene("herd", comment, "0.002", defaults, bodies, "\n".join(["  <actuator>", *motors, "  </actuator>\n"]))
    return page.replace("  <option", '  <compiler angle="radian" autolimits="true"/>\n  <option', 1)


SCENES = {
    "stack10": lambda: stack("stack10", 10, "0.002", """A stack of ten boxes.
     Right answer: it stands; the k-th contact from above carries k times the weight of a box."""),
    "stack20": lambda: stack("stack20", 20, "0.016666666666666666", """A stack of twenty boxes, at the step of a game (1/60 s).
     Right answer: it stands for 10 s and longer, and drifts by less than 1 mm."""),
    "heavy_on_stack4": lambda: heavy_on_stack(4),
    "heavy_on_stack9": lambda: heavy_on_stack(9),
    "wall": wall,
    "pile100": pile100,
    "card_house": card_house,
    "arch": arch,
    "dominoes": dominoes,
    "spiral": spiral,
    "billiards_break": billiards_break,
    "bead_on_wire": bead_on_wire,
    "push": push,
    "hand": hand,
    "herd": herd,
}

if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(SCENES))
    elif len(sys.argv) == 2 and sys.argv[1] in SCENES:
        print(SCENES[sys.argv[1]]())
    else:
        sys.exit(__doc__)
