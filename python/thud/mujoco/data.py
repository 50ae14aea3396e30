# SPDX-License-Identifier: Apache-2.0
"""MjData: a thud.State, a thud.Sim and what follows from them, under MuJoCo's names.

What follows from positions and velocities (xpos, cvel, sensordata ...) is that of the moment of the last mj_step, mj_forward or
mj_kinematics, and is computed when it is read. After mj_step it is of the new state (in MuJoCo, of the one before)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import Unsupported, did_you_mean
from .math import matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..state import State
    from .model import MjModel

_LATER = {
    "xpos": "poses", "xquat": "poses", "xmat": "poses", "xipos": "poses", "ximat": "poses", "geom_xpos": "poses", "geom_xmat": "poses",
    "site_xpos": "poses", "site_xmat": "poses", "subtree_com": "poses", "xanchor": "poses", "xaxis": "poses", "cinert": "velocities",
    "cvel": "velocities", "subtree_linvel": "velocities", "qfrc_actuator": "drive", "actuator_force": "drive", "actuator_length": "drive",
    "actuator_velocity": "drive", "ten_length": "drive", "ten_velocity": "drive", "qM": "mass", "qfrc_bias": "bias",
    "qfrc_passive": "passive", "qfrc_constraint": "constraint", "cfrc_ext": "external", "energy": "energy_now",
}


class MjContact:
    """A contact of the last step."""

    __slots__ = ("geom1", "geom2", "geom", "dim", "dist", "pos", "frame", "friction", "efc_address", "exclude", "_force")

    def __init__(self, block: tuple, index: int) -> None:
        self.geom1, self.geom2, self.dim, self.dist = block[:4]
        self.geom = np.array(block[:2], np.int32)
        self.pos, self.frame, self.friction = np.array(block[4]), np.array(block[5]), np.array(block[6])
        self._force = np.array(block[7]) / block[8] if block[8] > 0 else np.zeros(6)
        self.efc_address, self.exclude = index, 0


class Contacts(list):
    """data.contact: a list, and arrays of all: data.contact.geom, .pos, .dist ..."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in MjContact.__slots__:
            raise AttributeError(name)
        return np.array([getattr(c, name) for c in self])


class Rows:
    """data.body(name), data.joint(name) ...: numbers of one of them."""

    def __init__(self, data: MjData, kind: str, id: int, name: str | None) -> None:
        self.__dict__.update(_data=data, _kind=kind, id=id, name=name or "")

    def _row(self, word: str) -> Any:
        data, i, kind = self._data, self.id, self._kind
        m = data._model.thud
        if kind == "joint":
            q, v, dofs = int(m.joint_q[i]), int(m.joint_v[i]), int(m.joint_dofs[i])
            if word == "qpos":
                return data.qpos[q:q + {1: 1, 3: 4, 6: 7}[dofs]]
            if word in ("qvel", "qacc", "qfrc_applied", "qfrc_constraint", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "qfrc_inverse"):
                return getattr(data, word)[v:v + dofs]
        if kind == "sensor" and word == "data":
            at = int(m.sensor_at[i])
            return data.sensordata[at:at + int(m.sensor_dim[i])]
        if kind == "actuator" and word == "ctrl":
            return data.ctrl[i:i + 1]
        for name in ({"tendon": "ten_"}.get(kind, f"{kind}_") + word, word if kind == "body" else ""):
            if name in _LATER or name in ("xfrc_applied",):
                array = getattr(data, name)
                return array[i:i + 1] if array.ndim == 1 else array[i]
        raise AttributeError(f"a {kind} of data has no '{word}' in thud.mujoco")

    def __getattr__(self, word: str) -> Any:
        if word.startswith("__"):
            raise AttributeError(word)
        return self._row(word)

    def __setattr__(self, word: str, value: Any) -> None:
        self._row(word)[...] = value

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} '{self.name}' of data>"


