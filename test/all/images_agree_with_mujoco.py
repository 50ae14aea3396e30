# SPDX-License-Identifier: Apache-2.0
"""Height fields from PNG images of every colour type, depth, filter and interlacing are those of MuJoCo's newest wheel: what
rangefinders above them read agrees to 1e-6 (MuJoCo keeps elevations in 32 bits). Damaged images are refused with one line.

usage: images_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

import mujoco
import numpy as np

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def part(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def filtered(draw, rows, pixel):
    above, out = None, b""
    for row in rows:
        kind = draw.randrange(5)
        guess = []
        for i in range(len(row)):
            a = row[i - pixel] if i >= pixel else 0
            b = above[i] if above else 0
            c = above[i - pixel] if above and i >= pixel else 0
            guess.append((0, a, b, (a + b) // 2, paeth(a, b, c))[kind])
        out += bytes([kind]) + bytes((x - g) % 256 for x, g in zip(row, guess))
        above = row
    return out


def png(draw, colour, depth, interlaced):
    width, height = draw.randint(2, 40), draw.randint(2, 40)
    bits = CHANNELS[colour] * depth
    packed = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        w, h = len(range(x0, width, dx)), len(range(y0, height, dy))
        if w and h:
            packed += filtered(draw, [draw.randbytes((w * bits + 7) // 8) for _ in range(h)], max(1, bits // 8))
    data = zlib.compress(packed, draw.choice([0, 1, 6, 9]))
    cut = draw.randrange(len(data))
    return b"".join([b"\x89PNG\r\n\x1a\n", part(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)),
                     part(b"tEXt", b"of no use"), part(b"PLTE", draw.randbytes(3 << depth)) if colour == 3 else b"",
                     part(b"IDAT", data[:cut]), part(b"IDAT", data[cut:]), part(b"IEND", b"")])


def scene(draw, image):
    sites = "".join(f'<site name="s{i}" pos="{draw.uniform(-1.9, 1.9)} {draw.uniform(-2.9, 2.9)} 4" zaxis="0 0 -1"/>' for i in range(25))
    finders = "".join(f'<rangefinder site="s{i}"/>' for i in range(25))
    return (f'<mujoco><asset><hfield name="h" file="{image}" size="2 3 1.5 .1"/></asset><worldbody><geom type="hfield" hfield="h"/>'
            f"<body><freejoint/><geom size='.1' pos='9 9 0'/>{sites}</body></worldbody><sensor>{finders}</sensor></mujoco>")


def main():
    thud, draw, wrong, compared, worst = sys.argv[1], random.Random(4), [], 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.xml")
        kinds = [(colour, depth, interlaced) for colour in DEPTHS for depth in DEPTHS[colour] for interlaced in (0, 1)]
        for number, kind in enumerate(kinds * 2):
            image = pathlib.Path(folder, f"h{number}.png")  # MuJoCo keeps what it read, by name
            image.write_bytes(png(draw, *kind))
            path.write_text(scene(draw, image))
            model = mujoco.MjModel.from_xml_path(str(path))
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            ran = subprocess.run([thud, "forward", path, "--json"], capture_output=True, text=True, check=False)
            if ran.returncode:
                wrong.append(f"{kind}: {ran.stderr}")
                continue
            error = np.abs(np.array(json.loads(ran.stdout)["sensordata"]) - data.sensordata).max()
            worst, compared = max(worst, error), compared + 1
            if not error < 1e-6 or not data.sensordata.min() > 2:
                wrong.append(f"colour type, depth, interlacing {kind}: rangefinders differ by {error}")
        good = image.read_bytes()
        for k in range(120):  # every one is damaged: a checksum would be wrong
            at = draw.randrange(len(good))
            image.write_bytes(good[:at] if k % 3 == 0 else good[:at] + bytes([good[at] ^ (1 << draw.randrange(8))]) + good[at + 1:])
            ran = subprocess.run([thud, "info", path], capture_output=True, text=True, check=False)
            if ran.returncode != 1 or ran.stderr.count("\n") != 1:
                wrong.append(f"damaged at byte {at}: exit {ran.returncode}, {ran.stderr!r}")
    print("\n".join(wrong) if wrong else f"{compared} images agree, worst {worst:.1e}; damaged ones are refused")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
