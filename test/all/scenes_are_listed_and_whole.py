"""Every scene is read by thud info and thud forward, is in the list of scenes/README.md, says what its right answer is, and is what
its generator prints, if it has one. So is every table of controls.

usage: scenes_are_listed_and_whole.py THUD SOURCE_DIR
"""
import json
import pathlib
import re
import subprocess
import sys

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
scenes = sorted([*(root / "scenes").glob("*.xml"), *(root / "scenes").glob("*.urdf")])
listed = re.findall(r"^\| \[(\w+)\]\((\w+\.(?:xml|urdf))\) \|", (root / "scenes/README.md").read_text(), flags=re.M)
faults = []


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


for name in {scene.name for scene in scenes} ^ {target for _, target in listed}:
    faults.append(f"scenes/{name} is in the folder or in scenes/README.md, not in both")

for scene in scenes:
    page = scene.read_text()
    for command in ("info", "forward"):
        ran = run(thud, command, scene, "--json")
        if ran.returncode or ran.stderr:
            faults.append(f"thud {command} {scene.name}: {ran.stderr.strip()}")
        else:
            json.loads(ran.stdout)
    if not page.startswith("<!-- "):
        faults.append(f"{scene.name} does not begin with what it shows")

generated = {scene: re.search(r"(tools/make_\w+\.py)((?: [\w.]+?)*)\.? ?(?:-->|\n)", scene.read_text())
             for scene in [*scenes, *sorted((root / "scenes/parts").glob("*.xml"))]}
for scene, maker in generated.items():
    if maker:
        ran = run(sys.executable, root / maker[1], *maker[2].split())
        if ran.stdout != scene.read_text():
            faults.append(f"{scene.name} is not what {maker[1]}{maker[2]} prints")
for controls in sorted((root / "scenes").glob("*.csv")):
    if run(sys.executable, root / "tools/make_controls.py", controls.stem).stdout != controls.read_text():
        faults.append(f"{controls.name} is not what tools/make_controls.py {controls.stem} prints")
if sum(map(bool, generated.values())) < 20:
    faults.append("hardly any scene says how it was made")

print("\n".join(faults) if faults else f"{len(scenes)} scenes, {sum(map(bool, generated.values()))} of them generated")
sys.exit(bool(faults))
