# SPDX-License-Identifier: Apache-2.0
"""Muscles pull as in MuJoCo's newest wheel, to 1e-9, over their whole range of lengths, speeds and activations; their activations
follow MuJoCo's equation; and where a file does not say how long a muscle becomes, Thud finds what MuJoCo finds, to 1 % of the range.
(MuJoCo pulls against limits that give way.)

usage: muscles_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

TEXT = """<mujoco>
  <default><joint axis="0 0 1" range="-10 110" damping="0.2"/><geom type="capsule" size="0.04"/></default>
  <worldbody>
    <site name="back" pos="-0.2 0.02 0"/>
    <body>
      <joint name="shoulder"/><geom fromto="0 0 0 0.4 0 0"/>
      <geom name="round" type="cylinder" size="0.09 0.05" mass="0"/><site name="beside" pos="0 0.2 0"/>
      <site name="near" pos="0.12 0.05 0"/><site name="far" pos="0.3 0.05 0"/>
      <body pos="0.4 0 0">
        <joint name="elbow" range="0 130"/><geom fromto="0 0 0 0.45 0 0"/>
        <geom name="knob" type="sphere" size="0.06" mass="0"/><site name="hand" pos="0.1 0.045 0"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="one"><site site="back"/><geom geom="round" sidesite="beside"/><site site="near"/></spatial>
    <spatial name="two"><site site="back"/><geom geom="round"/><site site="far"/><geom geom="knob"/><site site="hand"/></spatial>
    <fixed name="sum"><joint joint="shoulder" coef="0.04"/><joint joint="elbow" coef="-0.03"/></fixed>
  </tendon>
  <actuator>
    <muscle tendon="one" ctrlrange="0 1" %s/>
    <muscle tendon="two" force="700" tausmooth="0.3" %s/>
    <muscle tendon="sum" timeconst="0.02 0.06" vmax="3" fvmax="1.4" fpmax="0.8" lmin="0.4" lmax="1.7" range="0.6 1.2" %s/>
    <muscle joint="elbow" gear="0.05" scale="40" %s/>
    <general tendon="two" gaintype="affine" gainprm="5 1 2" biastype="muscle" biasprm="0.7 1.1 90 200 0.5 1.5 1 1.2 1.2" %s/>
  </actuator>
</mujoco>"""
OPTIONS = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT


def thud_json(*words):
    return json.loads(subprocess.run([*words, "--json"], capture_output=True, text=True, check=True).stdout)


def numbers(name, values):
    return f"--{name}=" + ",".join(map(repr, np.asarray(values, float).tolist()))


def main():
    thud, draw, wrong = sys.argv[1], np.random.default_rng(3), []
    bare = TEXT % (("",) * 5)
    model = mujoco.MjModel.from_xml_string(bare)
    data = mujoco.MjData(model)
    model.opt.disableflags |= OPTIONS
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "bare.xml")
        path.write_text(bare)
        for i, actuator in enumerate(thud_json(thud, "info", path)["actuator"]):
            given = model.actuator_gainprm[i] if "pull" in actuator else model.actuator_biasprm[i]
            p = actuator.get("pull", actuator.get("passive"))
            found = np.array([p[2], p[2] + (given[1] - given[0]) * p[3]])
            want = model.actuator_lengthrange[i]
            if np.abs(found - want).max() > 0.01 * (want[1] - want[0]):
                wrong.append(f"muscle {i} goes from {found[0]} to {found[1]}; in MuJoCo from {want[0]} to {want[1]}")
        # the same lengths in both, which MuJoCo has no word for
        path.write_text(TEXT % tuple(f'lengthrange="{a!r} {b!r}"' for a, b in model.actuator_lengthrange.tolist()))
        worst = 0
        for _ in range(60):
            mujoco.mj_resetData(model, data)
            data.qpos[:] = draw.uniform([-0.5, -0.3], [2.2, 2.6])
            data.qvel[:] = draw.uniform(-12, 12, 2)
            data.act[:] = draw.uniform(0, 1, model.na)
            data.ctrl[:] = draw.uniform(-0.2, 1.2, model.nu)
            mujoco.mj_forward(model, data)
            got = thud_json(thud, "forward", path, numbers("qpos", data.qpos), numbers("qvel", data.qvel), numbers("act", data.act),
                            numbers("ctrl", data.ctrl))["qfrc_actuator"]
            worst = max(worst, np.abs(got - data.qfrc_actuator).max() / np.abs(data.actuator_force).max())
        if not worst < 1e-9:
            wrong.append(f"forces differ by {worst:.1e}")
        # activations: MuJoCo's Euler steps of 1e-5 s, and our step of 1e-3
        model.opt.timestep = 1e-5
        mujoco.mj_resetData(model, data)
        data.ctrl[:] = [1, 0.7, 0.4, 0.9, 0.5]
        data.act[:] = [0, 1, 0.1, 0.9]
        start = data.act.copy()
        for _ in range(3000):
            mujoco.mj_step(model, data)
        table = pathlib.Path(folder, "run.csv")
        subprocess.run([thud, "run", path, "--dt", "0.001", "--time", "0.03", numbers("ctrl", [1, 0.7, 0.4, 0.9, 0.5]), numbers("act", start),
                        "--record", table], capture_output=True, check=False)
        names, *rows = [line.split(",") for line in table.read_text().splitlines()]
        ours = [float(rows[-1][names.index(f"act[{k}]")]) for k in range(model.na)]
        if np.abs(ours - data.act).max() > 1e-3:
            wrong.append(f"activations after 0.03 s are {ours}; in MuJoCo {data.act}")
    print("\n".join(wrong) if wrong else f"muscles agree: forces to {worst:.1e} of the largest")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
