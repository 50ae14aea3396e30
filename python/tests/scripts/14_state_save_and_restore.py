import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_step(model, data, nstep=20)
spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
state = np.empty(mujoco.mj_stateSize(model, spec))
mujoco.mj_getState(model, data, state, spec)
mujoco.mj_step(model, data, 30)
later = data.qpos.copy()
mujoco.mj_setState(model, data, state, spec)
mujoco.mj_step(model, data, 30)
assert np.allclose(data.qpos, later, atol=1e-12)
