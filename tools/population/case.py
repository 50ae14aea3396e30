"""A case: one generated scene, how it is run, and what is known of its right answer."""
import dataclasses
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
OUT = ROOT / "out" / "population"
THUD = ROOT / "build" / "thud"
BINARIES = OUT / "programs"


@dataclasses.dataclass
class Case:
    """name: unique in its population. files: what `write` puts beside the scene. facts: for the population's own judge."""
    population: str
    seed: int
    index: int
    name: str
    xml: str = ""
    path: pathlib.Path = None
    args: list = dataclasses.field(default_factory=list)
    files: dict = dataclasses.field(default_factory=dict)
    facts: dict = dataclasses.field(default_factory=dict)
    limit: float = 60.0  # s of wall time
    every: int = 1

    @property
    def stem(self):
        return f"{self.population}-{self.seed}-{self.index}"

    def write(self, stem=None):
        """Writes the scene and what it needs; the scene's path."""
        OUT.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            mode = "wb" if isinstance(text, bytes) else "w"
            with open(OUT / name, mode) as file:
                file.write(text)
        if self.xml:
            self.path = OUT / f"{stem or self.stem}.xml"
            self.path.write_text(self.xml)
        return self.path


def random_of(population, seed, index):
    """A generator that depends on these three alone, on every machine."""
    return random.Random(f"{population}/{seed}/{index}")


def log_uniform(rng, low, high):
    return low * (high / low) ** rng.random()


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def random_quaternion(rng):
    q = [rng.gauss(0, 1) for _ in range(4)]
    length = sum(x * x for x in q) ** 0.5
    return [x / length for x in q]
