# SPDX-License-Identifier: Apache-2.0
"""What documents show runs: the Python of the README and of docs/python.md, and the examples."""
import os
import re
import subprocess
import sys

import pytest

from conftest import SOURCE

EXAMPLES = sorted((SOURCE / "examples" / "python").glob("*.py"))


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (SOURCE / page).read_text(), re.M | re.S)


def run(code, folder):
    (folder / "code.py").write_text(code)
    (folder / "scenes").symlink_to(SOURCE / "scenes")
    done = subprocess.run([sys.executable, "-B", "code.py"], cwd=folder, capture_output=True, text=True, timeout=300, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_of_a_page_runs(page, tmp_path):
    shown = blocks(page, "python")
    assert shown
    printed = run("\n".join(shown), tmp_path)
    if page == "docs/python.md":  # what stands behind a print's # is what is printed
        assert 'mine.xml:2:20: <geom> has no attribute "sized"; did you mean "size"' in printed
        assert "block on left: normal 5 N, friction " in printed and "sticks, one choice of many" in printed
        assert "<Model 'gripper': 4 bodies, 4 joints," in printed and "[0.1    0.005  0.0001]" in printed.replace("1.e-01", "0.1")\
            or "[1.e-01 5.e-03 1.e-04]" in printed


def test_the_table_of_the_readme_is_measured():
    done = subprocess.run([sys.executable, "-B", str(SOURCE / "tools" / "measure_readme.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example, tmp_path):
    done = subprocess.run([sys.executable, "-B", str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout
