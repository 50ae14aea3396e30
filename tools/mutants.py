#!/usr/bin/env python3
"""Breaks the code that makes and moves contacts, one line at a time, and looks whether the program itself says that its run is wrong.

usage: tools/mutants.py [BUILD] [--only NAME]       from the root of the repository, after a build; BUILD is build/release

A mutant is one line of a source or private header that is replaced in a copy; the files that see it are compiled again as the build
compiles them, and linked into a program of its own. That program runs one box (or one arm) on a slope that lies oblique to every axis,
and must grade its run wrong. The program that is not broken must not. A line that is no longer there is a failure: write it anew.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

SLOPE = "<geom name='slope' type='plane' size='0 0 1' euler='11 17 5'/>"
BOX = "<body name='box' pos='0 0 {z}' euler='{turn}'><freejoint/><geom name='cube' type='box' size='.1 .07 .05' condim='{condim}'/></body>"
SCENES = {
    "box": SLOPE + BOX.format(z=0.3, turn="21 8 33", condim=3),
    "rough box": SLOPE + BOX.format(z=0.3, turn="21 8 33", condim=4),  # six rows a contact: not made by fours
    "deep box": SLOPE + BOX.format(z=0.04, turn="11 17 5", condim=3),  # starts 4 mm inside the slope
    "arm": SLOPE + "<body pos='0 0 .35' euler='10 20 30'><joint axis='1 .3 0'/><geom type='capsule' fromto='0 0 0 .2 0 -.1' size='.03'/>"
                   "<body pos='.2 0 -.1'><joint axis='0 1 .2'/><geom type='box' size='.04 .05 .12' pos='0 0 -.12'/></body></body>",
}


class Mutant:
    """A line of the one file in src that has it, what it is replaced by, and the scene that must show it."""

    def __init__(self, name, scene, old, new):
        self.name, self.scene, self.old, self.new = name, scene, old, new

    def file(self):
        found = [f for f in sorted((ROOT / "src").rglob("*.[ch]")) if self.old in f.read_text()]
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} files in src have the line: {self.old}")
        return found[0]


MUTANTS = [
    # wrenches
    Mutant("lever arm too long", "box", "lever = v3_sub(b->point, o)", "lever = v3_scale(1.3, v3_sub(b->point, o))"),
    Mutant("lever arm too long, six rows", "rough box", "lever = v3_sub(b->point, o)", "lever = v3_scale(1.3, v3_sub(b->point, o))"),
    Mutant("lever arm too long, of an arm", "arm", "lever = v3_sub(b->point, o)", "lever = v3_scale(1.3, v3_sub(b->point, o))"),
    Mutant("force too small", "box", "a = v3_scale(sign, b->frame[0])", "a = v3_scale(0.8 * sign, b->frame[0])"),
    Mutant("tangent twice", "box", "v3_scale(sign, b->frame[2])", "v3_scale(sign, b->frame[1])"),
    # rows
    Mutant("friction too large", "box", "mu[r] = row->contact->law.friction[r];", "mu[r] = 1.5 * row->contact->law.friction[r];"),
    Mutant("gaps may close too fast", "box", "        row->b[0] += closing;", "        row->b[0] += closing + 0.05;"),
    Mutant("a turn is added twice", "box", "        memcpy(row->b, u, sizeof u);", "        row->b[0] = 2 * u[0];\n        row->b[1] = 2 * u[1];\n        row->b[2] = 2 * u[2];"),
    Mutant("normal tilted", "box", "    frame[0] = n;", "    n = v3_normalize(v3(n.x + 0.4, n.y, n.z));\n    frame[0] = n;"),
    Mutant("frame not square", "rough box", "frame[2] = v3_cross(n, frame[1]);", "frame[2] = v3_normalize(v3(0.3, 1, 0));"),
    Mutant("point astray", "box", "    block->point = row->point;", "    block->point = v3_add(row->point, v3(0.05, 0, 0));"),
    Mutant("point astray, of an arm", "arm", "    block->point = row->point;", "    block->point = v3_add(row->point, v3(0, 0.1, 0));"),
    # innovations: what an impulse asks of the dofs, and what it makes of them
    Mutant("innovations too large", "box", "            e[k] *= root[k];", "            e[k] *= 1.3 * root[k];"),
    Mutant("innovations on a wrong axis", "box", "lanes_dot(n, m3_col(R, k - 3), &e[k]);", "lanes_dot(n, m3_col(R, (k - 2) % 3), &e[k]);"),
    Mutant("innovations of an arm too large", "arm", "        lanes_dot(a->n, dof->s, left);", "        lanes_dot(a->n, dof->s, left);\n        *left *= 1.3;"),
    Mutant("shift between links forgotten", "arm", "a.n = lanes_sum(a.n, lanes_cross(l->r, a.f)); // shift", ";"),
    Mutant("response too small", "box", "dv[k] = rows->innovation[k] * rows->root[k];", "dv[k] = 0.9 * rows->innovation[k] * rows->root[k];"),
    Mutant("velocities not all given", "box", "    const double to = from + gain;", "    const double to = from + 0.9 * gain;"),
    # projection
    Mutant("positions put right ten times too far", "deep box", "sim_integrate(sim, sim->go.q_next, sim->go.dq, 1, sim->go.q_next);",
           "sim_integrate(sim, sim->go.q_next, sim->go.dq, 10, sim->go.q_next);"),
    Mutant("positions put right the wrong way", "deep box", "sim_integrate(sim, sim->go.q_next, sim->go.dq, 1, sim->go.q_next);",
           "sim_integrate(sim, sim->go.q_next, sim->go.dq, -1, sim->go.q_next);"),
    Mutant("positions not put right", "deep box", "substep_result sim_project(thud_sim *sim, double h)\n{",
           "substep_result sim_project(thud_sim *sim, double h)\n{\n    if (h > 0) {\n        return SUBSTEP_DONE;\n    }"),
]


def commands_of(build):
    """How each source is compiled, by path; and how the program is linked."""
    entries = json.loads((build / "compile_commands.json").read_text())
    compiled = {pathlib.Path(e["file"]).resolve(): e for e in entries if "thud_room_" in e.get("output", e["command"])}
    linked = subprocess.run(["ninja", "-C", build, "-t", "commands", "thud"], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    return compiled, linked


def sources_that_see(header, compiled):
    """The sources of a header's room that include it, through others too."""
    folder = header.parent
    names, grew = {header.name}, True
    while grew:
        more = {f.name for f in folder.glob("*.h") if any(f'#include "{n}"' in f.read_text() for n in names)} - names
        names |= more
        grew = bool(more)
    return [s for s in compiled if s.parent == folder and any(f'#include "{n}"' in s.read_text() for n in names)]


