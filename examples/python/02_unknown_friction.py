# SPDX-License-Identifier: Apache-2.0
"""A thousand rollouts with the friction unknown: how far does a box slide that is pushed off at 2 m/s?"""
import pathlib

import numpy as np

import thud

scenes = pathlib.Path(__file__).resolve().parents[2] / "scenes"
m = thud.load(scenes / "slide.xml")
n = 1000
mu = np.random.default_rng(0).normal(0.5, 0.05, n)

way = []
for some in np.split(mu, 20):                # a world with numbers of its own has scratch of its own, some MB: 50 at a time
    b = thud.Batch(m, len(some), certify=False)
    b.expand("geom/*.friction")[:, 0] = some # one number for each world; the other two of a geom stay
    b.qvel[:, 0] = 2
    b.step(400)                              # 0.8 s: all have stopped
    assert b.solved.all()
    way.append(b.qpos[:, 0].copy())

way = np.concatenate(way)
exact = 2**2 / (2 * mu * 9.81)               # Coulomb's answer
print(f"{n} boxes slid {way.mean():.4f} m, give or take {way.std():.4f} m; 5 % farther than {np.quantile(way, 0.95):.4f} m")
print(f"largest difference to v^2 / (2 mu g): {np.abs(way - exact).max():.1e} m")
assert np.abs(way - exact).max() < 5e-3
