#!/usr/bin/env python3
"""Prints the tables that close the demo: demo_table.py FOLDER

FOLDER holds asp-LEADER-ROUND.json (written by asp) and upa-PATTERN.json (written by bench/compare).
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


class DemoError(Exception):
    """What the user can act on; printed without a traceback."""


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise DemoError(f"{path}: {error}") from error


def read_asp(folder):
    """{leader: [report of each round]}"""
    reports = {}
    for leader in MODES:
        paths = sorted(folder.glob(f"asp-{leader}-*.json"))
        if not paths:
            raise DemoError(f"{folder}: there is no asp-{leader}-*.json")
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


def asp_table(reports):
    first = reports["off"][0]
    lines = [
        f"All-pairs shortest paths, {first['vertices']} vertices, {first['ranks']} ranks: seconds, "
        f"median of {len(reports['off'])} runs",
        row("", [*MODES.values(), "comp./plain", "comp./static"]),
    ]
    for key, label in TIMES.items():
        medians = {
            leader: statistics.median(report[key] for report in rounds)
            for leader, rounds in reports.items()
        }
        ratios = [ratio(medians["competitive"], medians[other]) for other in ("off", "static")]
        lines.append(row(label, [f"{value:.3f}" for value in medians.values()] + ratios))
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
    for entry in report["summary"]:
        if entry["measure"] != "excess_us.mean":
            continue
        medians = entry["medians"]
        ratios = [ratio(medians["competitive"], medians[other]) for other in ("plain", "static")]
        cells = [f"{medians[mode]:.0f}" for mode in MODES.values()]
        lines.append(row(format_size(entry["bytes"]), cells + ratios))
    return "\n".join(lines)


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
    asp = read_asp(folder)
    benchmarks = {name: read_json(folder / f"upa-{name}.json") for name in PATTERNS}
    print(asp_table(asp))
    same = print_answers(answers_of(asp))
    for name, meaning in PATTERNS.items():
        print()
        print(excess_table(benchmarks[name], meaning))
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
