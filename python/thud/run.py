# SPDX-License-Identifier: Apache-2.0
"""Runs: a simulation from start to end, recorded and judged."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, look
from .errors import BadArgument, Wrong, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .model import Model
    from .state import State


class Step:
    """A step of a run. What it tells is of this step until the next is taken."""

    __slots__ = ("_run", "certificate", "index")

    def __init__(self, run: Run, certificate: _core.Certificate, index: int) -> None:
        self._run, self.certificate, self.index = run, certificate, index

    @property
    def state(self) -> State:
        return self._run.state

    @property
    def time(self) -> float:
        """s, at the end of the step."""
        return self._run.state.time

    @property
    def contacts(self) -> list[look.Contact]:
        return self._run.sim.contacts()

    @property
    def doubts(self) -> list[look.Doubt]:
        """Those of all steps so far whose worst or last moment was this one; [] where the certificate counts none."""
        c = self.certificate
        return self._run._fresh_doubts() if c.wrong or c.coarse or c.noted else []

    @property
    def energy(self) -> float:
        """J, kinetic and potential."""
        return self.certificate.energy

    def __repr__(self) -> str:
        return f"<Step {self.index} to {self.time:.6g} s: {self.certificate!r}>"


class Run:
    """A run of `seconds` from a state, which it moves. Made by :meth:`Model.simulate`.

    record: "run.csv", "run.h5" (by h5py) or None; the rows are kept in memory in any case but for .csv: ``run["qpos"]``.
    every: a row each so many steps. contacts: each row's contacts are kept, too (not in CSV). control: a function of the state,
    called before each step, that sets its controls or returns joint forces (nv). progress: a bar (by tqdm where it is installed).
    wrong: "raise" (the default) ends the run with :class:`Wrong` at a step whose result is not what the law says; "keep" goes on,
    and `run.doubts` tells. Other words are options of the sim.
    """

    def __init__(self, model: Model, state: State, seconds: float | None = None, *, steps: int | None = None,
                 record: str | os.PathLike[str] | None = None, every: int = 1, contacts: bool = True, control: Any = None,
                 progress: bool = False, wrong: str = "raise", **options: Any) -> None:
        self.model, self.state = model, state
        self.sim = model.sim(**options)
        if (seconds is None) == (steps is None):
            raise BadArgument("a run takes seconds or steps, one of them")
        if seconds is not None and not 0 <= seconds < 1e15 * self.sim.dt:
            raise BadArgument(f"seconds: {seconds} cannot be simulated")
        if wrong not in ("raise", "keep"):
            raise BadArgument(f"wrong: 'raise' or 'keep', not {wrong!r}")
        if every < 1:
            raise BadArgument("every: 1 or more")
        self.steps = int(steps) if seconds is None else int(round(seconds / self.sim.dt))  # type: ignore[arg-type]
        self._control, self._progress, self._wrong, self._every = control, progress, wrong, every
        self._path = None if record is None else os.fspath(record)
        self._csv = self._path is not None and self._path.endswith(".csv")
        if self._path and not self._csv:
            self._need_h5py()
        self._options = options
        self._recorder: Any = _core.Recorder(model._c, self._path if self._csv else None, contacts and not self._csv)
        self._seen: dict[tuple, int] = {}
        self._taken = 0
        self._rows: Any = None
        self._slips: list[tuple] = []
        self._ended = False
        self.energy_start = self.sim.energy(state)

    def _need_h5py(self) -> None:
        if not str(self._path).endswith(".h5"):
            raise BadArgument(f"{self._path}: the name of a recording ends in .csv or .h5")
        try:
            import h5py  # noqa: F401
        except ImportError:
            raise BadArgument(f"{self._path}: recordings of .h5 are written by h5py, which is not installed; .csv needs nothing") from None

    # ------------------------------------------------------------------------------------------ running

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close(keep=kind is None or isinstance(error, (Wrong, ArithmeticError)))

    def __iter__(self) -> Iterator[Step]:
        if self._ended:
            raise BadArgument("this run has ended")
        if self._taken == 0:
            self._recorder.write(self.sim._c, self.state._c, None)
        bar = self._bar()
        try:
            while self._taken < self.steps:
                tau = self._control(self.state) if self._control else None
                certificate = self.sim.step(self.state, tau)
                self._taken += 1
                if self._taken % self._every == 0:
                    self._recorder.write(self.sim._c, self.state._c, certificate)
                if bar is not None:
                    bar.update()
                if certificate.wrong and self._wrong == "raise":
                    self._raise_wrong()
                yield Step(self, certificate, self._taken)
        finally:
            if bar is not None:
                bar.close()

    def _bar(self) -> Any:
        if not self._progress:
            return None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _Bar(self.steps)
        return tqdm(total=self.steps, unit="step", mininterval=0.5)

    def finish(self) -> Run:
        """Takes all steps that are left."""
        for _ in self:
            pass
        return self

    def _fresh_doubts(self) -> list[look.Doubt]:
        fresh = []
        for doubt in self.sim.doubts():
            key = (doubt.kind, doubt.body, doubt.geom, doubt.joint, doubt.equality, doubt.tendon)
            if self._seen.get(key) != doubt.count:
                self._seen[key] = doubt.count
                fresh.append(doubt)
        return fresh

    def _raise_wrong(self) -> None:
        wrong = [doubt for doubt in self.sim.doubts() if doubt.grade == "wrong"]
        raise Wrong("; ".join(str(doubt) for doubt in wrong) + " (wrong='keep' goes on nevertheless)", wrong)

    def close(self, keep: bool = True) -> None:
        """Ends the run. The recording appears whole, or (keep=False) not at all."""
        if self._ended:
            return
        self._ended = True
        self._slips = self._recorder.slips()
        if self._csv:
            self._recorder.close() if keep else self._recorder.abandon()
            return
        self._rows = self._recorder.take()
        if self._path and keep:
            from .hdf5 import write

            write(self._path, self.model, self.sim, self._rows, self._notes())

    def _notes(self) -> dict[str, str | float]:
        return {"scene": self.model.path, "dt": self.sim.dt, "time": self._taken * self.sim.dt, "every": float(self._every),
                "integrator": self.sim.integrator,
                **{name: value if isinstance(value, str) else float(value) for name, value in self._options.items()}}

    # ------------------------------------------------------------------------------------------ what came of it

    @property
    def doubts(self) -> list[look.Doubt]:
        """What of the run is wrong, too coarse, or worth knowing."""
        return self.sim.doubts()

    def _need_rows(self) -> tuple[list[str], NDArray[np.float64]]:
        if not self._ended:
            self.close()
        if self._rows is None:
            raise BadArgument("the rows of this run are in its .csv file")
        names, count, data = self._rows[0]
        return names, np.frombuffer(data).reshape(count, len(names))

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """A column of the rows, the start among them: "time", "qpos" (rows x nq), "qpos[2]", a sensor's name, "kinetic",
        "cone_residual" ..."""
        names, data = self._need_rows()
        if column in names:
            return data[:, names.index(column)]
        group = [i for i, name in enumerate(names) if name.partition("[")[0] == column]
        if not group:
            raise KeyError(f"no column is called '{column}'.{did_you_mean(column, {n.partition('[')[0] for n in names})}")
        return data[:, group[0]:group[-1] + 1]

    def keys(self) -> list[str]:
        """The columns, those that differ in their index as one."""
        return list(dict.fromkeys(name.partition("[")[0] for name in self._need_rows()[0]))

    @property
    def time(self) -> NDArray[np.float64]:
        """s, of each row."""
        return self["time"]

    @property
    def energy(self) -> NDArray[np.float64]:
        """J, kinetic and potential, of each row; the first is that of the start."""
        energy = self["kinetic"] + self["potential"]
        energy[0] = sum(self.energy_start)
        return energy

    @property
    def contact(self) -> dict[str, NDArray[np.float64]]:
        """The contacts of all rows, by columns: row, geom (n x 2), body, point, normal, impulse (N s), friction, slides, duration."""
        self._need_rows()
        names, count, data = self._rows[1]
        table = np.frombuffer(data).reshape(count, len(names))
        answer: dict[str, NDArray[np.float64]] = {}
        for word in dict.fromkeys(name.partition("[")[0] for name in names):
            at = [i for i, name in enumerate(names) if name.partition("[")[0] == word]
            answer[word] = table[:, at[0]] if len(at) == 1 else table[:, at[0]:at[-1] + 1]
        return answer

    def slip(self, one: str | int, other: str | int) -> float:
        """How far (m) two bodies or geoms slid along each other while they touched: the way of the contact that slid fastest in
        each step, of those geoms that slid most. 0.0 where they never touched. A number is a body's."""
        slips = self._slips if self._ended else self._recorder.slips()
        geom_body = self.model.geom_body

        def geoms(which: str | int) -> set[int]:
            if isinstance(which, str) and which not in self.model.body:
                if which in self.model.geom:
                    return {self.model.geom.id(which)}
                known = [*self.model.names("body"), *self.model.names("geom")]
                raise KeyError(f"no body or geom is called '{which}'.{did_you_mean(which, known)}")
            return set(np.flatnonzero(geom_body == self.model.body.id(which)).tolist())

        a, b = geoms(one), geoms(other)
        ways = [path for g1, g2, path, _, _ in slips if (g1 in a and g2 in b) or (g1 in b and g2 in a)]
        return max(ways, default=0.0)

    def __repr__(self) -> str:
        found: dict[str, int] = {}
        for doubt in self.doubts:
            found[doubt.grade] = found.get(doubt.grade, 0) + 1
        said = ", ".join(f"{count} {grade}" for grade, count in found.items()) or "none"
        return (f"<Run of {self.model.name!r}: {self._taken} of {self.steps} steps of {self.sim.dt:g} s, to {self.state.time:.6g} s, "
                f"doubts: {said}>")


class _Bar:
    """A line of progress where there is no tqdm."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.shown = max(total, 1), 0, -1

    def update(self) -> None:
        self.done += 1
        percent = 100 * self.done // self.total
        if percent != self.shown:
            self.shown = percent
            print(f"\r{percent:3d} %", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(file=sys.stderr)
