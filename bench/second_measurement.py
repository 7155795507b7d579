"""Rows of a matrix that came out low and are measured again, and how far rounds differ.

A matrix has so many rows that some are low by chance in every run. A row that is low for a reason
stays low when it is measured again with more rounds; only such rows say something.
"""

# The MPI library measured once more: what chance makes of its rows is what it is there to show.
CONTROL = "same"
# What an entry of the summary takes from the second measurement; the first one's are kept beside.
MEASURED = ("medians_us", "speedups", "rounds_us")


def low_rows(summary, bound):
    """[(collective, roots, bytes)] of the rows where some contender is below `bound` of plain's speed; roots is
    'rotate' or 'fixed'. Each is what one call of the program with these three measures."""
    low = {}
    for entry in summary:
        if any(ratio is not None and ratio < bound for name, ratio in entry["speedups"].items() if name != CONTROL):
            # A rooted collective with skew has a row for the root and one for the others.
            collective, _, roots = entry["row"].partition("/")[0].partition("@")
            low[(collective, roots or "fixed", entry["bytes"])] = True
    return list(low)


def replace_low(summary, again, bound):
    """`summary` with the figures of `again` for each row that was below `bound`; the first figures stay as 'first'."""
    second = {(entry["row"], entry["bytes"]): entry for entry in again}
    replaced = []
    for entry in summary:
        later = second.get((entry["row"], entry["bytes"]))
        if later is None or not low_rows([entry], bound):
            replaced.append(entry)
            continue
        first = {name: entry[name] for name in MEASURED}
        replaced.append({**entry, **{name: later[name] for name in MEASURED}, "first": first})
    return replaced


def round_ratios(entry, contender):
    """plain/contender of each round; None where the rounds cannot be paired."""
    rounds = entry["rounds_us"]
    own, plain = rounds.get(contender), rounds.get(f"{contender}.plain", rounds.get("plain"))
    if not own or not plain or len(own) != len(plain) or min(own) <= 0:
        return None
    return [before / after for before, after in zip(plain, own)]


def format_spread(entry, contender):
    """The lowest and the highest of the rounds' ratios."""
    ratios = round_ratios(entry, contender)
    return f"{min(ratios):.2f}-{max(ratios):.2f}" if ratios else "-"


def format_again(summary, bound, rounds, row_size):
    """What the rows that were measured again had been at first; empty where there are none."""
    rows = [entry for entry in summary if "first" in entry]
    if not rows:
        return ""
    lines = [f"* below {bound:g} at first, measured again by itself in {rounds} rounds, which alone count; first, then "
             "again:"]
    for entry in rows:
        ratios = "; ".join(f"{name} {entry['first']['speedups'][name]:.2f}, {ratio:.2f}"
                           for name, ratio in entry["speedups"].items()
                           if ratio is not None and entry["first"]["speedups"].get(name) is not None)
        lines.append(f"  {entry['row']} {row_size(entry)}: {ratios}")
    return "\n".join(lines) + "\n"
