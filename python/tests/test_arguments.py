# SPDX-License-Identifier: Apache-2.0
"""Arguments of any shape and type are taken or refused with a Python exception; memory is given back."""
import gc
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import thud
from conftest import PENDULUM

REFUSED = (ValueError, TypeError, IndexError, KeyError, OverflowError, ArithmeticError, np.exceptions.AxisError)
M = thud.load(PENDULUM)
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.floats(), max_size=4),
    hnp.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.bool_, np.complex128, np.uint8]), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)))
CALLS = {
    "set": lambda x: M.state().set(qpos=x), "qvel": lambda x: setattr(M.state(), "qvel", x), "tau": lambda x: M.sim().step(M.state(), x),
    "inverse": lambda x: M.sim().inverse(M.state(), x), "point": lambda x: M.jacobian(M.state(), "bob", x),
    "ray": lambda x: M.ray(M.state(), x, x), "push": lambda x: M.joint_force(M.state(), "bob", x), "load": lambda x: M.state().load(x),
    "key": lambda x: M.state(x), "body": lambda x: M.body(x), "option": lambda x: M.sim(tolerance=x, dt=x), "vary": lambda x: M.vary({"body/bob.mass": x}),
    "lcp": lambda x: thud.solve_lcp(np.eye(2), x), "matrix": lambda x: thud.solve_lcp(x, [1.0, 2.0]),
    "cone": lambda x: thud.solve_cone(np.eye(3), [-1.0, 0, 0], x), "blocks": lambda x: thud.solve_cone(np.eye(3), [-1.0, 0, 0], blocks=x),
    "mask": lambda x: thud.Batch(M, 2, threads=1).step(mask=x), "forces": lambda x: thud.Batch(M, 2, threads=1).step(tau=x),
    "controls": lambda x: thud.Batch(M, 2, threads=1).rollout(None, x), "initial": lambda x: thud.Batch(M, 2, threads=1).rollout(x, np.zeros((2, 1))),
    "worlds": lambda x: thud.Batch(M, x if not isinstance(x, int) else min(x, 5)), "files": lambda x: thud.load({"a": x}), "time": lambda x: setattr(M.state(), "time", x),
}


@pytest.mark.parametrize("call", list(CALLS))
@settings(max_examples=60, deadline=None, derandomize=not os.environ.get("THUD_THOROUGH"))  # make test: the same in every run
@given(x=anything)
@pytest.mark.filterwarnings("ignore")
def test_any_argument_is_taken_or_refused(call, x):
    try:
        CALLS[call](x)
    except REFUSED + (thud.Error, AttributeError):
        pass


def test_a_file_is_text_or_bytes_and_a_number_is_not_a_length():
    for x in (1_073_741_825, 8, 1.5, [60, 62]):
        with pytest.raises(TypeError):
            thud.load({"a": x})


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.parametrize("what, times, allowed", [
    ("states", 100000, 4), ("views", 100000, 4), ("models", 20000, 8), ("variants", 20000, 8), ("sims", 1000, 8), ("batches", 300, 8),
    ("errors", 20000, 4), ("pickles", 2000, 8), ("problems", 2000, 8)])
def test_memory_is_given_back(what, times, allowed, scene):
    m = scene("gripper")
    s, sim = m.state(0), m.sim()
    sim.step(s)
    text = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"

    def error():
        with pytest.raises(thud.LoadError):
            thud.load("<mujoco><worldbody><geom sized='1'/></worldbody></mujoco>")

    work = {"states": lambda: M.state(), "views": lambda: np.asarray(M._c.array("qpos0")), "models": lambda: thud.load(text),
            "variants": lambda: M.vary({"body/bob.mass": 2.0}), "sims": lambda: M.sim(), "batches": lambda: thud.Batch(M, 3, threads=1).step(),
            "errors": error, "pickles": lambda: pickle.loads(pickle.dumps(s)), "problems": lambda: (sim.problems(), sim.contacts(), sim.doubts())}[what]
    for _ in range(times // 10):
        work()
    gc.collect()
    before = rss()
    for _ in range(times):
        work()
    gc.collect()
    assert rss() - before < allowed * 2**20


def cpu(code, repeats=5):
    """Least CPU time of a run of code in a fresh interpreter, s."""
    line = f"import numpy, time; t = time.process_time()\n{code}\nprint(time.process_time() - t)"
    return min(float(subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout) for _ in range(repeats))


@pytest.mark.skipif("THUD_SANITIZED" in os.environ, reason="times are those of a release")
def test_importing_viewing_and_stepping_cost_little():
    assert cpu("import thud") < 0.030
    s, sim, n = M.state(), M.sim(), 20000

    def per_call(work):
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
        return best / n

    def views():
        for _ in range(n):
            s.qpos

    def steps():
        for _ in range(n):
            sim.step_fast(s)

    assert per_call(views) < 200e-9
    assert per_call(steps) - per_call(lambda: sim._c.run(s._c, None, n)) < 1e-6


def test_the_lock_is_let_go_while_the_library_works(scene):
    m = scene("humanoid")
    s, sim, ticks = m.state(), m.sim(), 0
    thread = threading.Thread(target=lambda: sim.run(s, 3000))
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0)
    assert ticks > 10
