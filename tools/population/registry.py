"""The populations by name; a module has COUNT, make(seed, index, quick) and, where a plain run is not enough, play(case)."""
import importlib

POPULATIONS = {"grasps": "grasps", "corners": "corners", "random": "random_scenes", "robots": "robots", "piles": "piles", "environments": "environments",
               "tolerances": "tolerances", "order": "order"}


def module(name):
    return importlib.import_module(f".{POPULATIONS[name]}", __package__)
