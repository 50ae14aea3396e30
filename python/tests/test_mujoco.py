# SPDX-License-Identifier: Apache-2.0
"""thud.mujoco: MuJoCo's names on thud. Where the wheel of MuJoCo is there, smooth quantities are compared with its own."""
import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import thud
import thud.mujoco as tm
from conftest import PENDULUM, SOURCE

ARM = """<mujoco><option timestep="0.002" gravity="0 0 -9.81"/><worldbody><body name="a" pos="0 0 1"><joint name="ball" type="ball" damping=".1"/>
<geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><body name="b" pos=".3 0 0"><joint name="elbow" axis="0 1 0" stiffness="2"/>
<geom type="box" size=".1 .02 .03" pos=".1 0 0"/><site name="tip" pos=".2 0 0"/></body></body><body name="free" pos="1 0 1"><freejoint name="f"/>
<geom type="ellipsoid" size=".1 .05 .02" pos=".01 .02 .03"/></body></worldbody><tendon><fixed name="t"><joint joint="elbow" coef="2"/></fixed></tendon>
<actuator><motor name="m" joint="elbow" gear="3"/><position name="p" tendon="t" kp="5"/></actuator>
<sensor><jointpos name="q" joint="elbow"/><framelinvel name="v" objtype="site" objname="tip"/></sensor></mujoco>"""


@pytest.fixture
def both():
    mujoco = pytest.importorskip("mujoco")

    def make(xml):
        pair = []
        for module in (tm, mujoco):
            m = module.MjModel.from_xml_string(xml)
            d = module.MjData(m)
            rng = np.random.default_rng(0)
            d.qpos[:] = m.qpos0 + rng.uniform(-0.3, 0.3, m.nq)
            d.qvel[:] = rng.uniform(-1, 1, m.nv)
            d.ctrl[:] = rng.uniform(-1, 1, m.nu)
            module.mj_normalizeQuat(m, d.qpos)
            module.mj_forward(m, d)
            pair.append((module, m, d))
        return pair

    return make


def test_what_follows_from_positions_and_velocities_agrees_with_mujoco(both):
    (ours, m, d), (theirs, n, e) = both(ARM)
    for name in ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "nsensor", "ntendon", "nkey", "nM"):
        assert getattr(m, name) == getattr(n, name), name
    for name in ("body_mass", "body_pos", "body_quat", "body_parentid", "body_jntadr", "body_subtreemass", "body_dofadr", "body_dofnum",
                 "body_geomadr", "body_geomnum", "jnt_type", "jnt_qposadr", "jnt_dofadr", "jnt_axis", "jnt_stiffness", "dof_damping",
                 "dof_bodyid", "dof_jntid", "geom_type", "geom_friction", "geom_bodyid", "actuator_ctrlrange", "qpos0", "body_rootid",
                 "body_inertia", "body_ipos"):
        assert np.allclose(getattr(m, name), getattr(n, name), atol=1e-12), name
    for name in ("xpos", "xquat", "xmat", "xipos", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat", "subtree_com", "cvel", "cinert",
                 "qfrc_bias", "qfrc_passive", "qfrc_actuator", "actuator_force", "actuator_length", "actuator_velocity", "ten_length",
                 "ten_velocity", "sensordata", "xanchor", "qacc"):
        assert np.allclose(getattr(d, name), getattr(e, name), atol=1e-9), name
    assert np.allclose(d.xaxis[1], e.xaxis[1])
    M, N = np.zeros((m.nv, m.nv)), np.zeros((n.nv, n.nv))
    ours.mj_fullM(m, M, d.qM)
    if hasattr(e, "qM"):
        theirs.mj_fullM(n, N, e.qM)
    else:
        theirs.mj_fullM(n, e, N)
        ours.mj_fullM(m, d, M)
    assert np.allclose(M, N, atol=1e-12)
    for name, which in (("mj_jacBody", 2), ("mj_jacSite", 0), ("mj_jacGeom", 1), ("mj_jacBodyCom", 3)):
        J, K = (np.zeros((2, 3, m.nv)) for _ in range(2))
        getattr(ours, name)(m, d, J[0], J[1], which)
        getattr(theirs, name)(n, e, K[0], K[1], which)
        assert np.allclose(J, K, atol=1e-12), name
    J, K = np.zeros((3, m.nv)), np.zeros((3, m.nv))
    ours.mj_jacSubtreeCom(m, d, J, 1), theirs.mj_jacSubtreeCom(n, e, K, 1)
    assert np.allclose(J, K, atol=1e-12)
    V, W = np.zeros(6), np.zeros(6)
    for local in (0, 1):
        ours.mj_objectVelocity(m, d, 1, 2, V, local), theirs.mj_objectVelocity(n, e, theirs.mjtObj.mjOBJ_BODY, 2, W, local)
        assert np.allclose(V, W, atol=1e-9)
    d.qacc[:] = e.qacc[:] = np.linspace(-1, 1, m.nv)
    ours.mj_inverse(m, d), theirs.mj_inverse(n, e)
    assert np.allclose(d.qfrc_inverse, e.qfrc_inverse, atol=1e-8)


