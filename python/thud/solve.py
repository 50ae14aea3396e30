# SPDX-License-Identifier: Apache-2.0
"""The solvers by themselves: linear complementarity problems, and problems of Coulomb's cone."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import BadArgument, did_you_mean
from .state import _numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .sim import Sim


@dataclasses.dataclass(frozen=True)
class LcpResult:
    """What a method made of an LCP. `solved` is the judge's word, not the method's."""

    z: NDArray[np.float64]
    w: NDArray[np.float64]  #: M z + q
    outcome: str  #: "solved", "ray", "limit" ...
    text: str  #: the sentence of that word
    pivots: int  #: or sweeps
    attempts: int
    regularised: bool
    residual: float  #: max |z - mid(lo, z - w, hi)|
    relative: float  #: the same without scale: what the tolerance is of
    residuals: NDArray[np.float64] | None  #: `relative` after 1, 2, ... pivots or sweeps (history=True)

    @property
    def solved(self) -> bool:
        return self.outcome == "solved"


@dataclasses.dataclass(frozen=True)
class ConeResult:
    """What a method made of a cone problem."""

    p: NDArray[np.float64]  #: impulses
    u: NDArray[np.float64]  #: W p + b + epsilon p
    outcome: str
    method: str  #: whose answer this is
    iterations: int
    factorizations: int
    residual: float  #: by the exact cone, without scale
    equal_compliance: bool  #: of many solutions it is that of equal compliance
    rank: int | None  #: of W, where asked for
    residuals: NDArray[np.float64] | None  #: after 1, 2, ... iterations (history=True)

    @property
    def solved(self) -> bool:
        return self.outcome == "solved"


def _square(matrix: ArrayLike, n: int, name: str) -> NDArray[np.float64]:
    M = np.asarray(matrix, float)
    if M.shape != (n, n):
        raise BadArgument(f"{name}: a matrix {n} x {n} is wanted, not {M.shape}")
    return np.ascontiguousarray(M.T)


def _method(name: str, known: list[str]) -> str:
    if name not in known:
        raise BadArgument(f"method: there is none called '{name}', but {', '.join(known)}.{did_you_mean(name, known)}")
    return name


def solve_lcp(M: ArrayLike, q: ArrayLike, lo: ArrayLike | None = None, hi: ArrayLike | None = None, *, method: str = "lemke",
              z0: ArrayLike | None = None, tolerance: float = 1e-8, limit: int = 0, history: bool = False) -> LcpResult:
    """w = M z + q with lo <= z <= hi, w >= 0 where z = lo, w <= 0 where z = hi, w = 0 between. Without bounds z >= 0.

    method: lemke (any M), murty, judice-pires (P-matrices), dantzig (symmetric positive semidefinite), pgs (approximate; from z0).
    limit: most pivots or sweeps. history: the residual after each is told; the problem is solved again for each."""
    _method(method, _core.method_names()[0])
    constant = np.ravel(_numbers(q))
    columns = _square(M, constant.size, "M")
    bounds = [None if x is None else _numbers(np.broadcast_to(np.asarray(x, float), constant.shape)) for x in (lo, hi)]

    def solve(most: int) -> tuple:
        return _core.solve_lcp(columns, constant, bounds[0], bounds[1], None if z0 is None else _numbers(z0), method, float(tolerance), most)

    z, outcome, text, pivots, attempts, regularised, residual, relative = solve(limit)
    z = np.frombuffer(z)
    residuals = np.array([solve(k)[7] for k in range(1, pivots)] + [relative]) if history and pivots else None
    return LcpResult(z, columns.T @ z + constant, outcome, text, pivots, attempts, regularised, residual, relative,
                     np.array([relative]) if history and residuals is None else residuals)


Block = tuple  # ("contact", dim, mu...), ("box", lo, hi) or ("free", dim)


def _blocks(mu: ArrayLike | None, blocks: Sequence[Block] | None, rows: int) -> list[tuple]:
    """As the module wants them: (kind, dim, five coefficients, lo, hi)."""
    if (mu is None) == (blocks is None):
        raise BadArgument("a cone problem has mu, for contacts of three rows, or blocks")
    if blocks is None:
        if rows % 3:
            raise BadArgument(f"{rows} rows are no contacts of three: normal, tangent, tangent")
        share = np.broadcast_to(np.asarray(mu, float), (rows // 3,))
        return [("contact", 3, (float(x), float(x), 0.0, 0.0, 0.0), 0.0, 0.0) for x in share]
    answer = []
    for block in blocks:
        kind, *rest = block
        if kind == "contact" and rest:
            dim, *coefficients = rest
            given = [float(x) for x in np.ravel(coefficients)] or [0.0]
            wanted = max(int(dim) - 1, 0)
            given = given * wanted if len(given) == 1 else given
            if len(given) != wanted:
                raise BadArgument(f"a contact of {dim} rows has {wanted} coefficients, or one for all: {block}")
            answer.append((kind, int(dim), tuple((given + [0.0] * 5)[:5]), 0.0, 0.0))
        elif kind == "box" and len(rest) == 2:
            answer.append((kind, 1, (0.0,) * 5, float(rest[0]), float(rest[1])))
        elif kind == "free" and len(rest) == 1:
            answer.append((kind, int(rest[0]), (0.0,) * 5, 0.0, 0.0))
        else:
            raise BadArgument(f"a block is ('contact', dim, mu...), ('box', lo, hi) or ('free', dim), not {block}")
    if sum(block[1] for block in answer) != rows:
        raise BadArgument(f"the blocks have {sum(block[1] for block in answer)} rows, and b {rows}")
    return answer


def solve_cone(W: ArrayLike, b: ArrayLike, mu: ArrayLike | None = None, *, blocks: Sequence[Block] | None = None,
               epsilon: ArrayLike | None = None, p0: ArrayLike | None = None, method: str = "auto", tolerance: float = 1e-8,
               iterations: int = 0, equal_compliance: bool = True, rank: bool = False, history: bool = False) -> ConeResult:
    """Impulses p of contacts with Coulomb's exact cone: u = W p + b + epsilon p, and p and u obey the law, contact by contact.

    mu: contacts of three rows each (normal, tangent, tangent), with one coefficient for each or for all. blocks: anything else.
    method: auto, nsgs, newton, proximal, admm. iterations: most of each method; 0: its own limit. equal_compliance: of many
    solutions the limit of equal compliance -> 0. rank: count that of W. history: the residual after each iteration; the problem is
    solved again for each."""
    _method(method, _core.method_names()[1])
    constant = np.ravel(_numbers(b))
    columns = _square(W, constant.size, "W")
    table = _blocks(mu, blocks, constant.size)
    give = None if epsilon is None else _numbers(np.broadcast_to(np.asarray(epsilon, float), constant.shape))
    start = None if p0 is None else _numbers(p0)

    def solve(most: int, want_rank: bool = False) -> tuple:
        return _core.solve_cone(columns, constant, give, start, table, method, float(tolerance), most, equal_compliance, want_rank)

    p, u, outcome, used, count, factors, residual, equal, found = solve(iterations, rank)
    residuals = np.array([solve(k)[6] for k in range(1, min(count, 1000))] + [residual]) if history else None
    return ConeResult(np.frombuffer(p), np.frombuffer(u), outcome, used, count, factors, residual, equal,
                      found if rank else None, residuals)


@dataclasses.dataclass(frozen=True)
class ContactProblem:
    """The contact problem of an island of a step: u = W p + b + epsilon p, row block by row block. From `problems(sim)`."""

    W: NDArray[np.float64]  #: rows x rows, 1/kg (1/(kg m^2))
    b: NDArray[np.float64]  #: the velocity that p = 0 leaves, m/s (rad/s)
    epsilon: NDArray[np.float64] | None  #: compliance; None: rigid
    p: NDArray[np.float64]  #: the impulses that the step found, N s (N m s)
    u_before: NDArray[np.float64]  #: velocities of the rows at the step's start
    h: float  #: s; 0: a collision
    blocks: list[tuple]  #: ("contact", dim, mu...), ("box", lo, hi) or ("free", dim)
    geoms: NDArray[np.int32]  #: blocks x 2; -1: none
    points: NDArray[np.float64]  #: blocks x 3, m, world
    frames: NDArray[np.float64]  #: blocks x 3 x 3: normal and the two tangents

    def solve(self, **options: Any) -> ConeResult:
        """By thud: :func:`solve_cone`."""
        return solve_cone(self.W, self.b, blocks=self.blocks, epsilon=self.epsilon, **options)

    def residual(self, p: ArrayLike) -> float:
        """The judge of any impulses, whatever made them: 0 where they obey the exact law."""
        give = self.epsilon
        return _core.cone_residual(np.ascontiguousarray(self.W.T), self.b, give, _numbers(p), _blocks(None, self.blocks, self.b.size))[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """As numpy's .npz."""
        table = np.array([(kind, block_dim, *mu, lo, hi) for kind, block_dim, mu, lo, hi in _blocks(None, self.blocks, self.b.size)],
                         dtype=[("kind", "U8"), ("dim", "i4"), *((f"mu{i}", "f8") for i in range(5)), ("lo", "f8"), ("hi", "f8")])
        arrays: dict[str, Any] = {"W": self.W, "b": self.b, "p": self.p, "u_before": self.u_before, "h": self.h, "blocks": table,
                                  "geoms": self.geoms, "points": self.points, "frames": self.frames}
        if self.epsilon is not None:
            arrays["epsilon"] = self.epsilon
        np.savez(path, **arrays)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> ContactProblem:
        with np.load(path) as file:
            blocks = [_plain(str(row["kind"]), int(row["dim"]), [float(row[f"mu{i}"]) for i in range(5)], float(row["lo"]),
                             float(row["hi"])) for row in file["blocks"]]
            return ContactProblem(file["W"], file["b"], file["epsilon"] if "epsilon" in file else None, file["p"], file["u_before"],
                                  float(file["h"]), blocks, file["geoms"], file["points"], file["frames"])


def _plain(kind: str, dim: int, mu: Sequence[float], lo: float, hi: float) -> tuple:
    return ("contact", dim, *mu[:dim - 1]) if kind == "contact" else ("box", lo, hi) if kind == "box" else ("free", dim)


def problems(sim: Sim) -> list[ContactProblem]:
    """The contact problems of the last step of a sim, one for each island: bodies that hang together by contacts and joints."""
    answer = []
    for W, b, epsilon, p, before, h, _, blocks in sim._c.problem():
        constant = np.frombuffer(b)
        n = constant.size
        answer.append(ContactProblem(
            np.frombuffer(W).reshape(n, n).T, constant, None if epsilon is None else np.frombuffer(epsilon), np.frombuffer(p),
            np.frombuffer(before), h, [_plain(k[0], k[2], k[3], k[4], k[5]) for k in blocks],
            np.array([k[6:8] if k[0] == "contact" else (-1, -1) for k in blocks], np.int32).reshape(len(blocks), 2),
            np.array([k[11] for k in blocks]).reshape(len(blocks), 3), np.array([k[12] for k in blocks]).reshape(len(blocks), 3, 3)))
    return answer
