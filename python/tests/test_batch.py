# SPDX-License-Identifier: Apache-2.0
"""Batches give what a plain loop gives, bit by bit, and one bad world stops no other."""
import pickle

import numpy as np
import pytest

import thud


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_batch_gives_the_bits_of_a_plain_loop(scene, threads):
    m, n, steps = scene("humanoid"), 7, 60
    rng = np.random.default_rng(1)
    start = rng.uniform(-0.1, 0.1, (n, m.nv))
    u = rng.uniform(-1, 1, (n, m.nu))
    b = thud.Batch(m, n, threads=threads)
    b.qvel, b.ctrl = start, u
    for _ in range(steps // 20):
        b.step(20)
    assert b.solved.all() and b.threads <= threads
    for i in range(n):
        s, sim = m.state(), m.sim()
        s.qvel, s.ctrl = start[i], u[i]
        for _ in range(steps):
            c = sim.step(s)
        assert s.hash() == b[i].hash()
        assert c.penetration == b.certificate("penetration")[i] and c.contacts == b.certificate("contacts")[i]


def test_arrays_are_the_worlds_own_memory_and_outlive_the_batch(pendulum):
    b = thud.Batch(pendulum, 3)
    b.qpos[1] = 0.5
    assert b[1].qpos[0] == 0.5 and b.qpos.shape == (3, 1)
    b[2].qpos[0] = 0.25
    q, world = b.qpos, b[2]
    del b
    assert q[2, 0] == 0.25 and world.qpos[0] == 0.25
    pendulum.sim().step(world)
    assert q[2, 0] == world.qpos[0] != 0.25


def test_a_bad_world_stops_no_other(pendulum):
    b = thud.Batch(pendulum, 4, threads=2)
    b.qpos[:] = 0.1
    b.qvel[2] = np.nan
    b.step(5)
    assert b.solved.tolist() == [True, True, False, True] and "not a number" in b.failures()[2]
    assert b.time.tolist() == pytest.approx([0.005, 0.005, 0, 0.005])
    b.reset(~b.solved, key="level")
    b.step()
    assert b.solved.all() and b.qpos[2, 0] == pytest.approx(np.pi / 2, abs=1e-4) and b.qpos[1, 0] < 0.1


def test_masks(pendulum):
    b = thud.Batch(pendulum, 3)
    b.step(2, mask=[True, False, True])
    assert b.time.tolist() == [0.002, 0, 0.002]
    b.reset([False, False, True])
    assert b.time.tolist() == [0.002, 0, 0]
    with pytest.raises(thud.BadArgument):
        b.step(mask=[1, 0, 1])
    with pytest.raises(ValueError):
        b.step(mask=[True, False])


def test_rollouts_are_those_of_a_loop_and_sensors_come_with_them(pendulum):
    n, T = 3, 40
    u = np.random.default_rng(2).uniform(-1, 1, (n, T, 1))
    b = thud.Batch(pendulum, n)
    start = pendulum.state("level")
    states, sensors = b.rollout(start, u, k=2)
    for i in range(n):
        s, sim = start.copy(), pendulum.sim()
        for t in range(T):
            s.ctrl = u[i, t]
            sim.step(s), sim.step(s)
            assert np.array_equal(states[i, t], [*s.qpos, *s.qvel])
        assert np.array_equal(sensors[i, -1], sim.sensors(s).data)
    again, _ = b.rollout(start, u[0], k=2)
    assert np.array_equal(again[0], states[0]) and np.array_equal(again[2], states[0])
    x = np.array([[0.1, 0.0]])
    assert b.rollout(x, np.zeros((5, 1)))[0].shape == (n, 5, 2)
    for bad in (np.zeros((n, T, 2)), np.zeros((n + 1, T, 1)), np.zeros(T)):
        with pytest.raises(ValueError):
            b.rollout(start, bad)
    b.step(3)
    assert np.array_equal(b.sensordata[1], pendulum.sim().sensors(b[1]).data)


def test_each_world_has_its_parameters(slope):
    m, n = slope(20, 0.5), 6
    mu = np.linspace(0.1, 0.6, n)
    b = thud.Batch(m, n, threads=2)
    b.expand("geom/plane.friction")[:, 0] = mu
    b.expand("geom/sides.friction")[:, 0] = mu
    b.step(250)
    way = np.linalg.norm(b.qpos[:, :3], axis=1)
    g, a = 9.81, np.radians(20)
    expected = np.maximum(g * (np.sin(a) - mu * np.cos(a)), 0) / 2 * b.time**2
    assert np.allclose(way, expected, rtol=5e-3, atol=1e-9)
    for i in (0, 5):  # to the bit what a model of these numbers gives
        one = m.vary({"geom/plane.friction": mu[i], "geom/sides.friction": mu[i]})
        s = one.state()
        one.sim().run(s, 250)
        assert np.array_equal(s.qpos, b.qpos[i])
    variants = thud.Batch([m.vary({"geom/*.friction": x}) for x in mu])
    variants.step(250)
    assert np.array_equal(variants.qpos, b.qpos)


def test_variants(slope, pendulum):
    m = slope(20, 0.5)
    v = m.vary({"geom/*.friction": 0.1, "option.timestep": 0.001})
    assert v.setting("geom/plane.friction")[0] == 0.1 and v.dt == 0.001 and m.dt == 0.002 and v.hash != m.hash
    assert pickle.loads(pickle.dumps(v)).hash == v.hash
    w = v.vary({"geom/*.friction": 0.5}).vary({"option.timestep": 0.002})
    assert w.hash == m.hash and pickle.loads(pickle.dumps(w)).hash == m.hash
    s = m.state()
    v.sim().step(s)  # a state fits variants
    with pytest.raises(thud.BadArgument, match="friction"):
        m.vary({"geom/plane.frictoin": 1})
    with pytest.raises(ValueError):
        thud.Batch([m, pendulum])


def test_doubts_are_told_world_by_world():
    ball = thud.load("""<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='top' pos='0 0 .05'><freejoint/>
        <geom type='ellipsoid' size='.2 .1 .05'/></body></worldbody></mujoco>""")
    b = thud.Batch(ball, 3, dt=0.02, threads=2)
    b.qvel[1] = [0, 0, 0, 30, 20, 60]
    b.step(5)
    s, sim = ball.state(), ball.sim(dt=0.02)
    s.qvel = [0, 0, 0, 30, 20, 60]
    for _ in range(5):
        sim.step(s)
    told = {(d.kind, d.geom, d.count, d.worst_value) for d in sim.doubts()}
    assert told and told == {(d.kind, d.geom, d.count, d.worst_value) for d in b.doubts(1)}
    assert not b.doubts(0) and not b.doubts(2)
    b.reset()
    assert not b.doubts(1)


def test_batches_refuse_what_makes_no_sense(pendulum):
    for wrong in (lambda: thud.Batch(pendulum, 0), lambda: thud.Batch(pendulum, 2, threads=-1), lambda: thud.Batch([], 2),
                  lambda: thud.Batch(pendulum, 2).step(0), lambda: thud.Batch(pendulum, 2)[5], lambda: thud.Batch([pendulum] * 3, 2)):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(KeyError, match="penetration"):
        thud.Batch(pendulum, 2).certificate("penetratoin")
