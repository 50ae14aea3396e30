# SPDX-License-Identifier: Apache-2.0
"""Load, step, simulate: claims of physics through the Python door."""
import copy
import gc
import math
import pickle
import threading
import weakref

import numpy as np
import pytest

import thud


def test_a_box_on_a_slope_below_its_friction_angle_stays_and_above_it_slides_as_coulomb_says(slope):
    g, mu, angle = 9.81, 0.5, math.radians(35)
    still = slope(20, mu)
    s = still.state()
    sim = still.sim()
    for _ in range(500):
        certificate = sim.step(s)
        assert certificate.wrong == 0 and certificate.cone_residual < 1e-8
    assert np.abs(s.qpos[:3]).max() < 1e-12

    steep = slope(35, mu)
    s = steep.state()
    steep.sim().run(s, 500)
    way = g * (math.sin(angle) - mu * math.cos(angle)) / 2 * s.time**2
    assert np.linalg.norm(s.qpos[:3]) == pytest.approx(way, rel=1e-3)


def test_contact_forces_carry_the_weight_and_the_share_of_friction_is_that_of_the_angle(slope):
    m = slope(20, 0.5)
    contacts = m.contacts(m.state())
    weight = m.total_mass * 9.81
    total = sum(c.force for c in contacts)
    assert np.allclose(total, [0, 0, weight], atol=1e-6 * weight) or np.allclose(total, [0, 0, -weight], atol=1e-6 * weight)
    normal = sum(c.normal_force for c in contacts)
    friction = np.linalg.norm(sum(c.force - c.normal_force * c.normal for c in contacts))
    assert friction / normal == pytest.approx(math.tan(math.radians(20)), rel=1e-6)
    assert all(0 < c.used <= 1 + 1e-9 and not c.slides for c in contacts)
    assert not any(c.unique for c in contacts)  # four corners of one box: three conditions of balance
    assert {contacts[0].name1, contacts[0].name2} == {"plane", "sides"}


def test_the_force_of_a_ball_on_the_ground_is_unique():
    m = thud.load("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
                  "</worldbody></mujoco>")
    (contact,) = m.contacts(m.state())
    assert contact.unique and contact.normal_force == pytest.approx(m.total_mass * 9.81)


def test_views_are_the_librarys_memory(pendulum):
    s = pendulum.state()
    view = s.qpos
    view[0] = 0.25
    assert s.copy().qpos[0] == 0.25 and s.qpos is view
    s.qpos = 0.5
    assert view[0] == 0.5
    with pytest.raises(ValueError):
        s.qpos = [1, 2, 3]
    with pytest.raises(ValueError):
        pendulum.qpos0[0] = 1  # a model never changes


def test_views_keep_their_owners_alive_and_nothing_else_does(pendulum):
    s = pendulum.state()
    dead = weakref.ref(s)
    view = s.qpos
    s.qpos[0] = 0.125
    del s
    gc.collect()
    assert dead() is None and view[0] == 0.125  # the State object is gone, its memory is not
    array = thud.load("<mujoco><worldbody><body pos='1 2 3'><geom size='1'/></body></worldbody></mujoco>").body_pose
    gc.collect()
    assert array[1, 4:].tolist() == [1, 2, 3]


def test_states_are_copied_pickled_and_saved_bit_by_bit(scene):
    m = scene("gripper")
    s = m.state("start")
    sim = m.sim()
    sim.run(s, 50)
    others = [s.copy(), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), m.state()]
    others[3].load(s.save())
    sim.run(s, 50)
    for other in others:
        other.model.sim().run(other, 50)
        assert other.hash() == s.hash()
    with pytest.raises(thud.LoadError):
        s.load(s.save()[:-1])


def test_models_are_pickled_to_the_same_hash(scene):
    for name in ("gripper", "humanoid", "hand", "quadruped"):
        m = scene(name)
        assert pickle.loads(pickle.dumps(m)).hash == m.hash
        assert copy.copy(m) is m


def test_errors_have_file_line_and_column(tmp_path):
    bad = tmp_path / "bad.xml"
    bad.write_text("<mujoco>\n  <worldbody>\n    <geom sized='1'/>\n  </worldbody>\n</mujoco>\n")
    with pytest.raises(thud.LoadError, match=r"bad\.xml:3:11: .*did you mean") as caught:
        thud.load(bad)
    assert (caught.value.line, caught.value.column) == (3, 11) and caught.value.file.endswith("bad.xml")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    with pytest.raises(thud.LoadError, match="nowhere"):
        thud.load(tmp_path / "nowhere.xml")
    with pytest.raises(ValueError):
        thud.load("<mujoco")


