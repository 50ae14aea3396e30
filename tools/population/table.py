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


def text(rows):
    lines = []
    for name in dict.fromkeys(r["population"] for r in rows):
        some = [r for r in rows if r["population"] == name]
        outcome, silent, told = counts(some)
        lines.append(f"{name}: {len(some)} rows, " + ", ".join(f"{n} {k}" for k, n in outcome.most_common()))
        lines.append(f"  silent rows: {sum(bool(r['silent']) for r in some)}" + "".join(f" · {k} {n}" for k, n in silent.most_common()))
        lines.append("  told: " + (" · ".join(f"{k} {n}" for k, n in told.most_common()) or "nothing"))
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
