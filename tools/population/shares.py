"""Fixed shares of the populations: `share` for every run of the tests (at most 2 minutes), `long` for `make test-long`. (population, seed,
rows: the first of them, every n-th; quick)."""

SHARES = {
    "share": (("corners", 1, range(0, 60), True), ("random", 1, range(0, 60, 2), True), ("order", 1, range(0, 10), True),
              ("piles", 1, (0, 2, 3, 4, 5, 6, 8, 10, 11, 12, 14, 15), True), ("environments", 1, (0, 2, 4, 8), True),
              ("grasps", 1, (0, 4, 8), True)),
    "long": (("corners", 1, range(0, 1000), False), ("random", 1, range(0, 2000), False), ("order", 1, range(0, 20), False),
             ("piles", 1, range(0, 64), True), ("environments", 1, range(0, 11), False), ("grasps", 1, range(0, 200), True),
             ("robots", 1, range(0, 2000, 5), True), ("tolerances", 1, range(0, 40), True)),
}
