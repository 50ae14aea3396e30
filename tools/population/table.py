"""Tables of rows: totals by population, then each row that went wrong, the worst first, with the command that repeats it."""
import collections
import json

BAD = ("crash", "hang", "judge failed")


def short(x):
    return f"{x:.3g}" if isinstance(x, (int, float)) else str(x)


def describe(row):
    """One line on what is wrong with a row."""
    parts = [row["outcome"] + (f" ({row['said'][:110]})" if row["said"] else "")] if row["outcome"] != "finished" else []
    parts += [f"{f['kind']} {short(f['value'])} > {short(f['limit'])} at {short(f['time'])} s, {f['where']}" for f in row["faults"][:3]]
    return "; ".join(parts)


def rank(row):
    return (row["outcome"] not in BAD, not row["silent"], row["outcome"] == "finished", not row["faults"])


def counts(rows):
    """How many rows of each outcome and of each kind of fault, silent or told."""
    outcome = collections.Counter(r["outcome"] for r in rows)
    silent = collections.Counter(k for r in rows for k in r["silent"])
    told = collections.Counter(k for r in rows for k in {f["kind"] for f in r["faults"]} - set(r["silent"]))
    return outcome, silent, told


def graded(row, grade):
    return any(d.startswith(grade) for d in row["doubts"])


def alarms(rows):
    """Of the runs that a finer one confirms and that have no fault: how many there are, and how many were graded wrong and coarse."""
    sound = [r for r in rows if r["figures"].get("confirmed") and not r["faults"]]
    return len(sound), sum(graded(r, "wrong") for r in sound), sum(graded(r, "coarse") for r in sound)


def quantiles(values):
    values = sorted(values)
    return tuple(values[min(len(values) - 1, int(q * len(values)))] for q in (0.5, 0.99)) + (values[-1],) if values else None


def ratios(rows, name="ratio"):
    """Median, 99 % and worst over rows of the median step's ratio, and the largest ratio of a row's worst step to its own median."""
    some = [r["figures"][name]["median"] for r in rows if isinstance(r["figures"].get(name), dict)]
    single = [r["figures"]["step_us"]["worst"] / r["figures"]["step_us"]["median"] for r in rows
              if isinstance(r["figures"].get("step_us"), dict) and r["figures"]["step_us"]["median"] > 0]
    return len(some), quantiles(some), quantiles(single)


def slower_rows(rows):
    """Of rows with work at several tolerances, those of which a looser one took more time and more iterations."""
    from .beside import slower
    some = [r for r in rows if isinstance(r["figures"].get("work"), dict)]
    return len(some), sum(bool(slower(r["figures"]["work"])) for r in some)


def beside_lines(rows):
    """Lines on what was measured beside faults."""
    lines = []
    n, wrong, coarse = alarms(rows)
    if n:
        lines.append(f"false alarms: of {n} runs without fault that a 16 times finer one confirms {wrong} wrong ({100 * wrong / n:.1f} %), "
                     f"{coarse} coarse ({100 * coarse / n:.1f} %)")
    truncation = quantiles([r["figures"]["truncation"] for r in rows if isinstance(r["figures"].get("truncation"), float)])
    if truncation:
        lines.append("truncation after 0.1 s, of the way: median {:.1e}, 99 % {:.1e}, worst {:.1e}".format(*truncation))
    n, medians, single = ratios(rows)
    if n:
        lines.append(f"time of the median step over MuJoCo's, {n} scenes: " + "median {:.2f}, 99 % {:.2f}, worst {:.2f}".format(*medians))
    _, elliptic, _ = ratios(rows, "ratio_elliptic")
    if elliptic:
        lines.append("the same with MuJoCo's elliptic cone: median {:.2f}, 99 % {:.2f}, worst {:.2f}".format(*elliptic))
    if single:
        lines.append("worst single step over its scene's median: median {:.1f}, 99 % {:.1f}, worst {:.1f}".format(*single))
    n, slow = slower_rows(rows)
    if n:
        lines.append(f"a looser tolerance took more time and more iterations in {slow} of {n} scenes")
    return lines


def text(rows):
    lines = []
    for name in dict.fromkeys(r["population"] for r in rows):
        some = [r for r in rows if r["population"] == name]
        outcome, silent, told = counts(some)
        lines.append(f"{name}: {len(some)} rows, " + ", ".join(f"{n} {k}" for k, n in outcome.most_common()))
        lines.append(f"  silent rows: {sum(bool(r['silent']) for r in some)}" + "".join(f" · {k} {n}" for k, n in silent.most_common()))
        lines.append("  told: " + (" · ".join(f"{k} {n}" for k, n in told.most_common()) or "nothing"))
        lines += [f"  {line}" for line in beside_lines(some)]
        for row in sorted((r for r in some if r["outcome"] != "finished" or r["faults"]), key=rank):
            mark = "SILENT " if row["silent"] else ""
            lines.append(f"  {mark}#{row['index']} {row['name']}: {describe(row)}\n      {row['repeat']}")
    return "\n".join(lines)


def key(row):
    return f"{row['population']} {row['seed']} {row['index']}"


def compare(rows, file):
    """0, or 1 with sentences: a crash, a hang, a number that is not finite, or a silent row that the list does not name."""
    known = {}
    if file.exists():
        for line in file.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                name, _, why = line.partition(":")
                known[name.strip()] = why.strip()
    faults = []
    for row in rows:
        if row["outcome"] in BAD or "not finite" in row["silent"]:
            faults.append(f"{key(row)}: {describe(row)}   {row['repeat']}")
        elif row["silent"] and key(row) not in known:
            faults.append(f"{key(row)}: silent, and not in {file.name}: {describe(row)}   {row['repeat']}")
    right = {key(r) for r in rows if not r["silent"]} & set(known)
    if right:
        print("no longer silent, to be taken off the list: " + ", ".join(sorted(right)))
    print("\n".join(faults))
    return 1 if faults else 0


def load(file):
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