class MjData:
    """The state of a simulation, and what follows from it."""

    def __init__(self, model: MjModel) -> None:
        self._model = model
        self._begin(model.update())
        self.mj_kinematics()

    def _begin(self, m: Any) -> None:
        self._edition = self._model.edition
        self._state: State = m.state()
        self._at: State = m.state()  # of the last call
        self._sim = m.sim()
        self._wings: Any = None  # a second sim, for what is asked between steps
        self._dynamics = _core.Dynamics(m._c)
        self._placed = False
        self._known: dict[str, Any] = {}
        self.qacc = np.zeros(m.nv)
        self.qacc_warmstart = np.zeros(m.nv)
        self.qfrc_applied = np.zeros(m.nv)
        self.qfrc_inverse = np.zeros(m.nv)
        self.xfrc_applied = np.zeros((len(m.body), 6))
        self.sensordata = np.zeros(m.nsensordata)
        self.certificate: Any = None
        self._ahead: Any = None  # what a batch has stepped for us: thud.gym
        self._push: Any = None

    # ------------------------------------------------------------------------------------------ state

    @property
    def model(self) -> MjModel:
        return self._model

    @property
    def thud(self) -> State:
        """The state, as thud has it."""
        return self._state

    @property
    def doubts(self) -> list:
        """What thud doubts of the steps so far."""
        return self._sim.doubts()

    @property
    def time(self) -> float:
        return self._state.time

    @time.setter
    def time(self, value: float) -> None:
        self._state.time = value

    qpos = property(lambda self: self._state._qpos, lambda self, value: self._set("qpos", value))
    qvel = property(lambda self: self._state._qvel, lambda self, value: self._set("qvel", value))
    act = property(lambda self: self._state._act, lambda self, value: self._set("act", value))
    ctrl = property(lambda self: self._state._ctrl, lambda self, value: self._set("ctrl", value))
    mocap_pos = property(lambda self: self._state._mocap[:, :3], lambda self, value: self._put(slice(0, 3), value))
    mocap_quat = property(lambda self: self._state._mocap[:, 3:], lambda self, value: self._put(slice(3, 7), value))

    def _set(self, name: str, value: Any) -> None:
        getattr(self._state, name)[...] = value

    def _put(self, columns: slice, value: Any) -> None:
        self._state._mocap[:, columns] = value

    def _renew(self) -> None:
        """After the model's numbers were written: the same state in the model as it is now."""
        m = self._model.update()
        if self._edition != self._model.edition:
            before, applied, body = self._state, self.qfrc_applied, self.xfrc_applied
            arrays = before._qpos, before._qvel
            self._edition = self._model.edition
            self._sim, self._wings, self._dynamics = m.sim(), None, _core.Dynamics(m._c)
            self.qfrc_applied, self.xfrc_applied = applied, body
            del arrays

    # ------------------------------------------------------------------------------------------ calls

    def _tau(self) -> NDArray[np.float64] | None:
        if not self.xfrc_applied.any():
            return self.qfrc_applied if self.qfrc_applied.any() else None
        self._dynamics.place(self._state._c)
        self._placed = False
        tau = self.qfrc_applied.copy()
        m = self._model.thud
        poses = np.asarray(self._dynamics.poses())
        for i in np.flatnonzero(self.xfrc_applied.any(axis=1)):
            com = poses[i, 4:] + matrix(poses[i, :4]) @ m.body_inertia[i, 1:4]
            force = self.xfrc_applied[i]
            tau += np.frombuffer(self._dynamics.point_force(int(i), force[:3].copy(), force[3:].copy(), com))
        return tau

    def _normalise(self) -> None:
        m = self._model.thud
        for joint in np.flatnonzero(m.joint_type >= 2):
            at = int(m.joint_q[joint]) + (3 if m.joint_type[joint] == 3 else 0)
            q = self._state._qpos[at:at + 4]
            size = np.linalg.norm(q)
            if abs(size - 1) > 1e-12:
                q[...] = q / size if size > 1e-15 else [1, 0, 0, 0]
        if self._state._mocap.size:
            quats = self._state._mocap[:, 3:]
            size = np.linalg.norm(quats, axis=1, keepdims=True)
            if (np.abs(size - 1) > 1e-12).any():
                quats /= size

    def mj_step(self, nstep: int = 1) -> None:
        self._renew()
        self._normalise()
        ahead, self._ahead, self._push = self._ahead, None, None
        if ahead is not None and nstep == ahead[2] and np.array_equal(self.ctrl, ahead[3]):
            self._take(*ahead)
            return
        s, tau = self._state, self._tau()
        if nstep > 1:
            self._sim._c.run(s._c, tau, nstep - 1)
        before = s._qvel.copy()
        self.certificate = self._sim.step(s, tau)
        self.qacc = (s._qvel - before) / self._sim.dt
        self._moment()

    def _take(self, batch: Any, world: int, nstep: int, ctrl: Any, before: Any, push: Any) -> None:
        """The same step, taken by a batch."""
        self._state._c.copy_from(batch._c.world(world))
        self.certificate = batch._c.certificate(world) if batch.certify else None
        self.qacc = (self._state._qvel - before) / self._sim.dt
        self._moment(sense=False)
        self._push = push.copy()
        if self.sensordata.size:
            self.sensordata[...] = batch.sensordata[world]

    def _moment(self, sense: bool = True) -> None:
        """What follows is of the state as it is now."""
        self._at.copy_from(self._state)
        self._known.clear()
        self._placed = False
        if sense and self.sensordata.size:
            self._sim._c.sense(self._state._c, self.sensordata)

    def mj_forward(self) -> None:
        self._renew()
        self._normalise()
        self._push = None
        self._sim._c.forward(self._state._c, self._tau(), self.qacc)
        self._moment()
        constraint = np.zeros(self._model.nv)
        self._sim._c.constraint_force(constraint)
        self._known["qfrc_constraint"] = constraint

    def mj_kinematics(self) -> None:
        self._renew()
        self._normalise()
        self._moment(sense=False)

    def mj_inverse(self) -> None:
        self._renew()
        self._normalise()
        tau = self._sim.inverse(self._state, self.qacc)
        self._moment(sense=False)
        self.qfrc_inverse[...] = tau + self.qfrc_actuator

    # ------------------------------------------------------------------------------------------ what follows

    def _place(self) -> Any:
        if not self._placed:
            self._dynamics.place(self._at._c)
            self._placed = True
        return self._dynamics

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._known:
            if name not in _LATER:
                raise AttributeError(f"thud.mujoco's MjData has no '{name}'.{did_you_mean(name, dir(self))}")
            getattr(self, "_find_" + _LATER[name])()
        return self._known[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_LATER})

    def _find_poses(self) -> None:
        m, k = self._model.thud, self._known
        poses = np.array(self._place().poses())
        nb, ng = len(m.body), len(m.geom)
        R = matrix(poses[:, :4])
        k["xpos"], k["xquat"], k["xmat"] = poses[:nb, 4:].copy(), poses[:nb, :4].copy(), R[:nb].reshape(-1, 9)
        k["xipos"] = k["xpos"] + np.einsum("nij,nj->ni", R[:nb], m.body_inertia[:, 1:4])
        k["ximat"] = (R[:nb] @ matrix(m.body_iquat)).reshape(-1, 9)
        k["geom_xpos"], k["geom_xmat"] = poses[nb:nb + ng, 4:].copy(), R[nb:nb + ng].reshape(-1, 9)
        k["site_xpos"], k["site_xmat"] = poses[nb + ng:, 4:].copy(), R[nb + ng:].reshape(-1, 9)
        body = m.joint_body
        k["xanchor"] = k["xpos"][body] + np.einsum("nij,nj->ni", R[body], m.joint_pos)
        k["xaxis"] = np.einsum("nij,nj->ni", R[body], m.joint_axis)
        mass = m.body_inertia[:, 0].copy()
        moment = mass[:, None] * k["xipos"]
        for i in range(nb - 1, 0, -1):
            mass[m.body_parent[i]] += mass[i]
            moment[m.body_parent[i]] += moment[i]
        k["subtree_com"] = np.where(mass[:, None] > 0, moment / np.maximum(mass, 1e-300)[:, None], k["xipos"])

    def _find_velocities(self) -> None:
        m, k = self._model.thud, self._known
        V = np.frombuffer(self._place().velocities()).reshape(-1, 6)
        centre = self.subtree_com[m.body_root]
        w, v = V[:, :3], V[:, 3:]
        k["cvel"] = np.concatenate([w, v + np.cross(w, centre - self.xpos)], axis=1)
        mass = m.body_inertia[:, 0]
        offset = self.xipos - centre
        xx, yy, zz, xy, xz, yz = m.body_inertia[:, 4:10].T
        own = np.stack([np.stack([xx, xy, xz], -1), np.stack([xy, yy, yz], -1), np.stack([xz, yz, zz], -1)], -2)
        R = self.xmat.reshape(-1, 3, 3)
        about = R @ own @ R.transpose(0, 2, 1) + mass[:, None, None] * (
            (offset**2).sum(1)[:, None, None] * np.eye(3) - offset[:, :, None] * offset[:, None, :])
        k["cinert"] = np.concatenate([about[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], mass[:, None] * offset, mass[:, None]], axis=1)
        momentum = mass[:, None] * (v + np.cross(w, self.xipos - self.xpos))
        total = mass.copy()
        for i in range(len(mass) - 1, 0, -1):
            total[m.body_parent[i]] += total[i]
            momentum[m.body_parent[i]] += momentum[i]
        k["subtree_linvel"] = momentum / np.maximum(total, 1e-300)[:, None]

    def _find_drive(self) -> None:
        names = ("qfrc_actuator", "actuator_force", "actuator_length", "actuator_velocity", "ten_length", "ten_velocity")
        for name, numbers in zip(names, self._place().drive(self._at._c)):
            self._known[name] = np.frombuffer(numbers)

    def _find_mass(self) -> None:
        m = self._model.thud
        dense = np.frombuffer(self._place().mass()).reshape(m.nv, m.nv)
        sparse = np.zeros(self._model.nM)
        for i in range(m.nv):
            at, j = int(m.dof_row[i]), i
            while j >= 0:
                sparse[at] = dense[i, j]
                at, j = at + 1, int(m.dof_parent[j])
        self._known["qM"], self._known["_dense"] = sparse, dense

    def _find_bias(self) -> None:
        self._known["qfrc_bias"] = np.frombuffer(self._place().rnea(None))

    def _find_passive(self) -> None:
        self._known["qfrc_passive"] = np.frombuffer(self._place().passive(self._at._c))

    def _find_constraint(self) -> None:
        self._wings = self._wings or self._model.thud.sim()
        qacc, force = np.zeros(self._model.nv), np.zeros(self._model.nv)
        self._wings._c.forward(self._at._c, self._tau(), qacc)
        self._wings._c.constraint_force(force)
        self._known["qfrc_constraint"] = force

    def _pushes(self) -> NDArray[np.float64]:
        """What contacts exert on each body: force, and torque about the world's origin."""
        if self._push is not None:
            return self._push
        origin = np.zeros(3)
        return np.array([np.concatenate(self._sim._c.contact_force(i, origin)) for i in range(self._model.nbody)])

    def _find_external(self) -> None:
        m = self._model.thud
        push = self._pushes()
        centre = self.subtree_com[m.body_root]
        force, torque = push[:, :3], push[:, 3:] - np.cross(centre, push[:, :3])
        applied, turn = self.xfrc_applied[:, :3], self.xfrc_applied[:, 3:]
        torque = torque + turn + np.cross(self.xipos - centre, applied)
        self._known["cfrc_ext"] = np.concatenate([torque, force + applied], axis=1)

    def _find_energy_now(self) -> None:
        self._wings = self._wings or self._model.thud.sim()
        kinetic, potential = self._wings.energy(self._at)
        self._known["energy"] = np.array([potential, kinetic])

    @property
    def contact(self) -> Contacts:
        if self._push is not None:
            raise Unsupported("contacts are not kept where worlds are stepped together; cfrc_ext is")
        if "contact" not in self._known:
            self._known["contact"] = Contacts(MjContact(block, i) for i, block in enumerate(self._sim._c.blocks()))
        return self._known["contact"]

    @property
    def ncon(self) -> int:
        return len(self.contact)

    # ------------------------------------------------------------------------------------------ names

    def _rows(self, kind: str, which: str | int) -> Rows:
        parts = getattr(self._model.thud, kind)
        id = parts.id(which)
        return Rows(self, kind, id, parts.names[id])

    def body(self, which: str | int) -> Rows:
        return self._rows("body", which)

    def joint(self, which: str | int) -> Rows:
        return self._rows("joint", which)

    jnt = joint

    def geom(self, which: str | int) -> Rows:
        return self._rows("geom", which)

    def site(self, which: str | int) -> Rows:
        return self._rows("site", which)

    def actuator(self, which: str | int) -> Rows:
        return self._rows("actuator", which)

    def sensor(self, which: str | int) -> Rows:
        return self._rows("sensor", which)

    def tendon(self, which: str | int) -> Rows:
        return self._rows("tendon", which)

    def __deepcopy__(self, memo: dict) -> MjData:
        other = MjData(self._model)
        other._state.copy_from(self._state)
        for name in ("qacc", "qfrc_applied", "qfrc_inverse", "xfrc_applied", "sensordata"):
            getattr(other, name)[...] = getattr(self, name)
        other.mj_kinematics()
        return other

    __copy__ = lambda self: self.__deepcopy__({})  # noqa: E731

    def __repr__(self) -> str:
        return f"<thud.mujoco.MjData at {self.time:.6g} s>"
