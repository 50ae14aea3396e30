#!/usr/bin/env python3
"""Prints the tables of docs/speed.md from what `thud bench --json` wrote, and takes the diagrams out of its page.

usage: tools/speed_tables.py bench.json [bench.html FOLDER]        FOLDER/work-SCENE.svg for every diagram of the page
"""
import json
import pathlib
import re
import sys

PEERS = ("MuJoCo 2.2.2", "ODE 0.16", "Bullet 3.24")
STYLE = ("<style>text{font:13px system-ui,sans-serif;fill:#64748b}.grid path{stroke:#e4e2da}"
         '.line{fill:none;stroke-width:2;stroke-linejoin:round}</style><rect width="100%" height="100%" fill="#fbfaf6"/>')


def number(value, form):
    return "–" if value is None else format(value, form)


def first(scene):
    """Thud, by whichever integrator the run asked for."""
    return scene["engines"][0]["engine"]


def pair(scene, engines, key, form):
    """A yardstick of Thud and of the peers, in their order."""
    return " · ".join(number(engines.get(name, {}).get(key), form) for name in (first(scene), *PEERS))


def times(scenes):
    print("| scene | dt / ms | contacts | Thud / µs | residual | MuJoCo / µs | ODE / µs | Bullet / µs | Thud/MuJoCo | Thud/ODE | Thud/Bullet |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for scene in scenes:
        engines = {e["engine"]: e for e in scene["engines"] if e["ran"]}
        ours = engines[first(scene)]
        mark = "" if not ours["remark"] else f" ({ours['remark']})"
        cells = [scene["scene"] + mark, format(1e3 * scene["dt"], ".3g"), format(ours["contacts"], ".1f"), format(ours["us_per_step"], ".4g"),
                 number(ours["cone_residual"], ".0e")]
        cells += [number(engines.get(name, {}).get("us_per_step"), ".4g") for name in PEERS]
        cells += [number(engines.get(name, {}).get("thud_over_it"), ".2f") for name in PEERS]
        print("| " + " | ".join(cells) + " |")


def yardsticks(scenes):
    print("| scene | penetration / m | creep / m/s | kinetic at rest / J | joint drift / m, rad | energy that rose / J |")
    print("|---|---|---|---|---|---|")
    for scene in scenes:
        engines = {e["engine"]: e for e in scene["engines"] if e["ran"]}
        rests = scene["rests"]
        cells = [scene["scene"], pair(scene, engines, "penetration", ".0e"), pair(scene, engines, "creep", ".0e") if rests else "",
                 pair(scene, engines, "kinetic_rest", ".0e") if rests else "", pair(scene, engines, "joint_drift", ".0e"), pair(scene, engines, "energy_rise", ".0e")]
        print("| " + " | ".join(cells) + " |")


def laws(scenes):
    names = [e["engine"] for e in scenes[0]["engines"][1:] if e["engine"] not in PEERS]
    if names:
        print("\n| scene | cone |", " | ".join(names), "|")
        print("|---|---:|" + "---:|" * len(names))
        for scene in scenes:
            engines = {e["engine"]: e for e in scene["engines"]}
            if any(engines[name]["ran"] for name in names):
                cells = [number(engines[name].get("us_per_step"), ".4g") for name in (first(scene), *names)]
                print(f"| {scene['scene']} | " + " | ".join(cells) + " |")


def diagrams(page, folder):
    for name, svg in re.findall(r"<h3>(\w+): [^<]*</h3>\s*(<svg.*?</svg>)", page, flags=re.S):
        head, rest = svg.split(">", 1)
        head = head.replace('class="plot"', 'xmlns="http://www.w3.org/2000/svg"')
        (folder / f"work-{name}.svg").write_text(f"{head}>{STYLE}{rest}\n")


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    book = json.loads(pathlib.Path(sys.argv[1]).read_text())
    scenes = [scene for scene in book["scenes"] if not scene["work_precision"]]
    print(f"thud {book['version']} ({book['commit']}), {book['repeats']} repeats\n")
    times(scenes)
    print()
    yardsticks(scenes)
    laws(scenes)
    if len(sys.argv) == 4:
        diagrams(pathlib.Path(sys.argv[2]).read_text(), pathlib.Path(sys.argv[3]))


main()
