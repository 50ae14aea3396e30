"""POP=random: a factory over shapes, sizes, masses, joints, limits, springs, loops, tendons, actuators, friction, restitution, laws,
schemes and steps. Even rows are tame: no overlaps, no contradictions, sizes and masses within a hundred, laws that are asked for by default."""
import math

from . import oracle
from .case import Case, log_uniform, numbers, random_of, random_quaternion

COUNT = 20000
LAWS = ("cone", "stewart-trinkle", "stewart-trinkle-linear", "anitescu-potra", "phantom-inertia", "box", "hybrid")


class Factory:
    """One random scene."""

    def __init__(self, rng, tame, driven=True):
        self.rng, self.tame, self.driven = rng, tame, driven
        self.size = log_uniform(rng, 0.05, 0.5) if tame else log_uniform(rng, 1e-3, 1e3)
        self.meshes, self.bodies, self.joints, self.sites = [], [], [], []
        self.qpos, self.qvel, self.ctrl = [], [], []
        self.extra = {"equality": [], "tendon": [], "actuator": [], "sensor": []}

    def maybe(self, chance):
        return self.rng.random() < chance

    def length(self):
        return self.size * (self.rng.uniform(0.5, 1.5) if self.tame else log_uniform(self.rng, 0.1, 10))

    def geom(self, a):
        """A geom within a ball of radius a about the body's origin."""
        rng = self.rng
        mass = f'density="{log_uniform(rng, 200, 5000)!r}"' if self.tame else f'mass="{log_uniform(rng, 1e-4, 1e5)!r}"'
        sliding = rng.uniform(0, 1.2) if self.tame else rng.choice((0.0, rng.uniform(0, 1), log_uniform(rng, 0.1, 10)))
        friction = (sliding, 0.005 * a, 0.0005 * a)
        condim = rng.choice((3, 3, 3, 1, 4, 6))
        b, c = a * rng.uniform(0.3, 1) * 0.6, a * rng.uniform(0.2, 1) * 0.6
        kind = rng.choice(("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"))
        shape = {"sphere": f'type="sphere" size="{a!r}"', "capsule": f'type="capsule" size="{numbers((0.4 * a, 0.5 * a))}"',
                 "box": f'type="box" size="{numbers((0.57 * a, b, c))}"', "cylinder": f'type="cylinder" size="{numbers((b, c))}"',
                 "ellipsoid": f'type="ellipsoid" size="{numbers((a, b, c))}"'}.get(kind)
        if kind == "mesh":
            name = f"mesh{len(self.meshes)}"
            points = [[a * rng.uniform(0.7, 1) * x for x in random_quaternion(rng)[:3]] for _ in range(rng.randint(6, 24))]
            self.meshes.append(f'<mesh name="{name}" vertex="{numbers(x for p in points for x in p)}"/>')
            shape = f'type="mesh" mesh="{name}"'
        return f'<geom {shape} {mass} friction="{numbers(friction)}" condim="{condim}"/>'

    def joint(self, name):
        """A hinge, slide or ball with what a joint may have."""
        rng, kind = self.rng, self.rng.choice(("hinge", "hinge", "hinge", "slide", "ball"))
        text = f'<joint name="{name}" type="{kind}"'
        if kind != "ball":
            text += f' axis="{numbers(random_quaternion(rng)[:3])}"'
            if self.maybe(0.4):
                low, high = (-rng.uniform(0.1, 2), rng.uniform(0.1, 2))
                unit = 1.0 if kind == "hinge" else self.size
                text += f' limited="true" range="{numbers((low * unit, high * unit))}"'
            if self.maybe(0.3):
                text += f' stiffness="{log_uniform(rng, 0.1, 100)!r}" springref="{rng.uniform(-0.5, 0.5)!r}"'
            if self.maybe(0.1):
                text += f' frictionloss="{log_uniform(rng, 1e-3, 1)!r}"'
        elif self.maybe(0.3):
            text += f' limited="true" range="0 {rng.uniform(0.3, 2.5)!r}"'
        if self.maybe(0.4):
            text += f' damping="{log_uniform(rng, 1e-3, 1)!r}"'
        if self.maybe(0.2):
            text += f' armature="{log_uniform(rng, 1e-4, 0.1)!r}"'
        dofs = 3 if kind == "ball" else 1
        self.qpos += [1.0, 0.0, 0.0, 0.0] if kind == "ball" else [0.0]
        self.qvel += [rng.gauss(0, 0.5) for _ in range(dofs)]
        if kind != "ball":
            self.joints.append((name, kind))
        return text + "/>"

    def link(self, tree, depth, links):
        """A body that hangs on its parent, and what hangs on it."""
        if links == 0:
            return ""
        a = 0.5 * self.length()
        name, gap = f"b{tree}_{depth}", 2.1 if self.tame else self.rng.uniform(0.3, 2.5)
        self.bodies.append(name)
        self.sites.append(f"s{tree}_{depth}")
        joint = self.joint(f"j{tree}_{depth}") if self.maybe(0.9) else ""
        return (f'<body name="{name}" pos="{numbers((gap * a, 0, 0))}">{joint}{self.geom(a)}<site name="s{tree}_{depth}"/>'
                + self.link(tree, depth + 1, links - 1) + "</body>")

    def tree(self, number, at):
        rng, a = self.rng, 0.5 * self.length()
        name = f"b{number}_0"
        self.bodies.append(name)
        self.sites.append(f"s{number}_0")
        turn = random_quaternion(rng)
        if self.maybe(0.75):
            joint = f'<freejoint name="j{number}_0"/>'
            self.qpos += [*at, *(turn if self.tame or self.maybe(0.7) else random_quaternion(rng))]  # else: loops are open
            self.qvel += [rng.gauss(0, 1) * self.size for _ in range(3)] + [rng.gauss(0, 1) for _ in range(3)]
        else:
            joint = self.joint(f"j{number}_0")
        links = rng.choice((0, 0, 1, 2, 4)) if self.tame else rng.choice((0, 0, 1, 3, 8))
        return (f'    <body name="{name}" pos="{numbers(at)}" quat="{numbers(turn)}">{joint}{self.geom(a)}<site name="s{number}_0"/>'
                + self.link(number, 1, links) + "</body>\n")

    def extras(self):
        rng, e = self.rng, self.extra
        for name, kind in self.joints:
            if self.driven and self.maybe(0.2):
                dynamics = rng.choice(("filter", "integrator", "filterexact"))
                e["actuator"].append(rng.choice((f'<motor joint="{name}" gear="{log_uniform(rng, 0.1, 10)!r}"/>',
                                                 f'<velocity joint="{name}" kv="{log_uniform(rng, 0.01, 1)!r}"/>',
                                                 f'<position joint="{name}" kp="{log_uniform(rng, 1, 100)!r}"/>',
                                                 f'<general joint="{name}" dyntype="{dynamics}" dynprm="{log_uniform(rng, 0.01, 1)!r}"/>')))
                self.ctrl.append(rng.uniform(-1, 1))
        singles = [n for n, kind in self.joints]
        if len(singles) > 1 and self.maybe(0.2):
            a, b = rng.sample(singles, 2)
            e["equality"].append(f'<joint joint1="{a}" joint2="{b}" polycoef="0 {rng.uniform(-1, 1)!r} 0 0 0"/>')
        if len(singles) > 1 and self.maybe(0.2):
            a, b = rng.sample(singles, 2)
            limit = f' limited="true" range="-0.5 {rng.uniform(0.1, 1)!r}"' if self.maybe(0.5) else ""
            e["tendon"].append(f'<fixed stiffness="{log_uniform(rng, 0.1, 10)!r}"{limit}><joint joint="{a}" coef="1"/>'
                               f'<joint joint="{b}" coef="{rng.uniform(-1, 1)!r}"/></fixed>')
        if len(self.sites) > 1 and self.maybe(0.2):
            a, b = rng.sample(self.sites, 2)
            stiffness = log_uniform(rng, 0.1, 10)
            e["tendon"].append(f'<spatial stiffness="{stiffness!r}" damping="0.1"><site site="{a}"/><site site="{b}"/></spatial>')
        loops = [x for x in self.bodies]
        if len(loops) > 1 and self.maybe(0.15 if self.tame else 0.3):
            a, b = rng.sample(loops, 2)
            if not (self.tame and a.split("_")[0] == b.split("_")[0]):  # a loop within one chain may have no freedom left
                anchor = numbers((0.3 * self.size, 0, 0))
                e["equality"].append(f'<connect body1="{a}" body2="{b}" anchor="{anchor}"/>' if self.maybe(0.7) else f'<weld body1="{a}" body2="{b}"/>')
        if self.maybe(0.3):
            e["sensor"].append(f'<accelerometer site="{rng.choice(self.sites)}"/><gyro site="{rng.choice(self.sites)}"/>')

    def scene(self, dt):
        rng = self.rng
        trees = rng.choice((1, 1, 2, 3, 5, 8)) if self.tame else rng.choice((1, 2, 3, 5, 8, 12))
        side = math.ceil(math.sqrt(trees))
        spread = self.size * (14 if self.tame else rng.uniform(0.5, 5))
        world = ""
        if self.maybe(0.85):
            tilt = rng.uniform(-0.2, 0.2) if self.maybe(0.3) else 0.0
            friction = rng.uniform(0, 1) if self.tame else log_uniform(rng, 0.01, 10)
            quat = numbers((math.cos(tilt), math.sin(tilt), 0, 0))
            world = f'    <geom name="floor" type="plane" size="0 0 1" friction="{friction!r}" quat="{quat}"/>\n'
        drop = self.size * (rng.uniform(14, 18) if self.tame else rng.uniform(0, 4)) + (0.2 * spread * side if self.tame else 0)
        for k in range(trees):
            world += self.tree(k, ((k % side) * spread, (k // side) * spread, drop))
        self.extras()
        e = rng.choice((0.0, 0.0, 0.0, rng.random()))
        custom = f'<custom><numeric name="thud:restitution" data="{e!r}"/></custom>' if e else ""
        parts = "".join(f"  <{tag}>{''.join(items)}</{tag}>\n" for tag, items in self.extra.items() if items)
        key = f'<keyframe><key name="start" qpos="{numbers(self.qpos)}" qvel="{numbers(self.qvel)}" ctrl="{numbers(self.ctrl)}"/></keyframe>'
        return f"""<mujoco>
  <compiler angle="radian"/>
  <option timestep="{dt!r}"/>
  <asset>{"".join(self.meshes)}</asset>
  <worldbody>
{world}  </worldbody>
{parts}  {custom}
  {key}
</mujoco>
"""


def tame_scene(rng, dt):
    """A scene that starts without overlaps; the first of a few tries that does."""
    for _ in range(20):
        factory = Factory(rng, True)
        xml = factory.scene(dt)
        if oracle.starts_apart(xml):
            return factory, xml
    return factory, xml


def make(seed, index, quick=False):
    rng = random_of("random", seed, index)
    tame = index % 2 == 0
    dt = rng.choice((0.001, 0.002, 0.004)) if tame else log_uniform(rng, 1e-5, 0.1)
    args = ["--keyframe", "0"]
    if tame:
        factory, xml = tame_scene(rng, dt)
        time = rng.uniform(0.5, 3)
        if rng.random() < 0.15:
            args += ["--law", rng.choice(LAWS[1:])]
        if rng.random() < 0.2:
            args += ["--integrator", "euler"]
    else:
        maximal = rng.random() < 0.15
        factory = Factory(rng, False, driven=not maximal)
        xml, time = factory.scene(dt), dt * rng.randint(20, 300)
        args += ["--law", rng.choice(LAWS)] if rng.random() < 0.4 else []
        args += ["--integrator", rng.choice(("euler", "rk4"))] if rng.random() < 0.4 else []
        args += ["--coordinates", "maximal"] if maximal else []
        args += ["--scheme", "event-driven"] if rng.random() < 0.1 and "--law" not in args else []
        args += ["--tolerance", repr(10.0 ** -rng.randint(3, 10))] if rng.random() < 0.3 else []
    args += ["--time", repr(min(time, 0.3) if quick and tame else time)]
    name = f"{'tame' if tame else 'wild'} {len(factory.bodies)} bodies of {factory.size:.2g} m, dt {dt:.2g} " + " ".join(args[2:-2])
    event = "event-driven" in args
    facts = {"tame": tame, "contacts": not event, "overlap_share": 1e-3, "energy_share": 0.05}
    facts["beside"] = (("finer",) if tame else ()) + (("times", "work") if tame and index % 20 == 0 else ())
    return Case("random", seed, index, name, xml=xml, args=args, facts=facts, limit=10.0)
