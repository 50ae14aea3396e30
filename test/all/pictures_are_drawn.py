"""--snapshot and --video: what is in the pictures, decoded here byte by byte, and what is said where they cannot be made.

usage: pictures_are_drawn.py THUD SOURCE_DIR
"""
import os
import pathlib
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

THUD, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()

BALLS = """<mujoco><option gravity="0 0 0"/><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="-1 0 0.5"><freejoint/><geom type="sphere" size="0.5" rgba="0.9 0.1 0.1 1"/></body>
  <body pos="1 0 0.5"><freejoint/><geom type="sphere" size="0.5" rgba="0.1 0.1 0.9 1"/></body></worldbody></mujoco>"""
FALL = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" rgba="0.9 0.1 0.1 1"/></body><body pos="1 0 1"><freejoint/>
  <geom type="box" size="0.1 0.1 0.1" rgba="0.1 0.1 0.9 1"/></body></worldbody></mujoco>"""


def unfilter(raw, wide, high, channels):
    """The bytes of an image from its filtered rows (PNG, section 9)."""
    out, step, size = bytearray(), channels, wide * channels
    above = bytes(size)
    for y in range(high):
        kind, row = raw[y * (size + 1)], bytearray(raw[y * (size + 1) + 1:(y + 1) * (size + 1)])
        for i in range(size):
            a, b = row[i - step] if i >= step else 0, above[i]
            c = above[i - step] if i >= step else 0
            p = a + b - c
            nearest = min(((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c)))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        out += row
        above = row
    return out


class Png:
    """A PNG and, if it plays, all its pictures: rows of RGB bytes."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, self.chunks = 8, []
        while at < len(data):
            (size,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
            body = data[at + 8:at + 8 + size]
            assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind
            self.chunks.append((kind, body))
            at += 12 + size
        self.wide, self.high, depth, colour = struct.unpack(">IIBB", dict(self.chunks)[b"IHDR"][:10])
        assert depth == 8
        self.channels = {2: 3, 6: 4}[colour]
        self.pictures = list(self.decode())

    def decode(self):
        canvas, place = bytearray(3 * self.wide * self.high), (self.wide, self.high, 0, 0)
        numbers = []
        for kind, body in self.chunks:
            if kind == b"fcTL":
                numbers.append(struct.unpack(">I", body[:4])[0])
                place = struct.unpack(">IIII", body[4:20])
            if kind == b"fdAT":
                numbers.append(struct.unpack(">I", body[:4])[0])
            if kind in (b"IDAT", b"fdAT"):
                wide, high, x, y = place
                pixels = unfilter(zlib.decompress(body[4 if kind == b"fdAT" else 0:]), wide, high, self.channels)
                for i in range(wide * high):
                    p = pixels[i * self.channels:(i + 1) * self.channels]
                    if self.channels == 3 or p[3]:
                        to = 3 * ((y + i // wide) * self.wide + x + i % wide)
                        canvas[to:to + 3] = p[:3]
                yield bytes(canvas)
        assert numbers == list(range(len(numbers)))

    def middle_of(self, channel, picture=-1, ratio=1.8):
        """Where the pixels are, on average, whose colour is mostly this channel's; and how many there are."""
        rgb, found = self.pictures[picture], []
        for i in range(self.wide * self.high):
            p = rgb[3 * i:3 * i + 3]
            if p[channel] > 60 and all(p[channel] > ratio * p[k] for k in range(3) if k != channel):
                found.append((i % self.wide, i // self.wide))
        count = len(found)
        return (sum(x for x, _ in found) / count, sum(y for _, y in found) / count, count) if count else (0, 0, 0)


class Pictures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def thud(self, scene, *words, path=None):
        (self.path / "scene.xml").write_text(scene)
        environment = {**os.environ, **({"PATH": str(path)} if path else {})}
        return subprocess.run([THUD, "run", str(self.path / "scene.xml"), *map(str, words)], capture_output=True, text=True,
                              env=environment, timeout=120, check=False)

    def draw(self, scene, *words, name="out.png", option="--snapshot"):
        ran = self.thud(scene, option, self.path / name, "--size", "160x90", *words)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""), words)
        return Png(self.path / name)

    def test_things_are_where_they_are_seen_from_each_side(self):
        front = self.draw(BALLS, "--time", "0", "--camera", "-90,20")
        red, blue = front.middle_of(0), front.middle_of(2)
        self.assertGreater(min(red[2], blue[2]), 300)
        self.assertLess(red[0], 60)
        self.assertGreater(blue[0], 100)
        self.assertAlmostEqual(red[1], blue[1], delta=2)
        self.assertAlmostEqual((red[0] + blue[0]) / 2, 80, delta=2)
        back = self.draw(BALLS, "--time", "0", "--camera", "90,20")
        self.assertGreater(back.middle_of(0)[0], back.middle_of(2)[0])
        side = self.draw(BALLS, "--time", "0", "--camera", "0,0")  # the blue one hides the red
        self.assertEqual(side.middle_of(0)[2], 0)
        self.assertGreater(self.draw(BALLS, "--time", "0", "--camera", "-90,20,2").middle_of(0)[2], 2.5 * red[2] / 2)

    def test_a_picture_is_the_same_bytes_every_time(self):
        self.draw(FALL, "--time", "0.1", "--forces", name="a.png")
        self.draw(FALL, "--time", "0.1", "--forces", name="b.png")
        self.assertEqual((self.path / "a.png").read_bytes(), (self.path / "b.png").read_bytes())

    def test_snapshot_time_says_which_moment(self):
        words = ("--time", "0.4", "--camera", "-90,10")
        start, end = self.draw(FALL, *words, "--snapshot-time", "0"), self.draw(FALL, *words)
        height = [picture.middle_of(0)[1] - picture.middle_of(2)[1] for picture in (start, end)]
        self.assertGreater(height[0], 30)
        self.assertLess(abs(height[1]), height[0] / 2)  # 0.8 of 0.9 m fallen, seen nearer

    def test_forces_are_arrows_on_what_touches(self):
        bare, drawn = (self.draw(FALL, "--time", "0.05", *words) for words in ((), ("--forces", "--size", "480x270")))
        self.assertEqual(bare.middle_of(1, ratio=1.2)[2], 0)
        self.assertGreater(drawn.middle_of(1, ratio=1.2)[2], 10)  # green: the box that stands, sticks

    def test_a_film_has_a_picture_a_frame_and_ends_where_the_run_does(self):
        film = self.draw(FALL, "--time", "0.4", "--fps", "20", "--speed", "0.5", "--camera", "-90,10", option="--video")
        self.assertEqual(len(film.pictures), 17)
        self.assertEqual(struct.unpack(">II", dict(film.chunks)[b"acTL"]), (17, 0))
        heights = [film.middle_of(2, i)[1] for i in range(17)]
        self.assertEqual(heights, sorted(heights))
        self.assertGreater(heights[-1] - heights[0], 30)
        self.assertAlmostEqual(film.middle_of(0, 0)[1], film.middle_of(0, -1)[1], delta=1)

    def test_a_film_of_one_moment_is_its_snapshot(self):
        still = self.draw(BALLS, "--time", "0")
        film = self.draw(BALLS, "--time", "0", option="--video", name="film.png")
        self.assertEqual(film.pictures, still.pictures)

    def test_a_recorded_run_can_be_filmed_afterwards(self):
        recording, words = self.path / "run.h5", ("--size", "160x90", "--snapshot-time", "0.2")
        still = self.draw(FALL, "--time", "0.4", "--record", recording, *words)
        ran = subprocess.run([THUD, "replay", str(recording), "--snapshot", str(self.path / "again.png"), *words],
                             capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(Png(self.path / "again.png").pictures, still.pictures)

    def ffmpeg(self, script):
        """A folder with a program called ffmpeg, and nothing else but cat."""
        folder = self.path / "bin"
        folder.mkdir()
        (folder / "ffmpeg").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "ffmpeg").chmod(stat.S_IRWXU)
        (folder / "cat").symlink_to("/bin/cat")
        return folder

    def film(self, path, *words):
        return self.thud(FALL, "--video", self.path / "film.mp4", "--size", "64x36", *words, path=path)

    def test_an_mp4_is_refused_before_the_run_where_there_is_no_ffmpeg(self):
        empty = self.path / "empty"
        empty.mkdir()
        start = time.monotonic()
        ran = self.film(empty, "--time", "1e6")
        self.assertLess(time.monotonic() - start, 20)
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertRegex(ran.stderr, r"\A[^\n]*ffmpeg[^\n]*not installed[^\n]*\n\Z")
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["empty", "scene.xml"])

    def test_ffmpeg_gets_every_picture_and_its_file_appears_whole(self):
        bin_folder = self.ffmpeg('for last; do :; done; cat >"$last"')
        ran = self.film(bin_folder, "--time", "0.1", "--fps", "20")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual((self.path / "film.mp4").stat().st_size, 3 * 3 * 64 * 36)

    def test_an_ffmpeg_that_fails_leaves_nothing(self):
        ran = self.film(self.ffmpeg("exit 1"), "--time", "0.1")
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"\A[^\n]*ffmpeg could not make it\n\Z")
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["bin", "scene.xml"])

    def test_wishes_that_make_no_sense_are_code_2(self):
        for words in (("--snapshot", "a.jpg"), ("--video", "a.avi"), ("--snapshot", "a.png", "--size", "640"),
                      ("--snapshot", "a.png", "--size", "1x1"), ("--video", "a.png", "--fps", "0"),
                      ("--snapshot", "a.png", "--camera", "10"), ("--snapshot", "a.png", "--camera", "10,100")):
            ran = self.thud(BALLS, *words)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)
            self.assertRegex(ran.stderr, r"\A[^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
