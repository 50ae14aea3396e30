"""thud reproduce: its numbers are inside the bands of the papers, and thud run takes the same steps.

usage: reproduce_keeps_its_word.py THUD SOURCE_DIR
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

THUD, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = "rod balls box pendulum complaints events laws robots".split()
MODELS = ROOT.parent / "shared" / "menagerie"  # published robots; may be absent


def thud(*words):
    return subprocess.run([THUD, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


class Reproduce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.code, cls.text = {}, {}
        for example in EXAMPLES:
            models = ["--models", MODELS] if example == "robots" and MODELS.exists() else []
            run = thud("reproduce", example, "--quick", "--scenes", ROOT / "scenes", "--out", cls.path / example, *models)
            cls.code[example], cls.text[example] = run.returncode, run.stdout + run.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def column(self, example, name, line):
        """The y of one line of a plot, as they were written."""
        return [row[2] for row in table(self.path / example / f"{name}.csv")[1:] if row[0] == line]

    def recorded(self, *words):
        """A run's recording, as a dictionary of columns."""
        out = self.path / "run.csv"
        run = thud("run", *words, "--record", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = table(out)
        return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}

    def test_a_block_breaks_loose_where_its_law_says(self):
        """Pulled at 45 degrees: an inscribed square holds 1/sqrt(2) of the circle's friction, one around it sqrt(2)."""
        loose = {row[0]: float(row[3]) for row in table(self.path / "laws" / "laws.csv")[1:]}
        for law, right in {"cone": 1, "anitescu-potra, 4 directions": 0.5**0.5, "anitescu-potra, 8 directions": 1,
                           "phantom-inertia": 1, "box": 2**0.5, "hybrid": 2**0.5}.items():
            self.assertAlmostEqual(loose[law], right, delta=0.005, msg=law)  # one step of the ramp is 0.0008

    def test_every_figure_that_has_a_band_is_inside_it(self):
        missed = set()
        for example in EXAMPLES:
            for path in sorted((self.path / example).glob("*.csv")):
                for row in table(path)[1:]:
                    if any(cell == "NO" or cell.endswith(": NO") for cell in row):
                        missed.add((path.stem, row[0]))
        self.assertEqual(missed, set())

    def test_the_exit_code_is_3_when_a_figure_is_outside_its_band_and_0_otherwise(self):
        for example in EXAMPLES:
            self.assertEqual(self.code[example], 3 if "NO" in self.text[example].split() else 0, self.text[example])

    def test_table_1_of_the_balls_is_the_papers(self):
        paper = {"0.02": (0.5050, 0.2505, 19.4046), "0.01": (0.3523, 0.2015, 19.1728), "0.005": (0.1657, 0.0838, 19.1702),
                 "0.0025": (0.0700, 0.0298, 19.0862), "0.00125": (None, None, 19.0690)}
        rows = {row[0]: row for row in table(self.path / "balls/balls-table1.csv")[1:]}
        self.assertEqual(set(rows), set(paper))
        for h, (velocity, position, variation) in paper.items():
            band = 0.03 if float(h) >= 0.005 else 0.2
            self.assertAlmostEqual(float(rows[h][9]) / variation, 1, delta=1e-3)
            if velocity:
                self.assertAlmostEqual(float(rows[h][1]) / velocity, 1, delta=band)
                self.assertAlmostEqual(float(rows[h][5]) / position, 1, delta=band)
        collision = [row[1] for row in table(self.path / "balls/balls-lcp.csv")[1:]]
        self.assertEqual(collision, ["7", "70"])

    def test_the_rods_times_are_within_steps_of_their_limits(self):
        for row in table(self.path / "rod/rod-times.csv")[2:6]:
            h = float(row[0])
            self.assertAlmostEqual(float(row[1]), 0.3858, delta=1.01 * h)
            self.assertAlmostEqual(float(row[3]), 0.5474, delta=2 * h)
            self.assertAlmostEqual(float(row[5]), 0.0191, delta=2 * h)

    def test_the_cube_stops_where_it_should_by_laws_of_first_order(self):
        for row in table(self.path / "box/box-laws.csv")[1:]:
            if row[0] in ("cone", "phantom-inertia", "anitescu-potra, 4 aligned"):
                self.assertLess(float(row[6]), 2.85 * float(row[1]))
        rank = table(self.path / "box/box-rank.csv")
        self.assertTrue(all((int(row[4]) == int(row[3])) == row[1].startswith("phantom") for row in rank[1:]))

    def test_the_last_link_is_as_high_as_the_limit_in_both_coordinates(self):
        limit = (5.5047, 5.0585, 5.9226, 5.1130, 5.7241)
        for row, z in zip(table(self.path / "pendulum/pendulum-heights.csv")[1:], limit, strict=True):
            self.assertAlmostEqual(float(row[1]), z, delta=0.003)
            self.assertAlmostEqual(float(row[2]), z, delta=0.003)

    def test_run_with_the_same_options_takes_the_same_steps(self):
        rod = self.recorded(ROOT / "scenes/rod.xml", "--keyframe", "start", "--time", 0.8, "--dt", 0.0025)
        self.assertEqual(list(map(float, self.column("rod", "rod-angular", "h = 0.0025"))), rod["qvel[2]"])
        box = self.recorded(ROOT / "scenes/box.xml", "--keyframe", "start", "--time", 0.8, "--dt", 0.01, "--law",
                            "anitescu-potra", "--directions", 4, "--aligned")
        self.assertEqual(list(map(float, self.column("box", "box-paths-10ms", "anitescu-potra, 4 aligned"))), box["qpos[1]"])

    def test_the_page_shows_every_figure_and_every_figure_is_xml(self):
        for example in EXAMPLES:
            page = (self.path / example / "index.html").read_text(encoding="utf-8")
            for figure in (self.path / example).glob("*.svg"):
                xml.parse(figure)
                self.assertIn(f'src="{figure.name}"', page)
            self.assertEqual(list((self.path / example).glob("*.part")), [])

    def test_what_cannot_be_done_is_refused(self):
        self.assertEqual(thud("reproduce", "rods").returncode, 2)
        self.assertEqual(thud("reproduce").returncode, 2)
        missing = thud("reproduce", "rod", "--scenes", self.path / "none")
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stderr, r"^\S+rod\.xml: cannot open: ")
        self.assertEqual(missing.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
