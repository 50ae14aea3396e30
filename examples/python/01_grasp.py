# SPDX-License-Identifier: Apache-2.0
"""A grasp that slips elsewhere: pens of 45 g pinched between pads hang still, as 2 x 0.7 x 12 N of friction say they must. In engines
with soft contact they slide 155 um/s."""
import pathlib

import thud

scenes = pathlib.Path(__file__).resolve().parents[2] / "scenes"
m = thud.load(scenes / "pinch.xml")
s = m.state()
with m.simulate(s, seconds=5) as run:
    for step in run:
        pass

pens = [body.name for body in m.body if body.name and body.name.startswith("pen")]
for pen in pens:
    pad = pen.replace("pen", "left")
    sank = run["qpos"][0, m.joint_q[m.body(pen).joint] + 2] - s.qpos[m.joint_q[m.body(pen).joint] + 2]
    print(f"{pen}: sank {sank:.1e} m in {s.time:.0f} s, slid {run.slip(pen, pad):.1e} m along its pad")
    assert abs(sank) < 1e-10

for contact in m.contacts(s)[:2]:
    print(contact)
print(run)
