import mujoco

XML = """
<mujoco>
  <worldbody>
    <geom name="red_box" type="box" size=".2 .2 .2" rgba="1 0 0 1"/>
    <geom name="green_sphere" pos=".2 .2 .2" size=".1" rgba="0 1 0 1"/>
  </worldbody>
</mujoco>
"""
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
assert model.ngeom == 2
assert list(model.geom("green_sphere").rgba) == [0, 1, 0, 1]
assert model.geom("red_box").id == 0 and model.geom(1).name == "green_sphere"
mujoco.mj_kinematics(model, data)
assert list(data.geom_xpos[1]) == [0.2, 0.2, 0.2]
assert data.geom("green_sphere").xpos[0] == 0.2
assert [model.geom(i).name for i in range(model.ngeom)] == ["red_box", "green_sphere"]