def test_what_is_misspelt_is_told_with_what_was_meant(pendulum):
    for wrong, right in ((lambda: pendulum.body("bobb"), "bob"), (lambda: pendulum.sim(tolerence=1), "tolerance"),
                         (lambda: pendulum.geom_frictoin, "geom_friction"), (lambda: pendulum.body("bob").mas, "mass"),
                         (lambda: pendulum.simulate(seconds=0).finish()["qvell"], "qvel"), (lambda: thud.lod, "load")):
        with pytest.raises((KeyError, TypeError, AttributeError), match=f"Did you mean .*'{right}'"):
            wrong()
    with pytest.raises(ValueError, match="law"):
        pendulum.sim(law="none-such")
    with pytest.raises(IndexError):
        pendulum.body(7)


def test_parts_by_name(pendulum):
    assert pendulum.body("bob").mass == pytest.approx(pendulum.total_mass)
    assert pendulum.joint["pin"].axis.tolist() == [0, 1, 0]
    assert pendulum.actuator("drive").ctrlrange.tolist() == [-1, 1]
    assert pendulum.geom("rod").size[0] == 0.02 and "rod" in pendulum.geom and len(pendulum.body) == 2
    assert [b.name for b in pendulum.body] == ["world", "bob"]
    assert "bob" in repr(pendulum.body("bob")) and "m^2" in pendulum.describe("body_inertia") + "m^2"
    assert pendulum.key("level").qpos[0] == pytest.approx(math.pi / 2)


def test_sensors_by_name(pendulum):
    s = pendulum.state("level")
    read = pendulum.sim().sensors(s)
    assert read["angle"][0] == pytest.approx(math.pi / 2) and read.unit("where") == "m"
    assert np.allclose(read["where"], [-0.5, 0, 1], atol=1e-12)


def test_a_pendulum_keeps_its_energy_and_has_the_period_of_its_inertia(pendulum):
    s = pendulum.state()
    s.qpos[0] = 0.01
    with pendulum.simulate(s, seconds=4) as run:
        for step in run:
            assert not step.doubts
    assert np.ptp(run.energy) < 1e-6 * abs(run.energy[0])
    angle, time = run["qpos"][:, 0], run.time
    zero = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    periods = np.diff(time[zero])
    bob = pendulum.body("bob")
    inertia = bob.inertia[1] + bob.mass * (bob.com @ bob.com)
    assert periods.mean() == pytest.approx(2 * math.pi * math.sqrt(inertia / (bob.mass * 9.81 * np.linalg.norm(bob.com))), abs=2e-3)


def test_slip_is_the_way_that_surfaces_slid(slope):
    m = slope(35, 0.5)
    with m.simulate(m.state(), steps=400) as run:
        run.finish()
    way = np.linalg.norm(run["qpos"][-1, :3])
    assert run.slip("box", "plane") == pytest.approx(way, rel=2e-2)
    still = slope(20, 0.5)
    with still.simulate(still.state(), steps=400) as run:
        run.finish()
    assert run.slip("box", 0) < 1e-10
    with pytest.raises(KeyError, match="plane"):
        run.slip("box", "plan")


def test_recordings(tmp_path, scene):
    m = scene("gripper")
    with m.simulate(m.state(0), steps=20, record=tmp_path / "run.csv") as run:
        run.finish()
    rows = (tmp_path / "run.csv").read_text().splitlines()
    assert len(rows) == 22 and rows[0].startswith("time,qpos[0]")
    with m.simulate(m.state(0), steps=20) as memory:
        memory.finish()
    assert float(rows[-1].split(",")[1]) == memory["qpos[0]"][-1]
    h5py = pytest.importorskip("h5py")
    with m.simulate(m.state(0), steps=20, record=tmp_path / "run.h5") as run:
        run.finish()
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.array_equal(file["qpos"][:], memory["qpos"]) and file["time"].attrs["units"] == "s"
        assert len(file["contact/geom"]) == len(memory.contact["geom"]) > 0
    with pytest.raises(thud.BadArgument):
        m.simulate(m.state(0), seconds=1, record=tmp_path / "run.txt")


def test_a_recording_that_is_broken_off_does_not_appear(tmp_path, pendulum):
    with pytest.raises(RuntimeError, match="mine"):
        with pendulum.simulate(pendulum.state(), seconds=1, record=tmp_path / "run.csv") as run:
            for _ in run:
                raise RuntimeError("mine")
    assert not (tmp_path / "run.csv").exists()


def test_a_step_that_cannot_be_solved_says_so_and_leaves_the_state(pendulum):
    s = pendulum.state()
    s.qvel[0] = math.nan
    with pytest.raises(thud.NotFinite):
        pendulum.sim().step(s)
    assert s.steps == 0 and math.isnan(s.qvel[0])
    with pytest.raises(thud.BadArgument):
        s.set(qpos=[math.inf])


