"""Settings that name files: drawn as one word, which the file is written of when a case runs."""

import json
import math
import pathlib

PLACES, TABLE = "places:", "table:"

# What a rule of a tuning table can name.
WAYS = {
    "bcast": ("library", "staging", "single_copy", "auto", "linear", "chain", "binomial", "rdaas", "ring",
              "trinaryx3"),
    "reduce": ("library", "staging", "direct", "auto", "linear", "binomial", "rabenseifner", "trinaryx3"),
    "allreduce": ("library", "staging", "direct", "shares", "auto", "ring", "recdoubling", "swing"),
    "reduce_scatter": ("library", "staging", "direct", "shares", "linear"),
    "allgather": ("library", "staging", "single_copy", "send_buffers", "direct", "auto", "ring", "recdoubling",
                  "bruck", "multiring3d"),
    "allgatherv": ("library", "staging", "single_copy", "send_buffers", "direct", "auto"),
    "gather": ("library", "staging", "single_copy", "direct"),
    "gatherv": ("library", "staging", "single_copy", "direct"),
    "scatter": ("library", "staging", "single_copy", "direct"),
    "scatterv": ("library", "staging", "single_copy"),
    "alltoall": ("library", "staging", "single_copy", "direct", "auto", "linear", "pairwise", "bruck",
                 "doublespread"),
    "alltoallv": ("library", "staging", "single_copy", "direct"),
}
WITH_SEGMENTS = ("chain", "ring", "trinaryx3")


def first_ranks(layout, ranks):
    """The lowest rank of each node, by a value of MPIACTOR_NODES."""
    kind, _, number = layout.rpartition(":")
    if not layout:
        return [0]
    if kind == "cyclic":
        return list(range(int(number)))
    if kind == "ppn":
        return list(range(0, ranks, int(number)))
    if "," in layout:
        names = layout.split(",")
        return sorted({name: rank for rank, name in reversed(list(enumerate(names)))}.values())
    nodes = int(layout)
    return [node * (ranks // nodes) + min(node, ranks % nodes) for node in range(nodes)]


def random_extents(nodes, draw):
    """Up to three that multiply to so many nodes."""
    extents, rest = [], nodes
    while len(extents) < 2 and rest > 1 and draw.randrange(4):
        extents.append(draw.choice([d for d in range(1, rest + 1) if rest % d == 0]))
        rest //= extents[-1]
    return extents + [rest]


def random_torus(layout, ranks, draw):
    """A value of MPIACTOR_TORUS."""
    firsts = first_ranks(layout, ranks)
    kind = draw.randrange(4)
    if kind == 0:
        return "auto"
    extents = random_extents(len(firsts), draw)
    if kind == 1:
        return "x".join(str(extent) + draw.choice(("", "", "m")) for extent in extents)
    places = list(range(math.prod(extents)))
    draw.shuffle(places)
    return PLACES + ";".join(f"{first}@{coordinates_of(place, extents)}" for first, place in zip(firsts, places))


def coordinates_of(place, extents):
    coordinates = []
    for extent in extents:
        coordinates.append(str(place % extent))
        place //= extent
    return ",".join((coordinates + ["0", "0"])[:3])


def random_table(draw):
    """A value of MPIACTOR_TUNING."""
    table = {"format": "mpiactor-tuning-1"}
    for collective, ways in WAYS.items():
        if draw.randrange(3):
            continue
        rules = []
        for _ in range(draw.randrange(1, 3)):
            rule = {"algorithm": draw.choice(ways)}
            if draw.randrange(3) == 0:
                rule[draw.choice(("up_to", "over"))] = draw.choice((8, 1000, "4K", "64K"))
            if rule["algorithm"] in WITH_SEGMENTS and draw.randrange(2):
                rule["segment"] = draw.choice((1100, "1K", "32K"))
            rules.append(rule)
        table[collective] = rules
    return TABLE + json.dumps(table, separators=(",", ":"))


def written(value, folder):
    """The value itself, or where a file of it was written."""
    path = pathlib.Path(folder, value.partition(":")[0])
    if value.startswith(PLACES):
        hosts = (place.split("@") for place in value[len(PLACES):].split(";"))
        path.write_text("".join(f"host{rank} {' '.join(at.split(','))}\n" for rank, at in hosts), encoding="utf-8")
        return f"file:{path}"
    if value.startswith(TABLE):
        path.write_text(value[len(TABLE):], encoding="utf-8")
        return str(path)
    return value
