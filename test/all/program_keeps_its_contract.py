"""The program as its users see it: exit codes, one-line messages, JSON keys, files that appear whole.

usage: program_keeps_its_contract.py THUD SOURCE_DIR
"""
import base64
import csv
import json
import math
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

THUD, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SCENES = ROOT / "scenes"

RUN_KEYS = """scene law solver coordinates scheme dt steps sim_time wall_s us_per_step step_us contacts penetration_max
              cone_residual_max lcp_residual_max joint_drift_max energy unconverged_steps qpos qvel
              doubts integrator integrator_asked""".split()
FORWARD_KEYS = "nq nv qpos qvel xpos xquat M bias qfrc_passive qfrc_actuator qacc_free energy contacts".split()

PENDULUM = """<mujoco model="p"><compiler angle="radian"/><option timestep="0.01"/>
  <worldbody><body name="rod"><joint name="pin" type="hinge" axis="0 1 0"/>
    <geom type="sphere" pos="0 0 -1" size="0.01" mass="2"/></body></worldbody></mujoco>"""

# Two joints geared one to one whose ranges do not meet.
TORN = """<mujoco><compiler angle="radian"/><worldbody><body name="one"><joint name="one" axis="0 1 0" range="0.5 1" limited="true"/>
  <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/></body><body name="two" pos="1 0 0"><joint name="two" axis="0 1 0"
  range="-1 0.2" limited="true"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/></body></worldbody>
  <equality><joint joint1="one" joint2="two"/></equality></mujoco>"""

