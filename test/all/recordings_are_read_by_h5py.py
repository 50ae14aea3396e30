"""An HDF5 recording without a line of ours: h5py reads columns, units, notes and contacts, also after a kill.

usage: recordings_are_read_by_h5py.py THUD
"""
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

THUD = os.path.abspath(sys.argv[1])

BOX = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="3"/></body></worldbody></mujoco>"""
# On a slope of 30 degrees with friction 0.3 < tan 30: gravity is turned instead of the floor.
SLIDE = BOX.replace('timestep="0.002"', f'timestep="0.002" gravity="{9.81 * 0.5} 0 {-9.81 * math.sqrt(3) / 2}"').replace(
    'mass="3"', 'mass="3" friction="0.3"').replace('size="0 0 1"', 'size="0 0 1" friction="0.3"')


class Recordings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def command(self, scene, *words):
        (self.path / "scene.xml").write_text(scene)
        return [THUD, "run", str(self.path / "scene.xml"), "--record", str(self.path / "run.h5"), *words]

    def record(self, scene, *words):
        ran = subprocess.run(self.command(scene, *words), capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return h5py.File(self.path / "run.h5", "r")

    def test_a_box_at_rest_is_carried_by_its_weight_at_every_step(self):
        with self.record(BOX, "--time", "0.2", "--record-contacts") as f:
            rows, contact = len(f["time"]), f["contact"]
            self.assertEqual(rows, 101)
            carried = np.zeros((rows, 3))
            np.add.at(carried, contact["row"][:], contact["impulse"][:])
            self.assertEqual(np.count_nonzero(carried[0]), 0)  # the first row is the start: no step led to it
            np.testing.assert_allclose(carried[1:, 2], 3 * 9.81 * 0.002, rtol=1e-7)  # ten times the tolerance; seen: 1e-16
            np.testing.assert_allclose(carried[1:, :2], 0, atol=1e-8)
            self.assertEqual(np.unique(contact["geom"][:], axis=0).tolist(), [[0, 1]])
            self.assertEqual(np.unique(contact["body"][:], axis=0).tolist(), [[0, 1]])
            self.assertEqual(contact["geom"].dtype.kind, "i")
            self.assertFalse(contact["slides"][:].any())
            np.testing.assert_allclose(contact["normal"][:], [[0, 0, 1]] * len(contact["row"]), atol=1e-12)
            np.testing.assert_allclose(np.abs(contact["point"][:, :2]), 0.1, atol=1e-6)
            self.assertEqual(contact["impulse"].attrs["units"].tolist(), [b"N s"] * 3)
            self.assertEqual(np.bincount(contact["row"][:], minlength=rows)[1:].tolist(), f["contacts"][1:].tolist())

    def test_a_box_that_slides_is_on_its_cone_and_says_so(self):
        with self.record(SLIDE, "--time", "0.2", "--record-contacts") as f:
            contact = f["contact"]
            self.assertTrue((contact["slides"][:] == (contact["row"][:] > 1)).all())  # the first step starts at rest
            impulse, normal = contact["impulse"][:], contact["impulse"][:, 2]
            np.testing.assert_allclose(np.hypot(impulse[:, 0], impulse[:, 1]), 0.3 * normal, rtol=1e-5)
            self.assertTrue((impulse[:, 0] < 0).all())  # against the motion
            np.testing.assert_allclose(contact["friction"][:], 0.3)
            # The work of friction: mu m g cos 30 over the way, negative.
            way = f["qpos"][-1, 0] - f["qpos"][0, 0]
            self.assertAlmostEqual(f["contact_work"][:].sum() / (-0.3 * 3 * 9.81 * math.sqrt(3) / 2 * way), 1, delta=1e-3)

    def test_energy_is_accounted_for_by_the_columns(self):
        with self.record(SLIDE, "--time", "0.2") as f:
            total = f["kinetic"][:] + f["potential"][:]
            parts = sum(f[name][1:] for name in ("work", "contact_work", "projected", "energy_error"))
            np.testing.assert_allclose(np.diff(total), parts, atol=1e-12)
            self.assertEqual(f["contact_work"].attrs["units"].tolist(), [b"J"])
            self.assertNotIn("contact", f)

    def test_a_bounce_is_an_impact_at_its_own_step(self):
        ball = BOX.replace("0 0 0.1", "0 0 0.5").replace('type="box" size="0.1 0.1 0.1"', 'type="sphere" size="0.1"')
        with self.record(ball, "--time", "0.5", "--record-contacts", "--restitution", "0.8") as f:
            hit = np.flatnonzero(f["impacts"][:])
            self.assertEqual(len(hit), 1)
            self.assertAlmostEqual(f["time"][hit[0]], math.sqrt(2 * 0.4 / 9.81), delta=0.002)
            self.assertTrue((f["qvel"][hit[0] - 1, 2] < 0) and (f["qvel"][hit[0], 2] > 0))
            lost = 3 * 9.81 * 0.4 * (1 - 0.8**2)
            self.assertAlmostEqual(f["contact_work"][:].sum() / -lost, 1, delta=1e-3)

    def test_events_are_in_the_recording(self):
        ball = BOX.replace("0 0 0.1", "0 0 0.5").replace('type="box" size="0.1 0.1 0.1"', 'type="sphere" size="0.1"')
        with self.record(ball, "--time", "0.5", "--restitution", "0.8", "--scheme", "event-driven") as f:
            event, speed = f["event"], math.sqrt(2 * 0.4 * 9.81)
            self.assertEqual((event["kind"][:].tolist(), event["body"][:].tolist()), ([0], [[0, 1]]))
            self.assertAlmostEqual(event["time"][0], speed / 9.81, delta=1e-9)
            np.testing.assert_allclose(event["speed"][0], [-speed, 0.8 * speed], rtol=1e-9)
            self.assertAlmostEqual(event["impulse"][0, 0], 3 * 1.8 * speed, delta=1e-8)
            self.assertAlmostEqual(event["energy"][0], -1.5 * speed**2 * (1 - 0.8**2), delta=1e-8)
            self.assertEqual(event["speed"].attrs["units"].tolist(), [b"m/s"] * 2)
            self.assertFalse((self.path / "run.events.csv").exists())  # that is for a CSV

    def test_notes_say_how_it_was_run(self):
        with self.record(BOX, "--time", "0.01", "--law", "box") as f:
            self.assertEqual(f.attrs["law"], b"box" if isinstance(f.attrs["law"], bytes) else "box")
            self.assertEqual(f.attrs["dt"], 0.002)
            for name in ("thud_version", "thud_commit", "thud_numerics", "model_hash", "scene_text", "solver", "tolerance"):
                self.assertIn(name, f.attrs)

    def test_replay_tells_that_the_recording_is_of_a_program_with_other_bits(self):
        self.record(BOX, "--time", "0.02").close()
        with h5py.File(self.path / "run.h5", "r+") as f:
            number = int(f.attrs["thud_numerics"])
            f.attrs["thud_numerics"] = float(number + 7)
            f["qpos"][3] += 1e-9
        again = subprocess.run([THUD, "replay", str(self.path / "run.h5")], capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 3)
        self.assertIn(f"recorded with numerics {number + 7}, and this program has numerics {number}", again.stdout)

    def test_a_killed_run_leaves_whole_rows_with_all_their_contacts(self):
        part = self.path / "run.h5.part"
        with subprocess.Popen(self.command(BOX, "--time", "1e6", "--record-contacts"), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as running:
            for _ in range(200):
                time.sleep(0.1)
                if part.exists() and part.stat().st_size > 200000:
                    break
            running.send_signal(signal.SIGKILL)
        with h5py.File(part, "r", swmr=True) as f:
            rows = len(f["time"])
            self.assertGreater(rows, 500)
            of_rows = f["contact"]["row"][:]
            count = np.bincount(of_rows[of_rows < rows], minlength=rows)
            self.assertEqual(count[1:].tolist(), [4] * (rows - 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
