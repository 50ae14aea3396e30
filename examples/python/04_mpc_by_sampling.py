# SPDX-License-Identifier: Apache-2.0
"""A controller that looks ahead by sampling: a pendulum on a cart is swung up by trying 128 plans before each move (model predictive
path integral)."""
import numpy as np

import thud

CARTPOLE = """<mujoco model="cartpole"><option timestep="0.01"/><worldbody><body name="cart" pos="0 0 1"><joint name="slider" type="slide" axis="1 0 0"
damping=".2" range="-2 2" limited="true"/><geom type="box" size=".15 .1 .05" mass="1"/><body name="pole"><joint name="hinge" axis="0 1 0" damping=".005"/>
<geom type="capsule" fromto="0 0 0 0 0 -.6" size=".02" mass=".2"/></body></body></worldbody>
<actuator><motor joint="slider" gear="20" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""
m = thud.load(CARTPOLE)
N, HORIZON, EVERY = 128, 40, 2   # plans, moves in a plan, steps a move
rng = np.random.default_rng(0)
batch = thud.Batch(m, N, certify=False)


def cost(states):
    x, angle, v, w = np.moveaxis(states, -1, 0)
    return (2 * (1 + np.cos(angle)) + 0.2 * x**2 + 0.01 * v**2 + 0.01 * w**2).sum(axis=1)


s, sim = m.state(), m.sim()
plan = np.zeros((HORIZON, 1))
upright = 0
for move in range(150):
    tries = np.clip(plan + rng.normal(0, 0.6, (N, HORIZON, 1)), -1, 1)
    tries[0] = plan
    states, _ = batch.rollout(s, tries, k=EVERY)
    price = cost(states)
    weight = np.exp(-(price - price.min()) / 2)
    plan = np.tensordot(weight / weight.sum(), tries, axes=1)
    s.ctrl = plan[0]
    for _ in range(EVERY):
        certificate = sim.step(s)
        assert certificate.wrong == 0
    plan = np.vstack([plan[1:], plan[-1:]])
    upright = upright + 1 if np.cos(s.qpos[1]) < -0.95 else 0
print(f"after {s.time:.1f} s the pole has been up for {upright * EVERY * m.dt:.2f} s, the cart is at {s.qpos[0]:+.2f} m")
assert upright > 20
