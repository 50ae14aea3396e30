# SPDX-License-Identifier: Apache-2.0
"""States: all that the next step depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .model import Model


class State:
    """Positions, velocities, controls and what else the next step depends on. Made by :meth:`Model.state`.

    Its arrays are the library's memory: what is written there is what the next step sees, and they keep the state alive.
    ``s.qpos = x`` copies into them. Copied, pickled or saved and read back, a state goes on with the same bits.
    """

    __slots__ = ("_model", "_c", "_qpos", "_qvel", "_act", "_ctrl", "_mocap", "__weakref__")

    def __init__(self, model: Model, core: Any = None) -> None:
        self._model = model
        self._c = _core.State(model._c) if core is None else core
        self._qpos, self._qvel, self._act, self._ctrl, self._mocap = map(np.asarray, self._c.arrays())

    @property
    def model(self) -> Model:
        return self._model

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Positions (nq): rad, m; quaternions w x y z."""
        return self._qpos

    @qpos.setter
    def qpos(self, value: ArrayLike) -> None:
        self._qpos[...] = value

    @property
    def qvel(self) -> NDArray[np.float64]:
        """Velocities (nv): rad/s, m/s."""
        return self._qvel

    @qvel.setter
    def qvel(self, value: ArrayLike) -> None:
        self._qvel[...] = value

    @property
    def act(self) -> NDArray[np.float64]:
        """Activations of actuators (na)."""
        return self._act

    @act.setter
    def act(self, value: ArrayLike) -> None:
        self._act[...] = value

    @property
    def ctrl(self) -> NDArray[np.float64]:
        """Controls of actuators (nu); they hold until set again."""
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._ctrl[...] = value

    @property
    def mocap(self) -> NDArray[np.float64]:
        """Poses of the mocap bodies (nm x 7): position (m), quaternion w x y z."""
        return self._mocap

    @mocap.setter
    def mocap(self, value: ArrayLike) -> None:
        self._mocap[...] = value

    @property
    def time(self) -> float:
        """s."""
        return self._c.time

    @time.setter
    def time(self, value: float) -> None:
        self._c.time = value

    @property
    def steps(self) -> int:
        """Taken since the reset."""
        return self._c.steps

    def set(self, qpos: ArrayLike | None = None, qvel: ArrayLike | None = None) -> None:
        """Sets positions or velocities anew: quaternions are normalised, the impulses of the last step forgotten."""
        self._c.set(_numbers(qpos), _numbers(qvel))

    def reset(self, key: str | int | None = None) -> None:
        """Back to time 0 in the reference pose, or to a keyframe."""
        self._c.reset(-1 if key is None else self._model.key.id(key))

    def place(self, body: str | int, pos: ArrayLike, quat: ArrayLike = (1, 0, 0, 0)) -> None:
        """Puts a mocap body somewhere: position (m), quaternion w x y z."""
        self._c.place(self._model.body.id(body), np.concatenate([np.asarray(pos, float), np.asarray(quat, float)]))

    def copy(self) -> State:
        """A state of its own with the same bits."""
        to = State(self._model)
        to._c.copy_from(self._c)
        return to

    def copy_from(self, other: State) -> None:
        """Takes every bit of another state of this model."""
        self._c.copy_from(other._c)

    def save(self) -> bytes:
        """The state as bytes, the same on every machine."""
        return self._c.save()

    def load(self, saved: bytes) -> None:
        """The way back. Raises LoadError, with the state untouched, for what was not saved from this model."""
        self._c.load(saved)

    def hash(self) -> int:
        """Of every bit that the next step depends on."""
        return self._c.hash()

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> State:
        return self.copy()

    def __reduce__(self) -> tuple:
        return _restore, (self._model, self.save())

    def __repr__(self) -> str:
        with np.printoptions(precision=4, suppress=True, threshold=12, edgeitems=4):
            return f"<State of {self._model.name!r}: time {self.time:.6g} s, qpos {self._qpos}, qvel {self._qvel}>"


def _numbers(x: ArrayLike | None) -> Any:
    return None if x is None else np.ascontiguousarray(x, dtype=np.float64)


def _restore(model: Model, saved: bytes) -> State:
    state = State(model)
    state.load(saved)
    return state
