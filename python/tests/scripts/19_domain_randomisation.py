import mujoco
import numpy as np

XML = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom name="g" type="capsule" size=".02" fromto="0 0 0 .5 0 0"/></body></worldbody></mujoco>"""
rng = np.random.default_rng(0)
model = mujoco.MjModel.from_xml_string(XML)
mass, damping = model.body_mass.copy(), model.dof_damping.copy()
ends = []
for _ in range(5):
    model.body_mass[:] = mass * rng.uniform(0.5, 2)
    model.dof_damping[:] = rng.uniform(0, 0.2)
    model.geom_friction[:, 0] = rng.uniform(0.2, 1)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=100)
    ends.append(data.qpos[0])
assert len(set(np.round(ends, 9))) == 5
