#!/usr/bin/env python3
"""Compares what two runs of a program printed; exits with 1 and the first difference.

Integers and words have to be equal; real numbers may differ by a tolerance, or altogether.
"""

import argparse
import re
import sys

REAL = re.compile(r"[-+]?\d*\.\d+(?:[eEdD][-+]?\d+)?")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wanted", help="file with the output that is right")
    parser.add_argument("got", help="file with the output to look at")
    parser.add_argument("--only", metavar="REGEX", help="look at lines that contain this")
    parser.add_argument("--without", metavar="REGEX", help="leave lines out that contain this")
    parser.add_argument("--cut", metavar="REGEX", action="append", default=[],
                        help="remove this from lines, e.g. times")
    parser.add_argument("--sorted", action="store_true", help="the order of lines is of no matter")
    reals = parser.add_mutually_exclusive_group()
    reals.add_argument("--tolerance", type=float, default=0.0, help="of real numbers, absolute")
    reals.add_argument("--any-reals", action="store_true", help="real numbers are of no matter")
    return parser.parse_args()


def lines_of(path, options):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.rstrip() for line in file]
    if options.only:
        lines = [line for line in lines if re.search(options.only, line)]
    if options.without:
        lines = [line for line in lines if not re.search(options.without, line)]
    for pattern in options.cut:
        lines = [re.sub(pattern, "", line) for line in lines]
    return sorted(lines) if options.sorted else lines


def words_and_reals(line):
    """What is between the reals, and the reals. Their width may differ, so spaces count as one."""
    reals = [float(real.upper().replace("D", "E")) for real in REAL.findall(line)]
    return " ".join(REAL.sub(" # ", line).split()), reals


def differ(wanted, got, options):
    wanted_words, wanted_reals = words_and_reals(wanted)
    got_words, got_reals = words_and_reals(got)
    if wanted_words != got_words:
        return True
    if options.any_reals:
        return False
    return any(abs(a - b) > options.tolerance for a, b in zip(wanted_reals, got_reals))


def main():
    options = arguments()
    wanted = lines_of(options.wanted, options)
    got = lines_of(options.got, options)
    if not any(wanted):
        sys.exit(f"{options.wanted}: nothing to compare")
    for wanted_line, got_line in zip(wanted, got):
        if differ(wanted_line, got_line, options):
            sys.exit(f"differs:\n  wanted: {wanted_line}\n  got:    {got_line}")
    if len(wanted) != len(got):
        sys.exit(f"{len(got)} lines instead of {len(wanted)}")


if __name__ == "__main__":
    main()
