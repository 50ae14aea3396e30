"""POP=corners: bodies that slide over flush seams, tiles and meshes, in drawers and past each other, pegs that fall through holes without
play, ledges that must stop what runs into them, and fast small bodies shot at thin plates. The right answer of each is known."""
import math

import numpy as np

from .case import Case, log_uniform, numbers, random_of, random_quaternion
from .judge import Fault

COUNT = 1000
G = 9.81
SHAPES = ("box", "cylinder", "lying", "hull", "mesh")
KEPT = 1e-6  # of the speed that a crossing may cost
LAWS = ("cone",) * 6 + ("stewart-trinkle", "anitescu-potra", "phantom-inertia", "box", "hybrid")


def mesh_box(name, half):
    corners = [(x * half[0], y * half[1], z * half[2]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return f'<mesh name="{name}" vertex="{numbers(c for p in corners for c in p)}"/>'


def body_geom(rng, shape, a):
    """(asset, geom attributes, half height) of a body of half width a that lies on the ground."""
    b, c = a * rng.uniform(0.5, 1.5), a * rng.uniform(0.2, 1.0)
    if shape == "box":
        return "", f'type="box" size="{numbers((a, b, c))}"', c
    if shape == "cylinder":
        return "", f'type="cylinder" size="{numbers((a, c))}"', c
    if shape == "lying":
        return "", f'type="{rng.choice(("capsule", "cylinder"))}" size="{numbers((c, a))}" quat="{numbers((math.sqrt(0.5), 0, math.sqrt(0.5), 0))}"', c
    if shape == "mesh":
        return mesh_box("body", (a, b, c)), 'type="mesh" mesh="body"', c
    sides = rng.randint(5, 9)
    ring = [(a * math.cos(2 * math.pi * k / sides), a * math.sin(2 * math.pi * k / sides)) for k in range(sides)]
    flat = numbers(v for x, y in ring for s in (-1, 1) for v in (x * (1 if s < 0 else 0.7), y * (1 if s < 0 else 0.7), s * c))
    # A frustum: its mesh frame is moved to its centre of mass, so its floor lies lower than c.
    areas, t = (1.0, 0.49), 0.7
    height = 2 * c * (areas[0] + 2 * t + 3 * areas[1]) / (4 * (areas[0] + t + areas[1]))
    return f'<mesh name="body" vertex="{flat}"/>', 'type="mesh" mesh="body"', height


def scene(dt, asset, world, qpos, qvel, extra=""):
    return f"""<mujoco>
  <compiler angle="radian"/>
  <option timestep="{dt!r}"/>
  <asset>{asset}</asset>
  <worldbody>
{world}
  </worldbody>
  {extra}
  <keyframe><key name="start" qpos="{numbers(qpos)}" qvel="{numbers(qvel)}"/></keyframe>
</mujoco>
"""


def tile_row(rng, kind, starts, width, play):
    """Tiles whose tops are at 0 but for a play; (asset, geoms)."""
    asset, geoms = "", ""
    for k, (low, high) in enumerate(zip(starts, starts[1:])):
        half = (0.5 * (high - low), width, rng.uniform(0.02, 0.3))
        at = numbers((0.5 * (low + high), 0, -half[2] + rng.uniform(-play, play)))
        if kind == "mesh":
            asset += mesh_box(f"tile{k}", half)
            geoms += f'    <geom type="mesh" mesh="tile{k}" pos="{at}" friction="0"/>\n'
        else:
            geoms += f'    <geom type="box" size="{numbers(half)}" pos="{at}" friction="0"/>\n'
    return asset, geoms


def seam(rng, quick):
    """A frictionless body crosses seams at any angle: it keeps its speed."""
    shape, tile = rng.choice(SHAPES), rng.choice(("box", "box", "mesh"))
    a, v, dt = log_uniform(rng, 0.01, 0.2), log_uniform(rng, 0.05, 10), rng.choice((0.0005, 0.001, 0.002, 0.004, 0.008))
    asset, geom, height = body_geom(rng, shape, a)
    reach = 6 * a
    cuts = sorted(rng.uniform(0.5 * a, reach) for _ in range(rng.randint(1, 4)))
    play = rng.choice((0.0, 0.0, 1e-8 * a))
    tiles, floor = tile_row(rng, tile, [-8 * a, *cuts, 20 * a + 4 * v * dt], 20 * a, play)
    yaw, heading = rng.uniform(0, math.pi), rng.uniform(-0.9, 0.9)
    body = f'    <body name="body"><freejoint/><geom {geom} friction="0" condim="1" density="500"/></body>'
    world = floor.replace('friction="0"', 'friction="0" condim="1"') + body
    qpos = (0, 0, height, math.cos(yaw / 2), 0, 0, math.sin(yaw / 2))
    xml = scene(dt, asset + tiles, world, qpos, (v * math.cos(heading), v * math.sin(heading), 0, 0, 0, 0))
    return xml, 2 * reach / v, {"kind": "speed", "v": v}, f"{shape} over {len(cuts)} seams of {tile} tiles, {v:.2g} m/s"


def stop(rng, quick):
    """A body slides over a floor of square tiles with friction: it stops after v^2 / 2 mu g."""
    a, mu, dt = log_uniform(rng, 0.02, 0.2), rng.uniform(0.1, 0.4), rng.choice((0.001, 0.002, 0.004))
    v = math.sqrt(2 * mu * G * a * rng.uniform(4, 10))
    side, c = a * rng.uniform(0.5, 3), a * rng.uniform(0.1, 0.25)
    half, heading = int(14 * a / side) + 1, rng.uniform(0, 0.7)
    world = "".join(f'    <geom type="box" size="{numbers((side / 2, side / 2, 0.05))}" pos="{numbers((i * side, j * side, -0.05))}" friction="{mu!r}"/>\n'
                    for i in range(-2, half) for j in range(-2, half))
    world += f'    <body name="body"><freejoint/><geom type="box" size="{numbers((a, a, c))}" friction="{mu!r}" density="500"/></body>'
    qpos = (0, 0, c, math.cos(heading / 2), 0, 0, math.sin(heading / 2))
    xml = scene(dt, "", world, qpos, (v * math.cos(heading), v * math.sin(heading), 0, 0, 0, 0))
    way = v * v / (2 * mu * G)
    return xml, 1.2 * v / (mu * G), {"kind": "way", "way": way, "slack": 0.01 * way + v * dt}, f"box stops on tiles, mu {mu:.2g}"


def drawer(rng, quick):
    """A drawer without play between walls of several pieces: it keeps its speed."""
    a, v, dt = log_uniform(rng, 0.02, 0.3), log_uniform(rng, 0.05, 5), rng.choice((0.001, 0.002, 0.004, 0.008))
    b, c = a * rng.uniform(0.5, 1), a * rng.uniform(0.2, 0.6)
    pieces, world = rng.randint(2, 5), ""
    ends = np.linspace(-2 * a, 8 * a, pieces + 1)
    for low, high in zip(ends, ends[1:]):
        x, half = 0.5 * (low + high), 0.5 * (high - low)
        world += "".join(f'    <geom type="box" size="{numbers((half, 0.02, c))}" pos="{numbers((x, s * (b + 0.02), c))}" condim="1"/>\n' for s in (-1, 1))
        world += f'    <geom type="box" size="{numbers((half, b + 0.04, 0.02))}" pos="{numbers((x, 0, -0.02))}" condim="1"/>\n'
    world += f'    <body name="body"><freejoint/><geom type="box" size="{numbers((a, b, c))}" density="500" condim="1"/></body>'
    xml = scene(dt, "", world, (0, 0, c, 1, 0, 0, 0), (v, 0, 0, 0, 0, 0))
    return xml, 5 * a / v, {"kind": "speed", "v": v}, f"drawer, {pieces} pieces a wall, {v:.2g} m/s"


def passing(rng, quick):
    """Two bodies slide past each other, side to side without gap: both keep their speed."""
    a, v, dt = log_uniform(rng, 0.02, 0.2), log_uniform(rng, 0.1, 5), rng.choice((0.001, 0.002, 0.004, 0.008))
    b, c = a * rng.uniform(0.3, 1), a * rng.uniform(0.2, 0.5)
    box = f'size="{numbers((a, b, c))}"'
    shape = rng.choice((f'type="box" {box}', 'type="mesh" mesh="body"'))
    world = '    <geom type="plane" size="0 0 1" condim="1"/>\n' + "".join(
        f'    <body name="{n}"><freejoint/><geom {shape} density="500" condim="1"/></body>\n' for n in ("body", "other"))
    qpos = (-2 * a, 0, c, 1, 0, 0, 0, 2 * a, 2 * b, c, 1, 0, 0, 0)
    xml = scene(dt, mesh_box("body", (a, b, c)), world, qpos, (v, 0, 0, 0, 0, 0, -v, 0, 0, 0, 0, 0))
    return xml, 4 * a / v, {"kind": "speed", "v": v}, f"two bodies pass, {v:.2g} m/s"


def peg(rng, quick):
    """A peg without play falls freely through a hole of flush blocks."""
    a, dt = log_uniform(rng, 0.01, 0.1), rng.choice((0.001, 0.002, 0.004))
    layers, thick, c = rng.randint(1, 4), rng.uniform(0.3, 1.0) * a, 1.5 * a
    world = ""
    for k in range(layers):
        z = -thick * (2 * k + 1)
        for at, half in (((1.5 * a, 0, z), (0.5 * a, 2 * a, thick)), ((-1.5 * a, 0, z), (0.5 * a, 2 * a, thick)),
                         ((0, 1.5 * a, z), (a, 0.5 * a, thick)), ((0, -1.5 * a, z), (a, 0.5 * a, thick))):
            world += f'    <geom type="box" size="{numbers(half)}" pos="{numbers(at)}" condim="1"/>\n'
    geom = rng.choice((f'type="box" size="{numbers((a, a, c))}"', f'type="cylinder" size="{numbers((a, c))}"'))
    world += f'    <body name="body"><freejoint/><geom {geom} density="500" condim="1"/></body>'
    time = math.sqrt(2 * (2 * thick * layers + c) / G)
    xml = scene(dt, "", world, (0, 0, c + 0.2 * a, 1, 0, 0, 0), (0,) * 6)
    return xml, time, {"kind": "fall"}, f"peg through {layers} layers"


def ledge(rng, quick):
    """A body runs slowly into a ledge far lower than itself: it does not get past."""
    a, dt = log_uniform(rng, 0.02, 0.2), rng.choice((0.001, 0.002, 0.004))
    height, v = a * log_uniform(rng, 1e-5, 0.1), rng.uniform(0.05, 0.2)
    c = a * rng.uniform(0.4, 1)
    world = f"""    <geom type="box" size="{numbers((5 * a, 5 * a, 0.05))}" pos="{numbers((-5 * a + 1.5 * a, 0, -0.05))}" condim="1"/>
    <geom type="box" size="{numbers((5 * a, 5 * a, 0.05 + height / 2))}" pos="{numbers((5 * a + 1.5 * a, 0, height / 2 - 0.05))}" condim="1"/>
    <body name="body"><freejoint/><geom type="box" size="{numbers((a, a, c))}" density="500" condim="1"/></body>"""
    xml = scene(dt, "", world, (0, 0, c, 1, 0, 0, 0), (v, 0, 0, 0, 0, 0))
    return xml, 2 * a / v, {"kind": "ledge", "most": 0.5 * a + 0.01 * a + 2 * v * dt}, f"ledge of {height / a:.1g} of the body"


def shot(rng, quick):
    """A fast small body at a thin plate: it ends on the side it came from."""
    r, v, dt = log_uniform(rng, 1e-3, 0.1), log_uniform(rng, 1, 500), rng.choice((0.0005, 0.001, 0.002, 0.004, 0.008))
    thick = r * log_uniform(rng, 0.05, 2)
    target = rng.choice(("box", "box", "mesh", "moving", "field", "plane"))
    shape = rng.choice((f'type="sphere" size="{r!r}"', f'type="box" size="{numbers((r, r * 0.7, r * 0.4))}"',
                        f'type="capsule" size="{numbers((r * 0.4, r * 0.6))}"', f'type="cylinder" size="{numbers((r * 0.7, r * 0.5))}"'))
    tilt = rng.uniform(0, 0.5)
    begin = 2 * r + v * math.cos(tilt) * dt * rng.uniform(0.2, 6)
    side = 2.0 + 2 * begin  # so that who slides on does not get to the edge
    half = (side, side, thick / 2)
    asset, plate, more, qpos, qvel = "", f'<geom name="plate" type="box" size="{numbers(half)}" pos="{numbers((0, 0, -thick / 2))}"/>', "", (), ()
    if target == "mesh":
        asset, plate = mesh_box("plate", half), f'<geom name="plate" type="mesh" mesh="plate" pos="{numbers((0, 0, -thick / 2))}"/>'
    elif target == "plane":
        plate = '<geom name="plate" type="plane" size="0 0 1"/>'
    elif target == "field":
        asset = f'<hfield name="field" nrow="3" ncol="3" size="{side!r} {side!r} 0.1 {thick!r}" elevation="0 0 0 0 0 0 0 0 0"/>'
        plate = '<geom name="plate" type="hfield" hfield="field"/>'
    elif target == "moving":
        plate = f'<body name="plate"><freejoint/><geom name="plate" type="box" size="{numbers(half)}" mass="100"/></body>'
        qpos, qvel = (0, 0, -thick / 2, 1, 0, 0, 0), (0, 0, rng.uniform(-1, 1) * 0.1 * v, 0, 0, 0)
    spin = [rng.uniform(-20, 20) for _ in range(3)]
    law = rng.choice(LAWS)
    e = rng.choice((0.0, 0.0, 0.5))
    extra = f'<custom><numeric name="thud:restitution" data="{e!r}"/></custom>' if e else ""
    world = f'    {plate}\n    <body name="body"><freejoint/><geom {shape} density="1000" friction="{rng.choice((0.0, 0.3, 1.0))!r}"/></body>'
    body = (-begin * math.tan(tilt), 0, begin, *random_quaternion(rng))
    move = (v * math.sin(tilt), 0, -v * math.cos(tilt), *spin)
    xml = scene(dt, asset, world, (*qpos, *body), (*qvel, *move), extra)
    time = (1.5 * begin / (v * math.cos(tilt)) + 10 * dt)
    return xml, time, {"kind": "side", "law": law, "r": r, "target": target}, f"{law}: {r:.2g} m at {v:.3g} m/s on {target} of {thick:.2g} m, e {e}"


def gravity_free(xml):
    return xml.replace('<option timestep="', '<option gravity="0 0 0" timestep="')


KINDS = (seam, shot, seam, stop, drawer, shot, passing, peg, ledge, shot)


def make(seed, index, quick=False):
    rng = random_of("corners", seed, index)
    xml, time, facts, name = KINDS[index % len(KINDS)](rng, quick)
    args = ["--keyframe", "0", "--time", repr(time)]
    if facts["kind"] == "side" and facts["target"] == "moving":
        xml = gravity_free(xml)
    if facts.get("law", "cone") != "cone":
        args += ["--law", facts["law"]]
    return Case("corners", seed, index, name, xml=xml, args=args, facts=facts, limit=30.0)


def expect(world, rec, ran, case, figures):
    """What the kind of corner knows of its right answer."""
    f, body = case.facts, world.body("body")
    q = int(world.m.jnt_qposadr[world.m.body_jntadr[body]])
    v = int(world.m.jnt_dofadr[world.m.body_jntadr[body]])
    end, where = float(rec.time[-1]), case.name
    if f["kind"] == "speed":
        speed = float(np.linalg.norm(rec.qvel[-1, v:v + 3]))
        lost = abs(speed / f["v"] - 1)
        figures["speed_lost"] = lost
        return [Fault("motion", lost, KEPT, end, f"speed not kept, {where}")] if not lost <= KEPT else []
    if f["kind"] == "way":
        way = float(np.linalg.norm(rec.qpos[-1, q:q + 2] - rec.qpos[0, q:q + 2]))
        figures["way_share"] = way / f["way"]
        return [Fault("friction", abs(way - f["way"]), f["slack"], end, f"stops after {way:.4g} for {f['way']:.4g} m, {where}")] \
            if not abs(way - f["way"]) <= f["slack"] else []
    if f["kind"] == "fall":
        want, got = G * end, -float(rec.qvel[-1, v + 2])
        figures["fall_share"] = got / want
        return [Fault("motion", abs(got / want - 1), 1e-6, end, f"does not fall freely, {where}")] if not abs(got / want - 1) <= 1e-6 else []
    if f["kind"] == "ledge":
        x = float(np.max(rec.qpos[:, q]))
        return [Fault("passed through", x, f["most"], end, where)] if not x <= f["most"] else []
    base = rec.qpos[-1, 2] if f["target"] == "moving" else 0.0
    height = float(rec.qpos[-1, q + 2] - base)
    figures["height"] = height
    return [Fault("passed through", -height, 0.0, end, where)] if not height > 0 else []
