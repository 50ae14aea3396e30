# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's eleven environments: its own, under thud.mujoco.install(), and thud's, alone and many at once."""
import os
import subprocess
import sys

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from thud import gym  # noqa: E402

if "thud/Humanoid-v5" not in gymnasium.registry:  # the package is not installed, only on the path
    gym.register()

STEPS = 100000 if os.environ.get("THUD_THOROUGH") else 1000
NAMES = list(gym.ENVIRONMENTS)

OWN = """
import sys, warnings
warnings.simplefilter("ignore")
import thud.mujoco
thud.mujoco.install()
import gymnasium, numpy
env = gymnasium.make(sys.argv[1] + "-v5")
env.reset(seed=0)
env.action_space.seed(0)
for k in range(int(sys.argv[2])):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert numpy.isfinite(observation).all() and numpy.isfinite(reward), k
    if terminated or truncated:
        env.reset()
"""


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_own_environments_run(name):
    done = subprocess.run([sys.executable, "-B", "-c", OWN, name, str(STEPS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_environments_pass_gymnasiums_check(name):
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"thud/{name}-v5")
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=1)
    for _ in range(50):
        env.step(env.action_space.sample())


def test_a_real_mujoco_is_left_alone():
    mujoco = pytest.importorskip("mujoco")
    gymnasium.make("thud/Hopper-v5")
    assert sys.modules["mujoco"] is mujoco and "thud" not in mujoco.__file__


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_many_at_once_are_as_each_alone(mode):
    n, name = 5, "Hopper"
    mode = gymnasium.vector.AutoresetMode(mode)
    many = gymnasium.make_vec(f"thud/{name}-v5", num_envs=n, threads=2, autoreset_mode=mode)
    plain = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make(f"thud/{name}-v5")] * n, autoreset_mode=mode)
    a, b = many.reset(seed=3)[0], plain.reset(seed=3)[0]
    assert np.array_equal(a, b)
    many.action_space.seed(4)
    ends = 0
    for _ in range(80):
        u = many.action_space.sample()
        x, y = many.step(u), plain.step(u)
        for p, q in zip(x[:4], y[:4]):
            assert np.array_equal(p, q)
        done = x[2] | x[3]
        ends += done.sum()
        if mode == gymnasium.vector.AutoresetMode.DISABLED and done.any():
            a = many.reset(options={"reset_mask": done.copy()})[0]
            assert np.array_equal(a, plain.reset(options={"reset_mask": done.copy()})[0])
    assert ends > 0


def test_contact_forces_of_many_are_those_of_each():
    many = gymnasium.make_vec("thud/Ant-v5", num_envs=3)
    plain = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("thud/Ant-v5")] * 3)
    many.reset(seed=0), plain.reset(seed=0)
    many.action_space.seed(0)
    for _ in range(40):
        u = many.action_space.sample()
        x, y = many.step(u)[0], plain.step(u)[0]
    assert np.array_equal(x, y) and np.abs(x[:, -78:]).max() > 0.1  # the last 13 x 6 are cfrc_ext
