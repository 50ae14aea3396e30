"""POP=piles: heaps of boxes, spheres, capsules, cylinders, ellipsoids, hulls and all of them, falling and at rest, with ratios of mass to
10^3; towers, dominoes, ropes and chain mail that coil, lattices of connects, bodies on terrain, heaps of humanoids."""
import math

import numpy as np

from . import beside
from .case import Case, log_uniform, numbers, random_of, random_quaternion

COUNT = 100
MOST = 20000  # bodies
KINDS = ("boxes", "rope", "spheres", "dominoes", "capsules", "tower", "mixed", "mail", "cylinders", "lattice", "hulls", "terrain",
         "ellipsoids", "humanoids", "heavy on light", "standing boxes")


def frame(dt, asset, world, extra="", qpos=None):
    key = f'<keyframe><key name="start" qpos="{numbers(qpos)}"/></keyframe>' if qpos is not None else ""
    return f"""<mujoco>
  <compiler angle="radian"/>
  <option timestep="{dt!r}"/>
  <size memory="2G"/>
  <asset>{asset}</asset>
  <worldbody>
{world}  </worldbody>
  {extra}
  {key}
</mujoco>
"""


def shape(rng, kind, a, asset):
    """Attributes of a geom within a ball of radius a."""
    kind = rng.choice(("boxes", "spheres", "capsules", "cylinders", "ellipsoids", "hulls")) if kind == "mixed" else kind
    if kind == "boxes":
        return f'type="box" size="{numbers((0.7 * a, 0.55 * a, 0.4 * a))}"'
    if kind == "spheres":
        return f'type="sphere" size="{a!r}"'
    if kind == "capsules":
        return f'type="capsule" size="{numbers((0.4 * a, 0.6 * a))}"'
    if kind == "cylinders":
        return f'type="cylinder" size="{numbers((0.7 * a, 0.6 * a))}"'
    if kind == "ellipsoids":
        return f'type="ellipsoid" size="{numbers((a, 0.7 * a, 0.5 * a))}"'
    if len(asset) < 8:
        points = [[a * x for x in random_quaternion(rng)[:3]] for _ in range(16)]
        asset.append(f'<mesh name="hull{len(asset)}" vertex="{numbers(x for p in points for x in p)}"/>')
    return f'type="mesh" mesh="hull{rng.randrange(len(asset))}"'


FLOOR = '    <geom type="plane" size="0 0 1" friction="0.6"/>\n'


def heap(rng, kind, n, dt):
    """Bodies of one kind, or of all, that fall in a loose column onto the floor; densities over a factor of 1000 in mixed ones."""
    asset, world, a = [], FLOOR, 0.05
    side = max(2, round(n ** (1 / 3)))
    for k in range(n):
        x, y, z = k % side, k // side % side, k // side // side
        at = [2.2 * a * (c + rng.uniform(-0.1, 0.1)) for c in (x, y, z)]
        at[2] += 1.5 * a
        density = log_uniform(rng, 30, 30000) if kind == "mixed" else 1000.0
        world += f'    <body pos="{numbers(at)}" quat="{numbers(random_quaternion(rng))}"><freejoint/>' \
                 f'<geom {shape(rng, kind, a, asset)} density="{density!r}" friction="0.6"/></body>\n'
    return frame(dt, "".join(asset), world), 1.0


def standing(rng, n, dt):
    """A wall of boxes that stands."""
    world, a = FLOOR, 0.05
    rows = max(2, int(math.sqrt(n)))
    for j in range(rows):
        for i in range(rows):
            world += f'    <body pos="{numbers((2 * a * (i + 0.5 * (j % 2)), 0, 0.5 * a * (2 * j + 1)))}"><freejoint/>' \
                     f'<geom type="box" size="{numbers((a, 0.5 * a, 0.5 * a))}" density="800" friction="0.6"/></body>\n'
    return frame(dt, "", world), 1.0


