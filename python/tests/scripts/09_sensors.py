import mujoco
import numpy as np

XML = """<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size=".1"/><site name="imu"/></body></worldbody>
<sensor><gyro name="gyro" site="imu"/><framepos name="pos" objtype="body" objname="b"/><clock name="clock"/></sensor></mujoco>"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
data.qvel[3:] = [0, 0, 2]
mujoco.mj_forward(model, data)
assert np.allclose(data.sensor("gyro").data, [0, 0, 2])
assert np.allclose(data.sensor("pos").data, [0, 0, 1]) and data.sensordata.shape == (7,)
