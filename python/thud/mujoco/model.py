# SPDX-License-Identifier: Apache-2.0
"""MjModel: a thud.Model under MuJoCo's names."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import Unsupported, did_you_mean
from ..model import Model, load
from .enums import mjtDisableBit, mjtJoint

# MuJoCo's name: ours. Arrays that a script may write are told apart below.
_ARRAYS = {
    "qpos0": "qpos0", "qpos_spring": "qpos_spring", "body_parentid": "body_parent", "body_jntnum": "body_joints", "body_jntadr": "body_joint",
    "body_weldid": "body_weld", "body_rootid": "body_root", "body_mocapid": "body_mocap", "body_gravcomp": "body_gravcomp",
    "body_iquat": "body_iquat", "jnt_bodyid": "joint_body", "jnt_qposadr": "joint_q", "jnt_dofadr": "joint_v", "jnt_pos": "joint_pos",
    "jnt_axis": "joint_axis", "jnt_stiffness": "joint_stiffness", "jnt_range": "joint_range", "jnt_limited": "joint_limited",
    "jnt_margin": "joint_margin", "dof_jntid": "dof_link", "dof_parentid": "dof_parent", "dof_armature": "dof_armature",
    "dof_damping": "dof_damping", "dof_frictionloss": "dof_frictionloss", "geom_bodyid": "geom_body", "geom_type": "geom_type",
    "geom_size": "geom_shape", "geom_condim": "geom_condim", "geom_contype": "geom_contype", "geom_conaffinity": "geom_conaffinity",
    "geom_priority": "geom_priority", "geom_friction": "geom_friction", "geom_margin": "geom_margin", "geom_gap": "geom_gap",
    "geom_solmix": "geom_solmix", "geom_rgba": "geom_rgba", "geom_group": "geom_group", "site_bodyid": "site_body",
    "actuator_gear": "actuator_gear", "actuator_ctrlrange": "actuator_ctrlrange", "actuator_forcerange": "actuator_forcerange",
    "actuator_actrange": "actuator_actrange", "sensor_adr": "sensor_at", "sensor_dim": "sensor_dim", "sensor_type": "sensor_type",
    "sensor_objid": "sensor_object", "sensor_cutoff": "sensor_cutoff", "key_time": "key_time", "key_qpos": "key_qpos", "key_qvel": "key_qvel",
    "key_act": "key_act", "key_ctrl": "key_ctrl", "tendon_range": "tendon_range", "tendon_stiffness": "tendon_stiffness",
    "tendon_damping": "tendon_damping", "eq_obj1id": "eq_obj1", "eq_obj2id": "eq_obj2", "eq_type": "eq_type", "eq_active0": "eq_active",
}
# What may be written, and the setting that it becomes (thud.Model.vary): (kind, attribute).
_WRITABLE = {
    "body_mass": ("body", "mass"), "body_pos": ("body", "pos"), "body_quat": ("body", "quat"), "body_ipos": ("body", "ipos"),
    "body_inertia": ("body", "inertia"), "body_gravcomp": ("body", "gravcomp"), "geom_friction": ("geom", "friction"),
    "geom_size": ("geom", "size"), "geom_pos": ("geom", "pos"), "geom_quat": ("geom", "quat"), "geom_condim": ("geom", "condim"),
    "geom_contype": ("geom", "contype"), "geom_conaffinity": ("geom", "conaffinity"), "geom_margin": ("geom", "margin"),
    "geom_gap": ("geom", "gap"), "geom_rgba": ("geom", "rgba"), "site_pos": ("site", "pos"), "site_quat": ("site", "quat"),
    "jnt_stiffness": ("joint", "stiffness"), "jnt_range": ("joint", "range"), "jnt_axis": ("joint", "axis"), "jnt_pos": ("joint", "pos"),
    "actuator_gear": ("actuator", "gear"), "actuator_ctrlrange": ("actuator", "ctrlrange"),
    "actuator_forcerange": ("actuator", "forcerange"),
}
# Of dofs, which have their joint's number; written where the joint has one dof, or all of a joint's alike.
_WRITABLE_DOFS = {"dof_damping": "damping", "dof_armature": "armature", "dof_frictionloss": "frictionloss"}
_JOINTS = [mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE, mjtJoint.mjJNT_BALL, mjtJoint.mjJNT_FREE]  # of our numbers
KINDS = {"body": "body", "joint": "joint", "jnt": "joint", "geom": "geom", "site": "site", "actuator": "actuator", "sensor": "sensor",
         "tendon": "tendon", "equality": "equality", "eq": "equality", "key": "key", "keyframe": "key"}
_COUNTS = {"nbody": "body", "njnt": "joint", "ngeom": "geom", "nsite": "site", "nsensor": "sensor", "nkey": "key", "ntendon": "tendon",
           "neq": "equality"}
_NONE = ("ncam", "nlight", "nmesh", "nmat", "ntex", "nskin", "nflex", "nuserdata", "nplugin")


class _Plain:
    """Numbers that a script reads and writes, and that change nothing but pictures."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class MjOption:
    """timestep, gravity, wind, density, viscosity: what is written holds from the next call on. The rest stands for MuJoCo's solver,
    which is not here: it may be read and written, and changes nothing."""

    def __init__(self, model: Model) -> None:
        self.timestep = model.dt
        self.gravity = model.gravity
        self.wind, self.magnetic = model.setting("option.wind"), model.setting("option.magnetic")
        self.density, self.viscosity = (float(model.setting(f"option.{word}")[0]) for word in ("density", "viscosity"))
        self.integrator, self.cone, self.solver, self.iterations, self.tolerance, self.impratio = 0, 1, 2, 100, 1e-8, 1.0
        self.disableflags = self.enableflags = 0
        self.ls_iterations, self.noslip_iterations, self.jacobian = 50, 0, 2

    def _settings(self) -> dict[str, Any]:
        beyond = int(self.disableflags) & ~int(mjtDisableBit.mjDSBL_GRAVITY | mjtDisableBit.mjDSBL_WARMSTART)
        if beyond:
            raise Unsupported(f"opt.disableflags {mjtDisableBit(beyond)!r}: of these, write them into the XML's <flag>")
        weight = 0.0 if int(self.disableflags) & int(mjtDisableBit.mjDSBL_GRAVITY) else 1.0
        return {"option.timestep": float(self.timestep), "option.gravity": weight * np.array(self.gravity, float),
                "option.wind": np.array(self.wind, float), "option.magnetic": np.array(self.magnetic, float),
                "option.density": float(self.density), "option.viscosity": float(self.viscosity)}


