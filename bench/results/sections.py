"""What the page of results is made of: each section's commands, and how its figures become tables."""

import dataclasses
import shlex
import statistics

from job_runner import format_size

# Words of the commands that stand for files of this run; --json is the results program's own.
GRAPH = "GRAPH"
PICTURES = "PICTURES"

PLAIN_NAME = "MPICH"


@dataclasses.dataclass(frozen=True)
class Command:
    """One benchmark, and the name of the file that keeps its figures."""

    name: str
    words: tuple

    def shown(self):
        return shlex.join(self.words).replace(GRAPH, "rome99.gr").replace(PICTURES, "docs")


@dataclasses.dataclass(frozen=True)
class Section:
    """A block of the page: it begins with its commands, unless they are shown elsewhere."""

    name: str
    commands: tuple
    lines: object  # of the commands' documents, in their order: the block's Markdown lines
    shows_commands: bool = True

    def text(self, documents):
        head = ["```", *(command.shown() for command in self.commands), "```", ""] if self.shows_commands else []
        return "\n".join(head + self.lines(*documents))


def command(name, text):
    return Command(name, tuple(shlex.split(text)))


def number(value):
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def table(heads, rows):
    """Lines of a Markdown table."""
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)] + [f"| {' | '.join(row)} |" for row in rows]


def joined(values, shown):
    return "/".join("-" if value is None else shown(value) for value in values)


def ratio(value):
    return f"{value:.2f}"


def unit_size(size):
    for suffix, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size % factor == 0 and size:
            return f"{size // factor} {suffix}"
    return f"{size} B"


# ---- bench/collectives ----

def entries_of(*documents):
    return [entry for document in documents for entry in document["summary"]]


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else None


def row_name(entry):
    """Where ranks come late roots rotate, which the page says once."""
    return entry["row"].replace("@rotate", "")


def by_row(entries, value):
    """({row: {size: value}}, sizes) of the entries with a size, and {row: value} of those without."""
    rows, sizeless = {}, {}
    for entry in entries:
        if entry["bytes"]:
            rows.setdefault(row_name(entry), {})[entry["bytes"]] = value(entry)
        else:
            sizeless[row_name(entry)] = value(entry)
    return rows, sorted({size for row in rows.values() for size in row}), sizeless


def sentence_of(sizeless, shown):
    return ", ".join(f"{row} {shown(value)}" for row, value in sizeless.items()).capitalize()


def speed_lines(*documents):
    """Speeds of competitive leaders: rows are collectives, the last column their geometric means."""
    rows, sizes, sizeless = by_row(entries_of(*documents), lambda entry: entry["speedups"]["competitive"])
    lines = table(["", *map(format_size, sizes), "mean"],
                  [[name] + [ratio(cells[size]) if size in cells else "-" for size in sizes]
                   + [ratio(geometric_mean(list(cells.values())))] for name, cells in rows.items()])
    every = [value for cells in rows.values() for value in cells.values()] + list(sizeless.values())
    low = sum(value < 0.95 for value in every)
    alone = sentence_of(sizeless, ratio)
    return lines + ["", f"{alone + '; over' if alone else 'Over'} all **{ratio(geometric_mean(every))}**. "
                    f"{low or 'None'} of {len(every)} cells {'is' if low in (0, 1) else 'are'} below 0.95."]


def medians_lines(names, shown, *documents):
    """Medians of several contenders in each cell."""
    rows, sizes, sizeless = by_row(entries_of(*documents),
                                   lambda entry: [entry["medians_us"].get(name) for name in names])
    lines = table(["", *map(format_size, sizes)],
                  [[name.replace("/", ", ")] + [joined(cells[size], shown) if size in cells else "-" for size in sizes]
                   for name, cells in rows.items()])
    alone = sentence_of(sizeless, lambda values: joined(values, shown))
    return lines + (["", f"{alone}."] if alone else [])


