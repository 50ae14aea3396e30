#!/usr/bin/env python3
"""Measures what docs/speed.md shows, and writes it there.

usage: tools/refresh_speed.py [SECTION ...]        all sections unless named, about 25 minutes; after `make bench` and `make trained`, on a machine that does nothing else

A section of the page stands between <!-- speed SECTION --> and <!-- end -->, the words around it are not touched. What the program
printed stays in out/speed/SECTION-K.json, settled piles in out/speed/states/. Published robots are read from ../shared where they are.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/speed.md"
OUT = ROOT / "out/speed"
ROBOTS = ROOT.parent / "shared/menagerie"
MUJOCO, ODE, BULLET = PEERS = ("MuJoCo 2.2.2", "ODE 0.16", "Bullet 3.24")

CHAINS = "pendulum3 pendulum6 pendulum12 pendulum15 pendulum24 pendulum30"
THINGS = "rod balls box slide stack10 wall humanoid quadruped trot hand card_house mass_ratio"
LONG = "pendulum100 pendulum3_low pendulum6_low pendulum12_low pendulum15_low pendulum24_low pendulum30_low pendulum100_low chain30"
PILES = "pile1000_spheres pile1000_boxes pile5000_spheres pile5000_boxes"
STYLE = ("<style>text{font:13px system-ui,sans-serif;fill:#64748b}.grid path{stroke:#e4e2da}"
         '.line{fill:none;stroke-width:2;stroke-linejoin:round}</style><rect width="100%" height="100%" fill="#fbfaf6"/>')


# ---------------------------------------------------------------------------------------------- measuring

class Section:
    """Runs the program, remembers by which commands, and writes tables."""

    def __init__(self, name):
        self.name, self.commands, self.lines, self.commit = name, [], [], ""
        self.shown = ""  # in place of the commands, where they are many

    def bench(self, words, page=None, build="bench"):
        """What `thud bench` says of scenes, by name; of each its engines that ran, by name."""
        self.commands.append(f"{'' if build == 'bench' else f'build/{build}/'}thud bench {words}")
        options = ["--json", "--states", str(OUT / "states")] + (["--html", str(page)] if page else [])
        run = subprocess.run([ROOT / f"build/{build}/thud", "bench", *shlex.split(words), *options], cwd=ROOT, capture_output=True, text=True,
                             check=False)
        if run.returncode != 0:
            sys.exit(f"{self.commands[-1]}\n{run.stderr}")
        (OUT / f"{self.name}-{len(self.commands)}.json").write_text(run.stdout)
        book = json.loads(run.stdout)
        self.commit = book["commit"][:7]
        scenes = [scene for scene in book["scenes"] if not scene["work_precision"]]
        for scene in scenes:
            scene["first"] = scene["engines"][0]["engine"]
            scene["engines"] = {engine["engine"]: engine for engine in scene["engines"] if engine["ran"]}
        return {scene["scene"]: scene for scene in scenes}

    def table(self, head, rows):
        """A head of columns, those whose name begins with "<" to the left."""
        names = [name.lstrip("<") for name in head.split("|")]
        self.lines += ["| " + " | ".join(names) + " |",
                       "|" + "".join("---|" if name.startswith("<") else "---:|" for name in head.split("|"))]
        self.lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]

    def text(self):
        by = self.shown or "; ".join(f"`{command}`" for command in self.commands)
        return "\n".join([f"Commit {self.commit}: {by}.", "", *self.lines])


def number(value, form=".3g"):
    return "–" if value is None else format(value, form)


def micros(value):
    """Three digits, thousands apart."""
    return "–" if value is None else f"{float(f'{value:.3g}'):,g}".replace(",", " ")


def four(scene, key, names=PEERS):
    """A yardstick of Thud and of peers, in their order."""
    return " · ".join(number(scene["engines"].get(name, {}).get(key), ".0e") for name in (scene["first"], *names))


def ours(scene):
    return scene["engines"][scene["first"]]


def over(scene, name):
    return number(scene["engines"].get(name, {}).get("thud_over_it"), ".2f")


def per_contact(scene, name):
    engine = scene["engines"].get(name)
    return engine["us_per_step"] / engine["contacts"] if engine else None


# ---------------------------------------------------------------------------------------------- the sections

def draw_diagrams(page):
    for name, svg in re.findall(r"<h3>(\w+): [^<]*</h3>\s*(<svg.*?</svg>)", page.read_text(), flags=re.S):
        head, rest = svg.split(">", 1)
        head = head.replace('class="plot"', 'xmlns="http://www.w3.org/2000/svg"')
        figure = ROOT / f"docs/figures/work-{name}.svg"
        if figure.exists():
            figure.write_text(f"{head}>{STYLE}{rest}\n")


def scenes(section):
    page = OUT / "scenes.html"
    said = section.bench(f"{CHAINS} {LONG} {THINGS} --repeats 5 --patience 1", page)
    draw_diagrams(page)
    section.table("<scene|dt / ms|contacts|Thud / µs|residual|MuJoCo / µs|ODE / µs|Bullet / µs|Thud/MuJoCo|Thud/ODE|Thud/Bullet",
                  [[name, number(1e3 * s["dt"]), number(ours(s)["contacts"], ".1f"), micros(ours(s)["us_per_step"]), number(ours(s)["cone_residual"], ".0e"),
                    *(micros(s["engines"].get(peer, {}).get("us_per_step")) for peer in PEERS), *(over(s, peer) for peer in PEERS)]
                   for name, s in said.items()])
    section.lines += ["The same runs by the yardsticks; Thud · MuJoCo · ODE · Bullet.", ""]
    section.table("<scene|<penetration / m|<creep / m/s|<kinetic at rest / J|<joint drift / m, rad|<energy that rose / J",
                  [[name, four(s, "penetration"), four(s, "creep") if s["rests"] else "", four(s, "kinetic_rest") if s["rests"] else "",
                    four(s, "joint_drift"), four(s, "energy_rise")] for name, s in said.items()])


def euler(section):
    said = section.bench(f"{CHAINS} {THINGS} --integrator euler --peers mujoco --repeats 5 --patience 1")
    section.table("<scene|Thud by Euler / µs|MuJoCo / µs|Thud/MuJoCo|residual|<penetration / m|<joint drift / m, rad|<energy that rose / J",
                  [[name, micros(ours(s)["us_per_step"]), micros(s["engines"][MUJOCO]["us_per_step"]), over(s, MUJOCO),
                    number(ours(s)["cone_residual"], ".0e"), *(four(s, key, [MUJOCO]) for key in ("penetration", "joint_drift", "energy_rise"))]
                   for name, s in said.items()])


def trained(section):
    words = "pendulum3 pendulum3_low pendulum24 rod balls box slide humanoid trot hand --peers mujoco --repeats 5 --patience 1"
    plain, laid_out = section.bench(words), section.bench(words, build="trained")
    section.table("<scene|Thud / µs|trained / µs|Thud/MuJoCo|trained/MuJoCo|residual|trained",
                  [[name, *(micros(ours(s)["us_per_step"]) for s in (a, b)), *(over(s, MUJOCO) for s in (a, b)),
                    *(number(ours(s)["cone_residual"], ".0e") for s in (a, b))] for name, a, b in ((k, plain[k], laid_out[k]) for k in plain)])


def robots(section):
    if not ROBOTS.is_dir():
        sys.exit(f"{ROBOTS} is not there: name the other sections")
    section.shown = "`thud bench FILE --peers mujoco --repeats 7`, with `--keyframe home` for Cassie, and once more with `--integrator euler`"
    rows = []
    for file, more in (("agility_cassie/cassie.xml", " --keyframe home"), ("agility_cassie/scene.xml", " --keyframe home"), ("robotiq_2f85/2f85.xml", ""),
                       ("robotiq_2f85/scene.xml", ""), ("shadow_hand/left_hand.xml", ""), ("shadow_hand/scene_left.xml", ""),
                       ("shadow_hand/scene_right.xml", "")):
        words = f"{ROBOTS}/{file}{more} --peers mujoco --repeats 7"
        (scene,), (again,) = section.bench(words).values(), section.bench(words + " --integrator euler").values()
        rows.append([file.removesuffix(".xml"), micros(ours(scene)["us_per_step"]), micros(scene["engines"][MUJOCO]["us_per_step"]), over(scene, MUJOCO),
                     over(again, MUJOCO), number(ours(scene)["cone_residual"], ".0e"), four(scene, "joint_drift", [MUJOCO])])
    section.table("<robot|Thud / µs|MuJoCo / µs|Thud/MuJoCo|by Euler|residual|<joint drift / m, rad", rows)


def piles(section):
    said = section.bench("pile100_spheres pile100_boxes pile1000_spheres pile1000_boxes --tolerance 1e-3 --repeats 3 --patience 4")
    rows = []
    for name, s in said.items():
        for who, engine in s["engines"].items():
            first = who == s["first"]
            rows.append([name if first else "", who, micros(engine["us_per_step"]), "" if first else over(s, who), number(engine["contacts"], ".0f"),
                         *(number(engine[key], ".0e") for key in ("penetration", "creep", "kinetic_rest")),
                         number(engine["cone_residual"], ".0e") if first else ""])
    section.table("<scene|<engine|µs a step|Thud / it|contacts|penetration / m|creep / m/s|kinetic / J|residual", rows)


def rest(section):
    rows = []
    for shown, dt in (("2 ms", "0.002"), ("1/60 s", "0.0166666667")):
        (s,) = section.bench(f"pile100_boxes --peers mujoco --tolerance 1e-8 --dt {dt} --repeats 3 --patience 4").values()
        rows.append([shown, micros(ours(s)["us_per_step"]), micros(s["engines"][MUJOCO]["us_per_step"]), over(s, MUJOCO),
                     *(four(s, key, [MUJOCO]) for key in ("penetration", "creep", "kinetic_rest")), number(ours(s)["cone_residual"], ".0e")])
    section.table("<dt|Thud / µs|MuJoCo / µs|Thud/MuJoCo|<penetration / m|<creep / m/s|<kinetic / J|residual", rows)


def flat(section):
    said = section.bench(f"{PILES} --tolerance 1e-3 --peers bullet --repeats 2 --patience 20")
    rows = []
    for what in ("spheres", "boxes"):
        few, many = said[f"pile1000_{what}"], said[f"pile5000_{what}"]
        for who in (few["first"], BULLET):
            a, b = per_contact(few, who), per_contact(many, who)
            rows.append([what, who, number(a), number(b), number(b / a, ".2f")])
    section.table("<bodies|<engine|1000: µs a contact|5000: µs a contact|times", rows)


def threads(section):
    rows = []
    for words in ("pile5000_spheres pile5000_boxes pile1000_boxes --tolerance 1e-3 --peers none --threads 2 --repeats 5 --patience 20",
                  "humanoids22 --peers none --threads 2 --repeats 15", "scenes/herd.xml --peers none --threads 2 --repeats 9"):
        for name, s in section.bench(words).items():
            (two,) = (engine for engine in s["engines"].values() if "threads" in engine)
            rows.append([name, micros(ours(s)["wall_us_per_step"]), micros(two["wall_us_per_step"]), number(two["speedup"], ".2f"),
                         f"{two['speedup_least']:.2f} to {two['speedup_most']:.2f}", number(two["machine_speedup"], ".2f"),
                         number(two["cone_residual"], ".0e")])
    section.table("<scene|one thread / µs|two / µs|times as fast|<extremes|the machine itself|residual", rows)


def tolerance(section):
    section.shown = "`thud bench pile100 --peers mujoco --tolerance EPS --repeats 1 --patience 120`"
    rows = []
    for asked in ("1e-3", "1e-4", "1e-6", "1e-8", "1e-9", "1e-10"):
        (s,) = section.bench(f"pile100 --peers mujoco --tolerance {asked} --repeats 1 --patience 120").values()
        rows.append([asked, micros(ours(s)["us_per_step"]), micros(s["engines"][MUJOCO]["us_per_step"]), over(s, MUJOCO),
                     number(ours(s)["cone_residual"], ".0e"), number(ours(s)["penetration"], ".0e")])
    section.table("<tolerance|Thud / µs|MuJoCo / µs|Thud/MuJoCo|residual|penetration / m", rows)


def falling(section):
    """Steps of about 2 ms: the motion is chaotic, and so is its cost."""
    section.shown = "`thud bench pile100 --peers mujoco --tolerance 1e-8 --dt DT --repeats 1 --patience 120`"
    rows = []
    for dt in ("0.002", "0.001999", "0.002001", "0.001998", "0.002002"):
        (s,) = section.bench(f"pile100 --peers mujoco --tolerance 1e-8 --dt {dt} --repeats 1 --patience 120").values()
        rows.append([f"{1e3 * float(dt):g}", micros(ours(s)["us_per_step"]), micros(s["engines"][MUJOCO]["us_per_step"]), over(s, MUJOCO),
                     number(ours(s)["cone_residual"], ".0e")])
    section.table("<dt / ms|Thud / µs|MuJoCo / µs|Thud/MuJoCo|residual", rows)


def profile(section):
    names = ["pendulum30", "quadruped", "humanoid", "stack10", "wall", "fall100_boxes"]
    run = subprocess.run([ROOT / "tools/profile.py", *names], check=True, capture_output=True, text=True)
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    section.commands.append("tools/profile.py " + " ".join(names))
    section.commit = commit.stdout.strip()
    section.lines += run.stdout.rstrip().splitlines() + [""]


SECTIONS = {f.__name__: f for f in (scenes, euler, trained, robots, piles, rest, flat, threads, tolerance, falling, profile)}


def main():
    wanted = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        sys.exit(f"{__doc__}\nsections: {' '.join(SECTIONS)}")
    (OUT / "states").mkdir(parents=True, exist_ok=True)
    for name in wanted:
        section = Section(name)
        SECTIONS[name](section)
        page = PAGE.read_text(encoding="utf-8")
        mark = re.compile(rf"(<!-- speed {name} -->\n).*?(<!-- end -->)", re.S)
        if not mark.search(page):
            sys.exit(f"{PAGE} has no section {name}")
        PAGE.write_text(mark.sub(lambda found: found.group(1) + section.text() + found.group(2), page), encoding="utf-8")
        print(f"{name}: measured", flush=True)


main()
