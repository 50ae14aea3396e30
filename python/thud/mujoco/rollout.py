# SPDX-License-Identifier: Apache-2.0
"""mujoco.rollout: many rollouts at once, on thud.Batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batch import Batch
from ..errors import BadArgument
from .model import MjModel


def rollout(model: MjModel | Sequence[MjModel], data: Any, initial_state: Any, control: Any = None, *, nstep: int | None = None,
            state: Any = None, sensordata: Any = None, **other: Any) -> tuple[np.ndarray, np.ndarray]:
    """(nbatch x nstep x nstate, nbatch x nstep x nsensordata): states (time, qpos, qvel, act) after each step."""
    first = model if isinstance(model, MjModel) else model[0]
    initial = np.atleast_2d(np.asarray(initial_state, float))
    m = first.update()
    size = 1 + m.nq + m.nv + m.na
    if initial.shape[1] != size:
        raise BadArgument(f"initial_state: {size} numbers (mjSTATE_FULLPHYSICS) are wanted, not {initial.shape[1]}")
    u = np.zeros((1, nstep or 1, m.nu)) if control is None else np.asarray(control, float)
    u = u[None] if u.ndim == 2 else u
    n = max(len(initial), len(u))
    models = m if isinstance(model, MjModel) else [one.update() for one in model]
    batch = Batch(models, n, threads=len(data) if isinstance(data, (list, tuple)) else 1, certify=False)
    start = np.broadcast_to(initial, (n, size))
    batch.qpos, batch.qvel, batch.act = start[:, 1:1 + m.nq], start[:, 1 + m.nq:1 + m.nq + m.nv], start[:, 1 + m.nq + m.nv:]
    steps = u.shape[1] if nstep is None else nstep
    if u.shape[1] == 1 and steps > 1:
        u = np.broadcast_to(u, (len(u), steps, m.nu))
    states = np.full((n, steps, size), np.nan)
    if m.na:  # activations are in the state, too: one step after the other
        sensors = np.full((n, steps, m.nsensordata), np.nan)
        for t in range(steps):
            batch.ctrl = u[:, t]
            batch.step()
            states[:, t, 1:] = np.concatenate([batch.qpos, batch.qvel, batch.act], axis=1)
            sensors[:, t] = batch.sensordata
    else:
        states[:, :, 1:], sensors = batch.rollout(None, u[:, :steps])
    states[:, :, 0] = start[:, :1] + np.arange(1, steps + 1) * m.dt
    if state is not None:
        state[...] = states.reshape(np.shape(state))
    if sensordata is not None:
        sensordata[...] = sensors.reshape(np.shape(sensordata))
    return states, sensors


class Rollout:
    """The same, with threads that stay."""

    def __init__(self, *, nthread: int = 0) -> None:
        self.nthread = nthread or 1

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held between calls."""

    def rollout(self, model: Any, data: Any, initial_state: Any, control: Any = None, **words: Any) -> tuple[np.ndarray, np.ndarray]:
        return rollout(model, [data] * self.nthread, initial_state, control, **words)