def ratios_lines(numerators, denominators, *documents):
    """In each cell the ratio of each pair of contenders' medians; then the geometric means."""
    def ratios(entry):
        return [entry["medians_us"][above] / entry["medians_us"][below]
                for above, below in zip(numerators, denominators)]
    rows, sizes, sizeless = by_row(entries_of(*documents), ratios)
    lines = table(["", *map(format_size, sizes)],
                  [[name] + [joined(cells[size], ratio) if size in cells else "-" for size in sizes]
                   for name, cells in rows.items()])
    alone = sentence_of(sizeless, lambda values: joined(values, ratio))
    return lines + ["", f"{alone + '; geometric' if alone else 'Geometric'} mean **{mean_ratios(rows, sizeless)}**."]


def mean_ratios(rows, sizeless):
    every = [values for cells in rows.values() for values in cells.values()] + list(sizeless.values())
    return joined([geometric_mean([values[place] for values in every]) for place in range(len(every[0]))], ratio)


def only_mean(numerators, denominators, document):
    """The geometric means of ratios_lines without its table."""
    return ratios_lines(numerators, denominators, document)[-1].split("**")[1]


def gain_lines(late, hosts, node):
    """README's table."""
    excess = {row_name(entry): entry["medians_us"] for entry in late["summary"] if entry["bytes"] == 16 * KIB}
    rows = [[f"{name}, ranks late", f"{number(excess[f'{row}/others']['plain'])} us",
             f"**{number(excess[f'{row}/others']['competitive'])} us**"]
            for name, row in (("broadcast", "bcast"), *((row, row) for row in ("reduce", "gather", "scatter")))]
    for place, document in (("four virtual hosts", hosts), ("one node", node)):
        mean = geometric_mean([entry["speedups"]["competitive"] for entry in document["summary"]])
        rows.append([f"all collectives, nobody late, {place}", "1", f"**{ratio(mean)}** times as fast"])
    rows.append(["no gain: scatterv, ranks late"]
                + [f"{number(excess['scatterv/others'][name])} us" for name in ("plain", "competitive")])
    return table(["", f"{PLAIN_NAME} alone", "with mpiactor"], rows)


def under_way_lines(hosts, node):
    speeds = [by_row(entries_of(document), lambda entry: entry["speedups"]["competitive"])
              for document in (hosts, node)]
    sizes = speeds[0][1]
    heads = ["", *map(format_size, sizes), *(f"one node: {format_size(size)}" for size in sizes)]
    return table(heads, [[name] + [ratio(rows[name][size]) for rows, _, _ in speeds for size in sizes]
                         for name in speeds[0][0]])


def crowded_lines(counts, documents):
    rows = []
    for ranks, document in zip(counts, documents):
        for entry in document["summary"]:
            what = entry["row"] + (f" {unit_size(entry['bytes'])}" if entry["bytes"] else "")
            rows.append([f"{ranks} ranks, {what}"]
                        + [number(entry["medians_us"][name]) for name in ("plain", "openmpi", "competitive")])
    return table(["", PLAIN_NAME, "Open MPI", "mpiactor"], rows)


# ---- bench/compare ----

def excess_lines(all_late, late_leaders):
    rows = []
    for late, document in (("every rank", all_late), ("lowest rank of every node", late_leaders)):
        for entry in excess_of(document):
            rows.append([late, unit_size(entry["bytes"]),
                         *(number(entry["medians"][name]) for name in ("plain", "static", "competitive"))])
            late = ""
    return table(["late", "message", PLAIN_NAME, "static", "competitive"], rows)


def excess_of(document):
    return [entry for entry in document["summary"] if entry["measure"] == "excess_us.mean"]


def excess_ratio_lines(document):
    return table(["message", PLAIN_NAME, "static", "competitive", "competitive/static"],
                 [[unit_size(entry["bytes"])]
                  + [number(entry["medians"][name]) for name in ("plain", "static", "competitive")]
                  + [ratio(entry["ratios"]["competitive/static"])] for entry in excess_of(document)])


# ---- bench/loop/loop ----

LOOP_NAMES = ("plain", "static", "competitive")


def loop_cells(document, noise, measure, sizes, names):
    """Of each size, a cell of the contenders' medians; noise: whether the rows with it are meant."""
    found = {row["bytes"]: row for row in document["summary"] if bool(row["noise_us"]) == noise}
    return [joined([found[size]["medians"][name][measure] for name in names], number) for size in sizes]


