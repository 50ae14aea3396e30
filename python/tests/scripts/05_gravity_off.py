import mujoco

model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
model.opt.gravity = (0, 0, 10)
mujoco.mj_step(model, data)
assert data.qvel[2] > 0
mujoco.mj_resetData(model, data)
model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY
mujoco.mj_step(model, data)
assert data.qvel[2] == 0
