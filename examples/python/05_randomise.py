# SPDX-License-Identifier: Apache-2.0
"""Domain randomisation: one controller of an arm on 64 arms whose masses, damping and payload nobody knows exactly."""
import pathlib

import numpy as np

import thud

scenes = pathlib.Path(__file__).resolve().parents[2] / "scenes"
m = thud.load(scenes / "arm.xml")
n, rng = 64, np.random.default_rng(0)
b = thud.Batch(m, n)
for body in m.body:
    if body.id and body.mass > 0:
        b.expand(f"body/#{body.id}.mass")[:] *= rng.uniform(0.8, 1.3, (n, 1))
for joint in m.joint:
    b.expand(f"joint/#{joint.id}.damping")[:] += rng.uniform(0, 0.05, (n, 1))

start = m.state()
goal = np.full(m.nv, 0.4)
goal[m.joint_v[m.joint.id("grip")]] = 0      # the hand stays as it is
hold = m.bias(start)                         # the controller knows the arm as it is in the file
inertia = m.mass_matrix(start)
for _ in range(1000):
    b.step(tau=hold + 40 * (goal - b.qpos) - 20 * b.qvel @ inertia)

left = np.abs(goal - b.qpos).max(axis=1)
doubted = sum(bool(b.doubts(i)) for i in range(n))
print(f"{n} arms: {left.mean():.3f} rad from the goal on average, {left.max():.3f} rad at most; doubts in {doubted} worlds")
assert b.solved.all() and left.max() < 0.3
