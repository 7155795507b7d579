"""One case: a random program, the ranks and settings it runs with, and how it is drawn."""

import dataclasses
import random

import files

DEFAULT_LAYOUT = ""
RANKS = (2, 3, 4, 4, 5, 6, 8, 8, 12, 16)

# Settings beside the layout: a value for each of (how many of) these many cases.
OFTEN = {
    "MPIACTOR_LEADER": ("competitive", "competitive", "static"),
    "MPIACTOR_NEVER_WORSE": ("0", "0", "1"),
    "MPIACTOR_WARMUP_CALLS": ("0", "0", "1"),
}
NOW_AND_THEN = {
    "MPIACTOR_BCAST": ("linear", "chain", "pipeline", "binary", "splitbinary", "binomial", "rdaas", "ring",
                       "trinaryx3", "trinaryx6", "bintree3d", "bintree6d", "bine", "bineaas"),
    "MPIACTOR_REDUCE": ("linear", "chain", "binomial", "rabenseifner", "trinaryx3", "bine"),
    "MPIACTOR_ALLREDUCE": ("linear", "shares", "ring", "recdoubling", "rabenseifner", "trinaryx3", "swing",
                           "swingshort"),
    "MPIACTOR_ALLGATHER": ("linear", "ring", "recdoubling", "bruck", "multiring3d"),
    "MPIACTOR_ALLTOALL": ("linear", "pairwise", "bruck", "doublespread"),
    "MPIACTOR_REDUCE_ORDER": ("arrival",),
    "MPIACTOR_SINGLE_COPY": ("off",),
    "MPIACTOR_SEGMENT": ("1K", "4K", "64K"),
    "MPIACTOR_WINDOW": ("1", "2", "8"),
    "MPIACTOR_MEMORY": ("saving", "fast:1"),
    "MPIACTOR_PUSH": ("0", "1K", "64K"),
    "MPIACTOR_SHM_LIMIT": ("256K", "1M"),
    "MPIACTOR_CANDIDATES": ("1", "2"),
    "MPIACTOR_NONBLOCKING": ("off",),
    "MPIACTOR_CHECK": ("1",),
    "MPIACTOR_WAIT": ("spin", "yield"),
}
ONE_IN = 9


@dataclasses.dataclass
class Case:
    ranks: int
    seed: int
    settings: dict = dataclasses.field(default_factory=dict)
    steps: int = 0
    keep: list = None
    threads: int = 1
    without: tuple = ()
    wrong_sizes: bool = False

    def arguments(self, seconds=0):
        """The program's command line."""
        words = ["--seed", str(self.seed), "--threads", str(self.threads)]
        if self.steps:
            words += ["--steps", str(self.steps)]
        if seconds:
            words += ["--seconds", str(seconds)]
        if self.keep is not None:
            words += ["--keep", ranges_of(self.keep)]
        if self.without:
            words += ["--without", ",".join(self.without)]
        return words + (["--wrong-sizes"] if self.wrong_sizes else [])

    def changed(self, **values):
        return dataclasses.replace(self, **values)

    def without_runtime(self):
        """The same program on the MPI library alone, where wrong sizes may do anything."""
        return self.changed(settings=dict(self.settings, MPIACTOR_LEADER="off"), wrong_sizes=False)

    def to_line(self):
        """A line of the file of kept cases."""
        words = [f"ranks={self.ranks}", f"seed={self.seed}"]
        words += [f"steps={self.steps}"] if self.steps else []
        words += [f"keep={ranges_of(self.keep)}"] if self.keep is not None else []
        words += [f"threads={self.threads}"] if self.threads > 1 else []
        words += [f"without={','.join(self.without)}"] if self.without else []
        words += ["wrong_sizes=1"] if self.wrong_sizes else []
        return " ".join(words + [f"{name}={value}" for name, value in sorted(self.settings.items()) if value])

    @staticmethod
    def from_line(line):
        """The case of a line; None for an empty one or a comment."""
        values = dict(word.split("=", 1) for word in line.split("#")[0].split())
        if not values:
            return None
        keep = values.get("keep")
        return Case(ranks=int(values["ranks"]), seed=int(values["seed"]), steps=int(values.get("steps", 0)),
                    keep=numbers_of(keep) if keep else None, threads=int(values.get("threads", 1)),
                    without=tuple(values["without"].split(",")) if "without" in values else (),
                    wrong_sizes="wrong_sizes" in values,
                    settings={n: v for n, v in values.items() if n.startswith(("MPIACTOR_", "MPIR_", "UCX_"))})


def ranges_of(numbers):
    """[3, 7, 8, 9] as '3,7-9'."""
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def numbers_of(text):
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def random_layout(ranks, draw):
    """A value of MPIACTOR_NODES."""
    divisors = [d for d in range(2, ranks + 1) if ranks % d == 0]
    kind = draw.randrange(8)
    if kind < 2:
        return DEFAULT_LAYOUT
    if kind < 4:
        return str(draw.choice(divisors[:2]))
    if kind == 4:
        return f"cyclic:{draw.randrange(2, min(ranks, 4) + 1)}"
    if kind == 5:
        return "ppn:1"
    nodes = draw.randrange(2, min(ranks, 5) + 1)
    # Every node has a rank, the first one rank 0.
    places = list(range(nodes)) + [draw.randrange(nodes) for _ in range(ranks - nodes)]
    draw.shuffle(places)
    names = {}
    return ",".join(str(names.setdefault(place, len(names))) for place in places)


def random_case(seed, ranks_allowed, thread_cases, without, fixed):
    """`fixed`: settings of every case."""
    draw = random.Random(seed)
    ranks = draw.choice([n for n in RANKS if n in ranks_allowed] or sorted(ranks_allowed))
    settings = {name: draw.choice(values) for name, values in OFTEN.items()}
    for name, values in NOW_AND_THEN.items():
        value, taken = draw.choice(values), draw.randrange(ONE_IN) == 0
        if taken:
            settings[name] = value
    drawn = random_layout(ranks, draw)
    layout = fixed.get("MPIACTOR_NODES", drawn)
    if layout:
        settings["MPIACTOR_NODES"] = layout
    if draw.randrange(ONE_IN // 2) == 0:
        settings["MPIACTOR_TORUS"] = files.random_torus(layout, ranks, draw)
    if draw.randrange(ONE_IN // 2) == 0:
        settings["MPIACTOR_TUNING"] = files.random_table(draw)
    settings.update(fixed)
    threads = 2 if draw.random() < thread_cases else 1
    # docs/errors.md speaks of calls that are handled: by default some are not, and with little shared
    # memory none whose ranks alone know their sizes. MPIACTOR_CHECK ends jobs in which sizes differ.
    wrong_sizes = (settings["MPIACTOR_NEVER_WORSE"] == "0" and settings["MPIACTOR_WARMUP_CALLS"] == "0"
                   and not {"MPIACTOR_CHECK", "MPIACTOR_SHM_LIMIT"} & settings.keys() and draw.randrange(3) == 0)
    return Case(ranks, seed, settings, threads=threads, without=without, wrong_sizes=wrong_sizes)
