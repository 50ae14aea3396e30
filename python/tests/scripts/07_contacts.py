import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1"/>
<body name="box" pos="0 0 .1"><freejoint/><geom name="box_geom" type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
data = mujoco.MjData(model)
while data.time < 2:
    mujoco.mj_step(model, data)
assert data.ncon == 4
total = 0
force = np.zeros(6)
for i, contact in enumerate(data.contact):
    names = {model.geom(contact.geom1).name, model.geom(contact.geom2).name}
    assert names == {"floor", "box_geom"} and contact.dist < 1e-3 and contact.dim == 3
    mujoco.mj_contactForce(model, data, i, force)
    total += force[0]
assert abs(total - model.body_mass[1] * 9.81) < 1e-2 * total