SPRING = """<mujoco><worldbody><body><joint type="slide" axis="1 0 0" stiffness="1e6"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""


def thud(*words, env=None):
    environment = {**os.environ, **(env or {})}
    return subprocess.run([THUD, *map(str, words)], capture_output=True, text=True, env=environment, timeout=120, check=False)


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def scene(self, text, name="scene.xml"):
        (self.path / name).write_text(text)
        return self.path / name

    def succeed(self, *words):
        ran = thud(*words)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), words)
        return ran.stdout

    def refuse(self, code, *words):
        """The command fails with this code and one line on stderr, which is returned; nothing on stdout."""
        ran = thud(*words)
        self.assertEqual(ran.returncode, code, (words, ran.stderr))
        self.assertEqual(ran.stdout, "", words)
        self.assertRegex(ran.stderr, r"\A[^\n]+\n\Z", words)
        return ran.stderr.rstrip("\n")

    # ------------------------------------------------------------------------------------ usage

    def test_help_and_version_are_on_stdout_with_code_0(self):
        self.assertIn("run", self.succeed("--help"))
        self.assertRegex(self.succeed("--version"), r"\Athud \d+\.\d+\.\d+ \(.+\)\nnumerics: \d+\nwith: .+\n\Z")
        for command in ("run", "info", "forward"):
            self.assertIn(f"usage: thud {command} SCENE", self.succeed(command, "--help"))
            self.assertEqual(self.succeed("help", command), self.succeed(command, "--help"))

    def test_no_command_prints_help_on_stderr_with_code_2(self):
        ran = thud()
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("commands", ran.stderr)

    def test_wrong_command_lines_are_code_2(self):
        scene = self.scene(PENDULUM)
        for words, says in [
            (["rum", scene], "did you mean 'run'?"),
            ([scene], f"did you mean 'thud run {scene}'?"),
            (["run"], "SCENE is missing"),
            (["run", scene, scene], "one operand too many"),
            (["run", scene, "--tmie", "1"], "did you mean --time?"),
            (["run", scene, "--time", "-1"], "before the start"),
            (["run", scene, "--time", "1e300"], "too many steps"),
            (["run", scene, "--dt", "0"], "above zero"),
            (["run", scene, "--every", "0"], "records nothing"),
            (["run", scene, "--integrator", "verlet"], "midpoint|euler|rk4"),
            (["run", scene, "--law", "Cones"], "did you mean cone?"),
            (["run", scene, "--law", "anitescu-potra", "--directions", "5"], "even and at least 4"),
            (["run", scene, "--contact"], "did you mean --contacts?"),
            (["run", scene, "--keyframe", "home"], "no keyframe 'home'"),
            (["run", scene, "--qpos", "1,2"], "--qpos holds 2 numbers; this scene has nq = 1"),
            (["run", scene, "--qvel", ""], "--qvel holds 0 numbers; this scene has nv = 1"),
            (["run", scene, "--ctrl", "1"], "--ctrl holds 1 numbers; this scene has nu = 0"),
            (["forward", scene, "--qvel=x"], "cannot be read"),
            (["run", scene, "--record", self.path / "run.xls"], "ends in .csv"),
            (["run", scene, "--report", self.path / "run.pdf"], "end in .html"),
            (["run", scene, "--picture", self.path / "run.png"], "end in .svg"),
            (["solve", "--random", "box", "--solver", "newtn"], "did you mean newton?"),
        ]:
            self.assertIn(says, self.refuse(2, *words))

    def test_any_number_of_threads_gives_the_same_run_and_an_impossible_one_is_refused(self):
        words = ["run", ROOT / "scenes/humanoid.xml", "--time", "0.5", "--json"]
        one, *others = [json.loads(self.succeed(*words, "--threads", n)) for n in ("1", "2", "0")]
        for other in others:
            self.assertEqual((other["qpos"], other["qvel"]), (one["qpos"], one["qvel"]))
            self.assertEqual(other["cone_residual_max"], one["cone_residual_max"])
        self.assertIn("1 to 64", self.refuse(2, *words, "--threads", "65"))
        self.refuse(2, *words, "--threads", "-1")

    def test_events_are_printed_and_written_beside_the_recording(self):
        words = ["run", ROOT / "scenes/bounce_half.xml", "--scheme", "event-driven", "--time", "1", "--dt", "0.05"]
        out = self.path / "fall.csv"
        done = json.loads(self.succeed(*words, "--events", "--json", "--record", out))
        self.assertEqual(done["scheme"], "event-driven")
        self.assertEqual([event["kind"] for event in done["events"]], ["impact", "impact"])
        self.assertAlmostEqual(done["events"][0]["time"], (2 / 9.81) ** 0.5, delta=1e-9)
        rows = (self.path / "fall.events.csv").read_text().splitlines()
        self.assertEqual(len(rows), 3)
        self.assertEqual(float(rows[1].split(",")[0]), done["events"][0]["time"])
        self.assertIn("impact", self.succeed(*words, "--events"))

    # ------------------------------------------------------------------------------------ bad input

    def test_bad_input_is_code_1_and_one_line_with_its_place(self):
        body = '<mujoco><worldbody><body>{}</body></worldbody></mujoco>'
        ball = '<joint/><geom size="0.1"/>'
        cases = {
            "truncated": PENDULUM[:150],
            "wrong nesting": "<mujoco><worldbody><body></worldbody></body></mujoco>",
            "not XML": "this is no scene\n" * 10,
            "empty": "",
            "unknown element": body.format("<wing/>"),
            "unknown attribute": body.format('<geom size="0.1" colour="red"/>'),
            "zero mass": body.format('<joint/><inertial pos="0 0 0" mass="0" diaginertia="1 1 1"/>'),
            "negative mass": body.format('<joint/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'),
            "inertia not positive": body.format('<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/>'),
            "duplicate name": body.format('<joint name="a"/><joint name="a" axis="1 0 0"/><geom size="0.1"/>'),
            "not a number": body.format('<joint/><geom size="nan"/>'),
            "too large a number": body.format('<joint/><geom size="1e999"/>'),
            "missing include": '<mujoco><include file="nowhere.xml"/></mujoco>',
            "include cycle": '<mujoco><include file="scene.xml"/></mujoco>',
        }
        for what, text in cases.items():
            scene = self.scene(text)
            for command in ("run", "info", "forward"):
                line = self.refuse(1, command, scene)
                self.assertRegex(line, r"\A[^:]+\.xml:\d+:\d+: \S.+", what)
                self.assertTrue(line.startswith(str(self.path)), (what, line))
        self.succeed("info", self.scene(body.format(ball)))  # the form of the cases is not what is refused

    def test_files_that_cannot_be_read_are_code_1(self):
        for path in (self.path / "absent.xml", self.path):
            self.assertRegex(self.refuse(1, "info", path), re.escape(str(path)) + r":(\d+:\d+:)? \S.+")  # a missing file has no line

    def test_inputs_without_an_end_are_refused_at_once_and_a_missing_file_has_no_line(self):
        pipe = self.path / "pipe"
        os.mkfifo(pipe)  # nobody writes into it
        scene = self.scene(PENDULUM)
        for command in (("run", pipe), ("info", pipe), ("replay", pipe), ("solve", pipe), ("run", scene, "--load-state", pipe),
                        ("info", "/dev/zero"), ("solve", "/dev/zero"), ("info", self.path)):
            start = time.monotonic()
            self.refuse(1, *command)
            self.assertLess(time.monotonic() - start, 10, command)
        self.assertRegex(self.refuse(1, "run", self.path / "nosuch.xml"), r"nosuch\.xml: cannot open: No such file")

    def test_a_scene_comes_from_standard_input(self):
        text = self.scene(PENDULUM).read_text()
        ran = subprocess.run([THUD, "run", "-", "--time", "0.1", "--json"], input=text, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["steps"] > 0, True)

    def test_outputs_that_are_one_file_or_the_input_are_refused_before_the_run(self):
        scene = self.scene(PENDULUM)
        both = self.path / "both.csv"
        self.assertRegex(self.refuse(1, "run", scene, "--record", both, "--save-state", both), r"two outputs cannot be one file")
        self.assertRegex(self.refuse(1, "run", scene, "--save-state", scene), r"it is read, so it cannot be written")
        self.assertFalse(both.exists())

    def test_a_time_of_no_whole_number_of_steps_is_said(self):
        ran = thud("run", self.scene(PENDULUM), "--time", "0.25", "--dt", "0.1", "--json")
        self.assertEqual(ran.returncode, 0)
        self.assertRegex(ran.stderr, r"no whole number of steps of 0\.1 s; the run ends at 0\.3 s")
        self.assertEqual(json.loads(ran.stdout)["steps"], 3)

    def test_ten_megabytes_of_garbage_are_refused_quickly(self):
        scene = self.path / "garbage.xml"
        scene.write_bytes(bytes(range(256)) * (10 * 4096))
        start = time.monotonic()
        self.assertRegex(self.refuse(1, "run", scene), r"garbage\.xml:\d+:\d+: ")
        self.assertLess(time.monotonic() - start, 10)

    def test_places_that_cannot_be_written_are_code_1_and_leave_nothing(self):
        scene = self.scene(PENDULUM)
        for option, ending in (("--record", "csv"), ("--report", "html"), ("--picture", "svg"), ("--snapshot", "png"), ("--video", "png")):
            target = self.path / "no" / f"such.{ending}"
            ran = thud("run", scene, "--time", "0.1", option, target)
            self.assertEqual((ran.returncode, ran.stdout), (1, ""))  # before anything is simulated
            self.assertRegex(ran.stderr, r"\A[^\n]*such\.[^\n:]*: it cannot be written: [^\n]+\n\Z")
            self.assertFalse(target.parent.exists())

    # ------------------------------------------------------------------------------------ JSON

    def test_run_json_has_every_key_and_the_final_state(self):
        said = json.loads(self.succeed("run", self.scene(PENDULUM), "--qpos=0.5", "--time=0.5", "--json"))
        for key in RUN_KEYS:
            self.assertIn(key, said)
        self.assertEqual(set(said["contacts"]), {"mean", "max"})
        times = said["step_us"]
        self.assertTrue(0 < times["median"] <= times["p99"] <= times["worst"], times)
        self.assertTrue(1 <= times["worst_step"] <= said["steps"], times)
        self.assertTrue({"start", "end"} <= set(said["energy"]))
        self.assertEqual((said["steps"], said["dt"], said["unconverged_steps"]), (50, 0.01, 0))
        self.assertAlmostEqual(said["sim_time"], 0.5, delta=1e-12)
        self.assertEqual((len(said["qpos"]), len(said["qvel"])), (1, 1))
        # Energy of a mass of 2 kg hanging 1 m below the pin at 0.5 rad, weight 9.81 m/s^2.
        self.assertAlmostEqual(said["energy"]["start"], -2 * 9.81 * math.cos(0.5), delta=1e-12)

    def test_a_wrong_doubt_is_listed_once_a_place_and_makes_code_3(self):
        scene, recording = self.scene(TORN), self.path / "run.csv"
        ran = thud("run", scene, "--time=0.1", "--json", "--record", recording)
        self.assertEqual(ran.returncode, 3)
        self.assertRegex(ran.stderr, r"\A[^\n]*scene\.xml:1:1: the run is graded wrong: drift: [^\n]+\n\Z")
        self.assertTrue(recording.exists())  # the run went to its end
        said = json.loads(ran.stdout)
        self.assertTrue(said["finished"])
        found = {(d["kind"], str(d["where"].get("joint"))): d for d in said["doubts"]}
        self.assertEqual(set(found), {("drift", "one"), ("limit", "one"), ("limit", "two")})
        self.assertEqual(len(found), len(said["doubts"]))
        one = found["limit", "one"]
        self.assertEqual(set(one), {"kind", "grade", "count", "first", "worst", "limit", "where"})
        self.assertEqual((one["grade"], one["count"], one["where"]), ("wrong", 50, {"body": ["one"], "joint": "one"}))
        self.assertAlmostEqual(one["first"]["time"], 0.002, delta=1e-12)
        self.assertAlmostEqual(one["worst"]["value"], 0.1, delta=1e-3)
        self.assertGreater(one["worst"]["value"], one["limit"])
        self.assertEqual(found["drift", "one"]["where"]["equality"], 0)

    def test_strict_ends_a_run_at_its_first_doubt_but_not_at_a_note(self):
        wrong = thud("run", self.scene(TORN), "--time=0.1", "--strict", "--json", "--record", self.path / "run.csv")
        self.assertEqual((wrong.returncode, json.loads(wrong.stdout)["steps"]), (3, 1))
        self.assertRegex(wrong.stderr, r"\A[^\n]*:1:1: at t = 0\.002 s drift: [^\n]+run\.csv\.part\n\Z")
        self.assertTrue((self.path / "run.csv.part").exists() and not (self.path / "run.csv").exists())
        spring = self.scene(SPRING, "spring.xml")
        words = ("run", spring, "--qpos=0.1", "--dt=0.01", "--time=0.5", "--json")
        said = json.loads(self.succeed(*words))
        self.assertEqual({d["grade"] for d in said["doubts"]}, {"coarse"})
        strict = thud(*words, "--strict")
        self.assertEqual(strict.returncode, 3)
        self.assertLess(json.loads(strict.stdout)["steps"], said["steps"])
        noted = json.loads(self.succeed("run", SCENES / "box.xml", "--time=0.1", "--integrator=rk4", "--strict", "--json"))
        self.assertEqual([d["kind"] for d in noted["doubts"]], ["integrator"])
        self.assertEqual((noted["integrator"], noted["integrator_asked"]), ("midpoint", "rk4"))

    def test_the_summary_and_the_page_tell_of_doubts(self):
        ran = thud("run", self.scene(TORN), "--time=0.1", "--report", self.path / "page.html")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("doubts           wrong   drift: a loop is open: body 'one', joint 'one'", ran.stdout)
        self.assertIn("drift: a loop is open", (self.path / "page.html").read_text())

    def test_forward_json_has_every_key_and_the_dynamics_of_a_pendulum(self):
        said = json.loads(self.succeed("forward", self.scene(PENDULUM), "--qpos", "0.5", "--qvel", "2", "--json"))
        for key in FORWARD_KEYS:
            self.assertIn(key, said)
        inertia = 2 * 1 + 0.4 * 2 * 0.01**2
        self.assertEqual((said["nq"], said["nv"], said["contacts"]), (1, 1, []))
        self.assertEqual((len(said["xpos"]), len(said["xquat"])), (6, 8))
        self.assertAlmostEqual(said["M"][0], inertia, delta=1e-12)
        self.assertAlmostEqual(said["bias"][0], 2 * 9.81 * math.sin(0.5), delta=1e-12)
        self.assertAlmostEqual(said["qacc_free"][0], -2 * 9.81 * math.sin(0.5) / inertia, delta=1e-11)
        self.assertAlmostEqual(said["energy"]["kinetic"], 0.5 * inertia * 4, delta=1e-12)

    def test_forward_lists_a_ball_that_is_half_in_the_floor(self):
        text = """<mujoco><worldbody><body pos="1 2 0.05"><freejoint/><geom size="0.1"/></body>
                  <geom type="plane" size="1 1 1"/></worldbody></mujoco>"""
        contacts = json.loads(self.succeed("forward", self.scene(text), "--json"))["contacts"]
        self.assertEqual(len(contacts), 1)
        contact = contacts[0]
        self.assertEqual((contact["geom1"], contact["geom2"], contact["normal"]), (0, 1, [0, 0, 1]))  # floor to ball
        self.assertAlmostEqual(contact["dist"], -0.05, delta=1e-15)
        for got, want in zip(contact["pos"], (1, 2, -0.025)):
            self.assertAlmostEqual(got, want, delta=1e-15)

    def test_info_lists_geoms_and_how_many_pairs_of_them_may_touch(self):
        scene = self.scene('''<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.7 0.01 0.001"/>
            <body pos="0 0 0.24"><freejoint/><geom name="ball" size="0.25" friction="0.4 0.02 0" condim="4"/></body>
            <body pos="3 0 0.24"><freejoint/><geom size="0.25" contype="0" conaffinity="0"/></body>
            </worldbody></mujoco>''')
        contact = json.loads(self.succeed("forward", scene, "--json"))["contacts"][0]
        self.assertEqual((contact["condim"], contact["friction"]), (4, [0.7, 0.7, 0.02, 0.001, 0.001]))
        said = json.loads(self.succeed("info", scene, "--json"))
        self.assertEqual([geom["type"] for geom in said["geom"]], ["plane", "sphere", "sphere"])
        self.assertEqual((said["filter"]["meet"], said["filter"]["masks"]), (1, 2))

    def test_info_json_tells_masses_and_what_is_ignored_with_its_place(self):
        text = PENDULUM.replace("<worldbody>", '<visual><map znear="0.1"/></visual><worldbody>', 1)
        said = json.loads(self.succeed("info", self.scene(text), "--json"))
        self.assertEqual((said["nq"], said["nv"], said["bodies"], said["joints"]), (1, 1, 2, 1))
        self.assertEqual((said["body"][1]["name"], said["joint"][0]["type"]), ("rod", "hinge"))
        self.assertAlmostEqual(said["total_mass"], 2, delta=1e-12)
        self.assertTrue(said["ignored"])
        for note in said["ignored"]:
            self.assertTrue(note["file"].endswith("scene.xml") and note["line"] > 0 and note["what"] and note["why"])

    def test_info_tells_which_meshes_were_repaired(self):
        scene = self.scene('''<mujoco><asset>
            <mesh name="leaf" vertex="0 0 0  1 0 0  0 1 0  1 1 0"/>
            <mesh name="cup" inertia="exact" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2"/>
            <mesh name="stone" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset><worldbody>
            <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="leaf"/></body>
            <body><freejoint/><geom type="mesh" mesh="cup"/></body>
            <body><freejoint/><geom type="mesh" mesh="stone"/></body></worldbody></mujoco>''')
        said = json.loads(self.succeed("info", scene, "--json"))["repaired"]
        self.assertEqual([("leaf" in r["what"], "cup" in r["what"], r["line"]) for r in said], [(True, False, 2), (False, True, 3)])
        self.assertIn("is flat: its hull was made", self.succeed("info", scene))
        self.assertIn("3 open edges", self.succeed("info", scene))

    def test_a_run_says_what_physics_it_leaves_out(self):
        text = PENDULUM.replace("<worldbody>", '<custom><text name="thud:colour" data="red"/></custom><worldbody>')
        for scene, want in ((self.scene(PENDULUM), []), (self.scene(text, "full.xml"), ["custom data thud:..."])):
            for command in ("run", "info"):
                self.assertEqual(json.loads(self.succeed(command, scene, "--json"))["not_simulated"], want)
        self.assertIn("custom data thud:...", self.succeed("run", self.path / "full.xml"))

    def test_controls_are_held_or_played_from_a_table_and_recorded(self):
        scene = self.scene("""<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide" axis="1 0 0"/>
            <geom size="0.1" mass="2"/></body></worldbody><actuator><motor name="a" joint="j"/><motor name="b" joint="j" gear="3"/>
            </actuator><keyframe><key ctrl="4 0"/></keyframe></mujoco>""", "cart.xml")

        def speed(*words):
            return json.loads(self.succeed("run", scene, "--time", "1", *words, "--json"))["qvel"][0]
        self.assertAlmostEqual(speed("--ctrl=1,1"), 2, 12)
        self.assertAlmostEqual(speed("--keyframe", "0"), 2, 12)
        table = self.path / "ctrl.csv"
        table.write_text("time,a,b\n0,1,0\n0.5,1,1\n")
        self.assertAlmostEqual(speed("--ctrl", table), 1.25, 12)
        table.write_text("time,b\n0.5,1\n")  # until then, and for a, the keyframe's
        self.assertAlmostEqual(speed("--ctrl", table, "--keyframe", "0"), 2.75, 12)
        table.write_text("time linear,a\n0,0\n1,4\n")  # each step holds what is at its start: 4 (499/2) h in all, on 2 kg
        self.assertAlmostEqual(speed("--ctrl", table), 0.998, 8)
        recorded = self.path / "cart.h5"
        self.succeed("run", scene, "--time", "1", "--ctrl", table, "--record", recorded)
        self.assertIn("the same bits", self.succeed("replay", recorded))
        for bad in ("time,c\n0,1\n", "0,1\n", "0,1,x\n", "0,1,2\n0,1,2\n", "", "0,1,nan\n"):
            table.write_text(bad)
            self.assertIn("ctrl.csv:", self.refuse(1, "run", scene, "--ctrl", table))
        self.refuse(2, "run", scene, "--ctrl=1")
        self.assertIn("actuators", self.refuse(2, "run", scene, "--ctrl=1,1", "--coordinates", "maximal"))
        self.assertIn("actuators", self.refuse(2, "run", scene, "--keyframe", "0", "--coordinates", "maximal"))
        self.succeed("run", scene, "--coordinates", "maximal", "--time", "0.1")
        self.refuse(2, "forward", scene, "--ctrl", table)

    def test_sensors_are_printed_listed_and_recorded_by_name(self):
        scene = self.scene("""<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/>
            <geom size="0.1" mass="2"/><site name="s" size="0.2"/></body></worldbody><sensor><touch name="foot" site="s"/>
            <accelerometer name="imu" site="s"/><gyro site="s"/><touch name="time" site="s"/></sensor></mujoco>""", "sensed.xml")
        self.assertIn("accelerometer", self.succeed("info", scene))
        self.assertEqual([x["type"] for x in json.loads(self.succeed("info", scene, "--json"))["sensor"]],
                         ["touch", "accelerometer", "gyro", "touch"])
        want = [2 * 9.81, 0, 0, 9.81, 0, 0, 0, 2 * 9.81]
        for got, right in zip(json.loads(self.succeed("forward", scene, "--json"))["sensordata"], want, strict=True):
            self.assertAlmostEqual(got, right, 9)
        table = self.path / "sensed.csv"
        self.succeed("run", scene, "--time", "0.1", "--record", table)
        with table.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        names = ["foot", "imu[0]", "imu[1]", "imu[2]", "gyro_2[0]", "gyro_2[1]", "gyro_2[2]", "sensor_time"]
        for row in (rows[0], rows[-1]):
            for name, right in zip(names, want, strict=True):
                self.assertAlmostEqual(float(row[name]), right, 8)
        recorded = self.path / "sensed.h5"
        self.succeed("run", scene, "--time", "0.1", "--record", recorded)
        self.assertIn("the same bits", self.succeed("replay", recorded))

    def test_laws_and_solvers_that_do_not_fit_are_refused_with_a_sentence(self):
        scene = SCENES / "box.xml"
        for words in (["--law", "cone", "--solver", "lemke"], ["--law", "anitescu-potra", "--solver", "nsgs"],
                      ["--law", "coulomb"], ["--restitution", "1.5"], ["--coordinates", "polar"]):
            self.assertGreater(len(self.refuse(2, "run", scene, *words)), 40)

    def test_a_saved_state_goes_on_bit_for_bit_in_the_middle_of_a_collision(self):
        scene, state = SCENES / "balls.xml", self.path / "state.thud"
        start = ["run", scene, "--keyframe", "start"]
        whole = json.loads(self.succeed(*start, "--time", "0.6", "--json"))
        self.succeed(*start, "--time", "0.25", "--save-state", state)
        rest = json.loads(self.succeed("run", scene, "--time", "0.35", "--load-state", state, "--json"))
        self.assertEqual((whole["qpos"], whole["qvel"]), (rest["qpos"], rest["qvel"]))

    def test_a_state_saved_in_maximal_coordinates_goes_on_bit_for_bit_and_loads_in_minimal_ones(self):
        scene, state = SCENES / "pendulum3_low.xml", self.path / "state.thud"
        maximal = ["run", scene, "--coordinates", "maximal", "--json"]
        whole = json.loads(self.succeed(*maximal, "--time", "1.0"))
        half = json.loads(self.succeed(*maximal, "--time", "0.5", "--save-state", state))
        rest = json.loads(self.succeed(*maximal, "--time", "0.5", "--load-state", state))
        self.assertGreater(whole["contacts"]["max"], 0)
        self.assertEqual((whole["qpos"], whole["qvel"]), (rest["qpos"], rest["qvel"]))
        there = json.loads(self.succeed("run", scene, "--time", "0", "--load-state", state, "--json"))
        self.assertEqual((half["qpos"], half["qvel"]), (there["qpos"], there["qvel"]))
        self.assertEqual(there["coordinates"], "minimal")
        self.succeed("run", scene, "--time", "0", "--load-state", state, "--save-state", state)
        back = json.loads(self.succeed(*maximal, "--time", "0", "--load-state", state))
        for a, b in zip(half["qpos"] + half["qvel"], back["qpos"] + back["qvel"]):
            self.assertAlmostEqual(a, b, delta=1e-12)

    def test_every_scene_is_read_and_runs(self):
        for scene in sorted(SCENES.glob("*.xml")):
            said = json.loads(self.succeed("run", scene, "--time", "0.05", "--json"))
            self.assertTrue(said["finished"], scene)
            self.assertTrue(all(math.isfinite(x) for x in said["qpos"] + said["qvel"]), scene)
            self.assertIn(scene.name, self.succeed("info", scene))
            self.assertIn("energy", self.succeed("forward", scene))

    def test_keyframes_go_by_name_and_by_index(self):
        scene = SCENES / "double_pendulum.xml"
        named = json.loads(self.succeed("forward", scene, "--keyframe", "high", "--json"))
        first = json.loads(self.succeed("forward", scene, "--keyframe=0", "--json"))
        self.assertEqual(named, first)
        self.assertEqual(named["qpos"], [2.1, 0.6])

    # ------------------------------------------------------------------------------------ certificates

    def test_a_motion_that_explodes_is_code_3_and_leaves_the_part_of_its_recording(self):
        target = self.path / "run.csv"
        ran = thud("run", SCENES / "chain30.xml", "--keyframe", "start", "--integrator", "euler", "--dt", "0.2", "--time",
                   "400", "--record", target, "--json")
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertRegex(ran.stderr, r"\A[^\n]*chain30\.xml:1:1: at t = [^\n]*run\.csv\.part\n\Z")
        self.assertFalse(json.loads(ran.stdout)["finished"])
        self.assertFalse(target.exists())
        self.assertTrue((self.path / "run.csv.part").exists())

    # ------------------------------------------------------------------------------------ files

    def rows(self, path):
        with open(path, newline="", encoding="ascii") as file:
            return list(csv.reader(file))

    def test_a_recording_has_named_columns_and_the_same_bits_as_the_json(self):
        target = self.path / "run.csv"
        said = json.loads(self.succeed("run", self.scene(PENDULUM), "--qpos=1", "--time=0.4", "--record", target, "--every",
                                       "5", "--json"))
        rows = self.rows(target)
        self.assertEqual(rows[0][:3], ["time", "qpos[0]", "qvel[0]"])
        self.assertTrue({"joint_drift", "kinetic", "potential", "contacts"} <= set(rows[0][3:]))
        self.assertEqual(len(rows), 1 + 1 + 8)
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        self.assertEqual([float(x) for x in rows[1][:3]], [0, 1, 0])
        self.assertEqual([float(x) for x in rows[-1][1:3]], said["qpos"] + said["qvel"])
        self.assertEqual(sorted(os.listdir(self.path)), ["run.csv", "scene.xml"])

    def test_runs_are_the_same_bits_every_time(self):
        for name in ("a.csv", "b.csv"):
            self.succeed("run", SCENES / "gymnast.xml", "--keyframe", "0", "--time", "0.2", "--record", self.path / name)
        self.assertEqual((self.path / "a.csv").read_bytes(), (self.path / "b.csv").read_bytes())

    def start_long_run(self, target, *words):
        started = subprocess.Popen([THUD, "run", SCENES / "double_pendulum.xml", "--time", "100000", "--record", target, *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(started.stderr.close)
        part = pathlib.Path(f"{target}.part")
        deadline = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size > 100_000):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return started

    def check_part(self, target):
        rows = self.rows(f"{target}.part")
        self.assertGreater(len(rows), 100)
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        self.assertTrue(all(math.isfinite(float(x)) for x in rows[-1]))

    def test_a_killed_run_leaves_the_old_file_and_a_readable_part(self):
        target = self.path / "run.csv"
        target.write_text("old\n")
        started = self.start_long_run(target)
        started.kill()
        started.wait()
        self.assertEqual(target.read_text(), "old\n")
        self.check_part(target)

    def check_stopped(self, target, said, word):
        self.assertRegex(said, rf"\A[^\n]*:1:1: at t = [0-9.e+]+ s the run was stopped {word}\n\Z")
        self.assertFalse(pathlib.Path(f"{target}.part").exists())
        rows = self.rows(target)
        self.assertGreater(len(rows), 100)
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))

    def test_a_run_that_is_stopped_keeps_what_was_simulated(self):
        for number, word in ((signal.SIGINT, "by SIGINT"), (signal.SIGTERM, "by SIGTERM"), (signal.SIGHUP, "by SIGHUP")):
            target = self.path / f"run{int(number)}.csv"
            started = self.start_long_run(target, "--save-state", self.path / "last", "--picture", self.path / "run.svg")
            started.send_signal(number)
            self.assertEqual(started.wait(60), 128 + number)
            self.check_stopped(target, started.stderr.read(), word)
            self.assertTrue((self.path / "run.svg").read_text().startswith("<"))
            saved = json.loads(self.succeed("run", SCENES / "double_pendulum.xml", "--load-state", self.path / "last", "--time", "0", "--json"))
            self.assertEqual(saved["qpos"], [float(x) for x in self.rows(target)[-1][1:3]])

    def test_a_second_signal_drops_the_run(self):
        target = self.path / "run.csv"
        started = self.start_long_run(target)
        started.send_signal(signal.SIGSTOP)  # both arrive before either is looked at
        started.send_signal(signal.SIGTERM)
        started.send_signal(signal.SIGINT)
        started.send_signal(signal.SIGCONT)
        self.assertIn(started.wait(60), (-signal.SIGTERM, -signal.SIGINT))
        self.assertFalse(target.exists())
        self.check_part(target)

    def test_patience_ends_a_run_that_takes_too_long(self):
        target = self.path / "run.csv"
        began = time.monotonic()
        ran = thud("run", SCENES / "double_pendulum.xml", "--time", "100000", "--record", target, "--patience", "1.5")
        self.assertEqual(ran.returncode, 124)
        self.assertGreater(time.monotonic() - began, 1.4)
        self.check_stopped(target, ran.stderr, "because --patience ran out")

    def test_a_hopeless_step_ends_with_its_budget_and_says_so(self):
        hopeless = ["run", SCENES / "wall.xml", "--time", "0.01", "--tolerance", "1e-19", "--json"]
        ended = thud(*hopeless, "--budget", "1e7")
        self.assertEqual(ended.returncode, 3)
        self.assertIn("budget (10000000)", ended.stderr)
        taken = json.loads(self.succeed(*hopeless, "--budget", "3e8", "--accept-tolerance", "1e-6"))
        self.assertGreater(taken["accepted"], 0)
        self.assertGreater(taken["spent_max"], 0)
        self.assertEqual([d["grade"] for d in taken["doubts"] if d["kind"] == "accepted"], ["coarse"])
        self.assertNotIn("wrong", [d["grade"] for d in taken["doubts"]])

    def test_a_recorded_run_can_be_run_again_to_the_same_bits_in_every_law_and_coordinates(self):
        target = self.path / "run.h5"
        for words in ([], ["--law", "box", "--every", "3"], ["--law", "anitescu-potra", "--directions", "6", "--dt", "0.002"],
                      ["--coordinates", "maximal"], ["--restitution", "0.5"], ["--scheme", "event-driven"]):
            self.succeed("run", SCENES / ("bounce.xml" if "event-driven" in words else "stack10.xml"), "--time", "0.1", "--record", target, *words)
            said = json.loads(self.succeed("replay", target, "--json"))
            self.assertGreater(said["rows"], 5, words)
            self.assertEqual(said["rows_that_differ"], 0, words)

    def test_a_recorded_run_with_controls_can_be_run_again(self):
        driven = PENDULUM.replace("</worldbody>", '</worldbody><actuator><motor joint="pin"/></actuator>')
        self.succeed("run", self.scene(driven), "--ctrl=3", "--time", "0.2", "--record", self.path / "run.h5")
        said = json.loads(self.succeed("replay", self.path / "run.h5", "--json"))
        self.assertEqual((said["rows"], said["rows_that_differ"]), (21, 0))

    def test_a_run_with_settings_is_that_of_a_file_with_these_numbers_and_its_recording_knows_them(self):
        scene, target = self.scene(PENDULUM), self.path / "run.h5"
        other = self.scene(PENDULUM.replace('mass="2"', 'mass="3"').replace('axis="0 1 0"', 'axis="0 1 0" damping="0.2"')
                           .replace('timestep="0.01"', 'timestep="0.005"'), "other.xml")
        words = ["--time", "0.5", "--qpos=1", "--json"]
        settings = ["--set", "geom/*.mass=3", "--set=joint/pin.damping=0.2", "--set", "option.timestep=0.005"]
        want = json.loads(self.succeed("run", other, *words))
        said = json.loads(self.succeed("run", scene, *words, *settings, "--record", target))
        self.assertEqual((said["qpos"], said["qvel"], said["dt"]), (want["qpos"], want["qvel"], 0.005))
        replayed = json.loads(self.succeed("replay", target, "--json"))
        self.assertEqual((replayed["rows"], replayed["rows_that_differ"]), (101, 0))
        forward = [json.loads(self.succeed("forward", file, "--qpos=1", *more, "--json")) for file, more in ((other, []), (scene, settings))]
        self.assertEqual(forward[0]["qacc_free"], forward[1]["qacc_free"])

    def test_a_setting_that_names_nothing_is_code_1_and_says_what_was_meant(self):
        scene = self.scene(PENDULUM)
        for setting, says in {"joint/pon.damping=1": "no joint is called 'pon'; did you mean 'pin'?",
                              "jiont/pin.damping=1": "did you mean 'joint'?", "joint/pin.dampng=1": "did you mean 'damping'?",
                              "joint/pin.damping": "it is TYPE/NAME.ATTRIBUTE=VALUE", "joint/pin.damping=": "numbers between commas",
                              "joint/pin.damping=soft": "numbers between commas", "joint/pin.damping=1,2": "takes 1 number; 2 given",
                              "joint/pin.damping=-1": "must not be negative", "damping=1": "is no setting"}.items():
            self.assertIn(says, self.refuse(1, "run", scene, "--set", setting))
        self.assertIn("needs a value", self.refuse(2, "run", scene, "--set"))

    def test_a_state_goes_on_in_a_variant_and_not_in_a_model_with_other_joints(self):
        state = self.path / "state.thud"
        self.succeed("run", SCENES / "slope20.xml", "--time", "0.2", "--save-state", state)
        self.succeed("run", SCENES / "slope20.xml", "--time", "0.2", "--load-state", state, "--set", "geom/*.friction=0.01")
        self.assertRegex(self.refuse(1, "run", SCENES / "double_pendulum.xml", "--load-state", state), "it has 1 joints, and this model 2")

    def glb(self, path):
        """The description and the numbers of a binary glTF file, checked chunk by chunk."""
        data = path.read_bytes()
        magic, version, size = struct.unpack("<4sII", data[:12])
        self.assertEqual((magic, version, size), (b"glTF", 2, len(data)))
        length, kind = struct.unpack("<I4s", data[12:20])
        self.assertEqual((kind, length % 4), (b"JSON", 0))
        said, rest = json.loads(data[20:20 + length]), data[20 + length:]
        length, kind = struct.unpack("<I4s", rest[:8])
        self.assertEqual((kind, length, said["buffers"][0]["byteLength"]), (b"BIN\0", len(rest) - 8, length))
        return said, rest[8:]

    def accessor(self, said, numbers, i):
        a = said["accessors"][i]
        view, width = said["bufferViews"][a["bufferView"]], {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        self.assertEqual(view["byteLength"], 4 * width * a["count"])
        x = struct.unpack_from(f"<{width * a['count']}f", numbers, view["byteOffset"])
        rows = [x[k:k + width] for k in range(0, len(x), width)]
        if "min" in a:
            self.assertEqual(([min(c) for c in zip(*rows)], [max(c) for c in zip(*rows)]), (a["min"], a["max"]))
        return rows

    def test_a_recorded_run_becomes_gltf_whose_animation_is_what_was_recorded(self):
        run, glb = self.path / "run.h5", self.path / "run.glb"
        said = json.loads(self.succeed("run", SCENES / "dominoes.xml", "--keyframe", "start", "--time", "0.4", "--record", run, "--json"))
        self.succeed("convert", run, glb)
        what, numbers = self.glb(glb)
        animation, moved = what["animations"][0], 0
        for channel in animation["channels"]:
            sampler, node = animation["samplers"][channel["sampler"]], channel["target"]["node"]
            time, path = self.accessor(what, numbers, sampler["input"]), self.accessor(what, numbers, sampler["output"])
            self.assertEqual(len(time), len(path))
            self.assertAlmostEqual(time[-1][0], 0.4, places=5)
            self.assertTrue(all(a < b for a, b in zip(time, time[1:])))
            qpos = said["qpos"][7 * (node - 1):7 * node]
            if channel["target"]["path"] == "translation":
                for got, want in zip(path[-1], qpos[:3]):
                    self.assertAlmostEqual(got, want, places=5)
                moved += 1
            else:
                x, y, z, w = path[-1]
                self.assertAlmostEqual(abs(w * qpos[3] + x * qpos[4] + y * qpos[5] + z * qpos[6]), 1, places=5)
                self.assertTrue(all(sum(a * b for a, b in zip(p, q)) > 0 for p, q in zip(path, path[1:])))
        self.assertEqual(moved, len(said["qpos"]) // 7)
        for mesh in what["meshes"]:
            place = mesh["primitives"][0]["attributes"]
            p, n = self.accessor(what, numbers, place["POSITION"]), self.accessor(what, numbers, place["NORMAL"])
            for k in range(0, len(p), 3):  # counter-clockwise from outside
                a, b = [[u - v for u, v in zip(p[k + i], p[k])] for i in (1, 2)]
                cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
                self.assertGreaterEqual(sum(c * (n[k][i] + n[k + 1][i] + n[k + 2][i]) for i, c in enumerate(cross)), 0)
        self.assertIn("name the output .glb", self.refuse(2, "convert", run, self.path / "run.xml"))
        self.assertIn("cannot open", self.refuse(1, "convert", run, glb, "--scene", self.path / "gone.xml"))

    def test_reports_and_pictures_of_a_recording_need_no_simulation_and_its_scene(self):
        scene, run, page = self.scene(PENDULUM), self.path / "run.h5", self.path / "page.html"
        self.succeed("run", scene, "--time", "0.2", "--qpos=1", "--save-state", self.path / "s", "--record", run)
        self.succeed("run", scene, "--time", "0.2", "--load-state", self.path / "s", "--record", run)
        self.assertIn("saved state", self.refuse(1, "replay", run))  # its impulses are in no row: it cannot be simulated again,
        ran = thud("report", run, "--out", page)                     # and is shown all the same
        if ran.returncode == 0:
            self.assertIn("21 rows", page.read_text())
        else:
            self.assertIn("without the viewer", ran.stderr)
        self.refuse(1, "replay", run, "--snapshot", self.path / "s.png", "--size", "64x48")
        self.assertTrue((self.path / "s.png").exists())

    def test_a_killed_hdf5_recording_can_be_run_again(self):
        started = self.start_long_run(self.path / "run.h5")
        started.kill()
        started.wait()
        self.assertIn("same bits", self.succeed("replay", self.path / "run.h5.part"))

    def test_a_recording_of_a_scene_that_changed_is_refused(self):
        scene, target = self.scene(PENDULUM), self.path / "run.h5"
        self.succeed("run", scene, "--time", "0.1", "--record", target)
        scene.write_text(PENDULUM.replace('mass="2"', 'mass="3"'))
        self.assertIn("not the same any more", self.refuse(1, "replay", target))
        self.assertIn("not a recording", self.refuse(1, "replay", scene))

    def test_a_recording_can_go_to_a_pipe(self):
        said = self.succeed("run", self.scene(PENDULUM), "--time", "0.1", "--record", "/dev/stdout")
        self.assertIn("time,qpos[0],qvel[0],", said)

    def test_view_opens_the_report_of_a_run(self):
        shim = self.path / "xdg-open"
        shim.write_text(f'#!/bin/sh\ncp "$1" "{self.path}/seen.html"\n')
        shim.chmod(0o755)
        env = {"PATH": f"{self.path}:{os.environ['PATH']}", "TMPDIR": str(self.path)}
        ran = thud("view", self.scene(PENDULUM), "--time", "0.1", env=env)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertTrue((self.path / "seen.html").read_text(encoding="utf-8").startswith("<!doctype html>"))

    def check_replay(self, text, scene):
        found = re.fullmatch(r'(?s)(.*)<script type="application/json" data-run>(.*)</script>\n'
                             r'<script type="text/plain">([\w+/=]*)</script>\n<script>.*</script></body></html>\n', text)
        self.assertNotRegex(found[1], r"<link|src=")
        run, size = json.loads(found[2]), len(base64.b64decode(found[3], validate=True)) // 4
        numbers = struct.unpack(f"<{size}f", base64.b64decode(found[3]))
        self.assertTrue(all(map(math.isfinite, numbers)))
        self.assertEqual(run["model"], scene)
        frames, moving = run["frames"], len(run["moving"])
        self.assertAlmostEqual(numbers[frames - 1], 0.5, delta=1e-6)
        at = frames * (1 + 7 * moving)
        contacts = int(numbers[at + frames])
        at += frames + 1 + 11 * contacts + frames * len(run["columns"])
        self.assertEqual(size, at + sum(3 * (mesh["vertices"] + mesh["triangles"]) for mesh in run["meshes"]))
        for i in range(frames * moving):
            quaternion = numbers[frames + 7 * i + 3:frames + 7 * i + 7]
            self.assertAlmostEqual(sum(q * q for q in quaternion), 1, delta=1e-6)

    def test_a_report_is_one_whole_page_with_nothing_from_elsewhere(self):
        page, picture = self.path / "report.html", self.path / "picture.svg"
        for scene in ("gymnast", "spinner", "chain30"):
            self.succeed("run", SCENES / f"{scene}.xml", "--keyframe", "0", "--time", "0.5", "--report", page, "--picture", picture)
            text = page.read_text(encoding="utf-8")
            self.assertTrue(text.startswith("<!doctype html>") and text.endswith("</html>\n"))
            if "<script" in text:
                self.check_replay(text, scene)
            else:  # a program built without npm
                self.assertEqual(text.count("<svg"), 3)
                self.assertNotRegex(text, r"<link|src=|nan|inf\b")
            self.assertRegex(picture.read_text(encoding="utf-8"), r"(?s)\A<svg .*</svg>\n\Z")

    def test_no_escape_codes_where_no_terminal_is(self):
        for env in ({}, {"NO_COLOR": "1"}):
            self.assertNotIn("\033", thud("run", "--help", env=env).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
