"""thud bench: the shape of what it prints, peers that are not there, numbers that thud run gives too, usage.

usage: bench_measures_what_it_says.py THUD SOURCE_DIR BUILD_DIR
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

THUD, ROOT, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NUMBERS = ("us_per_step", "us_least", "us_most", "thud_over_it", "contacts", "penetration", "penetration_rest", "creep",
           "kinetic_rest", "joint_drift", "energy_rise", "energy_error", "energy_turnover", "cone_residual")


def thud(*words, peers="/nonexistent"):
    env = {**os.environ, "THUD_PEERS": str(peers)}
    return subprocess.run([THUD, *map(str, words)], capture_output=True, text=True, check=False, env=env)


def bench(*words, **options):
    ran = thud("bench", *words, "--scenes", ROOT / "scenes", "--repeats", "2", **options)
    assert ran.returncode == 0, ran.stderr
    return ran


class Bench(unittest.TestCase):
    def test_json_has_every_yardstick_of_every_scene(self):
        ran = bench("slide", "stack10", "--time", "0.1", "--json")
        book = json.loads(ran.stdout)
        self.assertIn("slide", ran.stderr)  # the tables
        self.assertEqual([s["scene"] for s in book["scenes"]], ["slide", "stack10"])
        self.assertEqual(sorted(a["engine"] for a in book["absent"]), ["bullet", "mujoco", "ode"])
        for scene in book["scenes"]:
            (ours,) = scene["engines"]
            self.assertEqual(ours["engine"], "Thud")
            self.assertTrue(ours["ran"])
            for key in NUMBERS:
                self.assertIsInstance(ours[key], (int, float), key)
            self.assertGreater(ours["us_per_step"], 0)
            self.assertLessEqual(ours["us_least"], ours["us_per_step"])
            self.assertEqual(ours["thud_over_it"], 1)
            self.assertLess(ours["penetration"], 1e-6)
            self.assertLess(ours["cone_residual"], 1e-8)

    def test_yardsticks_agree_with_the_certificate_of_a_run(self):
        ours = json.loads(bench("slide", "--time", "0.5", "--json").stdout)["scenes"][0]["engines"][0]
        run = json.loads(thud("run", ROOT / "scenes/slide.xml", "--keyframe", "start", "--dt", "0.001", "--time", "0.5",
                              "--json").stdout)
        self.assertEqual(ours["cone_residual"], run["cone_residual_max"])
        lost = run["energy"]["start"] - run["energy"]["end"]
        self.assertAlmostEqual(ours["energy_error"], lost, delta=1e-9 * lost)

    def test_the_page_has_a_diagram_and_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bench.html"
            bench("slide", "--time", "0.1", "--html", path)
            page = path.read_text()
        self.assertEqual(page.count("<svg"), 1)
        self.assertEqual(len(re.findall("<circle", page)), 5)  # a dot a step length
        self.assertIn("<table", page)
        self.assertTrue(page.rstrip().endswith("</html>"))

    def test_laws_stand_beside_the_cone(self):
        engines = json.loads(bench("box", "--time", "0.05", "--laws", "anitescu-potra,hybrid", "--json").stdout)["scenes"][0]["engines"]
        self.assertEqual([e["engine"] for e in engines], ["Thud", "anitescu-potra", "hybrid"])
        self.assertTrue(all(e["ran"] for e in engines))

    def test_eulers_step_pumps_energy_into_a_chain_and_the_midpoint_does_not(self):
        error = {}
        for name, words in (("Thud", ()), ("Thud, euler", ("--integrator", "euler"))):
            (ours,) = json.loads(bench("chain30", "--time", "0.5", "--json", *words).stdout)["scenes"][0]["engines"]
            self.assertEqual(ours["engine"], name)
            error[name] = ours["energy_error"]
        self.assertGreater(error["Thud, euler"], 10 * error["Thud"])

    def test_threads_are_timed_against_one_by_the_wall_clock_and_move_alike(self):
        ran = bench("stack10", "--time", "0.1", "--threads", "2", "--json")
        one, two = json.loads(ran.stdout)["scenes"][0]["engines"]
        self.assertEqual((one["engine"], two["engine"], two["threads"]), ("Thud", "Thud, 2 threads", 2))
        self.assertNotIn("speedup", one)
        self.assertLessEqual(two["speedup_least"], two["speedup"])
        self.assertLessEqual(two["speedup"], two["speedup_most"])
        self.assertGreater(two["wall_us_per_step"], 0)
        for key in ("penetration", "kinetic_rest", "energy_error", "cone_residual"):
            self.assertEqual(one[key], two[key], key)
        self.assertGreater(two["machine_speedup"], 0)
        self.assertRegex(ran.stderr, "times as fast .* where the machine itself gives [0-9.]+")

    def test_driven_scenes_and_made_ones_run(self):
        scenes = json.loads(bench("trot", "hand", "fall100_spheres", "--time", "0.05", "--json").stdout)["scenes"]
        for scene in scenes:
            self.assertTrue(scene["engines"][0]["ran"], scene["scene"])
            self.assertLess(scene["engines"][0]["penetration"], 1e-6)

    def test_usage(self):
        for words in (["stak10"], ["--peers", "havok"], ["--laws", "hooke"], ["--repeats", "0"], ["--threads", "65"]):
            ran = thud("bench", *words)
            self.assertEqual(ran.returncode, 2, words)
            self.assertEqual(ran.stdout, "")
        listed = thud("bench", "--list").stdout
        for name in ("pendulum100_low", "pile5000_boxes", "humanoids22", "card_house", "mass_ratio"):
            self.assertIn(name, listed)

    def test_peers_are_measured_where_they_are_built(self):
        if not (BUILD / "peers").is_dir():
            self.skipTest("no peers were built")
        engines = json.loads(bench("stack10", "--time", "0.1", "--json", peers=BUILD / "peers").stdout)["scenes"][0]["engines"]
        self.assertGreater(len(engines), 1)
        for engine in engines[1:]:
            self.assertTrue(engine["ran"], engine)
            self.assertAlmostEqual(engine["contacts"], 40, delta=6)  # four at each of ten boxes
            self.assertGreater(engine["penetration"], engines[0]["penetration"])


unittest.main(argv=sys.argv[:1])
