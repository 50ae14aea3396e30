# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

import pytest

import thud

SOURCE = pathlib.Path(os.environ.get("THUD_SOURCE", pathlib.Path(__file__).resolve().parents[2]))

SLOPE = """<mujoco model="slope"><compiler angle="degree"/><option timestep="0.002"/>
<worldbody><geom name="plane" type="plane" size="5 5 .1" euler="0 {angle} 0" friction="{mu} 0 0"/>
<body name="box" pos="0 0 0" euler="0 {angle} 0"><freejoint/><geom name="sides" type="box" size=".1 .1 .1" pos="0 0 .1" friction="{mu} 0 0"/>
</body></worldbody></mujoco>"""

PENDULUM = """<mujoco model="swing"><option timestep="0.001"/><worldbody><body name="bob" pos="0 0 1"><joint name="pin" axis="0 1 0" damping="0"/>
<geom name="rod" type="capsule" fromto="0 0 0 0 0 -.5" size=".02"/><site name="tip" pos="0 0 -.5"/></body></worldbody>
<actuator><motor name="drive" joint="pin" ctrlrange="-1 1"/></actuator>
<sensor><jointpos name="angle" joint="pin"/><framepos name="where" objtype="site" objname="tip"/></sensor>
<keyframe><key name="level" qpos="1.5707963267948966"/></keyframe></mujoco>"""


@pytest.fixture
def slope():
    return lambda angle, mu: thud.load(SLOPE.format(angle=angle, mu=mu), name="slope.xml")


@pytest.fixture
def pendulum():
    return thud.load(PENDULUM, name="swing.xml")


@pytest.fixture
def scene():
    return lambda name: thud.load(SOURCE / "scenes" / f"{name}.xml")


# With sanitizers, whose library slows all it is loaded into: the module itself, not what is written in Python on top of it.
collect_ignore = ["test_types.py", "test_documents.py", "test_gym.py"] if "THUD_SANITIZED" in os.environ else []
