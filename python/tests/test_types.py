# SPDX-License-Identifier: Apache-2.0
"""Type hints are checked: the package by mypy, the module's stub against the module by stubtest."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import thud
from conftest import SOURCE

pytest.importorskip("mypy")
PACKAGE = pathlib.Path(thud.__file__).parent


def run(folder, *words):
    return subprocess.run([sys.executable, "-m", *words, *([] if "stubtest" in words[0] else ["--cache-dir", str(folder / "cache")])], cwd=folder,
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(folder), "PYTHONPATH": str(folder)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(PACKAGE, folder / "thud", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SOURCE / "pyproject.toml", folder / "mypy.toml")
    (folder / "use.py").write_text("import thud\nm = thud.load('x.xml')\ns = m.state()\nc = m.sim().step(s)\nx: float = c.penetration\n"
                                   "y: int = c.penetration\nm.sim().stp(s)\nz: list[thud.Contact] = m.contacts(s)\n")
    return folder


def test_the_package_is_typed(folder):
    done = run(folder, "mypy", "--config-file", "mypy.toml", "thud")
    assert done.returncode == 0, done.stdout


def test_users_see_the_types(folder):
    assert (PACKAGE / "py.typed").exists()
    done = run(folder, "mypy", "--config-file", "mypy.toml", "use.py")
    assert "use.py:6: error" in done.stdout and "use.py:7: error" in done.stdout and "Found 2 errors" in done.stdout, done.stdout


def test_the_stub_is_that_of_the_module(folder):
    done = run(folder, "mypy.stubtest", "thud._core", "--mypy-config-file", "mypy.toml")
    assert done.returncode == 0, done.stdout
