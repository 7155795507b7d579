#!/usr/bin/env python3
"""Prints the tables that close the demo: demo_table.py FOLDER

FOLDER holds asp-LEADER-ROUND.json and noise-LEADER-ROUND.json (written by asp, whose computing was real and
asleep with noise), upa-PATTERN.json (written by bench/compare) and loop.json (written by bench/loop/loop).
Exit status: 0; 1 where the modes computed different distances or a file is missing.
"""

import json
import pathlib
import statistics
import sys

# Leader as the launcher calls it, and as the tables do.
MODES = {"off": "plain", "static": "static", "competitive": "competitive"}
ANSWER = ("vertices", "arcs", "reachable", "sum", "max")
TIMES = {"total_s": "total", "broadcast_s": "in MPI_Bcast", "compute_s": "computing"}
PATTERNS = {
    "random": "every rank up to 20 ms late",
    "late-leaders": "the lowest rank of every node up to 20 ms late",
}
LABEL_WIDTH, WIDTH = 14, 13
GAINED = 0.95  # competitive leaders gain where they take less than that of what the better of the others takes


class DemoError(Exception):
    """What the user can act on; printed without a traceback."""


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise DemoError(f"{path}: {error}") from error


def read_asp(folder, name):
    """{leader: [report of each round]}"""
    reports = {}
    for leader in MODES:
        paths = sorted(folder.glob(f"{name}-{leader}-*.json"))
        if not paths:
            raise DemoError(f"{folder}: there is no {name}-{leader}-*.json")
        reports[leader] = [read_json(path) for path in paths]
    return reports


def answers_of(reports):
    """The different answers of all runs: {answer: [runs]}."""
    answers = {}
    for leader, rounds in reports.items():
        for report in rounds:
            answers.setdefault(tuple(report[key] for key in ANSWER), []).append(MODES[leader])
    return answers


def ratio(value, other):
    return f"{value / other:.2f}" if other > 0 else "-"


def row(label, cells):
    return f"{label:>{LABEL_WIDTH}}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)


def medians_of(reports, key):
    """{mode: median over rounds}"""
    return {MODES[leader]: statistics.median(report[key] for report in rounds) for leader, rounds in reports.items()}


def cells_of(medians, digits):
    """A row's: each mode, then the ratios."""
    ratios = [ratio(medians["competitive"], medians[other]) for other in ("plain", "static")]
    return [f"{medians[mode]:.{digits}f}" for mode in MODES.values()] + ratios


def computing_of(report):
    if not report.get("asleep"):
        return "computed"
    noise = report["noise"]
    return f"computing slept, {noise['kind']} noise of {noise['us']:g} us"


def asp_table(reports):
    first = reports["off"][0]
    lines = [
        f"All-pairs shortest paths, {first['vertices']} vertices, {first['ranks']} ranks, {computing_of(first)}: "
        f"seconds, median of {len(reports['off'])} runs",
        row("", [*MODES.values(), "comp./plain", "comp./static"]),
    ]
    lines += [row(label, cells_of(medians_of(reports, key), 3)) for key, label in TIMES.items()]
    return "\n".join(lines)


def format_size(size):
    for suffix, factor in (("M", 1 << 20), ("K", 1 << 10)):
        if size % factor == 0:
            return f"{size // factor}{suffix}"
    return str(size)


def excess_table(report, meaning):
    lines = [
        f"Arrival benchmark, {meaning}: mean excess in us",
        row("message", [*MODES.values(), "comp./plain", "comp./static"]),
    ]
    lines += [row(format_size(size), cells_of(medians, 0)) for size, medians in excess_medians(report)]
    return "\n".join(lines)


def excess_medians(report):
    """(bytes, {mode: median}) of each size."""
    return [(entry["bytes"], entry["medians"]) for entry in report["summary"] if entry["measure"] == "excess_us.mean"]


def loop_medians(report):
    """(bytes, noise, {mode: median}) of the time in the call."""
    return [(entry["bytes"], entry["noise_us"], {mode: entry["medians"][mode]["in_call_us"] for mode in MODES.values()})
            for entry in report["summary"]]


def loop_table(report):
    settings = report["settings"]
    lines = [f"Loop of {settings['steps']} steps of {settings['step_us']:g} us with {settings['noise']} noise: mean time "
             "in MPI_Bcast in us",
             row("message, noise", [*MODES.values(), "comp./plain", "comp./static"])]
    lines += [row(f"{format_size(size)}, {noise_us:g}", cells_of(medians, 0))
              for size, noise_us, medians in loop_medians(report)]
    return "\n".join(lines)


def nothing_gained(measured):
    """The line that says so; `measured`: (what, {mode: median})."""
    where = []
    for what, medians in measured:
        best = min(medians["plain"], medians["static"])
        if medians["competitive"] >= GAINED * best:
            where.append(f"{what} ({ratio(medians['competitive'], best)})")
    limit = f"competitive leaders at {GAINED:.2f} or more of the better of plain and static"
    if not where:
        return f"Nothing gained ({limit}): nowhere in these runs."
    return f"Nothing gained ({limit}): {'; '.join(where)}."


def print_answers(answers):
    """Whether there is only one."""
    if len(answers) == 1:
        answer = " ".join(f"{key}={value}" for key, value in zip(ANSWER, next(iter(answers))))
        print(f"Same answer in all {sum(map(len, answers.values()))} runs: {answer}")
        return True
    print("DIFFERENT ANSWERS:")
    for answer, runs in answers.items():
        text = " ".join(f"{key}={value}" for key, value in zip(ANSWER, answer))
        print(f"  {', '.join(runs)}: {text}")
    return False


def main(argv):
    if len(argv) != 1:
        raise DemoError("give one folder with results")
    folder = pathlib.Path(argv[0])
    noise, asp = read_asp(folder, "noise"), read_asp(folder, "asp")
    benchmarks = {name: read_json(folder / f"upa-{name}.json") for name in PATTERNS}
    loop = read_json(folder / "loop.json")
    print(asp_table(noise) + "\n")
    print(asp_table(asp))
    same = print_answers(answers_of(asp))
    for name, meaning in PATTERNS.items():
        print()
        print(excess_table(benchmarks[name], meaning))
    print("\n" + loop_table(loop))
    print("\n" + nothing_gained(
        [(f"shortest paths, {'slept with noise' if reports is noise else 'computed'}, {label}", medians_of(reports, key))
         for reports in (noise, asp) for key, label in TIMES.items() if key != "compute_s"]
        + [(f"arrivals, {name}, {format_size(size)}", medians)
           for name in PATTERNS for size, medians in excess_medians(benchmarks[name])]
        + [(f"loop, {format_size(size)}, noise {noise_us:g} us", medians)
           for size, noise_us, medians in loop_medians(loop)]))
    print(
        "\nplain: the MPI library alone, its waiting made polite. Excess: time in MPI_Bcast beyond "
        "what the\nroot's own arrival forces on a rank; zero is the floor. Medians over rounds; on "
        "a busy machine they\nscatter."
    )
    return 0 if same else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DemoError as error:
        print(f"demo_table.py: {error}", file=sys.stderr)
        sys.exit(1)
