"""python -m population POP [--seed S] [--count N] [--share i/n] [--only INDEX] [--quick] [--fresh]

Runs a population and prints its table. Rows go to out/population/POP-SEED.jsonl as they finish; a run that was stopped is taken up again,
and rows that another build of the program made are run again."""
import argparse
import json
import pathlib
import sys
import time

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    __package__ = "population"

from . import page, program, registry, shares, table  # noqa: E402
from .case import OUT, THUD  # noqa: E402
from .row import run_row  # noqa: E402


def options():
    parser = argparse.ArgumentParser(prog="make population", description=__doc__)
    parser.add_argument("population", choices=[*registry.POPULATIONS, "all", *shares.SHARES])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="rows (the population's own number)")
    parser.add_argument("--share", default="1/1", help="i/n: every n-th row, from the i-th on")
    parser.add_argument("--only", type=int, help="one row, whatever is finished")
    parser.add_argument("--quick", action="store_true", help="shorter holds and runs")
    parser.add_argument("--fresh", action="store_true", help="run finished rows again")
    parser.add_argument("--finished", action="store_true", help="run nothing: the rows that are there, whichever build made them")
    parser.add_argument("--page", type=pathlib.Path, help="write the table as a page")
    parser.add_argument("--program", type=pathlib.Path, default=THUD, help="the program that is judged (build/thud)")
    parser.add_argument("--against", type=pathlib.Path, help="fail on silent rows that this list does not name")
    return parser.parse_args()


def finished_rows(file, build):
    rows = {}
    if file.exists():
        for line in file.read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if build is None or row.get("build") == build:
                rows[row["index"]] = row
    return rows


def rows_there(name, seed):
    """All rows of a population and seed that were run, quick or not, whichever build made them."""
    found = []
    for quick in ("", "-quick"):
        file = OUT / f"{name}-{seed}{quick}.jsonl"
        found += sorted(finished_rows(file, None).values(), key=lambda r: r["index"])
    return found


def play_all(name, args, build):
    """The rows of a population's share."""
    if args.finished:
        return rows_there(name, args.seed)
    count = args.count or registry.module(name).COUNT
    i, n = (int(x) for x in args.share.split("/"))
    wanted = [args.only] if args.only is not None else list(range(i - 1, count, n))
    return play(name, args.seed, wanted, args.quick, args, build)


def play(name, seed, wanted, quick, args, build):
    """Some rows of a population, in their order."""
    module = registry.module(name)
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / f"{name}-{seed}{'-quick' if quick else ''}.jsonl"
    done = {} if args.fresh or args.only is not None else finished_rows(file, build)
    rows, began = [], time.monotonic()
    for k, index in enumerate(wanted):
        if index not in done:
            row = run_row(module, name, seed, index, quick)
            row["build"] = build
            if args.only is None:
                with open(file, "a") as out:
                    out.write(json.dumps(row) + "\n")
            done[index] = row
            print(f"\r{name} {k + 1}/{len(wanted)} {time.monotonic() - began:.0f} s  {row['name'][:60]:60}", end="", file=sys.stderr, flush=True)
        rows.append(done[index])
    print(file=sys.stderr)
    return rows


def main():
    args = options()
    if not args.program.exists():
        sys.exit(f"no {args.program}: run make first")
    build = program.freeze(args.program)
    names = list(registry.POPULATIONS) if args.population == "all" else [args.population]
    rows = []
    try:
        if args.population in shares.SHARES:
            for name, seed, wanted, quick in shares.SHARES[args.population]:
                rows += play(name, seed, [k for k in wanted if k < registry.module(name).COUNT], quick, args, build)
        for name in names if args.population not in shares.SHARES else ():
            rows += play_all(name, args, build)
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")
    if args.only is not None:
        print(json.dumps(rows[0], indent=1))
        return
    print(table.text(rows))
    if args.page:
        print("written:", page.write(args.page, rows, " ".join(sys.argv[1:])))
    if args.against:
        sys.exit(table.compare(rows, args.against))


main()
