import os
import tempfile

import mujoco

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "scene.xml")
    with open(path, "w") as file:
        file.write("<mujoco model='scene'><worldbody><body name='one' pos='1 0 0'><freejoint/><geom size='.1'/></body>"
                   "<body name='two' pos='0 1 0'><geom size='.1'/></body></worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_path(path)
    try:
        mujoco.MjModel.from_xml_path(os.path.join(folder, "none.xml"))
    except ValueError as error:
        assert "none.xml" in str(error)
    else:
        raise AssertionError
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
for i in range(model.nbody):
    name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, i)
    assert name == model.body(i).name
assert list(data.body("one").xpos) == [1, 0, 0] and model.body("one").jntnum[0] == 1 and data.xquat.shape == (3, 4)