def compile_one(entry, source, copy, out):
    command = entry["command"].replace(str(source), str(copy))
    command = re.sub(r"(\s-o\s+)\S+", lambda m: m.group(1) + str(out), command)
    command = re.sub(r"-M[DTF]+\s+\S+\s|-MD\s", " ", command).replace("-Werror", "").replace("-O3", "-O1").replace("-flto=auto -ffat-lto-objects", "")
    ran = subprocess.run(command, shell=True, cwd=entry["directory"], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{source.name} does not compile: {ran.stderr.strip()[-400:]}")


def build_mutant(mutant, build, compiled, linked, folder):
    """The path of the broken program."""
    file = mutant.file()
    text = file.read_text()
    copies = folder / "copy"
    copies.mkdir(parents=True)
    for neighbour in [*file.parent.glob("*.h"), *file.parent.glob("*.c")]:
        (copies / neighbour.name).write_bytes(neighbour.read_bytes())
    (copies / file.name).write_text(text.replace(mutant.old, mutant.new))
    link = linked
    for source in [file] if file.suffix == ".c" else sources_that_see(file, compiled):
        entry = compiled[source]
        out = folder / (source.stem + ".o")
        compile_one(entry, source, copies / source.name, out)
        was = re.search(r"\s-o\s+(\S+)", entry["command"]).group(1)
        if was not in link:
            raise RuntimeError(f"{was} is not linked into the program")
        link = link.replace(f" {was} ", f" {out} ")
    program = folder / "thud"
    link = link.replace("-flto=auto", "-fno-lto")  # the build's objects are fat
    link = re.sub(r"(\s-o\s+)\S+", lambda m: m.group(1) + str(program), link)
    ran = subprocess.run(link, shell=True, cwd=build, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"does not link: {ran.stderr.strip()[-400:]}")
    return program


def wrong_doubts(program, scene, folder):
    """(exit code, kinds graded wrong) of a program's run of a scene."""
    path = folder / "scene.xml"
    path.write_text(f"<mujoco><option timestep='.002'/><worldbody>{SCENES[scene]}</worldbody></mujoco>")
    ran = subprocess.run([program, "run", path, "--time", "0.6", "--json"], capture_output=True, text=True, check=False, timeout=60)
    try:
        doubts = json.loads(ran.stdout)["doubts"]
    except ValueError:
        doubts = []
    return ran.returncode, sorted({d["kind"] for d in doubts if d["grade"] == "wrong"}), ran.stderr.strip()[-200:]


def judge_one(mutant, build, compiled, linked, scratch, number):
    folder = scratch / str(number)
    try:
        program = build_mutant(mutant, build, compiled, linked, folder)
        code, kinds, said = wrong_doubts(program, mutant.scene, folder)
    except (RuntimeError, subprocess.TimeoutExpired) as fault:
        return mutant, False, str(fault)
    good = bool(kinds) and code == 3
    return mutant, good, ", ".join(kinds) or f"nothing is wrong (exit code {code}; {said})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "thud", help="the one that is not broken")
    parser.add_argument("--only", help="mutants whose name holds this")
    args = parser.parse_args()
    build = args.build.resolve()
    compiled, linked = commands_of(build)
    wanted = [m for m in MUTANTS if not args.only or args.only in m.name]
    with tempfile.TemporaryDirectory(prefix="thud-mutants-") as scratch:
        scratch = pathlib.Path(scratch)
        sound = [s for s in SCENES if (r := wrong_doubts(args.program, s, scratch))[0] != 0 or r[1]]
        for scene in sound:
            print(f"FAILED  the program that is not broken doubts the scene '{scene}'")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda k: judge_one(wanted[k], build, compiled, linked, scratch, k), range(len(wanted))))
    for mutant, good, told in results:
        print(f"{'told   ' if good else 'FAILED '} {mutant.name} ({mutant.scene}): {told}")
    missed = sum(not good for _, good, _ in results)
    print(f"{len(results)} mutants, {len(results) - missed} told by the program, {missed} not")
    return 1 if missed or sound else 0


sys.exit(main())
