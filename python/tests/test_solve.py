# SPDX-License-Identifier: Apache-2.0
"""The solvers by themselves."""
import numpy as np
import pytest

import thud


def random_lcp(n, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    return A @ A.T / n + np.eye(n) / 10, rng.normal(size=n)


@pytest.mark.parametrize("method", ["lemke", "murty", "judice-pires", "dantzig", "pgs"])
def test_every_method_meets_the_conditions_of_complementarity(method):
    M, q = random_lcp(20, 3)
    r = thud.solve_lcp(M, q, method=method)
    assert r.solved and (r.z >= 0).all() and (r.w > -1e-6).all() and abs(r.z @ r.w) < 1e-6
    assert np.allclose(r.w, M @ r.z + q)


def test_unsymmetric_matrices_are_not_transposed():
    M = np.array([[2.0, 1.0], [-3.0, 2.0]])
    r = thud.solve_lcp(M, [-1, -1])
    assert r.solved and np.allclose(M @ r.z + [-1, -1], r.w) and np.allclose(r.w, 0, atol=1e-12) and (r.z > 0).all()


def test_bounds_and_what_has_no_solution():
    r = thud.solve_lcp(np.eye(2), [-5, 5], lo=-1, hi=[2, np.inf])
    assert r.z.tolist() == [2, -1]
    none = thud.solve_lcp([[0.0]], [-1.0])
    assert not none.solved and none.text
    for bad in (lambda: thud.solve_lcp(np.eye(3), [1, 2]), lambda: thud.solve_lcp(np.eye(1), [1], method="lemk")):
        with pytest.raises(ValueError):
            bad()


def test_residuals_of_sweeps_fall_and_end_at_the_result():
    M, q = random_lcp(12, 4)
    r = thud.solve_lcp(M, q, method="pgs", history=True)
    assert len(r.residuals) == r.pivots and r.residuals[-1] == r.relative < 1e-8 < r.residuals[0]


def test_a_pushed_block_slides_where_the_cone_says():
    m, h, g = 2.0, 0.01, 9.81
    for mu, push in ((0.5, 5.0), (0.5, 15.0)):
        b = np.array([-g * h, push * h / m, 0])
        r = thud.solve_cone(np.eye(3) / m, b, mu)
        assert r.solved and r.p[0] == pytest.approx(m * g * h)
        friction = min(push, mu * m * g) * h
        assert r.p[1] == pytest.approx(-friction, rel=1e-6) and np.allclose(r.u, r.p / m + b)


def test_blocks_of_other_kinds():
    r = thud.solve_cone(np.eye(3), [-1, -3, 2], blocks=[("contact", 1), ("box", -1, 1), ("free", 1)], rank=True)
    assert r.p == pytest.approx([1, 1, -2]) and r.rank == 3
    for bad in ([("contact", 4, 0.5)], [("contact", 2, 0.5), ("box", 1)], [("contact", 1), ("free", 1), ("box", 2, 1)], [("x", 3)]):
        with pytest.raises(ValueError):
            thud.solve_cone(np.eye(3), [-1, -3, 2], blocks=bad)
    with pytest.raises(ValueError):
        thud.solve_cone(np.eye(3), [1, 2, 3])
    with pytest.raises(ValueError):
        thud.solve_cone(np.eye(3), [1, 2, 3], -0.5)


@pytest.mark.parametrize("name", ["gripper", "card_house", "humanoid"])
def test_the_problem_of_a_step_is_the_one_that_was_solved(scene, name, tmp_path):
    m = scene(name)
    s, sim = m.state(0) if len(m.key) else m.state(), m.sim()
    sim.run(s, 300)
    problems = sim.problems()
    assert problems
    for k, problem in enumerate(problems):
        assert np.allclose(problem.W, problem.W.T) and np.linalg.eigvalsh(problem.W).min() > -1e-9
        assert problem.residual(problem.p) < 1e-7
        assert problem.residual(2 * problem.p + 1) > 1e-3  # the judge is no yes-man
        again = problem.solve()
        assert again.solved and np.allclose(again.p, problem.p, atol=1e-4 * np.abs(problem.p).max())
        problem.save(tmp_path / f"{k}.npz")
        back = thud.ContactProblem.load(tmp_path / f"{k}.npz")
        assert np.array_equal(back.W, problem.W) and back.blocks == problem.blocks and back.residual(back.p) == problem.residual(problem.p)


def test_a_solver_of_ones_own_is_judged(scene):
    """Projected Gauss-Seidel over the cone, contact by contact, in numpy."""
    m = scene("gripper")
    s, sim = m.state(0), m.sim()
    sim.run(s, 20)
    for problem in sim.problems():
        W, b, p = problem.W, problem.b, np.zeros_like(problem.b)
        assert all(block[:2] == ("contact", 3) for block in problem.blocks)
        for _ in range(20000):
            for k, (_, _, mu, *_) in enumerate(problem.blocks):
                rows = slice(3 * k, 3 * k + 3)
                u = W[rows] @ p + b[rows]
                u[0] += mu * np.linalg.norm(u[1:])
                y = p[rows] - u / np.linalg.norm(W[rows, rows], 2)
                t = np.linalg.norm(y[1:])
                if t > mu * y[0]:
                    n = max((y[0] + mu * t) / (1 + mu * mu), 0)
                    y = np.concatenate([[n], y[1:] * (mu * n / t if t else 0)])
                p[rows] = y
            if problem.residual(p) < 1e-6:
                break
        assert problem.residual(p) < 1e-6