def tower(rng, n, dt, ratio=1.0):
    """Boxes one on the other; each heavier than the one below by a ratio."""
    world, a, n = FLOOR, 0.1, min(n, 30)
    for k in range(n):
        world += f'    <body pos="{numbers((rng.uniform(-0.02, 0.02) * a, 0, a * (2 * k + 1)))}"><freejoint/>' \
                 f'<geom type="box" size="{numbers((a, a, a))}" mass="{ratio ** k!r}" friction="0.8"/></body>\n'
    return frame(dt, "", world), 2.0


def dominoes(rng, n, dt):
    """A row of dominoes of which the first is pushed."""
    world, qvel = FLOOR, []
    for k in range(n):
        tilt = 0.3 if k == 0 else 0.0
        z = 0.05 * math.cos(tilt) + 0.006 * math.sin(tilt)
        world += f'    <body pos="{numbers((0.045 * k + 0.05 * math.sin(tilt), 0, z))}" quat="{numbers((math.cos(tilt / 2), 0, math.sin(tilt / 2), 0))}">' \
                 f'<freejoint/><geom type="box" size="0.006 0.025 0.05" density="700" friction="0.3"/></body>\n'
    return frame(dt, "", world), min(4.0, 0.5 + 0.02 * n)


def rope(rng, n, dt):
    """A rope of capsules on ball joints that hangs upright and coils on the floor."""
    a, world, tail = 0.01, FLOOR, ""
    text = ""
    for k in range(n):
        joint = "<freejoint/>" if k == 0 else '<joint type="ball" damping="1e-4"/>'
        at = (0.0, 0.0, 2.5 * a * n + 0.1) if k == 0 else (0.0, 0.0, -2.5 * a)
        text += f'<body pos="{numbers(at)}">{joint}<geom type="capsule" size="{numbers((0.5 * a, 0.75 * a))}" density="800" friction="0.5"/>'
        tail += "</body>"
    tilt = f"{rng.uniform(0.01, 0.05)!r} 0 0"
    return frame(dt, "", FLOOR + text.replace("<body ", f'<body euler="{tilt}" ', 1) + tail + "\n"), 1.0


def mail(rng, n, dt):
    """A sheet of rings, here balls that neighbours' connects hold, falls on a ball."""
    return lattice(rng, n, dt, upright=False)


def lattice(rng, n, dt, upright=True):
    side, a = max(3, int(math.sqrt(n))), 0.02
    world, extra = FLOOR + '    <geom type="sphere" size="0.1" pos="0 0 0.1" friction="0.5"/>\n', ""
    for i in range(side):
        for j in range(side):
            x, y = 2.5 * a * (i - side / 2 + 0.1), 2.5 * a * (j - side / 2 + 0.13)
            at = (x, 0.0, y + 2.5 * a * side / 2 + 0.25) if upright else (x, y, 0.25)
            world += f'    <body name="b{i}_{j}" pos="{numbers(at)}"><freejoint/><geom type="sphere" size="{a!r}" density="800" friction="0.5"/></body>\n'
            to = (1.25 * a, 0, 0)
            extra += f'<connect body1="b{i - 1}_{j}" body2="b{i}_{j}" anchor="{numbers(to)}"/>' if i else ""
            up = (0, 0, 1.25 * a) if upright else (0, 1.25 * a, 0)
            extra += f'<connect body1="b{i}_{j - 1}" body2="b{i}_{j}" anchor="{numbers(up)}"/>' if j else ""
    return frame(dt, "", world, f"<equality>{extra}</equality>"), 0.6


