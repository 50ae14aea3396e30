# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's functions of a model and its data."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..errors import BadArgument, Unsupported
from ..state import _numbers
from .data import MjData
from .enums import mjtObj, mjtState
from .model import MjModel

_KINDS = {mjtObj.mjOBJ_BODY: "body", mjtObj.mjOBJ_XBODY: "body", mjtObj.mjOBJ_JOINT: "joint", mjtObj.mjOBJ_GEOM: "geom",
          mjtObj.mjOBJ_SITE: "site", mjtObj.mjOBJ_ACTUATOR: "actuator", mjtObj.mjOBJ_SENSOR: "sensor", mjtObj.mjOBJ_TENDON: "tendon",
          mjtObj.mjOBJ_EQUALITY: "equality", mjtObj.mjOBJ_KEY: "key"}


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    d.mj_step(nstep)


def mj_step1(m: MjModel, d: MjData) -> None:
    d.mj_kinematics()


def mj_step2(m: MjModel, d: MjData) -> None:
    d.mj_step(1)


def mj_forward(m: MjModel, d: MjData) -> None:
    d.mj_forward()


def mj_inverse(m: MjModel, d: MjData) -> None:
    d.mj_inverse()


def mj_kinematics(m: MjModel, d: MjData) -> None:
    d.mj_kinematics()


mj_comPos = mj_comVel = mj_fwdPosition = mj_fwdVelocity = mj_tendon = mj_crb = mj_camlight = mj_kinematics


def mj_fwdActuation(m: MjModel, d: MjData) -> None:
    """What actuators do is computed when it is read."""


mj_rnePostConstraint = mj_energyPos = mj_energyVel = mj_sensorPos = mj_sensorVel = mj_sensorAcc = mj_subtreeVel = mj_fwdActuation
mj_passive = mj_collision = mj_fwdActuation


def mj_resetData(m: MjModel, d: MjData) -> None:
    _reset(d, -1)


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    _reset(d, int(key) if 0 <= int(key) < len(m.thud.key) else -1)


def _reset(d: MjData, key: int) -> None:
    d._state._c.reset(key)
    for array in (d.qacc, d.qfrc_applied, d.qfrc_inverse, d.xfrc_applied, d.sensordata):
        array[...] = 0
    d._sim.forget_doubts()
    d._push = None
    d.mj_kinematics()


def mj_name2id(m: MjModel, type: int, name: str) -> int:
    kind = _KINDS.get(mjtObj(type))
    return m.thud._c.find({"body": 0, "joint": 1, "geom": 2, "site": 3, "key": 4, "equality": 5, "tendon": 6, "actuator": 7,
                           "sensor": 8}[kind], name) if kind else -1


def mj_id2name(m: MjModel, type: int, id: int) -> str | None:
    kind = _KINDS.get(mjtObj(type))
    names = m.thud.names(kind) if kind else []
    return names[id] if 0 <= id < len(names) else None


# ---------------------------------------------------------------------------------------------- Jacobians, mass


def mj_jac(m: MjModel, d: MjData, jacp: Any, jacr: Any, point: Any, body: int) -> None:
    J = np.frombuffer(d._place().jacobian(int(body), _numbers(np.ravel(point)))).reshape(6, m.nv)
    if jacp is not None:
        jacp[...] = J[3:].reshape(np.shape(jacp))
    if jacr is not None:
        jacr[...] = J[:3].reshape(np.shape(jacr))


def mj_jacBody(m: MjModel, d: MjData, jacp: Any, jacr: Any, body: int) -> None:
    mj_jac(m, d, jacp, jacr, d.xpos[body], body)


def mj_jacBodyCom(m: MjModel, d: MjData, jacp: Any, jacr: Any, body: int) -> None:
    mj_jac(m, d, jacp, jacr, d.xipos[body], body)


def mj_jacGeom(m: MjModel, d: MjData, jacp: Any, jacr: Any, geom: int) -> None:
    mj_jac(m, d, jacp, jacr, d.geom_xpos[geom], int(m.thud.geom_body[geom]))


def mj_jacSite(m: MjModel, d: MjData, jacp: Any, jacr: Any, site: int) -> None:
    mj_jac(m, d, jacp, jacr, d.site_xpos[site], int(m.thud.site_body[site]))


def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: Any, body: int) -> None:
    total, J, one = 0.0, np.zeros((3, m.nv)), np.zeros((3, m.nv))
    inside = np.zeros(m.nbody, bool)
    for i in range(body, m.nbody):
        inside[i] = i == body or (i > 0 and inside[m.thud.body_parent[i]])
        if inside[i]:
            mass = m.thud.body_inertia[i, 0]
            mj_jacBodyCom(m, d, one, None, i)
            J, total = J + mass * one, total + mass
    jacp[...] = J / max(total, 1e-300)


def mj_fullM(m: MjModel, dst: Any, M: Any) -> None:
    """(m, dst, d.qM), or as of MuJoCo 4 (m, d, dst)."""
    if isinstance(dst, MjData):
        M[...] = _dense(dst).reshape(np.shape(M))
        return
    thud = m.thud
    dense = np.zeros((m.nv, m.nv))
    for i in range(m.nv):
        at, j = int(thud.dof_row[i]), i
        while j >= 0:
            dense[i, j] = dense[j, i] = M[at]
            at, j = at + 1, int(thud.dof_parent[j])
    dst[...] = dense.reshape(np.shape(dst))


def _dense(d: MjData) -> Any:
    d.qM  # noqa: B018
    return d._known["_dense"]


def mj_mulM(m: MjModel, d: MjData, res: Any, vec: Any) -> None:
    res[...] = _dense(d) @ np.asarray(vec)