def loop_lines(layouts, noise, measure, sizes, names, *documents):
    return table(["", *map(unit_size, sizes)],
                 [[layout, *loop_cells(document, noise, measure, sizes, names)]
                  for layout, document in zip(layouts, documents)])


def ways_lines(*documents):
    """Rows are noises, columns contenders: net time in the only size."""
    rows = []
    for document in documents:
        settings = document["settings"]
        for row in document["summary"]:
            scale = row["noise_us"] / 1000
            late = ("no noise" if not scale else f"each up to {scale:g} ms late" if settings["noise"] == "independent"
                    else f"one step in 100 up to {100 * scale:g} ms late")
            rows.append([late] + [number(row["medians"][name]["net_us"]) for name in row["medians"]])
    names = [PLAIN_NAME if name == "plain" else name if name in LOOP_NAMES else f"`{name}`"
             for name in documents[0]["summary"][0]["medians"]]
    return table(["", *names], rows)


# ---- bench/throughput and bench/applications ----

def throughput_lines(places, *documents):
    rows = []
    for place, document in zip(places, documents):
        [fits] = [entry["fits"] for entry in document["summary"] if entry["kind"] == "bcast"]
        for name, fit in fits.items():
            cells = ["no fit"] * 4 if fit is None else [
                number(fit["b_mbps"]), number(fit["m_half_bytes"]), number(fit["t0_us"]), f"{fit['r2']:.3f}"]
            rows.append([place, PLAIN_NAME if name == "plain" else name, *cells])
            place = ""
    return table(["", "", "B, MB/s", "M_half, bytes", "t0, us", "R2"], rows)


def applications_lines(document):
    """Seconds in broadcasts."""
    rows = []
    for row in document["summary"]:
        rows.append([f"{row['application'].upper()}, 4 x {row['ppn']}"]
                    + [f"{row[name]['broadcast_s']:.3f}" for name in ("plain", "static", "competitive")]
                    + [ratio(row[f"competitive_to_{other}"]["broadcast_s"]) for other in ("plain", "static")])
    return table(["", PLAIN_NAME, "static", "competitive", f"competitive/{PLAIN_NAME}", "competitive/static"], rows)


# ---- the page ----

ROOTED = "bcast,reduce,gather,scatter"
MATRIX = "bench/collectives --virtual-hosts 4 --ppn 4"
COMPARE = "bench/compare --virtual-hosts 4 --ppn 4 --rounds 3 --sizes 1K,64K,1M --skew-ms 20"
BESIDE = "barrier,bcast,reduce,allreduce,reduce_scatter,allgather,gather,scatter,alltoall"
UNDER_WAY = ("--contenders plain,competitive --rounds 5 --sizes 8,1K,16K --under-way 16 "
             "--collectives iallgather,ibcast,ialltoall,iallreduce")
LATE = "--collectives bcast,reduce,allreduce,gather,scatter --rounds 2 --reps 14 --skew-ms 20 --sizes 1K,16K,128K"
LOOP_SIZES = "8,4K,12K,40K,256K,1M"
LOOP = f"--sizes {LOOP_SIZES} --noise-us 0,3000 --steps 60"
KIB, MIB = 1 << 10, 1 << 20
NOISY_SIZES = (4 * KIB, 12 * KIB, 40 * KIB, 256 * KIB)
QUIET_SIZES = (8, 4 * KIB, 40 * KIB, 256 * KIB, MIB)
LAYOUTS = ("4 hosts x 4", "8 hosts x 2", "2 hosts x 8", "16 hosts x 2")
LOOPS = tuple(command(f"loop-{hosts}x{ppn}", f"bench/loop/loop --virtual-hosts {hosts} --ppn {ppn} {what}")
              for hosts, ppn, what in ((4, 4, f"{LOOP} --rounds 3"), (8, 2, f"{LOOP} --rounds 3"),
                                       (2, 8, f"{LOOP} --rounds 5"),
                                       (16, 2, "--noise-us 10000 --step-us 30000 --steps 60 --rounds 2")))
LONE = command("loop-8x1", f"bench/loop/loop --virtual-hosts 8 --ppn 1 {LOOP} --rounds 3 "
               "--contenders plain,competitive")