def terrain(rng, n, dt):
    """Bodies that fall on a height field of 200 x 200."""
    nrow, waves = 200, [(rng.uniform(1, 12), rng.uniform(1, 12), rng.uniform(0, 6), rng.uniform(0.2, 1)) for _ in range(8)]
    grid = np.arange(nrow) / nrow
    z = sum(w * np.sin(6.28 * fx * grid[:, None] + p) * np.cos(6.28 * fy * grid[None, :] + p) / (fx + fy) for fx, fy, p, w in waves)
    z = (z - z.min()) / (z.max() - z.min())
    asset = [f'<hfield name="field" nrow="{nrow}" ncol="{nrow}" size="2 2 0.5 0.1" elevation="{" ".join(f"{x:.5f}" for x in z.ravel())}"/>']
    world, meshes = '    <geom type="hfield" hfield="field" friction="0.6"/>\n', []
    side = max(2, math.ceil(math.sqrt(n)))
    for k in range(n):
        at = (3.2 * (k % side / side - 0.45), 3.2 * (k // side / side - 0.45), 0.75)
        world += f'    <body pos="{numbers(at)}" quat="{numbers(random_quaternion(rng))}"><freejoint/>' \
                 f'<geom {shape(rng, "mixed", 0.08, meshes)} density="800" friction="0.6"/></body>\n'
    return frame(dt, "".join(asset + meshes), world), 1.0


# A figure of thirteen capsules on hinges and balls.
LIMB = '<body pos="{at}"><joint type="{type}" {axis} damping="0.2" {limit}/><geom type="capsule" fromto="0 0 0 0 0 -{length}" size="{size}" density="1000" friction="0.8"/>{more}</body>'


def humanoid(at, quat):
    def limb(at, type_, length, size, more="", limit=""):
        axis = 'axis="0 1 0"' if type_ == "hinge" else ""
        return LIMB.format(at=at, type=type_, axis=axis, length=length, size=size, more=more, limit=limit)
    knee = 'limited="true" range="0 2.2"'
    leg = lambda y: limb(f"0 {y} -0.15", "ball", 0.38, 0.05, limb("0 0 -0.4", "hinge", 0.36, 0.04, limb("0 0 -0.38", "hinge", 0.1, 0.035, limit='limited="true" range="-0.5 0.5"'), knee))
    arm = lambda y: limb(f"0 {y} 0.42", "ball", 0.26, 0.035, limb("0 0 -0.28", "hinge", 0.24, 0.03, limit='limited="true" range="-2.2 0"'))
    head = '<body pos="0 0 0.62"><joint type="ball" damping="0.5" limited="true" range="0 0.8"/><geom type="sphere" size="0.1" density="900"/></body>'
    return f'    <body pos="{numbers(at)}" quat="{numbers(quat)}"><freejoint/><geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.1" density="1000"/>' \
           f'{leg(0.13)}{leg(-0.13)}{arm(0.2)}{arm(-0.2)}{head}</body>\n'


def humanoids(rng, n, dt):
    n = min(max(n // 10, 3), 30)
    world = FLOOR + "".join(humanoid((rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 1.3 + 1.5 * k), random_quaternion(rng)) for k in range(n))
    return frame(dt, "", world), 1.0


def make(seed, index, quick=False):
    rng = random_of("piles", seed, index)
    kind = KINDS[index % len(KINDS)]
    largest = 60 if quick else (300, 300, 300, 2000, 300, 300, MOST)[index // len(KINDS) % 7]
    n = round(log_uniform(rng, 20, largest))
    dt = rng.choice((0.001, 0.002, 0.004))
    build = {"rope": rope, "dominoes": dominoes, "tower": tower, "mail": mail, "lattice": lattice, "terrain": terrain, "humanoids": humanoids,
             "standing boxes": standing, "heavy on light": lambda r, k, h: tower(r, max(3, k % 6), h, 10.0)}.get(kind)
    if kind == "rope":
        n = min(n, 2000)
    if kind in ("mail", "lattice"):
        n = min(n, 2500)
    if kind == "dominoes":
        n = min(n, 300)
    if kind == "terrain":
        n = min(n, 60)
    xml, time = build(rng, n, dt) if build else heap(rng, kind, n, dt)
    time = min(time, 0.3) if quick else time
    case = Case("piles", seed, index, f"{kind}, {n}, dt {dt:g}", xml=xml, args=["--time", repr(time)], limit=10.0 if quick else 60.0 if n <= 300 else 600.0)
    case.facts = {"overlap_share": 1e-3, "energy_share": 0.02, "contacts": n <= 300, "beside": ("work",) if n <= 300 else (), "kind": kind}
    case.every = 1 if n <= 300 else 10
    return case


def expect(world, rec, ran, case, figures):
    beside.times(world, ran, figures, None, None)
    contacts = ((ran.report or {}).get("contacts") or {}).get("mean")
    if contacts and "step_us" in figures:
        figures["us_per_contact"] = (ran.report or {}).get("us_per_step") / contacts
    return []