def mj_solveM(m: MjModel, d: MjData, x: Any, y: Any) -> None:
    x[...] = np.linalg.solve(_dense(d), np.asarray(y).T).T


def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: Any) -> None:
    result[...] = np.frombuffer(d._place().rnea(_numbers(d.qacc) if flg_acc else None))


def mj_applyFT(m: MjModel, d: MjData, force: Any, torque: Any, point: Any, body: int, qfrc_target: Any) -> None:
    qfrc_target += np.frombuffer(d._place().point_force(int(body), _numbers(np.ravel(force)), _numbers(np.ravel(torque)),
                                                        _numbers(np.ravel(point)))).reshape(np.shape(qfrc_target))


def mj_objectVelocity(m: MjModel, d: MjData, objtype: int, objid: int, res: Any, flg_local: int) -> None:
    kind = _KINDS.get(mjtObj(objtype))
    place = {"body": (d.xpos, d.xmat), "geom": (d.geom_xpos, d.geom_xmat), "site": (d.site_xpos, d.site_xmat)}
    if kind not in place:
        raise BadArgument("mj_objectVelocity: a body, geom or site is wanted")
    body = objid if kind == "body" else int(getattr(m.thud, f"{kind}_body")[objid])
    at, R = place[kind][0][objid], place[kind][1][objid].reshape(3, 3)
    if objtype == mjtObj.mjOBJ_BODY:
        at, R = d.xipos[objid], d.ximat[objid].reshape(3, 3)
    V = np.frombuffer(d._place().velocities()).reshape(-1, 6)[body]
    w, v = V[:3], V[3:] + np.cross(V[:3], at - d.xpos[body])
    res[...] = np.concatenate([R.T @ w, R.T @ v]) if flg_local else np.concatenate([w, v])


# ---------------------------------------------------------------------------------------------- contact, rays


def mj_contactForce(m: MjModel, d: MjData, id: int, result: Any) -> None:
    result[...] = np.reshape(d.contact[id]._force, np.shape(result))


def mj_ray(m: MjModel, d: MjData, pnt: Any, vec: Any, geomgroup: Any, flg_static: int, bodyexclude: int, geomid: Any,
           normal: Any = None) -> float:
    groups = 0xFFFFFFFF if geomgroup is None else sum(1 << g for g, seen in enumerate(geomgroup) if seen)
    hit = d._place().ray(_numbers(np.ravel(pnt)), _numbers(np.ravel(vec)), int(bodyexclude), groups, bool(flg_static), np.inf)
    if geomid is not None:
        np.asarray(geomid)[...] = -1 if hit is None else hit[0]
    if normal is not None:
        normal[...] = 0 if hit is None else hit[3]
    return -1.0 if hit is None else hit[1] / float(np.linalg.norm(vec))


# ---------------------------------------------------------------------------------------------- positions, states


def mj_integratePos(m: MjModel, qpos: Any, qvel: Any, dt: float) -> None:
    qpos[...] = m.thud.integrate(qpos, qvel, dt)


def mj_differentiatePos(m: MjModel, qvel: Any, dt: float, qpos1: Any, qpos2: Any) -> None:
    qvel[...] = m.thud.difference(qpos1, qpos2) / dt


def mj_normalizeQuat(m: MjModel, qpos: Any) -> None:
    for joint in np.flatnonzero(m.thud.joint_type >= 2):
        at = int(m.thud.joint_q[joint]) + (3 if m.thud.joint_type[joint] == 3 else 0)
        qpos[at:at + 4] /= np.linalg.norm(qpos[at:at + 4])


def _parts(d: MjData, spec: int) -> list[Any]:
    table = [(mjtState.mjSTATE_QPOS, d.qpos), (mjtState.mjSTATE_QVEL, d.qvel), (mjtState.mjSTATE_ACT, d.act), (mjtState.mjSTATE_CTRL, d.ctrl),
             (mjtState.mjSTATE_QFRC_APPLIED, d.qfrc_applied), (mjtState.mjSTATE_XFRC_APPLIED, d.xfrc_applied),
             (mjtState.mjSTATE_MOCAP_POS, d.mocap_pos), (mjtState.mjSTATE_MOCAP_QUAT, d.mocap_quat)]
    unknown = int(spec) & ~sum(int(bit) for bit, _ in table) & ~1
    if unknown:
        raise Unsupported(f"a state of the parts {unknown} (mjtState)")
    return [array for bit, array in table if int(spec) & int(bit)]


def mj_stateSize(m: MjModel, spec: int) -> int:
    return (int(spec) & 1) + sum(array.size for array in _parts(MjData(m), spec))


def mj_getState(m: MjModel, d: MjData, state: Any, spec: int) -> None:
    parts = ([np.array([d.time])] if int(spec) & 1 else []) + [array.ravel() for array in _parts(d, spec)]
    state[...] = np.concatenate(parts).reshape(np.shape(state))


def mj_setState(m: MjModel, d: MjData, state: Any, spec: int) -> None:
    numbers, at = np.ravel(state), 0
    if int(spec) & 1:
        d.time, at = float(numbers[0]), 1
    for array in _parts(d, spec):
        array[...] = numbers[at:at + array.size].reshape(array.shape)
        at += array.size


def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> MjData:
    dest._state.copy_from(src._state)
    dest.qfrc_applied[...], dest.xfrc_applied[...] = src.qfrc_applied, src.xfrc_applied
    dest.mj_kinematics()
    return dest


def mj_saveLastXML(filename: str, m: MjModel) -> None:
    m.update().to_mjcf(filename)


def mj_getTotalmass(m: MjModel) -> float:
    return m.update().total_mass


def mj_versionString() -> str:
    return f"thud {_core.version()[0]}"
