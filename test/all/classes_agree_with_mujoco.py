# SPDX-License-Identifier: Apache-2.0
"""An actuator has the gain, the bias and the dynamics that MuJoCo's newest wheel gives it, whatever words its default classes were
written with: random chains of three classes, each with up to two actuators of random words and attributes.

usage: classes_agree_with_mujoco.py THUD SOURCE_DIR
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

COUNT = 120
OWN = {"position": ['kp="10"', 'kv="2"', 'timeconst="0.3"', 'dampratio="0.5"'], "velocity": ['kv="7"'], "motor": [],
       "general": ['gainprm="3"', 'biastype="affine"', 'biasprm="0 -3 -1"', 'dyntype="filter" dynprm="0.2"',
                   'gaintype="affine" gainprm="2 1 1"'],
       "cylinder": ['area="2"', 'timeconst="0.4"', 'bias="1 2 3"'], "intvelocity": ['kp="4"'], "damper": ['kv="3"'],
       "muscle": ['force="4"', 'timeconst="0.1 0.2"', 'scale="30"']}
ALL = ['gear="2"', 'ctrlrange="0 2"', 'forcerange="-3 3"']
DYNAMICS = ["none", "integrator", "filter", "filterexact", "muscle"]


def actuator(draw, extra=""):
    word = draw.choice(list(OWN))
    attributes = [a for a in OWN[word] + ALL if draw.random() < 0.4]
    if 'dampratio="0.5"' in attributes and 'kv="2"' in attributes:
        attributes.remove('kv="2"')
    if extra and word in ("general", "intvelocity", "muscle"):
        attributes.append('actrange="-1 1"')
    return f"<{word} {' '.join(attributes)} {extra}/>"


def text_of(draw):
    classes = ["".join(actuator(draw) for _ in range(draw.randint(0, 2))) for _ in range(3)]
    one = actuator(draw, 'joint="j"' + draw.choice(["", ' class="c"', ' class="d"', ' class="d"']))
    return (f'<mujoco><default>{classes[0]}<default class="c">{classes[1]}<default class="d">{classes[2]}</default></default></default>'
            '<worldbody><body><joint name="j" range="-90 90"/><geom size="1"/></body></worldbody>'
            f"<actuator>{one}</actuator></mujoco>")


def theirs(text):
    m = mujoco.MjModel.from_xml_string(text)
    kind = m.actuator_gaintype[0]
    gain = m.actuator_gainprm[0, :3] * [kind < 2, kind == 1, kind == 1]
    bias = m.actuator_biasprm[0, :3] * (m.actuator_biastype[0] == 1)
    return DYNAMICS[m.actuator_dyntype[0]], gain, bias, bool(m.actuator_ctrllimited[0])


def ours(thud, path):
    run = subprocess.run([thud, "info", "--json", path], capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr
    a = json.loads(run.stdout)["actuator"][0]
    return a["dynamics"], np.array(a["gain"], float), np.array(a["bias"], float), a.get("ctrlrange") is not None


def main():
    thud = sys.argv[1]
    draw = random.Random(5)
    compared, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.xml")
        while compared < COUNT:
            text = text_of(draw)
            try:
                want = theirs(text)
            except ValueError:  # MuJoCo wants a control range of a damper, and the like
                continue
            path.write_text(text)
            got = ours(thud, path)
            compared += 1
            if isinstance(got, str) or got[0] != want[0] or got[3] != want[3] or max(
                    np.abs(got[1] - want[1]).max(), np.abs(got[2] - want[2]).max()) > 1e-9 * (1 + np.abs(want[2]).max()):
                wrong.append(f"{text}\n  MuJoCo {want}\n  Thud   {got}")
    print("\n".join(wrong) if wrong else f"{compared} actuators are the same in both")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