WAY = ("bench/loop/loop --virtual-hosts 12 --ppn 2 --sizes 8K --steps 300 --rounds 2 --step-us 16000 "
       "--variant linear:MPIACTOR_BCAST=linear --variant binomial:MPIACTOR_BCAST=binomial")

LATE_RANKS = command("late-ranks", f"{MATRIX} --contenders plain,competitive --collectives {ROOTED},gatherv,scatterv "
                     "--rounds 5 --reps 28 --sizes 1K,16K,128K --skew-ms 20")
ONE_NODE = command("one-node", "bench/collectives -n 2 --contenders plain,competitive --rounds 6 --cell-ms 12 "
                   "--sizes 8,256,4K,32K,256K,2M,16M --again 0.95")
FOUR_HOSTS = command("four-hosts", f"{MATRIX} --contenders plain,competitive --rounds 5 --cell-ms 40 "
                     "--sizes 8,1K,16K,128K,1M --again 0.95")

SECTIONS = (
    Section("gain", (LATE_RANKS, FOUR_HOSTS, ONE_NODE), gain_lines, shows_commands=False),
    Section("late-ranks", (LATE_RANKS,),
            lambda *documents: medians_lines(("plain", "competitive"), number, *documents)),
    Section("late-leaders", (
        command("late-all", f"{COMPARE} --reps 32"),
        command("late-leaders", f"{COMPARE} --pattern late-leaders --reps 20")),
        excess_lines),
    Section("late-16-hosts", (
        command("late-16-hosts", "bench/compare --virtual-hosts 16 --ppn 4 --rounds 2 --sizes 1K,64K --skew-ms 100 "
                "--reps 16"),),
        excess_ratio_lines),
    Section("noise-picture", (
        command("noise-picture", "bench/loop/loop --virtual-hosts 4 --ppn 4 --sizes 12K,256K "
                f"--noise-us 0,500,1000,2000,3000 --rounds 3 --svg {PICTURES}/noise.svg"),),
        lambda document: ["![time in broadcasts over noise](noise.svg)"]),
    Section("noise", LOOPS,
            lambda *documents: loop_lines(LAYOUTS, True, "net_us", NOISY_SIZES, LOOP_NAMES, *documents)),
    Section("no-noise", LOOPS[:3],
            lambda *documents: loop_lines(LAYOUTS, False, "in_call_us", QUIET_SIZES, LOOP_NAMES, *documents),
            shows_commands=False),
    Section("one-rank-a-host", (LONE,),
            lambda document: table(["", *map(unit_size, QUIET_SIZES)], [
                [name, *loop_cells(document, noise, "in_call_us", QUIET_SIZES, ("plain", "competitive"))]
                for name, noise in (("no noise", False), ("noise of 3 ms", True))])),
    Section("which-way", (command("ways", f"{WAY} --noise-us 0,6000"),
                          command("ways-rare", f"{WAY} --noise rare --noise-us 3000")), ways_lines),
    Section("one-node", (ONE_NODE,), speed_lines),
    Section("cold", (
        command("cold", "bench/collectives -n 2 --contenders plain,openmpi,competitive --rounds 6 --cell-ms 500 "
                "--sizes 8,4K --sweep 24M --collectives barrier,bcast,allreduce,allgather,alltoall,reduce"),),
        lambda document: medians_lines(("plain", "openmpi", "competitive"), number, document)),
    Section("four-hosts", (FOUR_HOSTS,), speed_lines),
    Section("twelve-hosts", (
        command("twelve-hosts", "bench/collectives --virtual-hosts 12 --ppn 2 --contenders plain,competitive "
                "--rounds 5 --cell-ms 20 --sizes 1K,16K,128K,1M "
                "--collectives bcast,reduce,allreduce,reduce_scatter,allgather,gather,scatter,alltoall"),),
        speed_lines),
    Section("under-way", (
        command("under-way-hosts", f"bench/collectives --virtual-hosts 4 --ppn 2 {UNDER_WAY}"),
        command("under-way-node", f"bench/collectives -n 2 {UNDER_WAY} --cell-ms 30")),
        under_way_lines),
    Section("beside-open-mpi", (
        command("beside-open-mpi", f"{MATRIX} --contenders plain,openmpi,openmpi-han,competitive --rounds 4 "
                f"--cell-ms 40 --collectives {BESIDE} --sizes 8,1K,16K,128K,1M --max-memory 40M"),),
        lambda document: ratios_lines(("plain",) * 3, ("openmpi", "openmpi-han", "competitive"), document)),
    Section("beside-open-mpi-more", (
        command("beside-open-mpi-late", f"{MATRIX} --contenders plain,openmpi,openmpi-han,competitive {LATE}"),
        command("beside-open-mpi-node", "bench/collectives -n 2 --contenders plain,openmpi,competitive --rounds 4 "
                f"--cell-ms 15 --collectives {BESIDE} --sizes 8,1K,16K,256K,2M,16M")),
        lambda late, node: [
            "Ranks up to 20 ms late: MPICH's excess divided by theirs is **"
            + only_mean(("plain",) * 3, ("openmpi", "openmpi-han", "competitive"), late)
            + "**. One node, nobody late: speed of Open MPI/mpiactor **"
            + only_mean(("plain",) * 2, ("openmpi", "competitive"), node) + "**."]),
    Section("on-open-mpi", (
        command("on-open-mpi", f"{MATRIX} --contenders openmpi,openmpi-han,openmpi-competitive --rounds 4 --cell-ms 40 "
                f"--collectives {BESIDE} --sizes 8,1K,16K,128K,1M --max-memory 40M"),),
        lambda document: ratios_lines(("openmpi", "openmpi-han"), ("openmpi-competitive",) * 2, document)),
    Section("on-open-mpi-more", (
        command("on-open-mpi-late", f"{MATRIX} --contenders openmpi,openmpi-han,openmpi-competitive {LATE}"),
        command("on-open-mpi-node", "bench/collectives -n 2 --contenders openmpi,openmpi-han,openmpi-competitive "
                f"--rounds 5 --cell-ms 40 --collectives {BESIDE} --sizes 8,1K,16K,128K,1M --max-memory 40M")),
        lambda late, node: [
            "Ranks up to 20 ms late: their excess is **"
            + only_mean(("openmpi", "openmpi-han"), ("openmpi-competitive",) * 2, late)
            + "** times mpiactor's. One node with two ranks, nobody late: **"
            + only_mean(("openmpi", "openmpi-han"), ("openmpi-competitive",) * 2, node) + "**."]),
    Section("crowded", tuple(
        command(f"crowded-{ranks}", f"bench/collectives -n {ranks} --contenders plain,openmpi,competitive --rounds 8 "
                "--cell-ms 150 --collectives barrier,bcast,allreduce --sizes 1K") for ranks in (16, 32)),
        lambda *documents: crowded_lines((16, 32), documents)),
    Section("throughput", (
        command("throughput-node", "bench/throughput -n 2 --rounds 3 --cell-ms 20"),
        command("throughput-hosts", "bench/throughput --virtual-hosts 4 --ppn 4 --rounds 3 --cell-ms 40 "
                f"--svg {PICTURES}/throughput.svg")),
        lambda *documents: throughput_lines(("one node, 2 ranks", "4 hosts x 4"), *documents)),
    Section("applications", (
        command("applications", f"bench/applications --graph {GRAPH} --rounds 6"),), applications_lines),
    Section("applications-asleep", (
        command("applications-asleep", f"bench/applications --graph {GRAPH} --computing asleep --rounds 6"),),
        applications_lines),
    Section("applications-long", (
        command("applications-long", "bench/applications --applications vcc --variables 3000 --computing asleep "
                "--rounds 5"),), applications_lines),
    Section("applications-noise", (
        command("applications-noise", "bench/applications --applications asp --computing asleep --noise-us 500 "
                "--rounds 6"),), applications_lines),
    Section("order", (
        command("order", "bench/collectives -n 8 --collectives allreduce,reduce,reduce_scatter --sizes 64K,1M "
                "--skew-ms 20 --type double --contenders competitive "
                "--variant arrival:MPIACTOR_REDUCE_ORDER=arrival --rounds 3 --reps 20 --max-memory 17M"),),
        lambda document: medians_lines(("competitive", "arrival"), number, document)),
)