class Named:
    """model.body(name), model.geom(name) ...: arrays of the model, one row."""

    def __init__(self, owner: Any, prefixes: tuple[str, ...], kind: str, id: int, name: str | None) -> None:
        self.__dict__.update(_owner=owner, _prefixes=prefixes, _kind=kind, id=id, name=name or "")

    def _array(self, word: str) -> Any:
        for prefix in self._prefixes:
            try:
                return getattr(self._owner, prefix + word)
            except AttributeError:
                continue
        raise AttributeError(f"a {self._kind} has no '{word}' in thud.mujoco")

    def __getattr__(self, word: str) -> Any:
        if word.startswith("__"):
            raise AttributeError(word)
        row = self._array(word)
        return row[self.id:self.id + 1] if row.ndim == 1 else row[self.id]

    def __setattr__(self, word: str, value: Any) -> None:
        self._array(word)[self.id] = value

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} '{self.name}'>"


class MjModel:
    """A model under MuJoCo's names. `model.thud` is the thud.Model; what a script writes into masses, friction, gravity and the like
    holds from the next call on (the model is varied)."""

    def __init__(self, model: Model) -> None:
        self.__dict__["_arrays"] = {}  # that were handed out to be written: name: (array, as it was)
        self._base = self.thud = model
        self.opt = MjOption(model)
        self._opt = self.opt._settings()
        self.vis = _Plain(global_=_Plain(offwidth=640, offheight=480, fovy=45.0, azimuth=90.0, elevation=-45.0),
                          headlight=_Plain(active=1), map=_Plain(znear=0.01, zfar=50.0), quality=_Plain(offsamples=4),
                          scale=_Plain(contactwidth=0.1, contactheight=0.1, forcewidth=0.1))
        self.stat = _Plain(extent=2.0, center=np.zeros(3), meansize=0.1, meanmass=1.0, meaninertia=1.0)
        self.edition = 0

    @classmethod
    def from_xml_path(cls, filename: str, assets: dict[str, bytes] | None = None) -> MjModel:
        if assets:
            raise Unsupported("assets of a file that has a path: put them beside it")
        return cls(load(filename))

    @classmethod
    def from_xml_string(cls, xml: str, assets: dict[str, bytes] | None = None) -> MjModel:
        if assets:
            return cls(load({"model.xml": xml.encode(), **assets}))
        return cls(load(xml.lstrip(), name=os.path.join(os.getcwd(), "string.xml")))

    @classmethod
    def from_binary_path(cls, *_: Any) -> MjModel:
        raise Unsupported("MuJoCo's binary models (.mjb) are not read: give the XML")

    # ------------------------------------------------------------------------------------------ sizes and arrays

    @property
    def nq(self) -> int:
        return self.thud.nq

    @property
    def nv(self) -> int:
        return self.thud.nv

    @property
    def nu(self) -> int:
        return self.thud.nu

    @property
    def na(self) -> int:
        return self.thud.na

    @property
    def nsensordata(self) -> int:
        return self.thud.nsensordata

    @property
    def nmocap(self) -> int:
        return self.thud._sizes["mocaps"]

    @property
    def nM(self) -> int:
        return int(self.thud.dof_row[-1])

    @property
    def names(self) -> bytes:
        return b"\0".join((n or "").encode() for kind in ("body", "joint", "geom", "site") for n in self.thud.names(kind)) + b"\0"

    def _raw(self, name: str) -> np.ndarray | None:
        m = self.thud
        if name in ("body_mass", "body_ipos"):
            return m.body_inertia[:, 0] if name == "body_mass" else m.body_inertia[:, 1:4]
        if name == "body_inertia":
            return np.array([_principal(row[4:10], quat) for row, quat in zip(m.body_inertia, m.body_iquat)]).reshape(-1, 3)
        if name == "body_parentid":
            return np.maximum(m.body_parent, 0)
        if name == "body_subtreemass":
            mass = m.body_inertia[:, 0].copy()
            for i in range(len(mass) - 1, 0, -1):
                mass[m.body_parent[i]] += mass[i]
            return mass
        kind, _, what = name.partition("_")
        if kind in ("body", "geom", "site") and what in ("pos", "quat"):
            pose = getattr(m, f"{kind}_pose")
            return pose[:, 4:] if what == "pos" else pose[:, :4]
        if name == "jnt_type":
            return np.array([_JOINTS[t] for t in m.joint_type], np.int32)
        if name == "dof_bodyid":
            return m.joint_body[m.dof_link]
        if name in ("body_geomnum", "body_geomadr"):
            count = np.bincount(m.geom_body, minlength=len(m.body_parent)).astype(np.int32)
            return count if name == "body_geomnum" else np.where(count > 0, np.cumsum(count) - count, -1).astype(np.int32)
        if name in ("body_dofnum", "body_dofadr"):
            bodies = m.joint_body[m.dof_link]
            count = np.bincount(bodies, minlength=len(m.body_parent)).astype(np.int32)
            first = np.full(len(count), -1, np.int32)
            for dof in range(len(bodies) - 1, -1, -1):
                first[bodies[dof]] = dof
            return count if name == "body_dofnum" else first
        if name == "actuator_trnid":
            return np.stack([m.actuator_target, m.actuator_reference], axis=1)
        if name in ("actuator_ctrllimited", "actuator_forcelimited"):
            return m.actuator_limited[:, 0 if name == "actuator_ctrllimited" else 1].astype(bool)
        return m._array(_ARRAYS[name]) if name in _ARRAYS else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _COUNTS:
            return len(self.thud.names(_COUNTS[name]))
        if name in _NONE:
            return 0
        held = self._arrays.get(name)
        if held is not None:
            return held[0]
        array = self._raw(name)
        if array is None:
            raise AttributeError(f"thud.mujoco's MjModel has no '{name}'.{did_you_mean(name, dir(self))}")
        if name in _WRITABLE or name in _WRITABLE_DOFS:
            self._arrays[name] = np.array(array), np.array(array)
            return self._arrays[name][0]
        return array

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_ARRAYS, *_WRITABLE, *_WRITABLE_DOFS, *_COUNTS, "body_subtreemass", "jnt_type", "dof_bodyid"})

    def update(self) -> Model:
        """The thud.Model with all that was written since."""
        settings = {name: value for name, value in self.opt._settings().items() if not np.array_equal(value, self._opt[name])}
        for name, (array, before) in self._arrays.items():
            if not np.array_equal(array, before, equal_nan=True):
                settings.update(self._changes(name, array, before))
                before[...] = array
        if settings:
            self._opt = self.opt._settings()
            self.thud = self.thud.vary(settings)
            self.edition += 1
        return self.thud

    def _changes(self, name: str, array: np.ndarray, before: np.ndarray) -> dict[str, Any]:
        rows = np.flatnonzero([not np.array_equal(a, b, equal_nan=True) for a, b in zip(array, before)])
        if name in _WRITABLE:
            kind, word = _WRITABLE[name]
            return {f"{kind}/#{i}.{word}": np.atleast_1d(array[i]) for i in rows}
        changes = {}
        for joint in sorted({int(self.thud.dof_link[i]) for i in rows}):
            first, dofs = int(self.thud.joint_v[joint]), int(self.thud.joint_dofs[joint])
            values = array[first:first + dofs]
            if np.ptp(values) != 0:
                raise Unsupported(f"{name}: the dofs of one joint have one value here")
            changes[f"joint/#{joint}.{_WRITABLE_DOFS[name]}"] = values[:1]
        return changes

    # ------------------------------------------------------------------------------------------ names

    def _named(self, kind: str, which: str | int) -> Named:
        parts = getattr(self.thud, KINDS[kind])
        id = parts.id(which)
        prefix = {"joint": ("jnt_", "dof_"), "equality": ("eq_",)}.get(KINDS[kind], (f"{KINDS[kind]}_",))
        return Named(self, prefix, KINDS[kind], id, parts.names[id])

    def body(self, which: str | int) -> Named:
        return self._named("body", which)

    def joint(self, which: str | int) -> Named:
        named = self._named("joint", which)
        named.__dict__.update(qposadr=self.jnt_qposadr[named.id:named.id + 1], dofadr=self.jnt_dofadr[named.id:named.id + 1])
        return named

    jnt = joint

    def geom(self, which: str | int) -> Named:
        return self._named("geom", which)

    def site(self, which: str | int) -> Named:
        return self._named("site", which)

    def actuator(self, which: str | int) -> Named:
        return self._named("actuator", which)

    def sensor(self, which: str | int) -> Named:
        return self._named("sensor", which)

    def tendon(self, which: str | int) -> Named:
        return self._named("tendon", which)

    def key(self, which: str | int) -> Named:
        return self._named("key", which)

    keyframe = key

    def __deepcopy__(self, memo: dict) -> MjModel:
        return MjModel(self.update())

    __copy__ = lambda self: MjModel(self.update())  # noqa: E731

    def __reduce__(self) -> tuple:
        return MjModel, (self.update(),)

    def __repr__(self) -> str:
        return f"<thud.mujoco.MjModel of {self.thud!r}>"


def _principal(inertia: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """Moments about the principal axes."""
    from .math import matrix

    xx, yy, zz, xy, xz, yz = inertia
    R = matrix(quat)
    return np.diag(R.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R)