def test_functions_of_numbers_agree_with_mujoco():
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, p, v = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
        q, p = q / np.linalg.norm(q), p / np.linalg.norm(p)
        for name, size, args in (("mju_quat2Mat", 9, (q,)), ("mju_mulQuat", 4, (q, p)), ("mju_negQuat", 4, (q,)), ("mju_rotVecQuat", 3, (v, q)),
                                 ("mju_axisAngle2Quat", 4, (v / np.linalg.norm(v), 0.7)), ("mju_quat2Vel", 3, (q, 0.1)),
                                 ("mju_subQuat", 3, (q, p)), ("mju_euler2Quat", 4, (v, "xyz")), ("mju_euler2Quat", 4, (v, "ZYX"))):
            a, b = np.zeros(size), np.zeros(size)
            getattr(tm, name)(a, *args), getattr(mujoco, name)(b, *args)
            assert np.allclose(a, b, atol=1e-10), name
        R, a, b = np.zeros(9), np.zeros(4), np.zeros(4)
        tm.mju_quat2Mat(R, q)
        tm.mju_mat2Quat(a, R), mujoco.mju_mat2Quat(b, R)
        assert np.allclose(a, b, atol=1e-10) or np.allclose(a, -b, atol=1e-10)


def test_names():
    m = tm.MjModel.from_xml_string(ARM)
    d = tm.MjData(m)
    assert tm.mj_name2id(m, tm.mjtObj.mjOBJ_BODY, "b") == 2 and tm.mj_name2id(m, tm.mjtObj.mjOBJ_GEOM, "none") == -1
    assert tm.mj_id2name(m, tm.mjtObj.mjOBJ_JOINT, 1) == "elbow" and tm.mj_id2name(m, tm.mjtObj.mjOBJ_JOINT, 9) is None
    assert m.body("b").id == 2 and m.body(2).name == "b" and m.joint("elbow").qposadr[0] == 4 and m.geom("upper").size[0] == 0.03
    d.joint("elbow").qpos = 0.5
    assert d.qpos[4] == 0.5
    tm.mj_forward(m, d)
    assert d.sensor("q").data[0] == 0.5 and np.array_equal(d.body("b").xpos, d.xpos[2]) and d.site("tip").xpos.shape == (3,)
    d.actuator("m").ctrl = 0.25
    assert d.ctrl[0] == 0.25
    with pytest.raises(KeyError, match="elbow"):
        m.joint("elbw")
    with pytest.raises(AttributeError, match="qpos"):
        d.qposs


def test_what_is_written_into_the_model_holds():
    m = tm.MjModel.from_xml_string(PENDULUM)
    d = tm.MjData(m)
    d.qpos[0] = 0.5
    tm.mj_forward(m, d)
    first = d.qacc[0]
    m.opt.gravity[2] = -9.81 / 2
    tm.mj_forward(m, d)
    assert d.qacc[0] == pytest.approx(first / 2)
    m.body_mass[1] *= 3
    tm.mj_forward(m, d)
    assert m.thud.body("bob").mass == pytest.approx(3 * thud.load(PENDULUM).body("bob").mass) and d.qpos[0] == 0.5
    m.opt.timestep = 0.01
    m.body("bob").mass = 5.0
    tm.mj_step(m, d)
    assert d.time == pytest.approx(0.01) and m.thud.body("bob").mass == 5
    m.dof_damping[:] = 2
    d.qvel[:] = 1
    tm.mj_kinematics(m, d)
    assert d.qfrc_passive[0] == pytest.approx(-2)


