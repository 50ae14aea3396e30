"""MuJoCo from its wheel: C programs compiled against it, and models loaded without their looks."""
import os
import pathlib
import subprocess

import mujoco

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(mujoco.__file__).resolve().parent
VERSION = mujoco.__version__


def compile_driver(name, folder):
    """The path of the program made from NAME.c in a folder."""
    library = next(PACKAGE.glob("libmujoco.so.*"))
    program = pathlib.Path(folder) / name
    subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Werror", "-I", PACKAGE / "include", HERE / f"{name}.c",
                    "-o", program, library, f"-Wl,-rpath,{PACKAGE}", "-lm"], check=True)
    return str(program)


def load_without_looks(path):
    """A model without textures, whose pictures ../shared leaves out."""
    spec = mujoco.MjSpec.from_file(str(path))
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    return spec.compile()
