# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's MuJoCo environments on thud: ``gymnasium.make("thud/Humanoid-v5")``, and ``gymnasium.make_vec`` on :class:`thud.Batch`.

The environments are Gymnasium's own classes, in which thud.mujoco stands for MuJoCo; a real MuJoCo in the same process is left alone.
Gymnasium finds them by itself, without an import of this module."""

from __future__ import annotations

import importlib.util
import re
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

from .batch import Batch
from .errors import BadArgument

# Class, module, steps of an episode, and the return at which a task counts as solved: as Gymnasium registers them.
ENVIRONMENTS: dict[str, tuple[str, int, float | None]] = {
    "Ant": ("ant_v5", 1000, 6000.0), "HalfCheetah": ("half_cheetah_v5", 1000, 4800.0), "Hopper": ("hopper_v5", 1000, 3800.0),
    "Humanoid": ("humanoid_v5", 1000, None), "HumanoidStandup": ("humanoidstandup_v5", 1000, None),
    "InvertedDoublePendulum": ("inverted_double_pendulum_v5", 1000, 9100.0), "InvertedPendulum": ("inverted_pendulum_v5", 1000, 950.0),
    "Pusher": ("pusher_v5", 100, 0.0), "Reacher": ("reacher_v5", 50, -3.75), "Swimmer": ("swimmer_v5", 1000, 360.0),
    "Walker2d": ("walker2d_v5", 1000, None),
}
_lock = threading.RLock()
_classes: dict[str, type] = {}


def register() -> None:
    """Registers the eleven. Gymnasium calls it when it is imported, in the namespace "thud"."""
    for name, (_, steps, threshold) in ENVIRONMENTS.items():
        gymnasium.register(id=f"{name}-v5" if gymnasium.envs.registration.current_namespace else f"thud/{name}-v5",
                           entry_point=f"thud.gym:{name}Env", vector_entry_point=f"thud.gym:{name}VectorEnv",
                           max_episode_steps=steps, reward_threshold=threshold)


_OURS = [(r"^(\s*)import mujoco$", r"\1import thud.mujoco as mujoco"),
         (r"from gymnasium\.envs\.mujoco\.mujoco_rendering import", "from thud.mujoco.drawing import"),
         (r"from gymnasium\.envs\.mujoco(\.mujoco_env)? import", "from thud.gym.mujoco_env import")]


def _copy(module: str) -> types.ModuleType:
    """A copy of one of Gymnasium's modules, under a name of ours, that imports thud where it imported MuJoCo."""
    own = f"thud.gym.{module}"
    if own not in sys.modules:
        found = importlib.util.find_spec("gymnasium")
        assert found is not None and found.submodule_search_locations
        path = f"{found.submodule_search_locations[0]}/envs/mujoco/{module}.py"
        with open(path, encoding="utf-8") as file:
            source = file.read()
        for theirs, ours in _OURS:
            source = re.sub(theirs, ours, source, flags=re.M)
        made = types.ModuleType(own)
        made.__file__ = path
        exec(compile(source, path, "exec"), made.__dict__)
        sys.modules[own] = made
    return sys.modules[own]


def environment(name: str) -> type[gymnasium.Env]:
    """Gymnasium's class of that name, with thud for MuJoCo."""
    if name not in ENVIRONMENTS:
        raise BadArgument(f"there is no environment '{name}', but {', '.join(ENVIRONMENTS)}")
    with _lock:
        if name not in _classes:
            _copy("mujoco_env")
            _classes[name] = getattr(_copy(ENVIRONMENTS[name][0]), f"{name}Env")
        return _classes[name]


class BatchVectorEnv(SyncVectorEnv):
    """Environments whose worlds are stepped together, by all threads; observations and rewards are those of each environment, and
    the bits those of an environment alone. The three autoreset modes are Gymnasium's. threads: 0: one a core."""

    def __init__(self, env_fns: list[Callable[[], gymnasium.Env]], *, threads: int = 0, certify: bool = True, **words: Any) -> None:
        super().__init__(env_fns, **words)
        self._plain: list[Any] = [env.unwrapped for env in self.envs]
        model = self._plain[0].model
        self.batch = Batch(model.update(), len(self.envs), threads=threads, certify=certify)
        self._forces = self.batch.contact_forces()
        self._edition = [env.model.edition for env in self._plain]

    def step(self, actions: Any) -> Any:
        """All worlds first, then each environment with what came of its world."""
        b = self.batch
        u = np.asarray(actions, float).reshape(len(self.envs), -1)
        frames = self._plain[0].frame_skip
        mask = np.array([env.model.edition == 0 and not env.data.xfrc_applied.any() and not env.data.qfrc_applied.any()
                         for env in self._plain])
        if self.autoreset_mode == gymnasium.vector.AutoresetMode.NEXT_STEP:
            mask &= ~self._autoreset_envs
        for i in np.flatnonzero(mask):
            self._plain[i].data._normalise()
            b._c.world(int(i)).copy_from(self._plain[i].data._state._c)
        b._ctrl[...] = u
        if mask.any():
            if frames > 1:
                b._c.step(frames - 1, None, mask.view(np.uint8), b.certify, False)
                mask &= b.solved
            before = b.qvel.copy()
            if mask.any():
                b._c.step(1, None, mask.view(np.uint8), b.certify, True)
            for i in np.flatnonzero(mask & b.solved):
                self._plain[i].data._ahead = (b, int(i), frames, u[i], before[i], self._forces[i])
        try:
            return super().step(actions)
        finally:
            for env in self._plain:
                env.data._ahead = None


def _vector(name: str) -> Callable[..., BatchVectorEnv]:
    def make(num_envs: int = 1, *, threads: int = 0, certify: bool = True, autoreset_mode: Any = gymnasium.vector.AutoresetMode.NEXT_STEP,
             max_episode_steps: int | None = ENVIRONMENTS[name][1], **kwargs: Any) -> BatchVectorEnv:
        def one() -> gymnasium.Env:
            return gymnasium.make(f"thud/{name}-v5", max_episode_steps=max_episode_steps, disable_env_checker=True, **kwargs)

        return BatchVectorEnv([one] * num_envs, threads=threads, certify=certify, autoreset_mode=autoreset_mode)

    return make


def __getattr__(name: str) -> Any:
    for end, make in (("VectorEnv", _vector), ("Env", environment)):
        if name.endswith(end) and name.removesuffix(end) in ENVIRONMENTS:
            return make(name.removesuffix(end))
    raise AttributeError(f"thud.gym has no '{name}'")
