#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flips bits of files that Thud wrote and reads them again: every reader ends within seconds, with a result or with a sentence and
exit code 1. Half of the bits lie in the first 20 kB, where the structure of HDF5 is. Seeds are fixed.

    damaged_files_are_refused.py THUD FOLDER-OF-THE-SOURCES"""
import pathlib
import random
import subprocess
import sys
import tempfile

thud, scenes = sys.argv[1], pathlib.Path(sys.argv[2]) / "scenes"
SECONDS = 20  # a reader takes 0.1 s on an idle machine
failures = 0


def run(*arguments):
    return subprocess.run([thud, *map(str, arguments)], capture_output=True, timeout=SECONDS)


def flip(whole, dice, number):
    damaged = bytearray(whole)
    damaged[dice.randrange(min(len(whole), 20000) if number % 2 else len(whole))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def attack(name, whole, count, command):
    global failures
    dice = random.Random(name)
    for number in range(count):
        path = work / ("damaged" + pathlib.Path(name).suffix)
        path.write_bytes(flip(whole, dice, number))
        try:
            ended = run(*command(path))
            fault = None if ended.returncode in (0, 1, 3) else f"ends with {ended.returncode}"
            if ended.returncode == 1 and str(path).encode() not in ended.stderr:
                fault = f"does not name the file: {ended.stderr!r}"
        except subprocess.TimeoutExpired:
            fault = f"does not end within {SECONDS} s"
        if fault:
            failures += 1
            print(f"{name}, damage {number} of seed '{name}': {' '.join(map(str, command('FILE')))} {fault}")


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    scene = scenes / "box.xml"
    written = work / "written.h5"
    assert run("run", scene, "--record", written, "--record-contacts", "--save-state", work / "state").returncode == 0
    assert run("run", scene, "--record", work / "run.csv", "--time", "0.05").returncode == 0
    problem = run("solve", "--random", "box", "--count", "1", "--write", work / "problem.hdf5")
    attack("run.h5", written.read_bytes(), 60, lambda p: ("replay", p))
    attack("run.csv", (work / "run.csv").read_bytes(), 15, lambda p: ("replay", p))
    attack("state", (work / "state").read_bytes(), 15, lambda p: ("run", scene, "--time", "0.01", "--load-state", p))
    attack("scene.xml", scene.read_bytes(), 25, lambda p: ("info", p))
    if problem.returncode == 0:
        attack("problem.hdf5", (work / "problem.hdf5").read_bytes(), 60, lambda p: ("solve", p))
    else:
        failures += 1
        print("no problem could be written:", problem.stderr.decode())
sys.exit(failures > 0)