def test_contacts_and_their_forces():
    m = tm.MjModel.from_xml_string("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
                                   "</worldbody></mujoco>")
    d = tm.MjData(m)
    for _ in range(20):
        tm.mj_step(m, d)
    assert d.ncon == 1 and list(d.contact[0].geom) == [0, 1] and d.contact.geom.shape == (1, 2)
    force = np.zeros(6)
    tm.mj_contactForce(m, d, 0, force)
    weight = m.body_mass[1] * 9.81
    assert force[0] == pytest.approx(weight) and np.allclose(d.contact[0].frame[:3], [0, 0, 1])
    assert d.cfrc_ext[1, 5] == pytest.approx(weight) and d.qfrc_constraint[2] == pytest.approx(weight)
    d.xfrc_applied[1, 2] = 2 * weight
    for _ in range(10):
        tm.mj_step(m, d)
    assert d.qvel[2] == pytest.approx(9.81 * 0.02, rel=1e-6) and d.ncon == 0
    geom = np.zeros(1, np.int32)
    assert tm.mj_ray(m, d, np.array([0, 0, 3.0]), np.array([0, 0, -1.0]), None, 1, -1, geom) == pytest.approx(2.8 - (d.qpos[2] - 0.1), abs=1e-6)
    assert geom[0] == 1


def test_states_copies_and_pickles():
    m = tm.MjModel.from_xml_string(ARM)
    d = tm.MjData(m)
    tm.mj_step(m, d, 10)
    spec = tm.mjtState.mjSTATE_FULLPHYSICS
    kept = np.zeros(tm.mj_stateSize(m, spec))
    tm.mj_getState(m, d, kept, spec)
    e = copy.deepcopy(d)
    tm.mj_step(m, d, 5), tm.mj_step(m, e, 5)
    assert np.array_equal(d.qpos, e.qpos)
    tm.mj_setState(m, d, kept, spec)
    assert d.time == pytest.approx(0.02)
    tm.mj_resetData(m, d)
    assert d.time == 0 and np.array_equal(d.qpos, m.qpos0)
    assert pickle.loads(pickle.dumps(m)).thud.hash == m.thud.hash
    q, v = np.zeros(m.nq), np.zeros(m.nv)
    q[:] = m.qpos0
    tm.mj_integratePos(m, q, np.ones(m.nv), 0.1)
    tm.mj_differentiatePos(m, v, 0.1, m.qpos0, q)
    assert np.allclose(v, 1)


def test_rollouts_are_those_of_a_loop():
    m = tm.MjModel.from_xml_string(ARM)
    d = tm.MjData(m)
    rng = np.random.default_rng(0)
    x = np.tile(np.concatenate([[0], m.qpos0, np.zeros(m.nv)]), (3, 1))
    u = rng.uniform(-1, 1, (3, 12, m.nu))
    states, sensors = tm.rollout.rollout(m, [d, d], x, u)
    assert states.shape == (3, 12, x.shape[1]) and sensors.shape == (3, 12, m.nsensordata)
    for i in range(3):
        tm.mj_resetData(m, d)
        for t in range(12):
            d.ctrl[:] = u[i, t]
            tm.mj_step(m, d)
            assert np.array_equal(states[i, t, 1:], [*d.qpos, *d.qvel])
        assert states[i, -1, 0] == pytest.approx(d.time)


def test_what_is_not_there_says_so():
    for name in ("viewer", "Renderer", "MjSpec", "MjvCamera"):
        with pytest.raises(thud.Unsupported, match=name):
            getattr(tm, name)
    assert not hasattr(tm, "mj_nonsense")
    with pytest.raises(thud.Unsupported):
        tm.MjModel.from_binary_path("x.mjb")
    with pytest.raises(ValueError, match="sized"):
        tm.MjModel.from_xml_string("<mujoco><worldbody><geom sized='1'/></worldbody></mujoco>")


@pytest.mark.parametrize("script", sorted(p.name for p in (SOURCE / "python" / "tests" / "scripts").glob("*.py")))
def test_scripts_in_mujocos_style_run_unchanged(script, tmp_path):
    code = (f"import sys, thud.mujoco; thud.mujoco.install(); sys.argv = ['{script}']; "
            f"exec(compile(open({str(SOURCE / 'python' / 'tests' / 'scripts' / script)!r}).read(), {script!r}, 'exec'), {{'__name__': '__main__'}})")
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
