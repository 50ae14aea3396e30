# SPDX-License-Identifier: Apache-2.0
"""Fits the friction of a cube to tosses. The tosses are made here, with a friction that the fit does not know and with noise, as a
camera would see them: positions only, 30 a second."""
import numpy as np

import thud

CUBE = """<mujoco model="toss"><option timestep="0.002"/><worldbody><geom name="table" type="plane" size="1 1 .1" friction="0.5 0 0"/>
<body name="cube" pos="0 0 .3"><freejoint/><geom name="cube" type="box" size=".05 .05 .05" mass=".37" friction="0.5 0 0"/></body>
</worldbody></mujoco>"""
m = thud.load(CUBE)
rng = np.random.default_rng(1)
TRUE, TOSSES, FRAMES = 0.23, 8, 24

starts = np.zeros((TOSSES, m.nq + m.nv))
starts[:, :3] = rng.uniform([-0.1, -0.1, 0.06], [0.1, 0.1, 0.08], (TOSSES, 3))
starts[:, 3] = 1
starts[:, 7:10] = rng.uniform([0.5, -0.5, -0.2], [1.5, 0.5, 0], (TOSSES, 3))


def toss(mu):
    """Where the cube is seen in each frame of each toss (TOSSES x FRAMES x 3)."""
    b = thud.Batch(m.vary({"geom/*.friction": mu}), TOSSES, certify=False)
    b.qpos, b.qvel = starts[:, :m.nq], starts[:, m.nq:]
    seen = []
    for _ in range(FRAMES):
        b.step(17)
        seen.append(b.qpos[:, :3].copy())
    return np.stack(seen, axis=1)


measured = toss(TRUE) + rng.normal(0, 0.001, (TOSSES, FRAMES, 3))  # a millimetre of noise


def error(mu):
    return float(((toss(mu) - measured)**2).mean())


grid = np.linspace(0.05, 0.8, 16)
best = int(np.argmin([error(mu) for mu in grid]))
low, high = grid[max(best - 1, 0)], grid[min(best + 1, 15)]
while high - low > 1e-4:  # golden section
    a, b = high - 0.618 * (high - low), low + 0.618 * (high - low)
    low, high = (low, b) if error(a) < error(b) else (a, high)
fitted = (low + high) / 2
print(f"friction {fitted:.4f}, and the tosses were made with {TRUE}; left over {1000 * error(fitted)**0.5:.2f} mm")
assert abs(fitted - TRUE) < 0.005
