import mujoco
import numpy as np
from mujoco import rollout

model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body><joint/><geom size=".1"/></body></worldbody>
<actuator><motor joint="" /></actuator></mujoco>""".replace('joint=""', 'joint="j"').replace("<joint/>", '<joint name="j"/>'))
data = mujoco.MjData(model)
spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
initial = np.zeros((4, mujoco.mj_stateSize(model, spec)))
control = np.linspace(0, 1, 4)[:, None, None] * np.ones((4, 50, model.nu))
state, sensordata = rollout.rollout(model, data, initial, control)
assert state.shape == (4, 50, 3)
assert (np.diff(state[:, -1, 1]) > 0).all()