def test_inverse_undoes_forward_with_contact(scene):
    m = scene("humanoid")
    s = m.state(0) if len(m.key) else m.state()
    sim = m.sim()
    sim.run(s, 20)
    rng = np.random.default_rng(0)
    tau = rng.normal(size=m.nv)
    qacc = sim.forward(s, tau)
    assert np.allclose(sim.forward(s, sim.inverse(s, qacc)), qacc, atol=1e-5 * np.abs(qacc).max())


def test_jacobians_mass_matrix_and_lambda_agree(pendulum):
    s = pendulum.state("level")
    s.qvel[0] = 2
    J = pendulum.jacobian(s, "tip")
    assert np.allclose(J[:, 0] * 2, [0, 0, 1, 0, 2, 0], atol=1e-12)  # half a metre out, turning about y
    M = pendulum.mass_matrix(s)
    bob = pendulum.body("bob")
    assert M[0, 0] == pytest.approx(bob.inertia[1] + bob.mass * (bob.com @ bob.com))
    assert pendulum.operational_inertia(s, "tip", rows=[2])[0, 0] == pytest.approx(M[0, 0] / 0.25)
    with pytest.raises(np.linalg.LinAlgError):
        pendulum.operational_inertia(s, "tip")
    assert np.allclose(pendulum.joint_force(s, "tip", force=[0, 0, 3]), J[2] * 3)
    assert pendulum.poses(s).site("tip")[0] == pytest.approx([-0.5, 0, 1])
    assert np.allclose(pendulum.newton_euler(s, [1.0]), M @ [1.0] + pendulum.bias(s))


def test_rays(pendulum):
    s = pendulum.state()
    hit = pendulum.ray(s, [-2, 0, 0.75], [1, 0, 0])
    assert hit.geom.name == "rod" and hit.distance == pytest.approx(2 - 0.02) and hit.normal[0] == pytest.approx(-1)
    assert pendulum.ray(s, [-2, 0, 0.75], [-1, 0, 0]) is None
    assert pendulum.ray(s, [-2, 0, 0.75], [1, 0, 0], exclude="bob") is None
    with pytest.raises(ValueError):
        pendulum.ray(s, [0, 0, 0], [0, 0, 0])


def test_threads_with_a_sim_each_give_the_bits_of_one(scene):
    m = scene("gripper")

    def work(out, k):
        s = m.state(0)
        m.sim().run(s, 200)
        out[k] = s.hash()

    hashes = [0] * 4
    threads = [threading.Thread(target=work, args=(hashes, k)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone = [0]
    work(alone, 0)
    assert set(hashes) == set(alone)


def test_a_sim_that_another_thread_uses_is_told(scene):
    m = scene("humanoid")
    sim, s, told = m.sim(), m.state(), []

    def work():
        for _ in range(20):
            try:
                sim.run(s, 20)
            except RuntimeError as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all("another thread" in text for text in told)


def test_a_state_of_another_model_is_refused(pendulum, slope):
    with pytest.raises(ValueError, match="another model"):
        pendulum.sim().step(slope(10, 1).state())
    with pytest.raises(TypeError):
        pendulum.sim()._c.step(1, None, True)


def test_certificates(pendulum):
    c = pendulum.sim().step(pendulum.state("level"))
    assert c.dict()["kinetic"] == c.kinetic and c.energy == c.kinetic + c.potential
    assert "residual" in repr(c) and "Coulomb" in type(c).cone_residual.__doc__


def test_urdf(scene):
    from conftest import SOURCE

    m = thud.load(SOURCE / "scenes" / "picker.urdf", floating_base=True)
    assert m.nv > 6 and m.sim().step(m.state()).wrong == 0


def test_a_dict_of_files():
    files = {"robot/arm.xml": "<mujoco><compiler meshdir='parts'/><asset><mesh name='wedge' file='wedge.obj'/></asset><worldbody><body>"
                              "<freejoint/><geom type='mesh' mesh='wedge'/></body></worldbody></mujoco>",
             "robot/parts/wedge.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"}
    m = thud.load(files)
    assert m.total_mass == pytest.approx(1000 / 6) and pickle.loads(pickle.dumps(m)).hash == m.hash
    assert thud.load(dict(reversed(files.items())), name="robot/arm.xml").hash == m.hash
    assert m.vary({"option.timestep": 0.001}).dt == 0.001
    with pytest.raises(thud.LoadError, match="wedge"):
        thud.load({"arm.xml": files["robot/arm.xml"]})
    with pytest.raises(thud.LoadError, match="passwd"):
        thud.load({"a.xml": "<mujoco><include file='/etc/passwd'/></mujoco>"})
    with pytest.raises(ValueError):
        thud.load({})
