# SPDX-License-Identifier: Apache-2.0
"""Functions of MuJoCo that know numbers only. Results go into the first argument, as there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def matrix(q: Array) -> Array:
    """Rotation matrices (... x 3 x 3) of quaternions w x y z."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def product(a: Array, b: Array) -> Array:
    w, v, p, u = a[0], np.asarray(a[1:]), b[0], np.asarray(b[1:])
    return np.concatenate([[w * p - v @ u], w * u + p * v + np.cross(v, u)])


def mju_quat2Mat(res: Array, quat: Array) -> None:
    res[...] = matrix(quat).reshape(np.shape(res))


def mju_mat2Quat(quat: Array, mat: Array) -> None:
    R = np.asarray(mat, float).reshape(3, 3)
    # The largest of the four is found first, so nothing is divided by what is near 0.
    four = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], 1 - R[0, 0] + R[1, 1] - R[2, 2],
                     1 - R[0, 0] - R[1, 1] + R[2, 2]])
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = np.array([[four[0], a, b, c], [a, four[1], d, e], [b, d, four[2], f], [c, e, f, four[3]]])
    q = rows[int(np.argmax(four))]
    q = q / np.linalg.norm(q)
    quat[...] = q if q[0] >= 0 else -q


def mju_mulQuat(res: Array, quat1: Array, quat2: Array) -> None:
    res[...] = product(quat1, quat2)


def mju_negQuat(res: Array, quat: Array) -> None:
    res[...] = [quat[0], -quat[1], -quat[2], -quat[3]]


def mju_rotVecQuat(res: Array, vec: Array, quat: Array) -> None:
    res[...] = matrix(quat) @ np.asarray(vec, float)


def mju_axisAngle2Quat(res: Array, axis: Array, angle: float) -> None:
    res[...] = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis, float)])


def mju_quat2Vel(res: Array, quat: Array, dt: float) -> None:
    v = np.asarray(quat[1:], float)
    size = np.linalg.norm(v)
    angle = 2 * np.arctan2(size, quat[0])
    angle = angle - 2 * np.pi if angle > np.pi else angle
    res[...] = v / size * angle / dt if size > 0 else 0


def mju_subQuat(res: Array, qa: Array, qb: Array) -> None:
    mju_quat2Vel(res, product(np.array([qb[0], -qb[1], -qb[2], -qb[3]]), qa), 1.0)


def mju_euler2Quat(quat: Array, euler: Array, seq: str) -> None:
    q = np.array([1.0, 0, 0, 0])
    for angle, letter in zip(euler, seq):
        axis = np.eye(3)["xyz".index(letter.lower())]
        turn = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
        q = product(q, turn) if letter.islower() else product(turn, q)
    quat[...] = q


def mju_normalize4(vec: Array) -> float:
    size = float(np.linalg.norm(vec))
    vec[...] = vec / size if size > 1e-15 else [1, 0, 0, 0]
    return size


def mju_normalize3(vec: Array) -> float:
    size = float(np.linalg.norm(vec))
    vec[...] = vec / size if size > 1e-15 else [1, 0, 0]
    return size


def mju_mulMatVec(res: Array, mat: Array, vec: Array) -> None:
    res[...] = np.asarray(mat) @ np.asarray(vec)
